"""Does the criterion that chose the settings, which saw no target, rank methods as the targets do?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unseen.paper.cells import Cell
from unseen.paper.family.choices import Line, candidate_of, criteria
from unseen.paper.family.figures import COLOUR
from unseen.paper.family.tables import MEAN
from unseen.paper.methods import Method
from unseen.reporting.kit.charts import Panels, drawing, panel_figure
from unseen.reporting.kit.statistics import RESAMPLES, Interval, mean
from unseen.reporting.kit.theme import FAINT
from unseen.reporting.kit.wording import MINUS, counted, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 3  # methods: with fewer there is no rank correlation
FEW = 10  # methods: with fewer the bootstrap is hardly of use
_SEED = 2018
_NAMES = 2.4  # inches beside the panel for the names
_LEADER = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkA": 2, "shrinkB": 4, "relpos": (0, 0.5)}
_LINE = 0.19  # inches: how high a name is


@dataclass(frozen=True)
class Point:
    """A method: what the criterion says, and what the targets say, in percent."""

    method: str
    candidate: str
    group: str
    criterion: float
    target: float


def pair_up(lines: Sequence[Line], methods: Sequence[Method], cells: Sequence[Cell]) -> list[Point]:
    """Every method that is a candidate and was run on all targets."""
    found = criteria(lines)
    means = {cell.method: cell.percent for cell in cells if cell.target == MEAN and cell.accuracies}
    matched = [(method, candidate_of(method, lines)) for method in methods if method.label in means]
    return [
        Point(method.label, name, method.group, 100 * mean(list(found[name].values())), mean(means[method.label]))
        for method, name in matched
        if name in found and name is not None
    ]


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; None where one side doesn't vary or there are under 3."""
    if len(first) < LEAST:
        return None
    (value,) = _correlations(np.array([first], float), np.array([second], float))
    return None if np.isnan(value) else float(value)


def spearman_interval(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """Its percentile bootstrap 95 % interval over methods; resamples that don't vary are left out."""
    if spearman(first, second) is None:
        return None
    rows = np.random.default_rng(_SEED).integers(len(first), size=(RESAMPLES, len(first)))
    found = _correlations(np.array(first, float)[rows], np.array(second, float)[rows])
    low, high = np.quantile(found[~np.isnan(found)], [0.025, 0.975])
    return Interval(float(low), float(high))


def _correlations(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each row of the one with that row of the other."""
    a, b = (_ranks(values) - (values.shape[1] + 1) / 2 for values in (first, second))
    spread = np.sqrt((a**2).sum(1) * (b**2).sum(1))
    found: NDArray[np.float64] = np.divide((a * b).sum(1), spread, out=np.full(len(a), np.nan), where=spread > 0)
    return found


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 1, in each row; those that are equal share their mean rank."""
    less = (values[:, None, :] < values[:, :, None]).sum(2)
    equal = (values[:, None, :] == values[:, :, None]).sum(2)
    ranks: NDArray[np.float64] = less + (equal + 1) / 2
    return ranks


def verdict(some: Sequence[Point]) -> str:
    """What the points say, in a few sentences."""
    number = counted(len(some), "method")
    criterion, target = [p.criterion for p in some], [p.target for p in some]
    value, reach = spearman(criterion, target), spearman_interval(criterion, target)
    if value is None or reach is None:
        return f"{number} of the leaderboard were judged by the criterion and run: too few for a rank correlation."
    best, first = max(some, key=lambda p: p.target), max(some, key=lambda p: p.criterion)
    few = f" With so few methods ({len(some)}) that interval is rough, and often too narrow." if len(some) < FEW else ""
    clear = "" if reach.low > 0 or reach.high < 0 else " It includes 0: whether the two agree is not decided."
    gap = f"{points(best.target - first.target)} points below the best there ({best.method})"
    named = f"The method with the highest criterion is {first.method}"
    near = f"{named}, which is also the best on the targets." if best == first else f"{named}: on the targets, {gap}."
    return (
        f"Spearman's rank correlation of criterion and mean target accuracy over {number}: {_signed(value)} (95 % "
        f"{_signed(reach.low)} to {_signed(reach.high)}, bootstrap over methods, of which some are much alike, so that "
        f"it is too narrow).{clear}{few}{_within(some)} {near} {_farthest(some)}"
    )


def _within(some: Sequence[Point]) -> str:
    """The same among those with a high criterion and among those with a low one: two clusters alone correlate."""
    order = sorted(some, key=lambda point: -point.criterion)
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    high, low = (spearman([p.criterion for p in half], [p.target for p in half]) for half in halves)
    if high is None or low is None:
        return ""
    return (
        f" It is {_signed(high)} among the {len(halves[0])} with the highest criterion and {_signed(low)} among the "
        f"{len(halves[1])} others."
    )


def _farthest(some: Sequence[Point]) -> str:
    """The method on which the two differ most, by rank."""
    ranks = _ranks(-np.array([[p.criterion for p in some], [p.target for p in some]]))
    i = int(np.abs(ranks[0] - ranks[1]).argmax())
    return (
        f"They differ most on {some[i].method}: number {ranks[0, i]:g} by the criterion, number {ranks[1, i]:g} on the "
        "targets."
    )


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", MINUS)


@drawing
def scatter(some: Sequence[Point], whole: str) -> Figure:
    """The criterion of each method against its mean over the targets, which ``whole`` names."""
    panels = Panels(columns=1, height=4.4, head=0.1, foot=0.6, left=0.8)
    title = "The criterion, which saw the source alone, and the targets"
    figure, ((axes,),) = panel_figure(panels, title, f"{verdict(some)} Axes don't start at 0.")
    place = axes.get_position()
    axes.set_position((place.x0, place.y0, place.width - _NAMES / panels.width, place.height))
    axes.grid()
    axes.set(xlabel="criterion: percent right under kinds of change that training was without", ylabel=f"{whole}, %")
    axes.margins(0.08)
    for point in some:
        axes.plot(point.criterion, point.target, "o", color=COLOUR[point.group], markersize=7)
    _names(axes, some, panels.height)
    return figure


def _names(axes: Axes, some: Sequence[Point], high: float) -> None:
    """The methods' names in a column beside the panel, which is so many inches high, each with a line to its dot."""
    y0, y1 = axes.get_ylim()
    order = sorted(some, key=lambda point: (point.target, -point.criterion))
    for point, height in zip(order, _apart([(p.target - y0) / (y1 - y0) * high for p in order], high), strict=True):
        axes.annotate(
            point.method, (point.criterion, point.target), (1.03, height / high), "data", "axes fraction",
            fontsize=9, color=COLOUR[point.group], va="center", annotation_clip=False,
            arrowprops=_LEADER,
        )  # fmt: skip


def _apart(heights: Sequence[float], high: float) -> list[float]:
    """The same from the lowest up, a line apart: pushed up by those below, then down by the upper end."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + _LINE if placed else 0.0))
    room = [high - _LINE * (len(placed) - 1 - i) for i in range(len(placed))]
    return [min(height, most) for height, most in zip(placed, room, strict=True)]
