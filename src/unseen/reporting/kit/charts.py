"""What all charts share: one style, a canvas for a page or a sheet of panels for a file, and the ways out of memory."""

from __future__ import annotations

import base64
import html
import io
import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from unseen.base.extras import require
from unseen.base.terminal import printable
from unseen.base.writing import write_atomically
from unseen.reporting.kit.theme import EMPTY, FAINT, INK, RULE, SOFT

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_STYLE = {
    "font.family": "DejaVu Sans", "font.size": 10.5, "text.color": INK, "legend.frameon": False,
    "axes.labelcolor": SOFT, "axes.edgecolor": FAINT, "axes.axisbelow": True, "grid.color": RULE,
    "axes.spines.top": False, "axes.spines.right": False, "xtick.major.size": 0, "ytick.major.size": 0,
    "xtick.color": SOFT, "ytick.color": SOFT, "xtick.labelcolor": INK, "svg.hashsalt": "unseen",
    "text.parse_math": False,  # a dollar in somebody's name is a dollar
}  # fmt: skip
_NO_DATES = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
_DOTS_PER_INCH = 160
_POINTS = 72  # in an inch: a point is a unit of an SVG file, so the sizes of a page's chart are those on the page
WIDTH = 460  # of a chart that fills half of a wide page or all of a narrow one
_TITLE, _SMALL_PRINT, _NOTE = 78, 146, 16  # characters in a line of the title, of the footnote, in an inch of a note

P = ParamSpec("P")


def drawing(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Let a function draw in our style, whatever the user's own is; matplotlib is asked for where it is missing."""

    @wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> Figure:
        with require("matplotlib.style", "report").context(["default", _STYLE]):
            return draw(*args, **options)

    return drawn


# For a page.


def canvas(
    height: float, *, left: float, right: float, bottom: float, top: float = 0, width: float = WIDTH
) -> tuple[Figure, Axes]:
    """A figure with one pair of axes for a page; all sizes are in the page's pixels at its full width."""
    figure: Figure = require("matplotlib.figure", "report").Figure(figsize=(width / _POINTS, height / _POINTS))
    place = (left / width, bottom / height, 1 - (left + right) / width, 1 - (top + bottom) / height)
    axes = figure.add_axes(place)
    axes.tick_params(labelsize=12, labelcolor=SOFT, pad=5)
    return figure, axes


def round_ticks(axis: Axis, text: Callable[[float], str], about: int = 6, *, integer: bool = False) -> None:
    """Mark round numbers on a linear axis, about so many."""
    locator = require("matplotlib.ticker", "report").MaxNLocator
    axis.set_major_locator(locator(about, steps=[1, 2, 5, 10], integer=integer))
    axis.set_major_formatter(lambda value, _: text(value))


def log_ticks(axis: Axis) -> None:
    """Mark 1, 2 and 5 times powers of ten on a logarithmic axis, or the powers alone where it is long."""
    low, high = axis.get_view_interval()
    subs = (1, 2, 5) if math.log10(high / low) < 2.3 else (1,)
    axis.set_major_locator(require("matplotlib.ticker", "report").LogLocator(10, subs=subs))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_locator(require("matplotlib.ticker", "report").NullLocator())


# For a file.


@dataclass(frozen=True, kw_only=True)
class Panels:
    """Rows and columns of axes; all sizes are in inches."""

    rows: int = 1
    columns: int
    height: float
    """of each panel's axes"""
    head: float = 0.38
    """above each, for its title"""
    lines: int = 0
    """below each title, for a note"""
    foot: float = 0.35
    """below each, for its marks"""
    left: float = 0.75
    gap: float = 0.45
    width: float = 10.0
    margin: float = 0.2

    @property
    def wide(self) -> float:
        """The width of each panel."""
        return (self.width - self.left - self.margin - self.gap * (self.columns - 1)) / self.columns

    def under(self, notes: Sequence[str]) -> Panels:
        """The same with room for the longest of these notes."""
        return replace(self, lines=max(len(self.wrapped(note)) for note in notes))

    def wrapped(self, note: str) -> list[str]:
        """A note in lines that a panel has room for."""
        return textwrap.wrap(note, round(_NOTE * (self.wide + 0.15)))

    @property
    def body(self) -> float:
        """The height of all rows."""
        return self.rows * self.row

    @property
    def row(self) -> float:
        """The height of one, titles and marks included."""
        return self.head + 0.16 * self.lines + self.height + self.foot

    def place(self, row: int, column: int, below: float) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of a panel, where ``below`` is under the last row."""
        bottom = below + (self.rows - 1 - row) * self.row + self.foot
        return self.left + column * (self.wide + self.gap), bottom, self.wide, self.height


def panel_figure(
    panels: Panels, title: str, footnote: str, legend: Sequence[Artist] = ()
) -> tuple[Figure, list[list[Axes]]]:
    """A figure with its title, legend and footnote around empty panels, which are given row by row."""
    titles, notes = textwrap.wrap(title, _TITLE), textwrap.wrap(footnote, _SMALL_PRINT)
    above, below = 0.2 + 0.27 * len(titles) + 0.4 * bool(legend), 0.25 + 0.17 * len(notes)
    wide, high = panels.width, above + panels.body + below
    figure: Figure = require("matplotlib.figure", "report").Figure(figsize=(wide, high), facecolor="white")
    figure.text(panels.margin / wide, 1 - 0.14 / high, "\n".join(titles), fontsize=14, fontweight="bold", va="top")
    figure.text(panels.margin / wide, 0.12 / high, "\n".join(notes), fontsize=9, color=SOFT, va="bottom")
    if legend:
        corner = ((panels.margin - 0.06) / wide, 1 - (0.17 + 0.27 * len(titles)) / high)
        figure.legend(handles=list(legend), loc="upper left", bbox_to_anchor=corner, ncols=len(legend), borderpad=0)
    places = [[panels.place(row, column, below) for column in range(panels.columns)] for row in range(panels.rows)]
    return figure, [[figure.add_axes((x / wide, y / high, w / wide, h / high)) for x, y, w, h in r] for r in places]


def heading(axes: Axes, panels: Panels, name: str, note: str = "") -> None:
    """A panel's title in bold, and below it what it is made of."""
    room = 11.5 * panels.lines
    axes.set_title(name, loc="left", fontsize=12, fontweight="bold", pad=9 + room)
    lines = "\n".join(panels.wrapped(note))
    axes.annotate(lines, (0, 1), (0, 4 + room), "axes fraction", "offset points", fontsize=8.5, color=SOFT, va="top")


def not_here(axes: Axes, words: str = "not here") -> None:
    """Say in a panel that there is no result."""
    axes.set_facecolor(EMPTY)
    axes.text(
        0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", color=SOFT, fontsize=12, style="italic"
    )


# Out of memory.


def render(figure: Figure, ending: str = "svg", *, as_text: bool = False) -> bytes:
    """The figure as a file's content, "svg" or "png"; the same figure gives the same bytes.

    With ``as_text`` an SVG has its words as text on a transparent ground, else as shapes of our font on its own.
    """
    _spell_out(figure)
    file = io.BytesIO()
    style = ["default", _STYLE, {"svg.fonttype": "none" if as_text else "path"}]
    with require("matplotlib.style", "report").context(style):
        figure.savefig(file, format=ending, dpi=_DOTS_PER_INCH, metadata=_NO_DATES[ending], transparent=as_text or None)
    return file.getvalue()


def _spell_out(figure: Figure) -> None:
    """Spell control characters in names out: SVG can't have them. Ticks are made while drawing and come spelled."""
    for text in figure.findobj(require("matplotlib.text", "report").Text):
        text.set_text(printable(text.get_text()))


def save(figure: Figure, path: Path) -> list[Path]:
    """Write ``path``.svg and ``path``.png."""
    written = [path.with_name(f"{path.name}.{ending}") for ending in _NO_DATES]
    for file in written:
        write_atomically(file, render(figure, file.suffix[1:]))
    return written


def embedded(figure: Figure, description: str) -> str:
    """An HTML image with the figure in it; it needs no other file."""
    content = base64.b64encode(render(figure)).decode()
    return f'<img src="data:image/svg+xml;base64,{content}" alt="{html.escape(description)}" style="width: 100%">'
