"""A table as a heat map: Table 1 by gamma and K, as differences from the baseline, in numbers and in colour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unseen.base.extras import require
from unseen.paper.cells import Cell, over_shared_seeds
from unseen.paper.findings import LEAST_PAIRS
from unseen.reporting.kit.charts import not_here
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.theme import COLOURS, EMPTY, INK, SOFT
from unseen.reporting.kit.wording import Comparison, signed

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Place = tuple[str, float]
"""row and column: a cell's group, and K"""


FEW = f"In italics: fewer than {LEAST_PAIRS} seeds, which decide nothing."


@dataclass(frozen=True)
class Heat:
    """How many points each place is above or below the baseline: here with the same seeds."""

    gaps: Mapping[Place, float]
    base: float | None = None
    """the baseline's own accuracy in percent, over all its seeds"""
    few: frozenset[Place] = frozenset()
    """places with fewer seeds than a judgement takes"""

    @classmethod
    def of(cls, found: Mapping[Place, Comparison], base: float | None = None) -> Heat:
        """What was measured."""
        few = frozenset(place for place, comparison in found.items() if len(comparison.differences) < LEAST_PAIRS)
        return cls({place: comparison.gap for place, comparison in found.items()}, base, few)


def measured_heat(cells: Iterable[Cell], baseline: str | None) -> Heat:
    """What we measured on one domain."""
    run = [cell for cell in cells if cell.accuracies]
    base = next((cell for cell in run if cell.method == baseline), None)
    if base is None:
        return Heat({})
    pairs = {(cell.group, cell.at): over_shared_seeds(cell, base) for cell in run if cell.at is not None}
    return Heat.of({place: pair for place, pair in pairs.items() if pair}, mean(base.percent))


def published_heat(cells: Iterable[Cell], baseline: str | None) -> Heat:
    """What the paper has on one domain."""
    known = [(cell, 100 * cell.published.mean) for cell in cells if cell.published]
    base = next((value for cell, value in known if cell.method == baseline), None)
    if base is None:
        return Heat({})
    return Heat({(cell.group, cell.at): value - base for cell, value in known if cell.at is not None}, base)


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
) -> None:
    """One panel: a coloured field with its number for each place, the first group on top.

    ``ticks`` name the columns, K=1 and so on when not given.
    """
    axes.set(xlim=(0, len(columns)), ylim=(len(groups), 0), facecolor=EMPTY)
    axes.set_xticks(np.arange(len(columns)) + 0.5, ticks or [f"K={column:g}" for column in columns], fontsize=9)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    if not heat.gaps:
        not_here(axes)
        return
    for i, group in enumerate(groups):
        for j, column in enumerate(columns):
            _field(axes, heat, (group, column), (j, i), palette)


def _field(axes: Axes, heat: Heat, place: Place, corner: tuple[int, int], palette: Palette) -> None:
    options: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}
    centre = corner[0] + 0.5, corner[1] + 0.5
    if place not in heat.gaps:
        axes.text(*centre, "\N{EN DASH}", color=SOFT, **options)
        return
    colour = palette(heat.gaps[place])
    axes.add_patch(require("matplotlib.patches", "report").Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white"))
    dark = float(np.dot(colour[:3], [0.299, 0.587, 0.114])) < 0.55
    style = "italic" if place in heat.few else "normal"
    axes.text(*centre, signed(heat.gaps[place]), color="white" if dark else INK, style=style, **options)
