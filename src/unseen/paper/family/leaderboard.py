"""A recipe that ranks methods: by target, and by the mean over the targets, which is a column of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from typing_extensions import override

from unseen.paper.cells import Cell
from unseen.paper.digits.recipes import DigitRecipe
from unseen.paper.lab import Lab
from unseen.paper.methods import Method
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results
from unseen.paper.streets.names import called
from unseen.paper.streets.recipe import StreetRecipe
from unseen.reporting.kit.statistics import mean

MEAN = "mean"
"""what the mean over the targets has in place of a target"""


@dataclass(frozen=True, kw_only=True)
class Leaderboard(Recipe):
    """Methods under one protocol."""

    long: tuple[Method, ...] = ()
    """what the long scale compares: not everything"""

    @override
    def compared(self, lab: Lab) -> tuple[Method, ...]:
        return self.long if lab.scale.name == "long" else self.methods

    @override
    def cells(self, lab: Lab, results: Results, seeds: int) -> list[Cell]:
        """Every target's, and for each source and method the mean over its targets."""
        every = super().cells(lab, results, seeds)
        return [*every, *self._means(lab, every)]

    def _means(self, lab: Lab, cells: Sequence[Cell]) -> list[Cell]:
        found = []
        for source in lab.sources:
            label = mean_label(lab, source.name, list(source.targets))
            for method in self.compared(lab):
                own = [c for c in cells if (c.source, c.method) == (source.name, method.label)]
                found.append(_mean([c for c in own if c.target in source.targets], label))
        return found


def mean_label(lab: Lab, source: str, targets: Sequence[str]) -> str:
    """``mean of SVHN, MNIST-M, USPS``: it says what is in it."""
    names = [lab.label(source, target) for target in targets]
    if all(name == target for name, target in zip(names, targets, strict=True)):
        return f"mean of {', '.join(targets)}"
    return f"{called(source)} → mean of {', '.join(map(called, targets))}"


def _mean(cells: Sequence[Cell], label: str) -> Cell:
    """Over the targets, of the seeds that have all of them."""
    seeds = sorted(set.intersection(*(set(cell.accuracies) for cell in cells)))
    accuracies = {seed: mean([cell.accuracies[seed] for cell in cells]) for seed in seeds}
    return replace(cells[0], domain=label, target=MEAN, accuracies=accuracies, published=None)


@dataclass(frozen=True, kw_only=True)
class DigitLeaderboard(Leaderboard, DigitRecipe):
    """On digits."""

    @override
    def file(self, lab: Lab) -> str:
        usual = next(iter(self.scales))
        return "-".join([self.name, *["built-in"] * lab.data.stand_in, *[lab.scale.name] * (lab.scale.name != usual)])


@dataclass(frozen=True, kw_only=True)
class StreetLeaderboard(Leaderboard, StreetRecipe):
    """On streets."""

    @override
    def file(self, lab: Lab) -> str:
        return self.name
