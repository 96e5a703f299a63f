"""Accuracy of finished runs on domains, kept in the run's folder so that nothing is measured twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unseen.data.domain import Domain
from unseen.job import load
from unseen.metrics import evaluate
from unseen.run import RunFolder
from unseen.split import Split
from unseen.storage import write_json


@dataclass(frozen=True)
class Score:
    """Accuracy of one run's last iterate on one domain."""

    domain: str
    accuracy: float
    images: int
    sha256: str
    """fingerprint of the domain's data"""


def score_run(folder: Path, domains: Sequence[Domain], net: Split | None = None) -> list[Score]:
    """The run's accuracy on each domain; what ``evaluation.json`` has for the same weights and data is not redone."""
    files = RunFolder(folder)
    path = folder / "evaluation.json"
    weights = hashlib.sha256(files.weights.read_bytes()).hexdigest() if files.finished else ""
    known = _known(path, weights)
    scores = []
    for domain in domains:
        score = known.get(domain.fingerprint)
        if score is None:
            net = net or load(folder)
            score = Score(domain.name, evaluate(net, domain), len(domain), domain.fingerprint)
        known[domain.fingerprint] = score
        scores.append(score)
    write_json(path, {"weights": weights, "scores": [asdict(score) for score in known.values()]})
    return scores


def result_line(folder: Path) -> dict[str, Any]:
    """One run as a line of a results file: what it was, with what it was made, and every accuracy measured of it."""
    config = RunFolder(folder).finished_config()
    kept = {name: config[name] for name in ("ada", "job", "seed", "source", "engine", "versions", "created")}
    scores = json.loads((folder / "evaluation.json").read_text())["scores"]
    return {"run": folder.name, **kept, "selection": "last iterate", "scores": scores}


def _known(path: Path, weights: str) -> dict[str, Score]:
    """What was measured with these weights; a file that can't be read only costs measuring again."""
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        scores = {line["sha256"]: Score(**line) for line in content["scores"]}
        return scores if content["weights"] == weights else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
