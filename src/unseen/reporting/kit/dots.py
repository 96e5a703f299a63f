"""Charts of dots: domains from top to bottom, a row for each method, every seed a dot, the mean and an interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unseen.base.extras import require
from unseen.reporting.kit.charts import canvas, drawing, round_ticks
from unseen.reporting.kit.statistics import Interval
from unseen.reporting.kit.theme import CARD, FAINT, GRID, INK, OVER, SOFT, marker_options, method_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEADER, _ROW, _GAP = 26, 24, 14
_LEFT, _TOP, _BOTTOM = 12, 4, 26


@dataclass(frozen=True)
class Dots:
    """A method's row: its seeds' values and their mean, and an interval where there is one."""

    style: int
    values: Sequence[float]
    middle: float
    text: str
    interval: Interval | None = None
    detail: str = ""


@dataclass(frozen=True)
class DotGroup:
    """One domain's rows; None leaves a row empty."""

    name: str
    rows: Sequence[Dots | None]
    note: str = ""
    aside: bool = False
    """whether to set it apart from the others"""


@drawing
def dot_chart(
    groups: Sequence[DotGroup],
    limits: tuple[float, float],
    tick: Callable[[float], str],
    *,
    line: tuple[float, str] | None = None,
    margin: int = 68,
) -> Figure:
    """Values from left to right between ``limits``; an interval that is wider ends in an arrow.

    ``line`` is a value to compare with, and its name; ``margin`` is the room for the rows' texts.
    """
    starts = [_TOP + sum(_HEADER + len(g.rows) * _ROW + _GAP for g in groups[:i]) for i in range(len(groups) + 1)]
    height = starts[-1] + _BOTTOM
    figure, axes = canvas(height, left=_LEFT, right=margin, bottom=_BOTTOM)
    axes.set(xlim=limits, ylim=(starts[-1], 0), yticks=[])
    axes.spines[:].set_visible(False)
    axes.grid(axis="x", color=GRID)
    round_ticks(axes.xaxis, tick)
    if line:
        axes.axvline(line[0], color=FAINT, linestyle=(0, (2, 3)) if line[1] else "-", linewidth=1.2, zorder=1)
        axes.text(line[0], starts[-1] - 7, f" {line[1]}", fontsize=11.5, color=SOFT)
    for group, start in zip(groups, starts, strict=False):
        _group(axes, group, start)
    return figure


def _group(axes: Axes, group: DotGroup, start: float) -> None:
    if group.aside:
        _shade(axes, start, _HEADER + len(group.rows) * _ROW + _GAP / 2)
    behind = {"facecolor": OVER if group.aside else CARD, "edgecolor": "none", "pad": 1}
    beside: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "bbox": behind}
    axes.text(0, start + _HEADER / 2, group.name, fontsize=14, fontweight="bold", **beside)
    if group.note:
        beside["transform"] = _across(axes)
        axes.text(0.98, start + _HEADER / 2, group.note, fontsize=12, color=SOFT, ha="right", **beside)
    for i, row in enumerate(group.rows):
        if row is not None:
            _row(axes, row, start + _HEADER + (i + 0.5) * _ROW)


def _shade(axes: Axes, start: float, height: float) -> None:
    patch = require("matplotlib.patches", "report").Rectangle
    axes.add_patch(patch((0, start), 1, height, facecolor=OVER, edgecolor="none", transform=_across(axes), zorder=0))


def _across(axes: Axes) -> Any:
    """Places as a share of the figure's width, and in the axes' height."""
    blended = require("matplotlib.transforms", "report").blended_transform_factory
    return blended(axes.figure.transFigure, axes.transData)


def _row(axes: Axes, row: Dots, y: float) -> None:
    colour = method_colour(row.style)
    if row.interval:
        _interval(axes, row.interval, y, colour)
    if len(row.values) != 1:
        axes.plot(row.middle, y, marker="|", markersize=20, markeredgewidth=3.2, color=colour)
    axes.plot(row.values, [y] * len(row.values), linestyle="none", **marker_options(row.style, 9.5))
    place: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    axes.annotate(row.text, (1, y), (52 if row.detail else 60, 0), ha="right", fontsize=13, color=INK, **place)
    if row.detail:
        axes.annotate(row.detail, (1, y), (57, 0), fontsize=11.5, color=SOFT, **place)


def _interval(axes: Axes, interval: Interval, y: float, colour: str) -> None:
    """A line with upright ends; an arrow where it continues beyond the axis."""
    least, most = axes.get_xlim()
    ends = max(interval.low, least), min(interval.high, most)
    axes.plot(ends, [y, y], color=colour, linewidth=2.2, solid_capstyle="butt")
    for end, cut, arrow in ((ends[0], interval.low < least, "<"), (ends[1], interval.high > most, ">")):
        axes.plot(end, y, marker=arrow if cut else "|", markersize=9, color=colour, markeredgewidth=1 if cut else 2)
