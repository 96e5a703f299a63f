"""How runs, ensembles and adaptations are measured, in whatever process: each gives a line of results."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from unseen.adda.adapt import ADDA, adapt
from unseen.base.images import in_batches
from unseen.base.records import to_json
from unseen.data.domain import Domain, as_domain
from unseen.engine import Engine, evaluation_batch
from unseen.ensembles import rules
from unseen.ensembles.ensemble import Ensemble
from unseen.paper.lab import Source
from unseen.paper.results import Line
from unseen.reporting.evaluation import Score, result_line, score_run, scores_of
from unseen.runs.config import made_now
from unseen.runs.folder import RunFolder
from unseen.runs.loading import load
from unseen.runs.request import Request
from unseen.scoring.accuracy import accuracy, evaluate
from unseen.scoring.confusion import confusion, iou, miou


def score_training(source: Source, request: Request, domains: tuple[str, ...]) -> Line:
    """Score a finished run, then delete its rounds and checkpoints: those of hundreds of runs would fill any disk.

    Raw scores are kept, but not those of pixels, which take more room than the images.
    """
    net = load(request.out)
    for name in domains:  # one after the other, since all street domains at once fill the memory
        domain = source.lab.load(name, request.job.resize)
        score_run(request.out, [domain], net, keep=not domain.segmented)
    RunFolder(request.out).trim()
    return {"kind": "run", **result_line(request.out)}


def score_ensemble(source: Source, folders: tuple[Path, ...], seed: int, domains: tuple[str, ...]) -> Line:
    """Every rule on the scores of the members: choosing costs little once they are there."""
    scores = [score for name in domains for score in _by_rule(source.lab.load(name), folders)]
    members = [folder.name for folder in folders]
    return {"kind": "ensemble", "seed": seed, "members": members, **made_now(), "scores": scores}


def _by_rule(domain: Domain, folders: tuple[Path, ...]) -> list[dict[str, Any]]:
    if domain.segmented:
        return [score.asdict() | {"rule": rule} for rule, score in _pixel_scores(_ensemble(folders), domain).items()]
    stacked = torch.stack([scores_of(folder, domain) for folder in folders])
    known = {"domain": domain.name, "images": len(domain), "sha256": domain.fingerprint}
    return [
        known | {"rule": name, "accuracy": accuracy(rule(stacked).classes, domain.labels[:])}
        for name, rule in rules.RULES.items()
    ]


@lru_cache(maxsize=1)
def _ensemble(folders: tuple[Path, ...]) -> Ensemble:
    return Ensemble.of_runs(folders)


def _pixel_scores(ensemble: Ensemble, domain: Domain) -> dict[str, Score]:
    """The mIoU on a domain whose labels are masks, under every rule: what ``evaluate`` gives for each.

    The members answer once for all rules, and of a batch's scores only the confusion matrices stay.
    """
    classes = ensemble.count_classes(domain.images)
    as_domain(domain, classes=classes)
    matrices = {name: torch.zeros(classes, classes, dtype=torch.long) for name in rules.PIXEL_RULES}
    batch = evaluation_batch(domain.images[:1])
    for images, labels in zip(in_batches(domain.images, batch), in_batches(domain.labels, batch), strict=True):
        scores = ensemble.scores(images, batch=len(images))
        for name, rule in rules.PIXEL_RULES.items():
            matrices[name] += confusion(rule(scores).classes, labels, classes).sum(0)
    return {name: _pixel_score(domain, matrix) for name, matrix in matrices.items()}


def _pixel_score(domain: Domain, matrix: Tensor) -> Score:
    each = [None if math.isnan(value) else value for value in iou(matrix).tolist()]
    return Score(domain.name, len(domain), domain.fingerprint, miou=miou(matrix), iou=each)


def score_adaptation(source: Source, request: Request, column: str, adda: ADDA, seed: int) -> Line:
    """Adapt a finished run to a target, and score the adapted network there."""
    lab = source.lab
    target, unlabelled = lab.load(source.targets[column]), source.unlabelled(column)
    folder = lab.runs / "adapted" / f"{request.out.name}-{target.name}-{adda.target_images}"
    engine = Engine(precision=lab.precision, threads=1)
    adapted = adapt(
        load(request.out), request.job.load_source(), unlabelled, adda, seed=seed, folder=folder, engine=engine
    )
    score = Score(target.name, len(target), target.fingerprint, accuracy=evaluate(adapted.net, target))
    return {
        "kind": "adda", "adda": adda.asdict(), "seed": seed, "source": request.out.name,
        "unlabelled": {"name": unlabelled.name, "images": len(unlabelled), "sha256": unlabelled.fingerprint},
        "engine": to_json(engine.record()), **made_now(), "scores": [score.asdict()],
    }  # fmt: skip
