"""What street recipes hand to tables and figures: mIoUs by source and target, and their means over conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from unseen.paper.cells import Cell
from unseen.paper.streets.names import called, condition_of, place_of, way
from unseen.paper.streets.published import figure3
from unseen.reporting.kit.statistics import mean


@dataclass(frozen=True)
class StreetCell(Cell):
    """A method trained on one street domain and tested on another, or at a place in all its conditions."""

    source: str = ""
    target: str = ""


def averaged(cells: Sequence[StreetCell]) -> list[StreetCell]:
    """The mean over the conditions of each target's place, as in Figure 3: of seeds that have all of them."""
    groups: dict[tuple[str, str, str], list[StreetCell]] = {}
    for cell in cells:
        groups.setdefault((cell.source, cell.method, place_of(cell.target)), []).append(cell)
    return [_average(some, place) for (_, _, place), some in groups.items()]


def _average(cells: Sequence[StreetCell], place: str) -> StreetCell:
    first = cells[0]
    seeds = sorted(set.intersection(*(set(cell.accuracies) for cell in cells)))
    return replace(
        first,
        domain=way(first.source, place),
        target=place,
        accuracies={seed: mean([cell.accuracies[seed] for cell in cells]) for seed in seeds},
        published=figure3([cell.published for cell in cells]),
    )


def panels(
    cells: Sequence[StreetCell], panel: Callable[[StreetCell], str], group: Callable[[StreetCell], str]
) -> list[Cell]:
    """The same for a figure: cells of one panel have one domain, and those of one group stand together in it."""
    return [
        replace(cell, domain=panel(cell), method=f"{group(cell)}: {cell.method}", group=group(cell)) for cell in cells
    ]


def by_places(cell: StreetCell) -> str:
    """``Highway → Old European Town``."""
    return f"{called(place_of(cell.source))} → {called(place_of(cell.target))}"


def by_condition(cell: StreetCell) -> str:
    """``Dawn``, the condition trained on."""
    return condition_of(cell.source).capitalize()
