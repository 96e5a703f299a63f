"""Where a network is from: what a graph's metadata and a model card say of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unseen.deploy.graph import GraphInput
from unseen.deploy.predictor import Predictor
from unseen.ensembles import folder as ensemble_folder
from unseen.reporting.evaluation import Score, known_scores, selections_of
from unseen.runs.config import made_now
from unseen.runs.job import Job
from unseen.runs.loading import NetworkRecord

_ABOUT = ("source", "ada", "adda", "job", "seed", "engine", "versions", "created")


@dataclass(frozen=True)
class Provenance:
    """What a folder says of the network, or the members, that it holds."""

    folder: Path
    members: Mapping[str, NetworkRecord]
    """by their names; one run is its own only member"""
    rule: str | None
    """of an ensemble"""
    measured: list[Score]
    """on every domain that was evaluated so far"""

    @classmethod
    def read(cls, folder: Path) -> Provenance:
        """What is known of a finished run's or an ensemble's folder."""
        if ensemble_folder.holds(folder):
            saved = ensemble_folder.read(folder)
            members = {name: NetworkRecord.read(at) for name, at in zip(saved.names, saved.places, strict=True)}
            return cls(folder, members, saved.rule, known_scores(folder))
        name = folder.resolve().name
        return cls(folder, {name: NetworkRecord.read(folder)}, None, known_scores(folder))

    @property
    def first(self) -> NetworkRecord:
        """Of the only member, or the first."""
        return next(iter(self.members.values()))

    @property
    def job(self) -> Job | None:
        """How the source is found by name, where a run's folder says so."""
        return self.first.job

    @property
    def selection(self) -> str:
        """Which weights of a training are its result, or of each member's where they differ."""
        return "; ".join(dict.fromkeys(each.chosen for each in selections_of(self.folder)))

    def metadata(self, predictor: Predictor, expected: GraphInput) -> dict[str, str]:
        """What an exported graph says of itself: text, or JSON where there is more to say."""
        about = {name: _about(record.config) for name, record in self.members.items()}
        content: dict[str, Any] = {
            "classes": predictor.classes,
            "input": str(expected),
            "preparation": f"upright, {'RGB' if expected.channels == 3 else 'grey'}, resized to "
            f"{expected.size[0]}x{expected.size[1]} (height x width) by Pillow's {predictor.prepare.resize} kernel",
            "selection": self.selection,
            "measured": [score.asdict() for score in self.measured],
            "exported": made_now(),
        }
        if self.rule is None:
            content |= next(iter(about.values()))
        else:
            content |= {"rule": self.rule, "members": about}
        return {
            f"unseen.{name}": value if isinstance(value, str) else json.dumps(value) for name, value in content.items()
        }


def _about(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: config[name] for name in _ABOUT if config.get(name) is not None}
