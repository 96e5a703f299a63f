"""A recipe: one figure or table, as what it compares, from which sources to which targets, and how it is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from unseen.errors import InputError, did_you_mean
from unseen.paper import figures
from unseen.paper.cells import Cell, Setting
from unseen.paper.lab import Lab, Scale, Source
from unseen.paper.methods import Ensembled, Measurement, Method, Trained, describe_pairs
from unseen.paper.results import Results
from unseen.paper.run_tables import rounds_sheet, rules_sheet
from unseen.paper.tables import matrix, sheets
from unseen.reporting.kit.tables import Sheet


@dataclass(frozen=True, kw_only=True)
class Recipe(ABC):
    """Methods, each on every source and target of a lab."""

    name: str
    what: str
    """one line for people"""
    methods: tuple[Method, ...] = ()
    """none where nothing is trained"""
    draw: Callable[..., Any] = figures.bars
    """gives the figure, from cells and what has to be said with them"""
    scales: Mapping[str, Scale]
    """the default first"""
    called: str = ""
    """its heading, where the name doesn't give it"""
    crossed: bool = False
    """whether its methods are rows and columns of a table, which comes before the long ones then"""
    rounds: bool = False
    """whether a table says what the rounds made"""

    options: ClassVar[Mapping[str, Any]]
    """what ``lab`` takes besides ``stand_ins``, ``scale`` and ``precision``, with the defaults"""

    @property
    def title(self) -> str:
        """A heading: ``Figure 2b, top`` for ``figure2b-top``."""
        whole, _, part = self.name.partition("-")
        kind = whole.rstrip("0123456789ab")
        return self.called or f"{kind.capitalize()} {whole.removeprefix(kind)}{f', {part}' if part else ''}".strip()

    @abstractmethod
    def lab(self, out: Path, *, stand_ins: bool = False, scale: str | None = None, **options: Any) -> Lab:
        """A lab for it in the folder ``out``; what can't be had is refused, with what to do."""

    def file(self, lab: Lab) -> str:
        """The name of what is written, without an ending."""
        return self.name

    def compared(self, lab: Lab) -> tuple[Method, ...]:
        """Its methods at the lab's scale."""
        return self.methods

    def measurements(self, lab: Lab, seeds: int, methods: Sequence[str] = ()) -> list[Measurement]:
        """Everything to measure, each once under each rule; of these methods alone, where some are named."""
        labels = [method.label for method in self.compared(lab)]
        unknown = [f'"{name}"{did_you_mean(name, labels, listed=True)}' for name in methods if name not in labels]
        if unknown:
            raise InputError(
                f"--method: expected {'; '.join(labels) or 'none'} for {self.name}, got {', '.join(unknown)}"
            )
        every = [
            measurement
            for seed in range(seeds)
            for source in lab.sources
            for method in self.compared(lab)
            if not methods or method.label in methods
            for measurement in method.measurements(source, seed)
        ]
        return list({(m.key, m.rule): m for m in every}.values())

    def cells(self, lab: Lab, results: Results, seeds: int) -> list[Cell]:
        """What is known, source by source, target by target and method by method."""
        return [
            _cell(method, source, target, results, seeds)
            for source in lab.sources
            for target in lab.rows[source.name]
            for method in self.compared(lab)
        ]

    def is_about(self, cell: Cell) -> bool:
        """Whether the cell is what the recipe is about, and not what it only compares with."""
        return cell.kind != "erm"

    def setting(self, lab: Lab, results: Results) -> Setting:
        """What has to be said with the numbers."""
        return replace(lab.setting(f"{self.name}: {self.what}", results), pairs=describe_pairs(self.compared(lab)))

    def sheets(self, lab: Lab, results: Results, seeds: int) -> list[Sheet]:
        """Its tables; none where nothing is trained."""
        if not self.methods:
            return []
        cells, setting = self.cells(lab, results, seeds), self.setting(lab, results)
        trained = [method for method in self.compared(lab) if isinstance(method, Trained) and self.rounds]
        ensembled = [method for method in self.compared(lab) if isinstance(method, Ensembled)]
        more = [rounds_sheet(trained, lab, results, seeds), rules_sheet(ensembled, lab, results, seeds)]
        crossed = [matrix(cells, setting)] if self.crossed else []
        return [*crossed, *sheets(cells, setting), *(sheet for sheet in more if sheet.rows)]

    def figure(self, lab: Lab, results: Results, seeds: int) -> Any:
        """Its figure, in the paper's arrangement."""
        return self.draw(self.cells(lab, results, seeds), self.setting(lab, results))

    def scale(self, name: str | None) -> Scale:
        """The scale of that name, the first when not given; another is refused."""
        chosen = name or next(iter(self.scales))
        if chosen not in self.scales:
            hint = did_you_mean(chosen, self.scales, listed=True)
            raise InputError(f"--scale {chosen}: expected {' or '.join(self.scales)} for {self.name}{hint}")
        return self.scales[chosen]


def _cell(method: Method, source: Source, target: str, results: Results, seeds: int) -> Cell:
    tried = range(0 if target in source.lab.absent else seeds)
    found = {seed: method.accuracy(results, source, seed, target) for seed in tried}
    return Cell(
        method=method.label,
        domain=source.lab.label(source.name, target),
        accuracies={seed: accuracy for seed, accuracy in found.items() if accuracy is not None},
        published=method.published(source.name, target),
        kind=method.kind,
        against=method.against,
        group=method.group,
        at=method.at,
        source=source.name,
        target=target,
    )
