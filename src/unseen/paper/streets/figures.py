"""The street recipes' figures: Figure 3 and its like as bars, Table 2 as a heat map, samples of the domains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unseen.data.domain import Domain
from unseen.data.streets.classes import CONDITIONS
from unseen.paper import figures
from unseen.paper.cells import Cell, Setting, describe_seeds, over_shared_seeds
from unseen.paper.heat import FEW, Heat, Palette, Place, draw
from unseen.paper.streets.names import CALLED, TABLE2, called, condition_of, place_of
from unseen.reporting.kit.charts import Panels, drawing, heading, panel_figure
from unseen.reporting.kit.wording import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def panels(cells: Sequence[Cell], panel: Callable[[Cell], str], group: Callable[[Cell], str]) -> list[Cell]:
    """The same for a figure: cells of one panel have one domain, and those of one group stand together in it."""
    return [
        replace(cell, domain=panel(cell), method=f"{group(cell)}: {cell.method}", group=group(cell)) for cell in cells
    ]


def _by_places(cell: Cell) -> str:
    return f"{called(place_of(cell.source))} → {called(place_of(cell.target))}"


def _by_condition(cell: Cell) -> str:
    return condition_of(cell.source).capitalize()


def figure3(cells: Sequence[Cell], setting: Setting) -> Figure:
    """Figure 3: a panel for each place trained and tested at, a pair of bars for each condition trained on."""
    arranged = panels(cells, _by_places, _by_condition)
    order = {domain: i for i, domain in enumerate(dict.fromkeys(cell.domain for cell in arranged))}
    rows = len(order) // 2
    arranged.sort(key=lambda cell: (order[cell.domain] % rows, order[cell.domain] // rows))
    return figures.bars(arranged, setting, rows=rows)


def from_each_source(cells: Sequence[Cell], setting: Setting) -> Figure:
    """A panel for each source, a pair of bars for each target."""
    return figures.bars(panels(cells, lambda c: f"from {called(c.source)}", lambda c: called(c.target)), setting)


def by_rule(cells: Sequence[Cell], setting: Setting) -> Figure:
    """A panel for each source and place tested at: single networks, then the ensembles under each rule."""
    arranged = panels(cells, lambda cell: cell.domain, lambda cell: cell.group or cell.method)
    return figures.bars(arranged, setting, rows=len({cell.source for cell in cells}))


# Table 2.


@drawing
def gains(cells: Sequence[Cell], setting: Setting) -> Figure:
    """ADA minus ERM by source (row) and target (column), here and in the paper; a block for each place trained at."""
    blocks = {place: [cell for cell in cells if place_of(cell.source) == place] for place in _places(cells)}
    heats = {place: (_measured(some), _published(some)) for place, some in blocks.items()}
    palette = Palette(heat for pair in heats.values() for heat in pair)
    height = 0.27 * len(CONDITIONS)
    shape = Panels(rows=len(heats), columns=2, height=height, lines=1, foot=0.75, left=0.95, gap=0.3, width=12)
    footnote = (
        f"ADA minus ERM with the same seeds, points of mIoU. {describe_seeds(cells)} {FEW} "
        f"{setting.protocol} {setting.not_comparable(cells)}"
    )
    figure, rows = panel_figure(shape, setting.title, footnote, palette.legend(setting.baseline))
    groups = [condition.capitalize() for condition in CONDITIONS]
    for (place, pair), row in zip(heats.items(), rows, strict=True):
        targets = TABLE2[f"{place}-{CONDITIONS[0]}"]
        ticks = [condition_of(target).capitalize() for target in targets]
        note = f"tested on {listed([CALLED[p] for p in dict.fromkeys(map(place_of, targets))])}, five columns each"
        for axes, heat, whose in zip(row, pair, ("here", "the paper"), strict=True):
            draw(axes, heat, groups, range(len(targets)), palette, ticks=ticks)
            axes.tick_params("x", rotation=45)
            axes.axvline(len(CONDITIONS), color="white", linewidth=6)
            heading(axes, shape, f"Trained on {CALLED[place]}, {whose}", note)
        row[0].set_yticks(np.arange(len(groups)) + 0.5, groups, fontsize=9)
    return figure


def _places(cells: Sequence[Cell]) -> list[str]:
    return list(dict.fromkeys(place_of(cell.source) for cell in cells))


def _measured(cells: Sequence[Cell]) -> Heat:
    found = {place: pair for place, (erm, ada) in _pairs(cells).items() if (pair := over_shared_seeds(ada, erm))}
    return Heat.of(found)


def _published(cells: Sequence[Cell]) -> Heat:
    published = {place: [cell.published for cell in pair] for place, pair in _pairs(cells).items()}
    gaps = {place: 100 * (ada.mean - erm.mean) for place, (erm, ada) in published.items() if erm and ada}
    return Heat(gaps)


def _pairs(cells: Sequence[Cell]) -> dict[Place, tuple[Cell, Cell]]:
    """The cells of ERM and of ADA at each place of a block."""
    kinds: dict[Place, dict[str, Cell]] = {}
    for cell in cells:
        place = _by_condition(cell), float(TABLE2[cell.source].index(cell.target))
        kinds.setdefault(place, {})[cell.kind] = cell
    return {place: (some["erm"], some["ada"]) for place, some in kinds.items()}


# Figure 1.


@drawing
def samples(domains: Mapping[str, Domain], setting: Setting) -> Figure:
    """The first image of each domain: a row for each place, a column for each condition."""
    rows = len(domains) // len(CONDITIONS)
    shape = Panels(rows=rows, columns=len(CONDITIONS), height=1.12, head=0.3, foot=0.05, left=0.2, gap=0.1)
    footnote = f"One image of each domain of {setting.source}, drawn with seed 0: nobody chose them."
    figure, placed = panel_figure(shape, setting.title, footnote)
    for axes, (name, domain) in zip([axes for row in placed for axes in row], domains.items(), strict=True):
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        axes.set_title(called(name), loc="left", fontsize=8.5, fontweight="bold", pad=4)
        axes.imshow(domain.images[0].clamp(0, 1).movedim(0, 2).numpy(), interpolation="nearest")
    return figure
