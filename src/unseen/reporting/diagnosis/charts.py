"""The geometry of a diagnosis's figures; ``report/templates/diagnosis.html`` draws it as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unseen.reporting.diagnosis.record import Away, Diagnosis, Portrait
from unseen.reporting.diagnosis.words import labels, number
from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.scales import WIDTH, Scale, Tick, log_ticks, ticks
from unseen.reporting.runs.dots import DomainScores, DotChart, Group, Mark, accuracy_chart, bottom, row_y, tops

Shown = tuple[Method, Portrait]

_LETTER, _LINE, _RADIUS = 8.4, 17.0, 9.0  # how wide, how high a label is; around a dot
_OFFSETS: tuple[tuple[str, float, float], ...] = (
    ("start", 14, 0), ("end", -14, 0), ("middle", 0, 20), ("middle", 0, -20), ("start", 14, 17), ("end", -14, 17),
    ("start", 14, -17), ("end", -14, -17), *(("middle", 0, 20 + _LINE * i) for i in range(1, 9)),
)  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """A network's bound on the mean loss, over the radius."""

    style: int
    label: str
    points: str
    """SVG points"""


@dataclass(frozen=True)
class Dot:
    """A domain as a network sees it: at its distance, with its loss."""

    style: int
    x: float
    y: float
    text: str
    """to hover"""


@dataclass(frozen=True)
class Label:
    """A domain's name beside its dot."""

    x: float
    y: float
    anchor: str
    text: str
    held_out: bool


@dataclass(frozen=True)
class CurveChart:
    """The certificate's curves and where the domains are; both axes are logarithmic."""

    left: float
    right: float
    top: float
    bottom: float
    x_axis: list[Tick]
    y_axis: list[Tick]
    guess: float
    curves: list[Curve]
    dots: list[Dot]
    labels: list[Label]
    width: float = 1080
    height: float = 470


@dataclass(frozen=True)
class Figures:
    """All figures about one run, and the networks in them."""

    methods: list[Method]
    """this one, and the plain one where there is one: label and style"""
    curves: CurveChart
    distances: DotChart | None
    accuracies: DotChart | None


def figures(diagnosis: Diagnosis, style: int | None = None) -> Figures:
    """The figures; ``style`` numbers the run's colour and marker, the plain run's is 0."""
    styles = (style or (1 if diagnosis.rounds or diagnosis.plain else 0), 0)
    methods = [Method(label, label, (), each) for label, each in zip(labels(diagnosis), styles, strict=False)]
    shown = list(zip(methods, diagnosis.portraits, strict=True))
    distances = _distance_chart(shown) if diagnosis.model.domains else None
    accuracies = accuracy_chart(_scores(diagnosis, shown), methods) if diagnosis.model.domains else None
    return Figures(methods, curve_chart(diagnosis, shown), distances, accuracies)


def curve_chart(diagnosis: Diagnosis, shown: Sequence[Shown]) -> CurveChart:
    """Every network's bound, and its domains as dots."""
    aways = [(method, it, away) for method, it in shown for away in it.domains]
    shares = [share for _, it in shown for share in it.shares] + [away.radius / it.spread for _, it, away in aways]
    losses = [bound for _, it in shown for bound in it.curve.bound] + [away.loss for _, _, away in aways]
    guess = math.log(diagnosis.classes)
    x = Scale(min(shares), 1.1 * max(shares), 58, CurveChart.width - 14, logarithmic=True)
    low = max(min(losses), 1e-6)
    y = Scale(low / 1.3, max(*losses, guess) * 1.2, CurveChart.height - 48, 30, logarithmic=True)
    dots = [_dot(method, it, away, x, y) for method, it, away in aways]
    return CurveChart(
        left=x.start,
        right=x.end,
        top=y.end,
        bottom=y.start,
        x_axis=[Tick(x(v), f"{v:g}") for v in log_ticks(x.low, x.high)],
        y_axis=[Tick(y(v), f"{v:g}") for v in log_ticks(y.low, y.high)],
        guess=y(guess),
        curves=[_curve(method, it, x, y) for method, it in shown],
        dots=dots,
        labels=_labels(diagnosis.model.domains, dots),
    )


def _curve(method: Method, portrait: Portrait, x: Scale, y: Scale) -> Curve:
    points = zip(portrait.shares, portrait.curve.bound, strict=True)
    return Curve(method.style, method.label, " ".join(f"{x(share):g},{y(bound):g}" for share, bound in points))


def _dot(method: Method, portrait: Portrait, away: Away, x: Scale, y: Scale) -> Dot:
    share = away.radius / portrait.spread
    text = f"{method.label}, {away.domain}: {number(share)} of the spread, loss {number(away.loss)}"
    return Dot(method.style, x(share), y(away.loss), text)


def _labels(domains: Sequence[Away], dots: Sequence[Dot]) -> list[Label]:
    """The names of this network's dots: each at the first place around its dot that is free."""
    taken = [_Box(dot.x - _RADIUS, dot.x + _RADIUS, dot.y - _RADIUS, dot.y + _RADIUS) for dot in dots]
    taken.append(_Box(CurveChart.width, math.inf, 0, CurveChart.height))
    placed = []
    for dot, away in zip(dots, domains, strict=False):
        spots = [(_spot(dot, away, *offset)) for offset in _OFFSETS]
        label, box = next((spot for spot in spots if not any(spot[1].meets(box) for box in taken)), spots[-1])
        placed.append(label)
        taken.append(box)
    return placed


class _Box(NamedTuple):
    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def _spot(dot: Dot, away: Away, anchor: str, dx: float, dy: float) -> tuple[Label, _Box]:
    x, y, width = dot.x + dx, dot.y + dy, _LETTER * len(away.domain)
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return Label(x, y, anchor, away.domain, away.held_out), _Box(left, left + width, y - _LINE / 2, y + _LINE / 2)


def _distance_chart(shown: Sequence[Shown]) -> DotChart:
    """Every class's distance in every domain, with the domain's own."""
    most = max(d / it.spread for _, it in shown for away in it.domains for d in away.classes.values())
    x = Scale(0, 1.05 * most, 12, WIDTH - 80)
    domains = shown[0][1].domains
    groups = []
    for i, (away, top) in enumerate(zip(domains, tops(len(domains), len(shown)), strict=True)):
        marks = [_distance_mark(m, it, it.domains[i], row_y(top, row), x) for row, (m, it) in enumerate(shown)]
        groups.append(Group(away.domain, _extremes(away), top + 17, marks, away.held_out))
    axis = [Tick(x(v), f"{v:g}") for v in ticks(x.low, x.high)]
    return DotChart(bottom(len(groups), len(shown)), x.start, x.end, axis, groups, None)


def _distance_mark(method: Method, portrait: Portrait, away: Away, y: float, x: Scale) -> Mark:
    shares = {name: d / portrait.spread for name, d in away.classes.items()}
    dots = [(x(share), f"{method.label}, class {name}: {number(share)}") for name, share in shares.items()]
    middle = away.radius / portrait.spread
    return Mark(method.style, y, dots, x(middle), None, (False, False), f"{middle:.2f}")


def _extremes(away: Away) -> str:
    if len(away.classes) < 2:
        return ""
    order = sorted(away.classes, key=lambda name: away.classes[name])
    return f"nearest class {order[0]}, farthest {order[-1]}"


def _scores(diagnosis: Diagnosis, shown: Sequence[Shown]) -> list[DomainScores]:
    return [
        DomainScores(
            away.domain,
            away.images,
            diagnosis.classes,
            {method.label: {it.seed: it.domains[i].accuracy} for method, it in shown},
            away.held_out,
        )
        for i, away in enumerate(diagnosis.model.domains)
    ]
