"""A street recipe: what it compares, from which sources to which targets, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unseen.errors import InputError, did_you_mean
from unseen.paper.cells import Setting
from unseen.paper.experiment import Experiment
from unseen.paper.methods import Measurement, Method, pairs_told
from unseen.paper.results import Results
from unseen.paper.streets import figures
from unseen.paper.streets.cells import StreetCell
from unseen.paper.streets.lab import (
    PAPER,
    SCALES,
    SCENES,
    SYNTHIA,
    StreetBench,
    StreetLab,
    StreetScale,
    World,
    open_lab,
)
from unseen.paper.streets.names import TABLE2, Rows, way
from unseen.paper.streets.published import Row, table2
from unseen.paper.tables import sheets
from unseen.reporting.kit.tables import Sheet


@dataclass(frozen=True, kw_only=True)
class StreetRecipe(Experiment[StreetLab]):
    """Methods, each on every source."""

    methods: tuple[Method[StreetBench], ...]
    draw: Callable[[Sequence[StreetCell], Setting], Any] = figures.from_each_source
    """gives the figure, from all cells and what has to be said with them"""
    world: World = SYNTHIA
    scales: Mapping[str, StreetScale] = field(default_factory=lambda: SCALES)
    rows: Rows = field(default_factory=lambda: TABLE2)
    usual: tuple[str, ...] | None = None
    """the sources when none are asked for; all when not given"""
    in_table2: Mapping[str, Row] = field(default_factory=lambda: {"ERM": "ERM", "ours": "Ours"})
    """the row of Table 2 that a method, by its label, is"""
    whole: bool = False
    """whether its figure has every source, run or not"""

    def lab(
        self,
        out: Path,
        *,
        scale: str | None = None,
        sources: Sequence[str] = (),
        stand_ins: bool = False,
        precision: str = "auto",
    ) -> StreetLab:
        """A lab for it; what is asked for in vain is refused."""
        if stand_ins and self.world != SYNTHIA:
            raise InputError(f"{self.name}: nothing stands in for {self.world.name}; leave --stand-ins out")
        chosen = scale or next(iter(self.scales))
        if chosen not in self.scales:
            hint = did_you_mean(chosen, self.scales, listed=True)
            raise InputError(f"--scale {chosen}: expected {' or '.join(self.scales)} for {self.name}{hint}")
        world = SCENES if stand_ins else self.world
        rows = {source: self.rows[source] for source in self._sources(sources)}
        return open_lab(world, rows, out, scale=self.scales[chosen], precision=precision)

    def _sources(self, asked: Sequence[str]) -> Sequence[str]:
        unknown = [f'"{name}"{did_you_mean(name, self.rows, listed=True)}' for name in asked if name not in self.rows]
        if unknown:
            raise InputError(f"--sources: expected some of {', '.join(self.rows)}, got {', '.join(unknown)}")
        return [name for name in self.rows if name in asked] or self.usual or tuple(self.rows)

    def its_own(self, cell: StreetCell) -> bool:
        """Whether the cell is what the recipe is about, and not what it only compares with."""
        return cell.kind != "erm"

    def file(self, lab: StreetLab) -> str:
        """Its name, and what isn't as in the paper."""
        small = lab.scale.name != next(iter(self.scales))
        return "-".join([self.name, *["scenes"] * lab.stand_ins, *[lab.scale.name] * small])

    def measurements(self, lab: StreetLab, seeds: int) -> list[Measurement]:
        """Everything to measure, each once under each rule."""
        every = [
            measurement
            for seed in range(seeds)
            for source in lab.rows
            for method in self.methods
            for measurement in method.measurements(lab.at(source), seed)
        ]
        return list({(m.key, m.rule): m for m in every}.values())

    def cells(self, lab: StreetLab, results: Results, seeds: int) -> list[StreetCell]:
        """What is known, source by source, target by target and method by method."""
        return [
            self._cell(method, lab.at(source), target, results, seeds)
            for source, targets in lab.rows.items()
            for target in targets
            for method in self.methods
        ]

    def _cell(
        self, method: Method[StreetBench], bench: StreetBench, target: str, results: Results, seeds: int
    ) -> StreetCell:
        found = {seed: method.accuracy(results, bench, seed, target) for seed in range(seeds)}
        row = self.in_table2.get(method.label)
        return StreetCell(
            method=method.label,
            domain=way(bench.source, target),
            accuracies={seed: value for seed, value in found.items() if value is not None},
            published=table2(bench.source, row, target) if row else None,
            kind=method.kind,
            against=method.against,
            group=method.group,
            source=bench.source,
            target=target,
        )

    def sheets(self, lab: StreetLab, results: Results, seeds: int) -> list[Sheet]:
        """Its tables."""
        return sheets(self.cells(lab, results, seeds), self.setting(lab))

    def figure(self, lab: StreetLab, results: Results, seeds: int) -> Any:
        """Its figure."""
        shown = replace(lab, rows=self.rows) if self.whole else lab
        return self.draw(self.cells(shown, results, seeds), self.setting(lab))

    def setting(self, lab: StreetLab) -> Setting:
        """What has to be said with the numbers."""
        return Setting(
            title=f"{self.name}: {self.what} ({lab.world.name}, {lab.scale.name} scale)",
            source=_source_told(lab),
            steps=lab.scale.T,
            departures=_departures(lab),
            measure="mIoU",
            published_steps=None,
            pairs=pairs_told(self.methods),
        )


def _source_told(lab: StreetLab) -> str:
    scale = lab.scale
    domains = f"the {SCENES.name} (not SYNTHIA)" if lab.stand_ins else lab.world.name
    return (
        f"one domain of {domains} at the {scale}, no trained weights, batch {scale.batch}, T_min={scale.T_min}, "
        f"T_max={scale.T_max}, η={scale.eta:g} (T is our choice: the paper states none)"
    )


def _departures(lab: StreetLab) -> tuple[str, ...]:
    found = [f"{SCENES.name} instead of SYNTHIA"] * lab.stand_ins
    if lab.scale != PAPER:
        found.append(f"{lab.scale} instead of {PAPER}")
    return tuple(found)
