"""The geometry of the dot charts that compare methods; ``templates/charts.html`` draws it as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.measure import ACCURACY, Measure
from unseen.reporting.kit.scales import WIDTH, Scale, Tick, ticks
from unseen.reporting.kit.statistics import Interval, mean, wilson
from unseen.reporting.kit.wording import MINUS, Comparison, signed, span

_HEADER, _ROW, _GAP, _TOP = 27, 25, 16, 24


@dataclass(frozen=True)
class Mark:
    """A method's line in a dot chart: each seed's dot, the mean, and an interval where there is one."""

    style: int
    y: float
    dots: list[tuple[float, str]]
    """place and hover text"""
    middle: float
    whisker: tuple[float, float] | None
    cut: tuple[bool, bool]
    """whether the interval goes on beyond the left, the right end"""
    text: str
    detail: str = ""


@dataclass(frozen=True)
class Group:
    """One domain's lines in a dot chart."""

    name: str
    note: str
    y: float
    marks: list[Mark]
    source: bool


@dataclass(frozen=True)
class DotChart:
    """Domains from top to bottom, a value from left to right."""

    height: float
    left: float
    right: float
    axis: list[Tick]
    groups: list[Group]
    line: Tick | None
    """a value to compare with: chance, or no difference"""
    width: float = WIDTH

    @property
    def any_cut(self) -> bool:
        """Whether some interval is wider than the chart."""
        return any(any(mark.cut) for group in self.groups for mark in group.marks)


@dataclass(frozen=True)
class DomainScores:
    """The accuracy or the mIoU of every method on one domain."""

    name: str
    images: int
    classes: int
    values: Mapping[str, Mapping[int, float]]
    """method label -> seed -> share"""
    source: bool = False
    """whether these are held-out images of the source, not an unseen domain"""
    measure: Measure = ACCURACY


def tops(groups: int, rows: int) -> list[float]:
    """Where each group of so many rows begins."""
    return [_TOP + i * (_HEADER + rows * _ROW + _GAP) for i in range(groups)]


def row_y(top: float, i: int) -> float:
    """The middle of row i of a group."""
    return top + _HEADER + (i + 0.5) * _ROW


def accuracy_chart(domains: Sequence[DomainScores], methods: Sequence[Method]) -> DotChart:
    """Every seed's accuracy or mIoU on every domain, with the mean; an accuracy alone has its Wilson interval."""
    measure = domains[0].measure
    x = Scale(0, 100 if measure.over_images else _reach(domains), 12, WIDTH - 80)
    groups = []
    for domain, top in zip(domains, tops(len(domains), len(methods)), strict=True):
        marks = [_accuracy_mark(method, domain, row_y(top, i), x) for i, method in enumerate(methods)]
        note = f"{domain.images:,} images" + (", held-out source: not unseen" if domain.source else "")
        groups.append(Group(domain.name, note, top + 17, marks, domain.source))
    chances = {100 / domain.classes for domain in domains}
    line = Tick(x(min(chances)), "chance") if len(chances) == 1 and measure.over_images else None
    axis = [Tick(x(v), f"{v:g} %") for v in ticks(0, x.high)]
    return DotChart(bottom(len(groups), len(methods)), x.start, x.end, axis, groups, line)


def _reach(domains: Sequence[DomainScores]) -> float:
    """The percent, a multiple of 20, that the greatest value lies within: mIoUs may be far from 100."""
    greatest = max(value for domain in domains for seeds in domain.values.values() for value in seeds.values())
    return 20 * max(1, math.ceil(5 * greatest))


def who(method: Method, seed: int) -> str:
    """A method with one of its seeds; ensembles whose members have several are numbered below 0."""
    return method.label if seed < 0 else f"{method.label}, seed {seed}"


def _accuracy_mark(method: Method, domain: DomainScores, y: float, x: Scale) -> Mark:
    seeds = domain.values[method.label]
    dots = [(x(100 * a), f"{who(method, seed)}: {100 * a:.1f} %") for seed, a in seeds.items()]
    middle = 100 * mean(list(seeds.values()))
    alone = wilson(middle / 100, domain.images) if len(seeds) == 1 and domain.measure.over_images else None
    whisker = (x(100 * alone.low), x(100 * alone.high)) if alone else None
    return Mark(method.style, y, dots, x(middle), whisker, (False, False), f"{middle:.1f} %")


def difference_chart(
    domains: Sequence[DomainScores], methods: Sequence[Method], comparisons: Mapping[tuple[str, str], Comparison]
) -> DotChart:
    """Every seed's difference from the baseline, the mean and its interval; rows as in ``accuracy_chart``."""
    x = _difference_scale(list(comparisons.values()))
    groups = []
    for domain, top in zip(domains, tops(len(domains), len(methods)), strict=True):
        marks = [
            _difference_mark(method, comparisons[domain.name, method.label], row_y(top, i), x)
            for i, method in enumerate(methods)
            if (domain.name, method.label) in comparisons
        ]
        groups.append(Group(domain.name, "held-out source: not unseen" * domain.source, top + 17, marks, domain.source))
    axis = [Tick(x(v), f"{v:+g}".replace("-", MINUS) if v else "0") for v in ticks(x.low, x.high, 6)]
    return DotChart(bottom(len(groups), len(methods)), x.start, x.end, axis, groups, Tick(x(0), ""))


def _difference_scale(comparisons: Sequence[Comparison]) -> Scale:
    """Wide enough for all seeds and for intervals, unless those are so wide that they would hide the rest."""
    seen = [c.gap for c in comparisons] + [d for c in comparisons for d in c.differences.values()]
    ends = [end for c in comparisons if c.interval for end in (c.interval.low, c.interval.high)]
    most = max(1.0, *(abs(v) for v in seen))
    reach = min(max([most, *(abs(end) for end in ends)]), 2.5 * most) * 1.08
    return Scale(-reach, reach, 12, WIDTH - 150)


def _difference_mark(method: Method, c: Comparison, y: float, x: Scale) -> Mark:
    dots = [(x(d), f"{who(method, seed)}: {signed(d)} {c.measure.unit}") for seed, d in c.differences.items()]
    whisker, cut = _clipped(c.interval, x) if c.interval else (None, (False, False))
    detail = span(c.interval) if c.interval else "no interval"
    return Mark(method.style, y, dots, x(c.gap), whisker, cut, signed(c.gap), detail)


def _clipped(interval: Interval, x: Scale) -> tuple[tuple[float, float], tuple[bool, bool]]:
    low, high = max(interval.low, x.low), min(interval.high, x.high)
    return (x(low), x(high)), (interval.low < x.low, interval.high > x.high)


def bottom(groups: int, rows: int) -> float:
    """The height of a chart of so many groups."""
    return _TOP + groups * (_HEADER + rows * _ROW + _GAP) + 22
