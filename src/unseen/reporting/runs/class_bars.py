"""Each class's IoU or accuracy on a domain: bars, and what they show in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unseen.base.terminal import printable
from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.charts import WIDTH, canvas, drawing, round_ticks
from unseen.reporting.kit.palette import colours_of
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.theme import CARD, FAINT, GRID, INK, SOFT, method_colour
from unseen.reporting.kit.wording import listed, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TOP, _BAR, _GAP, _LEFT, _RIGHT, _BOTTOM = 4, 12, 9, 124, 44, 24

Ious = Mapping[str, Mapping[int, Sequence[float | None]]]
"""method label -> seed -> IoU of each class, None where it is neither in the truth nor in any of the answers; or its
accuracy, None where it isn't in the truth"""


@dataclass(frozen=True)
class ClassChart:
    """The bars of one domain."""

    domain: str
    figure: Figure
    sentences: list[str]
    absent: list[str]
    """classes that are neither in the truth nor in any answer"""
    missing: bool
    """whether the truth has none of some class that is answered, so that any such answer is wrong"""


def class_chart(
    domain: str,
    classes: Sequence[str],
    true: Sequence[bool],
    ious: Ious,
    methods: Sequence[Method],
    *,
    coloured: bool = True,
) -> ClassChart:
    """Bars for every class that is in the truth (``true``, by class) or in some answer; styles are the methods'.

    ``coloured``: each class has the square of its colour, where pictures show them.
    """
    known = [i for i in range(len(classes)) if any(_seeds(ious[method.label], i) for method in methods)]
    return ClassChart(
        domain,
        _bars(known, classes, true, ious, methods, colours_of(classes) if coloured else None),
        _sentences(classes, ious, methods),
        [name for i, name in enumerate(classes) if i not in known],
        not all(true[i] for i in known),
    )


@drawing
def _bars(
    known: Sequence[int],
    classes: Sequence[str],
    true: Sequence[bool],
    ious: Ious,
    methods: Sequence[Method],
    colours: Sequence[str] | None,
) -> Figure:
    """The classes from top to bottom, each with its colour and a bar for each method."""
    tall = len(methods) * _BAR + _GAP
    height = _TOP + len(known) * tall
    figure, axes = canvas(height + _BOTTOM, left=_LEFT, right=_RIGHT, bottom=_BOTTOM)
    axes.set(xlim=(0, 100), ylim=(height, 0))
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_color(FAINT)
    axes.grid(axis="x", color=GRID)
    round_ticks(axes.xaxis, "{:g} %".format)
    middles = [_TOP + place * tall + len(methods) * _BAR / 2 for place in range(len(known))]
    names = [f"{printable(classes[i])}{'' if true[i] else ' †'}" for i in known]
    axes.set_yticks(middles, names, ha="left", color=INK, fontsize=13)
    axes.tick_params("y", pad=_LEFT - (22 if colours else 4))
    edge = axes.get_yaxis_transform()
    for i, middle in zip(known, middles, strict=True):
        if colours:
            axes.plot(
                (8 - _LEFT) / (WIDTH - _LEFT - _RIGHT), middle, marker="s", markersize=12, color=colours[i],
                markeredgecolor=FAINT, markeredgewidth=0.8, transform=edge, clip_on=False,
            )  # fmt: skip
        for j, method in enumerate(methods):
            if seeds := _seeds(ious[method.label], i):
                _bar(axes, list(seeds.values()), middle + (j - (len(methods) - 1) / 2) * _BAR, method)
    return figure


def _bar(axes: Axes, values: Sequence[float], y: float, method: Method) -> None:
    axes.barh(y, mean(values), _BAR - 1.5, color=method_colour(method.style))
    if len(values) > 1:
        dots: dict[str, Any] = {
            "marker": "o",
            "markersize": 4.8,
            "color": INK,
            "markeredgecolor": CARD,
            "markeredgewidth": 1,
        }
        axes.plot(values, [y] * len(values), linestyle="none", **dots)
    axes.annotate(
        f"{mean(values):.1f}", (1, y), (_RIGHT - 8, 0), xycoords=axes.get_yaxis_transform(),
        textcoords="offset points", ha="right", va="center", fontsize=11.5, color=SOFT,
    )  # fmt: skip


def _seeds(ious: Mapping[int, Sequence[float | None]], i: int) -> dict[int, float]:
    """Class i's IoU in percent, for the seeds that have one."""
    return {seed: 100 * iou for seed, each in ious.items() if (iou := each[i]) is not None}


def _sentences(classes: Sequence[str], ious: Ious, methods: Sequence[Method]) -> list[str]:
    """Each method against the first where that is the baseline: in how many classes it is above, and where most."""
    baseline, *others = methods
    return [_sentence(classes, ious, method, baseline) for method in others] if baseline.style == 0 else []


def _sentence(classes: Sequence[str], ious: Ious, method: Method, baseline: Method) -> str:
    gaps: dict[str, float] = {}
    for i, name in enumerate(classes):
        scored, base = _seeds(ious[method.label], i), _seeds(ious[baseline.label], i)
        if scored and base:
            gaps[name] = mean(list(scored.values())) - mean(list(base.values()))
    by_gap = sorted(gaps, key=lambda name: gaps[name])
    up, down = sum(gap > 0 for gap in gaps.values()), sum(gap < 0 for gap in gaps.values())
    ends = [f"{name} {signed(gaps[name])}" for name in [by_gap[-1]] * (up > 0) + [by_gap[0]] * (down > 0)]
    most = f"; the most: {listed(ends)}" if ends else ""
    finding = f"{method.name} is above {baseline.name} in {up} and below in {down} of {len(gaps)} classes{most}."
    return finding[0].upper() + finding[1:]
