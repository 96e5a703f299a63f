"""A recipe of the digits: one figure or table of the paper, as what it compares and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from unseen.data.catalogue import domains
from unseen.paper import figures
from unseen.paper.by_rule import rules_sheet
from unseen.paper.cells import Cell, Setting
from unseen.paper.experiment import Experiment
from unseen.paper.lab import REAL, SCALES, Lab
from unseen.paper.methods import Ensembled, Measurement, Method, Trained, pairs_told
from unseen.paper.results import Results
from unseen.paper.rounds import rounds_sheet
from unseen.paper.tables import matrix, sheets
from unseen.reporting.kit.tables import Sheet


@dataclass(frozen=True, kw_only=True)
class Recipe(Experiment[Lab]):
    """What is compared, in which columns, and how it is drawn."""

    methods: tuple[Method[Lab], ...]
    draw: Callable[..., Any] = figures.bars
    """gives the figure, from cells and what has to be said with them"""
    columns: tuple[str, ...] = tuple(REAL)
    """the paper's"""
    adapting: bool = False
    """whether it asks for the targets' training parts as well"""
    crossed: bool = False
    """whether its methods are rows and columns of a table, which comes before the long ones then"""
    rounds: bool = False
    """whether a table says what the rounds made"""

    def has(self, lab: Lab, domain: str) -> bool:
        """Whether the column is one of the lab's."""
        return domain in lab.targets

    def measurements(self, lab: Lab, seeds: int) -> list[Measurement]:
        """Everything to measure, each once."""
        every = [m for seed in range(seeds) for method in self.methods for m in method.measurements(lab, seed)]
        return list({m.key: m for m in every}.values())

    def cells(self, lab: Lab, results: Results, seeds: int) -> list[Cell]:
        """What is known, method by method and column by column."""
        return [
            Cell(
                method=method.label,
                domain=column,
                accuracies=_known(method, results, lab, seeds, column),
                published=None if lab.stand_ins else method.published(column),
                kind=method.kind,
                against=method.against,
                group=method.group,
                at=method.at,
            )
            for method in self.methods
            for column in lab.columns
        ]

    def sheets(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        """Its tables."""
        cells, setting = self.cells(lab, results, seeds), self.setting(lab, results)
        trained = [method for method in self.methods if isinstance(method, Trained)]
        ensembled = [method for method in self.methods if isinstance(method, Ensembled)]
        made = rounds_sheet(trained if self.rounds else [], lab, results, seeds)
        chosen = rules_sheet(ensembled, lab, results, seeds)
        return [
            *([matrix(cells, setting)] if self.crossed else []),
            *sheets(cells, setting),
            *(sheet for sheet in (made, chosen) if sheet.rows),
        ]

    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        """Its figure, in the paper's arrangement."""
        return self.draw(self.cells(lab, results, seeds), self.setting(lab, results))

    def setting(self, lab: Lab, results: Results) -> Setting:
        """What has to be said with the numbers."""
        return Setting(
            title=f"{self.name}: {self.what}",
            source=_source_told(lab),
            data={column: _images_told(name, results) for column, name in lab.targets.items()},
            steps=lab.scale.T,
            stand_ins=_stand_ins_told() if lab.stand_ins else {},
            departures=_departures(lab),
            pairs=pairs_told(self.methods),
        )


@dataclass(frozen=True, kw_only=True)
class Gallery(Recipe):
    """Samples of the domains: nothing is trained."""

    methods: tuple[Method[Lab], ...] = ()

    def sheets(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        """None."""
        return []

    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        """The first image of each class of each domain."""
        targets = {column: lab.load(lab.targets[column]) if column in lab.targets else None for column in lab.columns}
        shown = {lab.source: lab.load(lab.source), **targets}
        images = {name: f"{len(domain):,} images" for name, domain in shown.items() if domain}
        return figures.samples(shown, replace(self.setting(lab, results), data=images))


def _known(method: Method[Lab], results: Results, lab: Lab, seeds: int, column: str) -> dict[int, float]:
    found = {seed: method.accuracy(results, lab, seed, column) for seed in range(seeds if column in lab.targets else 0)}
    return {seed: accuracy for seed, accuracy in found.items() if accuracy is not None}


def _source_told(lab: Lab) -> str:
    name = "built-in MNIST digits" if lab.stand_ins else "MNIST training images"
    first, count = lab.offset, lab.scale.images
    which = f"the first {count:,}" if first == 0 else f"numbers {first:,} to {first + count - 1:,} of the"
    narrow = f", a network of {lab.scale.width:g} times the paper's width" if lab.scale.width != 1 else ""
    return f"{which} {name}, resized with the {lab.resize} kernel{narrow}"


def _images_told(name: str, results: Results) -> str:
    """How many images the results are from: fewer than the set has, where a copy has not all."""
    counts = {score["images"] for line in results for score in line["scores"] if score["domain"] == name}
    whole = next(entry.published for entry in domains() if entry.name == name)
    told = [f"{n:,} of the {whole:,} test images" if whole and n != whole else f"{n:,} images" for n in sorted(counts)]
    return " or ".join(told) or "no result"


def _stand_ins_told() -> dict[str, str]:
    return {entry.name: entry.stands_in_for for entry in domains() if entry.stands_in_for}


def _departures(lab: Lab) -> tuple[str, ...]:
    usual = SCALES["paper"]
    found = []
    if lab.scale.images != usual.images:
        found.append(f"{lab.scale.images:,} source images instead of {usual.images:,}")
    if lab.scale.width != usual.width:
        found.append(f"a network of {lab.scale.width:g} times the paper's width")
    return tuple(found)
