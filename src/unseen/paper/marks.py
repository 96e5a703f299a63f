"""What stands in a panel for a cell: a bar, a line across or a point of a curve, its range, and the paper's number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unseen.base.extras import require
from unseen.paper.cells import Cell
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.theme import COLOURS, INK, NAMES, PALE, SOFT

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

LETTER = 0.085  # inches: how wide one is in a label
_LABEL = 9  # its size in points
_THICK = 2.2
_DIAMOND: dict[str, Any] = {"marker": "D", "markersize": 5, "markerfacecolor": "white", "linestyle": "none"}
_DOT: dict[str, Any] = {"marker": "o", "markersize": 8, "markeredgecolor": INK}


def numbers(cells: Sequence[Cell]) -> list[float]:
    """Everything to be shown of the cells, here and in the paper, in percent."""
    theirs = [100 * cell.published.mean for cell in cells if cell.published]
    return [*theirs, *(value for cell in cells for value in cell.percent)]


def bar(axes: Axes, cell: Cell, x: float, width: float, *, upright: bool) -> None:
    """A bar with its value in it, its range, and the paper's number on its right half."""
    values, top = cell.percent, axes.get_ylim()[1]
    if values:
        middle = mean(values)
        axes.bar(x, middle, 0.92 * width, color=COLOURS[cell.kind])
        axes.vlines(x, min(values), max(values), color="black", linewidth=_THICK)
        inside = middle > 0.15 * top
        axes.text(
            x, (0 if inside else max(values)) + 0.02 * top, f"{middle:.1f}", fontsize=_LABEL, ha="center", va="bottom",
            rotation=0 if upright else 90, color=INK if cell.kind in PALE or not inside else "white",
        )  # fmt: skip
    if cell.published:
        axes.plot(x + 0.3 * width * bool(values), 100 * cell.published.mean, markeredgecolor=INK, zorder=4, **_DIAMOND)


def not_run(axes: Axes, x: float) -> None:
    """Say that one cell of a panel that has others was not run."""
    axes.text(
        x, 0.02 * axes.get_ylim()[1], "not run", fontsize=_LABEL, ha="center", va="bottom", rotation=90, color=SOFT
    )  # fmt: skip


def level(axes: Axes, cell: Cell) -> None:
    """A line across the panel, with a band behind it for the range; the paper's number at its end."""
    values, colour, ends = cell.percent, COLOURS[cell.kind], axes.get_xlim()
    if values:
        axes.fill_between(ends, min(values), max(values), color=colour, alpha=0.22, linewidth=0, zorder=0.8)
        axes.plot(ends, [mean(values)] * 2, color=colour, linewidth=_THICK, zorder=2.5)
    if cell.published:
        theirs = 100 * cell.published.mean
        axes.plot(ends[1], theirs, markeredgecolor=colour, markeredgewidth=1.6, clip_on=False, zorder=4, **_DIAMOND)


def curve(axes: Axes, cells: Sequence[Cell]) -> None:
    """The means of cells that have a place, joined by a line, each with its range."""
    shown = sorted((cell.at, cell.percent) for cell in cells if cell.at is not None and cell.accuracies)
    for at, values in shown:
        axes.vlines(at, min(values), max(values), color="black", linewidth=_THICK, zorder=3)
    if shown:
        places, means = [at for at, _ in shown], [mean(values) for _, values in shown]
        colour = next(COLOURS[cell.kind] for cell in cells if cell.at is not None)
        axes.plot(places, means, color=colour, linewidth=_THICK, zorder=3.5, **_DOT)


def legend(cells: Sequence[Cell], lines: Sequence[str]) -> list[Artist]:
    """One entry for each kind of cell, and for the other marks; ``lines`` are the methods that are lines across."""
    line, patch = require("matplotlib.lines", "report").Line2D, require("matplotlib.patches", "report").Patch
    several = any(len(cell.accuracies) > 1 for cell in cells)
    handles = []
    for kind, cell in {cell.kind: cell for cell in cells}.items():
        colour, name = COLOURS[kind], NAMES[kind]
        if cell.method in lines:
            handles.append(line([], [], color=colour, linewidth=_THICK, label=name + " (band: range)" * several))
        elif cell.at is not None:
            handles.append(line([], [], color=colour, linewidth=_THICK, label=name, **_DOT))
        else:
            handles.append(patch(color=colour, label=name))
    if several:
        handles.append(line([], [], color="black", linewidth=_THICK, label="range over seeds"))
    if any(cell.published for cell in cells):
        handles.append(line([], [], markeredgecolor=INK, label="the paper's number", **_DIAMOND))
    return handles
