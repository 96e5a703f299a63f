"""What street recipes are: Table 2's runs, arranged and averaged in its ways, and ensembles of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from typing_extensions import override

from unseen.data.catalogue import domain
from unseen.errors import InputError, did_you_mean
from unseen.paper import published
from unseen.paper.cells import Cell
from unseen.paper.lab import DomainSet, Lab, Rows, Scale
from unseen.paper.recipe import Recipe
from unseen.paper.results import Results
from unseen.paper.streets import figures
from unseen.paper.streets.lab import SCALES, SCENES, SYNTHIA, StreetLab, street_lab
from unseen.paper.streets.names import TABLE2, place_of, way
from unseen.paper.streets.tables import arranged_sheets, bold_sheet, members_sheet
from unseen.paper.tables import sheets
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet


@dataclass(frozen=True, kw_only=True)
class StreetRecipe(Recipe):
    """Methods, each on every source."""

    draw: Callable[..., Any] = figures.from_each_source
    data: DomainSet = field(default_factory=lambda: SYNTHIA)
    scales: Mapping[str, Scale] = field(default_factory=lambda: SCALES)
    rows: Rows = field(default_factory=lambda: TABLE2)
    usual: tuple[str, ...] = ()
    """the sources when none are asked for; all when not given"""
    averaged: bool = False
    """whether its cells are means over the conditions of each test place"""
    whole: bool = False
    """whether its figure has every source, run or not"""

    options: ClassVar[Mapping[str, Any]] = {"sources": ()}

    def lab(
        self,
        out: Path,
        *,
        stand_ins: bool = False,
        scale: str | None = None,
        sources: Sequence[str] = (),
        **options: Any,
    ) -> StreetLab:
        """A lab on ``sources``, the usual ones when not given."""
        if stand_ins and self.data != SYNTHIA:
            raise InputError(f"{self.name}: nothing stands in for {self.data.name}; leave --stand-ins out")
        size, data = self.scale(scale), SCENES if stand_ins else self.data
        rows = {source: self.rows[source] for source in self._sources(sources)}
        return street_lab(out, data, rows, scale=size, **options)

    def _sources(self, asked: Sequence[str]) -> Sequence[str]:
        unknown = [f'"{name}"{did_you_mean(name, self.rows, listed=True)}' for name in asked if name not in self.rows]
        if unknown:
            raise InputError(f"--sources: expected some of {', '.join(self.rows)}, got {', '.join(unknown)}")
        return [name for name in self.rows if name in asked] or self.usual or tuple(self.rows)

    def file(self, lab: Lab) -> str:
        """Its name, and what isn't as in the paper."""
        small = lab.scale.name != next(iter(self.scales))
        return "-".join([self.name, *["scenes"] * lab.data.stand_in, *[lab.scale.name] * small])

    @override
    def cells(self, lab: Lab, results: Results, seeds: int) -> list[Cell]:
        every = super().cells(lab, results, seeds)
        return average(every) if self.averaged else every

    @override
    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        shown = replace(lab, rows=self.rows) if self.whole else lab
        return self.draw(self.cells(shown, results, seeds), self.setting(lab, results))


def average(cells: Sequence[Cell]) -> list[Cell]:
    """The mean over the conditions of each target's place, as in Figure 3: of seeds that have all of them."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.source, cell.method, place_of(cell.target)), []).append(cell)
    return [_average(some, place) for (_, _, place), some in groups.items()]


def _average(cells: Sequence[Cell], place: str) -> Cell:
    first = cells[0]
    seeds = sorted(set.intersection(*(set(cell.accuracies) for cell in cells)))
    return replace(
        first,
        domain=way(first.source, place),
        target=place,
        accuracies={seed: mean([cell.accuracies[seed] for cell in cells]) for seed in seeds},
        published=published.figure3([cell.published for cell in cells]),
    )


@dataclass(frozen=True, kw_only=True)
class Table2(StreetRecipe):
    """Table 2 as the paper has it, then cell by cell, then what is wrong with its bold type."""

    @override
    def sheets(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        cells, setting = self.cells(lab, results, seeds), self.setting(lab, results)
        return [*arranged_sheets(cells, setting), *sheets(cells, setting), bold_sheet()]


@dataclass(frozen=True, kw_only=True)
class EnsembleRecipe(StreetRecipe):
    """Ensembles under every rule, their members by themselves, and the difference."""

    averaged: bool = True
    members: tuple[str, ...]
    """the labels of the single networks"""

    @override
    def is_about(self, cell: Cell) -> bool:
        return bool(cell.group)

    def sheets(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        """The means, ensembles minus members, then every target."""
        setting, every = self.setting(lab, results), replace(self, averaged=False).cells(lab, results, seeds)
        means = average(every)
        short = replace(setting, title=f"{setting.title}, mean over the conditions of each place")
        return [*sheets(means, short), members_sheet(means, setting, self.members), *arranged_sheets(every, setting)]


@dataclass(frozen=True, kw_only=True)
class StreetGallery(StreetRecipe):
    """Samples of the domains: nothing is trained."""

    @override
    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        shown = {name: domain(known, lab.scale.size, images=1) for name, known in lab.data.domains.items()}
        size = "x".join(map(str, lab.scale.size or ()))
        setting = replace(self.setting(lab, results), source=f"{lab.data.name} ({size})")
        return figures.samples(shown, setting)
