"""A table as a heat map: Table 1's accuracies by gamma and K in words, their difference from the baseline in colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.base.extras import require
from unseen.paper.cells import Cell, over_shared_seeds
from unseen.reporting.kit.charts import not_here
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.theme import COLOURS, EMPTY, INK, SOFT
from unseen.reporting.kit.wording import signed

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Place = tuple[str, float]
"""row and column: a cell's group, and K"""


@dataclass(frozen=True)
class Heat:
    """A domain's accuracies in percent, and how far they are from the baseline's."""

    values: Mapping[Place, float]
    gaps: Mapping[Place, float]
    """points above or below the baseline with the same seeds, where there is such"""
    base: float | None = None
    """the baseline's own accuracy, over all its seeds"""
    single: frozenset[Place] = frozenset()
    """places with one seed only"""


def measured_heat(cells: Iterable[Cell], baseline: str | None) -> Heat:
    """What we measured on one domain."""
    run = [cell for cell in cells if cell.accuracies]
    placed = {(cell.group, cell.at): cell for cell in run if cell.at is not None}
    base = next((cell for cell in run if cell.method == baseline), None)
    single = frozenset(place for place, cell in placed.items() if len(cell.accuracies) == 1)
    return Heat(
        values={place: mean(cell.percent) for place, cell in placed.items()},
        gaps={place: pair.gap for place, cell in placed.items() if base and (pair := over_shared_seeds(cell, base))},
        base=mean(base.percent) if base else None,
        single=single,
    )


def published_heat(cells: Iterable[Cell], baseline: str | None) -> Heat:
    """What the paper has on one domain."""
    known = [(cell, 100 * cell.published.mean) for cell in cells if cell.published]
    values = {(cell.group, cell.at): value for cell, value in known if cell.at is not None}
    base = next((value for cell, value in known if cell.method == baseline), None)
    return Heat(values, {} if base is None else {place: value - base for place, value in values.items()}, base)


class Palette:
    """Colours for differences: white for none, deeper for more, one hue above the baseline and one below."""

    def __init__(self, heats: Iterable[Heat]) -> None:
        colours = require("matplotlib.colors", "report")
        self.most = max([1.0, *(abs(gap) for heat in heats for gap in heat.gaps.values())])
        ends = [COLOURS["erm"], "white", COLOURS["ada"]]
        self.map = colours.LinearSegmentedColormap.from_list("gaps", ends, N=257)  # odd, so that white is among them

    def __call__(self, gap: float) -> tuple[float, ...]:
        """Red, green, blue and one."""
        colour: tuple[float, ...] = self.map(0.5 + gap / self.most / 2)
        return colour

    def legend(self, baseline: str | None) -> list[Artist]:
        """What some of the colours mean."""
        patch = require("matplotlib.patches", "report").Patch
        steps = [-self.most, -self.most / 2, 0.0, self.most / 2, self.most]
        words = [*map(signed, steps[:2]), f"as {baseline}", *map(signed, steps[3:])]
        words[-1] += " points"
        return [patch(facecolor=self(gap), edgecolor=SOFT, label=w) for gap, w in zip(steps, words, strict=True)]


def draw(
    axes: Axes,
    heat: Heat,
    groups: Sequence[str],
    columns: Sequence[float],
    palette: Palette,
    *,
    ticks: Sequence[str] | None = None,
    number: Callable[[float], str] = "{:.1f}".format,
) -> None:
    """One panel: a coloured field with its number for each place, the first group on top.

    ``ticks`` name the columns, K=1 and so on when not given.
    """
    axes.set(xlim=(0, len(columns)), ylim=(len(groups), 0), facecolor=EMPTY)
    axes.set_xticks(np.arange(len(columns)) + 0.5, ticks or [f"K={column:g}" for column in columns], fontsize=9)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    if not heat.values:
        not_here(axes)
        return
    for i, group in enumerate(groups):
        for j, column in enumerate(columns):
            _field(axes, heat, (group, column), (j, i), palette, number)


def _field(
    axes: Axes, heat: Heat, place: Place, corner: tuple[int, int], palette: Palette, number: Callable[[float], str]
) -> None:
    options: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
    centre = corner[0] + 0.5, corner[1] + 0.5
    if place not in heat.values:
        axes.text(*centre, "\N{EN DASH}", color=SOFT, **options)
        return
    colour = palette(heat.gaps.get(place, 0.0))
    axes.add_patch(require("matplotlib.patches", "report").Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white"))
    dark = float(np.dot(colour[:3], [0.299, 0.587, 0.114])) < 0.55
    style = "italic" if place in heat.single else "normal"
    axes.text(*centre, number(heat.values[place]), color="white" if dark else INK, style=style, **options)
