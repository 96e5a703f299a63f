"""Curves over the training's steps: each method's mean over its seeds, each seed, and where rounds were made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.charts import WIDTH, canvas, drawing, log_ticks, round_ticks
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.theme import FAINT, GRID, SOFT, marker_options, method_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 14, 22, 25
_WORD = 52.0  # how wide the word "round 1" is, with some air
_LINES = 8  # upright lines, one for each round; more would hide the curves
_MARK = 7.0  # the height of a method's marks above the chart, where there are more

Curves = Mapping[int, Sequence[tuple[float, float]]]
"""seed -> (step, value)"""


@drawing
def line_chart(curves: Sequence[tuple[Method, Curves]], *, height: float = 270, share: bool = False) -> Figure:
    """Curves over the steps; ``share`` is for accuracies and mIoUs, in percent, else the axis is logarithmic."""
    values = [value for _, seeds in curves for curve in seeds.values() for _, value in curve]
    last = max(step for _, seeds in curves for curve in seeds.values() for step, _ in curve)
    made = _rounds_made([method for method, _ in curves])
    above = _MARK * len(made) if _many(made) else 0
    figure, axes = canvas(height + above, left=_LEFT, right=_RIGHT, top=_TOP + above, bottom=_BOTTOM)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", color=GRID)
    axes.set_xlim(0, last)
    if share:
        axes.set_ylim(*_share_range(values))
        round_ticks(axes.yaxis, lambda value: f"{100 * value:g} %")
    else:
        low = max(min(values), 1e-6)
        axes.set(yscale="log", ylim=(low * 0.9, max(max(values), low * 2) * 1.1))
        log_ticks(axes.yaxis)
    round_ticks(axes.xaxis, "{:,.0f}".format, 5, integer=True)
    if above:
        _mark_many_rounds(axes, made, height - _TOP - _BOTTOM)
    else:
        _mark_rounds(axes, made)
    for method, seeds in curves:
        if any(seeds.values()):
            _curve(axes, method, seeds)
    return figure


def _share_range(values: Sequence[float]) -> tuple[float, float]:
    """Around the values, at least ten points wide, within 0..1."""
    middle, half = (max(values) + min(values)) / 2, max(0.05, 0.6 * (max(values) - min(values)))
    return max(0.0, middle - half), min(1.0, middle + half)


def _curve(axes: Axes, method: Method, seeds: Curves) -> None:
    by_step: dict[float, list[float]] = {}
    for curve in seeds.values():
        for step, value in curve:
            by_step.setdefault(step, []).append(value)
    least, colour = axes.get_ylim()[0], method_colour(method.style)
    if len(seeds) > 1:
        for curve in seeds.values():
            axes.plot(*_points(curve, least), color=colour, linewidth=1, alpha=0.5, zorder=2)
    steps, means = _points([(step, mean(values)) for step, values in sorted(by_step.items())], least)
    axes.plot(steps, means, color=colour, linewidth=2.4, solid_capstyle="round", zorder=3, label=method.label)
    axes.plot(steps[-1], means[-1], zorder=4, **marker_options(method.style, 9))


def _points(curve: Sequence[tuple[float, float]], least: float) -> tuple[list[float], list[float]]:
    """Steps and values of at most some hundred points; a loss of 0 has no logarithm and lies at the bottom."""
    points = thin(curve)
    return [step for step, _ in points], [max(value, least) for _, value in points]


def thin(values: Sequence[tuple[float, float]], most: int = 240) -> list[tuple[float, float]]:
    """At most so many points: means of neighbours, where there are more."""
    size = math.ceil(len(values) / most) or 1
    groups = [values[i : i + size] for i in range(0, len(values), size)]
    return [(math.fsum(x for x, _ in g) / len(g), math.fsum(y for _, y in g) / len(g)) for g in groups]


Made = Sequence[tuple[Method, Sequence[int]]]
"""methods that have rounds, and the steps at which they make them"""


def _rounds_made(methods: Sequence[Method]) -> Made:
    steps = [(m, [m.runs[0].config.ada.steps_before(k) for k in range(1, m.rounds + 1)]) for m in methods]
    return [(method, made) for method, made in steps if made]


def _many(made: Made) -> bool:
    """Whether there are too many for a line each."""
    return len({step for _, steps in made for step in steps}) > _LINES


def marked_above(methods: Sequence[Method]) -> bool:
    """Whether a chart of these methods has marks for their rounds above it, in place of lines."""
    return _many(_rounds_made(methods))


def _mark_rounds(axes: Axes, made: Made) -> None:
    """A line at each step at which some method made a round, with its name; one name for rounds close together."""
    numbers = {step: k for _, steps in reversed(made) for k, step in enumerate(steps, 1)}
    steps = sorted(numbers)
    pixels = (WIDTH - _LEFT - _RIGHT) / axes.get_xlim()[1]
    near = any((after - step) * pixels < _WORD for step, after in pairwise(steps))
    together = f"rounds 1 to {max(numbers.values(), default=0)}"
    names = {steps[0]: together} if near else {step: f"round {numbers[step]}" for step in steps}
    for step in steps:
        axes.axvline(step, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    for step, name in names.items():
        axes.annotate(
            name, (step, 1), (-2, 5), xycoords=axes.get_xaxis_transform(), textcoords="offset points", fontsize=12,
            color=SOFT,
        )  # fmt: skip


def _mark_many_rounds(axes: Axes, made: Made, high: float) -> None:
    """For each method a row of marks above the chart, which is so ``high``, in its colour."""
    for row, (method, steps) in enumerate(reversed(made)):
        bottom, top = (1 + (row * _MARK + place) / high for place in (2, _MARK))
        axes.vlines(
            steps, bottom, top, color=method_colour(method.style), linewidth=1.6,
            transform=axes.get_xaxis_transform(), clip_on=False,
        )  # fmt: skip
    axes.annotate(
        "rounds", (0, 1), (0, _MARK * len(made) + 4), xycoords="axes fraction", textcoords="offset points",
        fontsize=12, color=SOFT,
    )  # fmt: skip
