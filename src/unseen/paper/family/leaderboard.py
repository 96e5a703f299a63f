"""A recipe that ranks methods: by target, and by the mean over the targets, which is a column of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import override

from unseen.paper.cells import Cell, Setting
from unseen.paper.digits.recipes import DigitRecipe
from unseen.paper.family import figures
from unseen.paper.family.methods import controls
from unseen.paper.family.published import published_sheet
from unseen.paper.family.tables import MEAN, by_source, controls_sheet, room_sheet, run_of, standings, steps_sheet
from unseen.paper.lab import Lab, Scale
from unseen.paper.methods import Ensembled, Method
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results
from unseen.paper.run_tables import rules_sheet
from unseen.paper.streets.names import called
from unseen.paper.streets.recipe import StreetRecipe
from unseen.paper.tables import sheets
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet

_NAMED = 4  # targets: of more, the table beside has the names


@dataclass(frozen=True, kw_only=True)
class Leaderboard(Recipe):
    """Methods under one protocol."""

    draw: Callable[..., Any] = figures.dots
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

    @override
    def setting(self, lab: Lab, results: Results) -> Setting:
        return replace(super().setting(lab, results), title=f"{self.called}, {lab.scale.T:,} steps")

    @override
    def sheets(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        """For each source the methods in order, each against its control, and what there is to gain; then the rest."""
        cells, setting = self.cells(lab, results, seeds), self.setting(lab, results)
        pairs = controls(self.compared(lab))
        ranking = []
        for source, some in by_source(cells).items():
            named = f"{setting.title}, from {called(source)}" if len(lab.sources) > 1 else setting.title
            own = replace(setting, title=named)
            beside = controls_sheet(some, own, pairs)
            ranking += [standings(some, own), *[beside] * bool(beside.rows)]
        ensembled = [method for method in self.compared(lab) if isinstance(method, Ensembled)]
        room, rules = room_sheet(cells, setting), rules_sheet(ensembled, lab, results, seeds)
        first = [*ranking, *[room] * bool(room.rows), *self.beside(lab, results, seeds)]
        return [*first, *sheets(run_of(cells), setting), *[rules] * bool(rules.rows)]

    def beside(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        """What the numbers stand beside: others' and those of another scale."""
        return []

    @override
    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        return self.draw(self.cells(lab, results, seeds), self.setting(lab, results))

    @property
    def first_scale(self) -> Scale:
        """The scale of the protocol."""
        return next(iter(self.scales.values()))

    def shorter(self, lab: Lab, results: Results, seeds: int) -> list[Cell]:
        """Of a lab whose trainings are longer than usual, the same methods at the usual scale; else nothing."""
        return []

    def _means(self, lab: Lab, cells: Sequence[Cell]) -> list[Cell]:
        found = []
        for source in lab.sources:
            label = mean_label(lab, source.name, list(source.targets))
            for method in self.compared(lab):
                own = [c for c in cells if (c.source, c.method) == (source.name, method.label)]
                found.append(_mean([c for c in own if c.target in source.targets], label))
        return found


def mean_label(lab: Lab, source: str, targets: Sequence[str]) -> str:
    """``mean of SVHN, MNIST-M, USPS``: it says what is in it; of many, that all are."""
    if len(lab.rows) == 1 and lab.label(source, targets[0]) == targets[0]:
        return f"mean of {', '.join(targets)}"
    which = ", ".join(targets) if len(targets) <= _NAMED else f"all {len(targets)} targets"
    return f"{called(source)} → mean of {which}"


def _mean(cells: Sequence[Cell], label: str) -> Cell:
    """Over the targets, of the seeds that have all of them."""
    seeds = sorted(set.intersection(*(set(cell.accuracies) for cell in cells)))
    accuracies = {seed: mean([cell.accuracies[seed] for cell in cells]) for seed in seeds}
    return replace(cells[0], domain=label, target=MEAN, accuracies=accuracies, published=None)


@dataclass(frozen=True, kw_only=True)
class DigitLeaderboard(Leaderboard, DigitRecipe):
    """On digits."""

    @override
    def beside(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        """What others published; of a longer training, what the steps alone do."""
        if shorter := self.shorter(lab, results, seeds):
            longer = self.cells(lab, results, seeds)
            return [steps_sheet(longer, shorter, self.setting(lab, results), self.first_scale.T)]
        (source,) = lab.sources
        return [] if lab.data.stand_in else [published_sheet(list(source.targets))]

    @override
    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        """As everywhere; of a longer training, how far each method came from the shorter one."""
        if not (shorter := self.shorter(lab, results, seeds)):
            return super().figure(lab, results, seeds)
        longer = self.cells(lab, results, seeds)
        return figures.lengths(longer, shorter, self.setting(lab, results), self.first_scale.T)

    @override
    def shorter(self, lab: Lab, results: Results, seeds: int) -> list[Cell]:
        usual = replace(lab, scale=self.first_scale)
        return self.cells(usual, results, seeds) if lab.scale.T > self.first_scale.T else []

    @override
    def file(self, lab: Lab) -> str:
        other = lab.scale.name != self.first_scale.name
        return "-".join([self.name, *["built-in"] * lab.data.stand_in, *[lab.scale.name] * other])


@dataclass(frozen=True, kw_only=True)
class StreetLeaderboard(Leaderboard, StreetRecipe):
    """On streets."""

    @override
    def file(self, lab: Lab) -> str:
        return self.name
