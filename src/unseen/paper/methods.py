"""What a figure compares: a training, an ensemble of trainings, a training adapted to its target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from unseen.adda.adapt import ADDA, adapt
from unseen.data.domain import Domain
from unseen.engine import Engine
from unseen.ensembles import rules
from unseen.ensembles.ensemble import Ensemble
from unseen.paper.bench import Bench
from unseen.paper.lab import Lab
from unseen.paper.pixels import pixel_scores
from unseen.paper.published import Published
from unseen.paper.results import Line, Results, key, run_key
from unseen.reporting.evaluation import Score, result_line, score_run, scores_of
from unseen.reporting.kit.theme import Kind
from unseen.runs.config import made_now
from unseen.runs.folder import RunFolder
from unseen.runs.job import load
from unseen.runs.request import Request
from unseen.scoring.accuracy import accuracy, evaluate

B = TypeVar("B", contravariant=True)
"""where a method is carried out"""


@dataclass(frozen=True)
class Measurement:
    """Something to measure once: what has to be trained before, and how it is measured."""

    key: str
    needs: tuple[Request, ...]
    """the trainings"""
    domains: tuple[str, ...]
    """what its line has scores of"""
    measure: partial[Line]
    """gives the line, without its key; can be sent to another process"""
    rule: str | None = None
    """that it is wanted under; its line has every rule there was when it was measured"""

    def known(self, results: Results) -> bool:
        """Whether the results have all of it."""
        also = {} if self.rule is None else {"rule": self.rule}
        return all(results.accuracy(self.key, domain, **also) is not None for domain in self.domains)


def nothing(column: str) -> None:
    """What the paper published where it only drew a bar."""


@dataclass(frozen=True)
class Method(ABC, Generic[B]):
    """One bar in each column of a figure."""

    label: str
    kind: Kind
    _: KW_ONLY
    published: Callable[[str], Published | None] = nothing
    """gives the paper's number for a column, where there is one"""
    against: str | None = None
    """label of the method that it is compared with, seed by seed; plain training when not given"""
    group: str = ""
    at: float | None = None

    @abstractmethod
    def measurements(self, lab: B, seed: int) -> list[Measurement]:
        """What has to be measured for one seed."""

    @abstractmethod
    def accuracy(self, results: Results, lab: B, seed: int, column: str) -> float | None:
        """The accuracy, or the mIoU, in a column, where it was measured."""


@dataclass(frozen=True)
class Trained(Method[Bench]):
    """One training for each seed; its last iterate."""

    settings: Mapping[str, Any]
    """of the training, by name; K among them"""

    def measurements(self, lab: Bench, seed: int) -> list[Measurement]:
        """The run, scored on every target."""
        return [_run_measurement(lab, lab.request(seed, self.settings))]

    def accuracy(self, results: Results, lab: Bench, seed: int, column: str) -> float | None:
        """The run's."""
        return results.accuracy(run_key(lab.request(seed, self.settings)), lab.scored[column])

    def rounds(self, results: Results, lab: Bench, seed: int) -> list[Line]:
        """What the run recorded of each of its rounds, where it was measured."""
        line = results.find(run_key(lab.request(seed, self.settings))) or {}
        rounds: list[Line] = line.get("rounds", [])
        return rounds


@dataclass(frozen=True)
class Ensembled(Method[Bench]):
    """For each seed an ensemble, one of whose members answers for each image, or pixel."""

    members: tuple[Mapping[str, Any], ...]
    """the settings of each member's training"""
    seeds_each: bool = False
    """whether each member has a seed of its own, as where only the seed tells them apart"""
    rule: str = "greatest-softmax"

    def requests(self, lab: Bench, seed: int) -> tuple[Request, ...]:
        """The members' trainings."""
        count = len(self.members)
        seeds = [seed * count + i if self.seeds_each else seed for i in range(count)]
        return tuple(lab.request(s, settings) for s, settings in zip(seeds, self.members, strict=True))

    def key(self, lab: Bench, seed: int) -> str:
        """An ensemble is its members."""
        return key(ensemble=[run_key(request) for request in self.requests(lab, seed)])

    def measurements(self, lab: Bench, seed: int) -> list[Measurement]:
        """Each member by itself, then the ensemble under every rule."""
        needs, domains = self.requests(lab, seed), tuple(lab.targets.values())
        members = [_run_measurement(lab, request) for request in needs]
        measure = partial(_score_ensemble, lab, tuple(request.out for request in needs), seed, domains)
        return [*members, Measurement(self.key(lab, seed), needs, domains, measure, self.rule)]

    def accuracy(self, results: Results, lab: Bench, seed: int, column: str) -> float | None:
        """The ensemble's, under its rule."""
        return results.accuracy(self.key(lab, seed), lab.targets[column], rule=self.rule)

    def alone(self, results: Results, lab: Bench, seed: int, column: str) -> list[float | None]:
        """Each member's by itself."""
        return [results.accuracy(run_key(each), lab.scored[column]) for each in self.requests(lab, seed)]


def pairs_told(methods: Sequence[Method[Any]]) -> str:
    """How ensembles are paired, where there are some with seeds of their own: not by the same draws."""
    count = max((len(m.members) for m in methods if isinstance(m, Ensembled) and m.seeds_each), default=0)
    if not count:
        return ""
    return (
        f"All members of an ensemble over γ have one seed, s; the ERM ensemble it is paired with has the seeds "
        f"{count}s to {count}s + {count - 1}: not the same draws."
    )


@dataclass(frozen=True)
class Adapted(Method[Lab]):
    """For each seed and target an adaptation (ADDA) of plain training to unlabelled images of that target."""

    images: int

    def measurements(self, lab: Lab, seed: int) -> list[Measurement]:
        """One adaptation for each target."""
        request = lab.request(seed, {"K": 0})
        return [
            Measurement(
                self.key(lab, seed, column), (request,), (lab.targets[column],),
                partial(_adapt, lab, request, column, self.adda(lab), seed),
            )
            for column in lab.targets
        ]  # fmt: skip

    def adda(self, lab: Lab) -> ADDA:
        """Its settings."""
        return ADDA(steps=lab.scale.adda_steps, target_images=self.images)

    def key(self, lab: Lab, seed: int, column: str) -> str:
        """An adaptation is its source run, its target and its settings."""
        source = run_key(lab.request(seed, {"K": 0}))
        return key(adda=self.adda(lab).asdict(), source=source, target=lab.targets[column])

    def accuracy(self, results: Results, lab: Lab, seed: int, column: str) -> float | None:
        """The adapted network's, on the test part of the target it was adapted to."""
        return results.accuracy(self.key(lab, seed, column), lab.targets[column])


# How things are measured, in whatever process.


def _run_measurement(lab: Bench, request: Request) -> Measurement:
    domains = tuple(lab.scored.values())
    return Measurement(run_key(request), (request,), domains, partial(_score, lab, request, domains))


def _score(lab: Bench, request: Request, domains: tuple[str, ...]) -> Line:
    """Score a finished run, then let go of its rounds and checkpoints: hundreds of runs would fill any disk.

    Raw scores are kept, but not those of pixels, which take more room than the images.
    """
    net = load(request.out)
    for name in domains:  # one after the other, since all street domains at once fill the memory
        domain = lab.load(name, request.job.resize)
        score_run(request.out, [domain], net, keep=not domain.segmented)
    RunFolder(request.out).trim()
    return {"kind": "run", **result_line(request.out)}


def _score_ensemble(lab: Bench, folders: tuple[Path, ...], seed: int, domains: tuple[str, ...]) -> Line:
    """Every rule on the scores of the members: choosing costs little once they are there."""
    scores = [score for name in domains for score in _by_rule(lab.load(name), folders)]
    members = [folder.name for folder in folders]
    return {"kind": "ensemble", "seed": seed, "members": members, **made_now(), "scores": scores}


def _by_rule(domain: Domain, folders: tuple[Path, ...]) -> list[dict[str, Any]]:
    if domain.segmented:
        return [score.asdict() | {"rule": rule} for rule, score in pixel_scores(_ensemble(folders), domain).items()]
    stacked = torch.stack([scores_of(folder, domain) for folder in folders])
    known = {"domain": domain.name, "images": len(domain), "sha256": domain.fingerprint}
    return [
        known | {"rule": name, "accuracy": accuracy(rule(stacked).classes, domain.labels)}
        for name, rule in rules.RULES.items()
    ]


@lru_cache(maxsize=1)
def _ensemble(folders: tuple[Path, ...]) -> Ensemble:
    return Ensemble.of_runs(folders)


def _adapt(lab: Lab, request: Request, column: str, adda: ADDA, seed: int) -> Line:
    target = lab.load(lab.targets[column])
    unlabelled = lab.unlabelled(column)
    folder = lab.runs / "adapted" / f"{request.out.name}-{target.name}-{adda.target_images}"
    engine = Engine(precision=lab.precision, threads=1)
    adapted = adapt(
        load(request.out), request.job.load_source(), unlabelled, adda, seed=seed, folder=folder, engine=engine
    )
    score = Score(target.name, len(target), target.fingerprint, accuracy=evaluate(adapted.net, target))
    return {
        "kind": "adda", "adda": adda.asdict(), "seed": seed, "source": request.out.name,
        "unlabelled": {"name": unlabelled.name, "images": len(unlabelled), "sha256": unlabelled.fingerprint},
        "engine": engine.record(), **made_now(), "scores": [score.asdict()],
    }  # fmt: skip
