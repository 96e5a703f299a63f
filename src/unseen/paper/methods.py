"""What a figure compares: a training, an ensemble of trainings, a training adapted to its target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

from typing_extensions import override

from unseen.adda.adapt import ADDA
from unseen.paper.lab import Source
from unseen.paper.measuring import score_adaptation, score_ensemble, score_training
from unseen.paper.published import Published
from unseen.paper.results import Line, Results, key, run_key
from unseen.reporting.kit.theme import Kind
from unseen.runs.request import Request
from unseen.runs.rounds import RoundRecord


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


def nothing(source: str, target: str) -> None:
    """What the paper published where it only drew a bar."""


@dataclass(frozen=True)
class Method(ABC):
    """One bar for each target of a figure."""

    label: str
    kind: Kind
    _: KW_ONLY
    published: Callable[[str, str], Published | None] = nothing
    """gives the paper's number for a source and a target, where there is one"""
    against: str | None = None
    """label of the method that it is compared with, seed by seed; ERM when not given"""
    group: str = ""
    at: float | None = None

    @abstractmethod
    def measurements(self, source: Source, seed: int) -> list[Measurement]:
        """What has to be measured for one seed."""

    @abstractmethod
    def accuracy(self, results: Results, source: Source, seed: int, target: str) -> float | None:
        """The accuracy, or the mIoU, on a target, where it was measured."""


@dataclass(frozen=True)
class Trained(Method):
    """One training for each seed; its last iterate."""

    settings: Mapping[str, Any]
    """of the training, by name; K among them"""

    @override
    def measurements(self, source: Source, seed: int) -> list[Measurement]:
        return [_training(source, source.request(seed, self.settings))]

    @override
    def accuracy(self, results: Results, source: Source, seed: int, target: str) -> float | None:
        return results.accuracy(run_key(source.request(seed, self.settings)), source.scored[target])

    def rounds(self, results: Results, source: Source, seed: int) -> list[RoundRecord]:
        """What the run recorded of each of its rounds, where it was measured."""
        line = results.find(run_key(source.request(seed, self.settings))) or {}
        return RoundRecord.read(line.get("rounds", []))


def _training(source: Source, request: Request) -> Measurement:
    domains = tuple(source.scored.values())
    return Measurement(run_key(request), (request,), domains, partial(score_training, source, request, domains))


@dataclass(frozen=True)
class Ensembled(Method):
    """For each seed an ensemble, one of whose members answers for each image, or pixel."""

    members: tuple[Mapping[str, Any], ...]
    """the settings of each member's training"""
    seeds_each: bool = False
    """whether each member has a seed of its own, as where nothing but the seed differs between them"""
    rule: str = "greatest-softmax"

    def requests(self, source: Source, seed: int) -> tuple[Request, ...]:
        """The members' trainings."""
        count = len(self.members)
        seeds = [seed * count + i if self.seeds_each else seed for i in range(count)]
        return tuple(source.request(s, settings) for s, settings in zip(seeds, self.members, strict=True))

    def key(self, source: Source, seed: int) -> str:
        """An ensemble is its members."""
        return key(ensemble=[run_key(request) for request in self.requests(source, seed)])

    def measurements(self, source: Source, seed: int) -> list[Measurement]:
        """Each member by itself, then the ensemble under every rule."""
        needs, domains = self.requests(source, seed), tuple(source.targets.values())
        members = [_training(source, request) for request in needs]
        measure = partial(score_ensemble, source, tuple(request.out for request in needs), seed, domains)
        return [*members, Measurement(self.key(source, seed), needs, domains, measure, self.rule)]

    @override
    def accuracy(self, results: Results, source: Source, seed: int, target: str) -> float | None:
        return results.accuracy(self.key(source, seed), source.targets[target], rule=self.rule)

    def alone(self, results: Results, source: Source, seed: int, target: str) -> list[float | None]:
        """Each member's by itself."""
        return [results.accuracy(run_key(each), source.scored[target]) for each in self.requests(source, seed)]


def describe_pairs(methods: Sequence[Method]) -> str:
    """How ensembles are paired, where there are some with seeds of their own: not by the same draws."""
    count = max((len(m.members) for m in methods if isinstance(m, Ensembled) and m.seeds_each), default=0)
    if not count:
        return ""
    return (
        f"All members of an ensemble over γ have one seed, s; the ERM ensemble it is paired with has the seeds "
        f"{count}s to {count}s + {count - 1}: not the same draws."
    )


@dataclass(frozen=True)
class Adapted(Method):
    """For each seed and target an adaptation (ADDA) of ERM to unlabelled images of that target."""

    images: int

    @override
    def measurements(self, source: Source, seed: int) -> list[Measurement]:
        request, adda = source.request(seed, {"K": 0}), self.adda(source)
        return [
            Measurement(
                self.key(source, seed, column), (request,), (domain,),
                partial(score_adaptation, source, request, column, adda, seed),
            )
            for column, domain in source.targets.items()
        ]  # fmt: skip

    def adda(self, source: Source) -> ADDA:
        """Its settings."""
        return ADDA(steps=source.lab.scale.adda_steps, target_images=self.images)

    def key(self, source: Source, seed: int, target: str) -> str:
        """An adaptation is its source run, its target and its settings."""
        run = run_key(source.request(seed, {"K": 0}))
        return key(adda=self.adda(source).asdict(), source=run, target=source.targets[target])

    def accuracy(self, results: Results, source: Source, seed: int, target: str) -> float | None:
        """The adapted network's, on the test part of the target it was adapted to."""
        return results.accuracy(self.key(source, seed, target), source.targets[target])
