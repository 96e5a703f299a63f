"""The scores of methods on a domain, and the chart of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unseen.reporting.kit.dots import DotGroup, Dots, dot_chart
from unseen.reporting.kit.measure import ACCURACY, Measure
from unseen.reporting.kit.statistics import Interval, mean, wilson

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    def mean(self, label: str) -> float:
        """The mean over a method's seeds."""
        return mean(list(self.values[label].values()))

    def over_images(self, label: str) -> Interval | None:
        """The Wilson interval of a method with one seed; None for several, and for an mIoU."""
        if len(self.values[label]) > 1 or not self.measure.over_images:
            return None
        return wilson(self.mean(label), self.images)


def score_chart(domains: Sequence[DomainScores], styles: Mapping[str, int]) -> Figure:
    """Every seed's accuracy or mIoU on every domain, with the mean; ``styles`` are the methods' numbers by label."""
    groups = []
    for domain in domains:
        note = f"{domain.images:,} images" + (", held-out source: not unseen" if domain.source else "")
        rows = [_row(domain, label, style) for label, style in styles.items()]
        groups.append(DotGroup(domain.name, rows, note, domain.source))
    measure, chances = domains[0].measure, {100 / domain.classes for domain in domains}
    line = (min(chances), "chance") if len(chances) == 1 and measure.over_images else None
    most = 100 if measure.over_images else _reach(domains)
    return dot_chart(groups, (0, most), "{:g} %".format, line=line)


def _row(domain: DomainScores, label: str, style: int) -> Dots:
    alone, middle = domain.over_images(label), 100 * domain.mean(label)
    interval = Interval(100 * alone.low, 100 * alone.high) if alone else None
    return Dots(style, [100 * v for v in domain.values[label].values()], middle, f"{middle:.1f} %", interval)


def _reach(domains: Sequence[DomainScores]) -> float:
    """The percent, a multiple of 20, that the greatest value lies within: mIoUs may be far from 100."""
    greatest = max(value for domain in domains for seeds in domain.values.values() for value in seeds.values())
    return 20 * max(1, math.ceil(5 * greatest))
