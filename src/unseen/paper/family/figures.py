"""The leaderboard as dots: methods from top to bottom by their mean over the targets, a panel for each target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from unseen.base.extras import require
from unseen.paper.cells import Cell, Setting, absent, describe_seeds, over_shared_seeds
from unseen.paper.family.methods import ASCENDED, DRAWN, ERM, ON_PIXELS, PLAIN
from unseen.paper.family.tables import MEAN, by_source, not_run, ranked, run_of
from unseen.paper.streets.names import SHORT, STREETS, condition_of, place_of
from unseen.reporting.kit.charts import Panels, drawing, heading, panel_figure, round_ticks
from unseen.reporting.kit.statistics import Interval, mean
from unseen.reporting.kit.theme import COLOURS, FAINT, INK, SOFT, THEME
from unseen.reporting.kit.wording import signed

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOUR = {PLAIN: COLOURS["erm"], ON_PIXELS: COLOURS["ada"], DRAWN: THEME["m4"][0], ASCENDED: THEME["m3"][0]}
"""one for each of what methods do to images"""
_LINE = 0.25  # inches for a method
_MOST = 4  # panels in a row


@drawing
def dots(cells: Sequence[Cell], setting: Setting) -> Figure:
    """For each source a row of panels, or some: first the mean over the targets, then each target that is here."""
    return _board(cells, setting.title, _footnote(cells, setting), _legend(run_of(cells)), _panel)


@drawing
def lengths(longer: Sequence[Cell], shorter: Sequence[Cell], setting: Setting, steps: int) -> Figure:
    """The same of a longer training, each method joined to what it was after ``steps`` steps with the same seeds."""
    known = {(cell.method, cell.domain): cell for cell in shorter}

    def panel(axes: Axes, cells: Sequence[Cell], order: Sequence[str]) -> None:
        own = {cell.method: cell for cell in cells}
        _frame(axes, order)
        for y, method in enumerate(order):
            _longer(axes, own[method], known[method, own[method].domain], y)
        _ticks(axes)

    words = [
        f"{setting.measure_first} in percent: a full dot is the mean over seeds after {setting.steps:,} steps, marks "
        f"are seeds; a hollow dot is the mean of the same seeds after {steps:,}. Beside: the difference.",
        "Axes don't start at 0.", describe_seeds(longer), not_run(longer), setting.protocol, setting.caveats(longer),
    ]  # fmt: skip
    run = [cell for cell in longer if cell.accuracies]
    return _board(run, f"{setting.title} (hollow: {steps:,})", " ".join(filter(None, words)), _legend(run), panel)


def _longer(axes: Axes, cell: Cell, before: Cell, y: int) -> None:
    colour, middle = COLOUR[cell.group], mean(cell.percent)
    axes.plot(cell.percent, [y] * len(cell.accuracies), "|", color=FAINT, markersize=7, zorder=2)
    pair = over_shared_seeds(cell, before)
    if pair:
        axes.hlines(y, middle - pair.gap, middle, color=colour, linewidth=2, zorder=3)
        axes.plot(middle - pair.gap, y, **_dot(colour, full=False))
        axes.text(1.03, y, signed(pair.gap), color=INK, **_beside(axes))
    axes.plot(middle, y, **_dot(colour, full=True))


def _board(
    cells: Sequence[Cell],
    title: str,
    footnote: str,
    legend: Sequence[Artist],
    panel: Callable[[Axes, Sequence[Cell], Sequence[str]], None],
) -> Figure:
    """The panels, each drawn by ``panel`` from its cells and the order of the methods from top to bottom."""
    missing = set(absent(cells))
    blocks = [_rows([c for c in some if c.domain not in missing]) for some in by_source(run_of(cells)).values()]
    rows = [row for block in blocks for row in block]
    lines = max(len(ranked(row[0])) for row in rows)
    columns = max(map(len, rows))
    panels = Panels(rows=len(rows), columns=columns, height=_LINE * lines, left=2.75, gap=0.6, margin=0.55, foot=0.4)
    panels = panels.under([_heading(panel)[1] for row in rows for panel in row])
    figure, placed = panel_figure(panels, title, footnote, legend)
    sources = by_source(cells)
    for row, axes in zip(rows, placed, strict=True):
        own = sources[row[0][0].source]
        order = ranked(own)
        for some, one in zip(row, axes, strict=False):
            panel(one, some, order)
            heading(one, panels, *_heading(some))
        for unused in axes[len(row) :]:
            unused.set_axis_off()
        axes[0].set_yticks(range(len(order)), [_name(method, own) for method in order], fontsize=9.5)
        for label, method in zip(axes[0].get_yticklabels(), order, strict=True):
            label.set_color(COLOUR[next(c.group for c in row[0] if c.method == method)])
    return figure


def _name(method: str, cells: Sequence[Cell]) -> str:
    """With the number of its seeds where ERM has more."""
    seeds = {cell.method: len(cell.accuracies) for cell in cells if cell.target == MEAN}
    return f"{method} (n={seeds[method]})" if seeds[method] < seeds.get(ERM, 0) else method


def _rows(cells: Sequence[Cell]) -> list[list[list[Cell]]]:
    """The panels of one source, the mean first, in rows of a few."""
    targets = sorted(dict.fromkeys(cell.target for cell in cells), key=lambda target: target != MEAN)
    panels = [[cell for cell in cells if cell.target == target] for target in targets]
    return [panels[i : i + _MOST] for i in range(0, len(panels), _MOST)]


def _heading(panel: Sequence[Cell]) -> tuple[str, str]:
    """A target's name, and from where; for the mean, of what."""
    first = panel[0]
    source, _, target = first.domain.rpartition(" → ")
    start = f"from {source}" if source else ""
    if first.target == MEAN:
        return ("Mean", ", ".join(filter(None, [start, target])))
    streets = first.target in STREETS
    short = f"{SHORT[place_of(first.target)]}, {condition_of(first.target)}" if streets else target
    return (short, start)


def _panel(axes: Axes, cells: Sequence[Cell], order: Sequence[str]) -> None:
    known = {cell.method: cell for cell in cells}
    _frame(axes, order)
    base = known[ERM]
    if base.accuracies:
        axes.axvline(mean(base.percent), color=COLOUR[PLAIN], linewidth=1, linestyle=(0, (3, 2)), zorder=1)
    for y, method in enumerate(order):
        _method(axes, known[method], base, y)
    _ticks(axes)


def _frame(axes: Axes, order: Sequence[str]) -> None:
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")


def _ticks(axes: Axes) -> None:
    low, high = axes.get_xlim()  # an interval from few seeds may leave what an accuracy can be
    axes.set_xlim(max(low, 0.0), min(high, 100.0))
    round_ticks(axes.xaxis, "{:g}".format, 4)
    axes.tick_params("x", labelsize=8.5)


def _method(axes: Axes, cell: Cell, base: Cell, y: int) -> None:
    if not cell.accuracies:
        axes.text(1.03, y, "not run", color=SOFT, style="italic", **_beside(axes))
        return
    colour, middle = COLOUR[cell.group], mean(cell.percent)
    pair = None if cell.method == base.method else over_shared_seeds(cell, base)
    reach = pair.interval if pair else None
    clear = reach is not None and not reach.includes(0)
    axes.plot(cell.percent, [y] * len(cell.accuracies), "|", color=FAINT, markersize=7, zorder=2)
    if pair and reach:
        around = Interval(middle + reach.low - pair.gap, middle + reach.high - pair.gap)
        axes.hlines(y, around.low, around.high, color=colour, linewidth=2, zorder=3)
    axes.plot(middle, y, **_dot(colour, full=clear or cell.method == base.method))
    axes.text(1.03, y, f"{middle:.1f}", color=INK, **_beside(axes))


def _dot(colour: str, *, full: bool) -> dict[str, Any]:
    face = colour if full else "white"
    return {
        "marker": "o", "linestyle": "none", "markersize": 5.5, "markerfacecolor": face, "markeredgecolor": colour,
        "markeredgewidth": 1.6, "zorder": 4,
    }  # fmt: skip


def _beside(axes: Axes) -> dict[str, Any]:
    """How a number stands to the right of a panel."""
    return {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 8.5}


def _legend(cells: Sequence[Cell]) -> list[Artist]:
    line = require("matplotlib.lines", "report").Line2D
    groups = dict.fromkeys(cell.group for cell in cells)
    options = {"marker": "o", "linewidth": 2, "markersize": 6.5}
    return [line([], [], color=COLOUR[group], label=group, **options) for group in COLOUR if group in groups]


def _footnote(cells: Sequence[Cell], setting: Setting) -> str:
    words = [
        f"{setting.measure_first} in percent: a dot is the mean over seeds, marks are seeds.",
        f"Bars: 95 % t-interval of the difference from {ERM} with the same seeds, drawn around the dot.",
        "A hollow dot: the interval includes 0, or there is none.",
        "Axes don't start at 0.", describe_seeds(cells), not_run(cells), setting.protocol, setting.caveats(cells),
    ]  # fmt: skip
    return " ".join(filter(None, words))
