"""The geometry of the bars that show each class's IoU; ``templates/scenes.html`` draws it as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.palette import colours_of
from unseen.reporting.kit.scales import WIDTH, Scale, Tick, ticks
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.wording import listed, signed
from unseen.reporting.runs.dots import who

_TOP, _BAR, _GAP, _LEFT = 14, 12, 9, 136

Ious = Mapping[str, Mapping[int, Sequence[float | None]]]
"""method label -> seed -> IoU of each class; None where it is neither in the truth nor in any of the answers"""


@dataclass(frozen=True)
class Bar:
    """A method's mean IoU of one class, and each seed's."""

    style: int
    y: float
    end: float
    seeds: list[tuple[float, str]]
    """place and hover text"""
    text: str


@dataclass(frozen=True)
class ClassBars:
    """One class's bars."""

    name: str
    colour: str
    y: float
    """the middle of them"""
    bars: list[Bar]
    missing: bool
    """whether the truth has none of it, so that any answer is wrong"""


@dataclass(frozen=True)
class BarChart:
    """The classes of one domain from top to bottom, IoU from left to right."""

    domain: str
    height: float
    left: float
    right: float
    axis: list[Tick]
    rows: list[ClassBars]
    sentences: list[str]
    absent: list[str]
    """classes that are neither in the truth nor in any answer"""
    width: float = WIDTH
    thickness: float = _BAR - 1.5


def bar_chart(
    domain: str, classes: Sequence[str], true: Sequence[bool], ious: Ious, methods: Sequence[Method]
) -> BarChart:
    """Bars for every class that is in the truth (``true``, by class) or in some answer; styles are the methods'."""
    x = Scale(0, 100, _LEFT, WIDTH - 52)
    known = [i for i in range(len(classes)) if any(_seeds(ious[method.label], i) for method in methods)]
    height = len(methods) * _BAR + _GAP
    colours = colours_of(classes)
    rows = []
    for place, i in enumerate(known):
        top = _TOP + place * height
        bars = [_bar(method, i, ious, top + j * _BAR, x) for j, method in enumerate(methods)]
        drawn = [bar for bar in bars if bar is not None]
        rows.append(ClassBars(classes[i], colours[i], top + len(methods) * _BAR / 2, drawn, not true[i]))
    axis = [Tick(x(v), f"{v:g} %") for v in ticks(0, 100)]
    absent = [name for i, name in enumerate(classes) if i not in known]
    bottom = _TOP + len(known) * height + 22
    return BarChart(domain, bottom, x.start, x.end, axis, rows, _sentences(classes, ious, methods), absent)


def _seeds(ious: Mapping[int, Sequence[float | None]], i: int) -> dict[int, float]:
    """Class i's IoU in percent, for the seeds that have one."""
    return {seed: 100 * iou for seed, each in ious.items() if (iou := each[i]) is not None}


def _bar(method: Method, i: int, ious: Ious, top: float, x: Scale) -> Bar | None:
    seeds = _seeds(ious[method.label], i)
    if not seeds:
        return None
    middle = mean(list(seeds.values()))
    marks = [(x(iou), f"{who(method, seed)}: {iou:.1f} %") for seed, iou in seeds.items()]
    return Bar(method.style, top, x(middle), marks, f"{middle:.1f}")


def _sentences(classes: Sequence[str], ious: Ious, methods: Sequence[Method]) -> list[str]:
    """Each method against the first where that is the baseline: in how many classes it is above, and where most."""
    baseline, *others = methods
    return [_sentence(classes, ious, method, baseline) for method in others] if baseline.style == 0 else []


def _sentence(classes: Sequence[str], ious: Ious, method: Method, baseline: Method) -> str:
    gaps: dict[str, float] = {}
    for i, name in enumerate(classes):
        ours, theirs = _seeds(ious[method.label], i), _seeds(ious[baseline.label], i)
        if ours and theirs:
            gaps[name] = mean(list(ours.values())) - mean(list(theirs.values()))
    by_gap = sorted(gaps, key=lambda name: gaps[name])
    up, down = sum(gap > 0 for gap in gaps.values()), sum(gap < 0 for gap in gaps.values())
    ends = [f"{name} {signed(gaps[name])}" for name in [by_gap[-1]] * (up > 0) + [by_gap[0]] * (down > 0)]
    most = f"; the most: {listed(ends)}" if ends else ""
    finding = f"{method.name} is above {baseline.name} in {up} and below in {down} of {len(gaps)} classes{most}."
    return finding[0].upper() + finding[1:]
