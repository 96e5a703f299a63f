"""The geometry of the training curves; ``templates/charts.html`` draws it as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.scales import WIDTH, Scale, Tick, log_ticks, thin, ticks
from unseen.reporting.kit.statistics import mean

_WORD = 52.0  # how wide the word "round 1" is, with some air


@dataclass(frozen=True)
class Line:
    """A method's curve: the mean over its seeds, and each seed's own."""

    style: int
    label: str
    middle: str
    """SVG points"""
    each: list[str]
    end: tuple[float, float]


@dataclass(frozen=True)
class LineChart:
    """A value against the minimization step."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x_axis: list[Tick]
    y_axis: list[Tick]
    lines: list[Line]
    rounds: list[Tick]
    """where fictitious images were made"""


Curves = Mapping[int, Sequence[tuple[float, float]]]
"""seed -> (step, value)"""


def line_chart(
    curves: Sequence[tuple[Method, Curves]], *, width: float = WIDTH, height: float = 300, share: bool = False
) -> LineChart:
    """Curves over the steps; ``share`` is for accuracies and mIoUs, in percent, else the axis is logarithmic."""
    values = [v for _, seeds in curves for curve in seeds.values() for _, v in curve]
    steps = [s for _, seeds in curves for curve in seeds.values() for s, _ in curve]
    x = Scale(0, max(steps), 46, width - 14)
    top, bottom = 38.0, height - 25
    if share:
        y = Scale(*_share_range(values), bottom, top)
        y_axis = [Tick(y(v / 100), f"{v:g} %") for v in ticks(100 * y.low, 100 * y.high)]
    else:
        low = max(min(values), 1e-6)
        y = Scale(low * 0.9, max(max(values), low * 2) * 1.1, bottom, top, logarithmic=True)
        y_axis = [Tick(y(v), f"{v:g}") for v in log_ticks(y.low, y.high)]
    x_axis = [Tick(x(v), f"{v:,.0f}") for v in ticks(0, max(steps)) if v == int(v)]
    lines = [_line(method, seeds, x, y) for method, seeds in curves if any(seeds.values())]
    rounds = _round_marks([method for method, _ in curves], x)
    return LineChart(width, height, x.start, x.end, top, bottom, x_axis, y_axis, lines, rounds)


def _share_range(values: Sequence[float]) -> tuple[float, float]:
    """Around the values, at least ten points wide, within 0..1."""
    middle, half = (max(values) + min(values)) / 2, max(0.05, 0.6 * (max(values) - min(values)))
    return max(0.0, middle - half), min(1.0, middle + half)


def _line(method: Method, seeds: Curves, x: Scale, y: Scale) -> Line:
    by_step: dict[float, list[float]] = {}
    for curve in seeds.values():
        for step, value in curve:
            by_step.setdefault(step, []).append(value)
    middle = thin([(step, mean(values)) for step, values in sorted(by_step.items())])
    each = [_path(thin(curve), x, y) for curve in seeds.values()] if len(seeds) > 1 else []
    return Line(method.style, method.label, _path(middle, x, y), each, (x(middle[-1][0]), y(middle[-1][1])))


def _path(curve: Sequence[tuple[float, float]], x: Scale, y: Scale) -> str:
    return " ".join(f"{x(step):g},{y(value):g}" for step, value in curve)


def _round_marks(methods: Sequence[Method], x: Scale) -> list[Tick]:
    """A mark for each step at which some method made a round; words that would touch each other are left out."""
    made = {k * m.settings["T_min"]: k for m in reversed(methods) for k in range(1, m.rounds + 1)}
    steps = sorted(made)
    if len(steps) > 1 and x(steps[-1]) - x(steps[0]) < _WORD:
        return [Tick(x(steps[0]), f"rounds 1 to {max(made.values())}"), *(Tick(x(step), "") for step in steps[1:])]
    marks: list[Tick] = []
    for step in steps:
        free = x(step) - max((mark.at for mark in marks if mark.text), default=-_WORD)
        text = f"round {made[step]}" if free >= _WORD else f"{made[step]}" if free >= _WORD / 2 else ""
        marks.append(Tick(x(step), text))
    return marks
