"""Intervals: over seeds (Student's t), and over test images (Wilson)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
_NORMAL_QUANTILE = 1.959963984540054  # two-sided, for CONFIDENCE


@dataclass(frozen=True)
class Interval:
    """A range that a stated share of such ranges has the truth in."""

    low: float
    high: float

    def includes(self, value: float) -> bool:
        """Whether ``value`` can't be ruled out."""
        return self.low <= value <= self.high


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, exact in its sum."""
    return math.fsum(values) / len(values)


def t_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The interval for the mean of what ``values`` were drawn from; None for fewer than two values."""
    count = len(values)
    if count < 2:
        return None
    centre = mean(values)
    variance = math.fsum((value - centre) ** 2 for value in values) / (count - 1)
    reach = t_quantile(confidence, count - 1) * math.sqrt(variance / count)
    return Interval(centre - reach, centre + reach)


def t_quantile(confidence: float, degrees: int) -> float:
    """The t with P(|T| < t) = ``confidence`` for Student's T, by bisection of the exact distribution."""
    low, high = 0.0, math.pi / 2  # of the angle atan(t / sqrt(degrees)), which is bounded
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_inside(middle, degrees) < confidence else (low, middle)
    return math.tan(low) * math.sqrt(degrees)


def _t_inside(angle: float, degrees: int) -> float:
    """P(|T| < sqrt(degrees) tan(angle)): Abramowitz and Stegun 26.7.3 and 26.7.4, a finite sum."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = term if degrees > 1 else 0.0
    for power in range(2 + odd, degrees - 1, 2):
        term *= cosine**2 * (power - 1) / power
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def wilson(share: float, count: int) -> Interval:
    """The 95 % interval for the accuracy behind ``share`` right answers among ``count`` images."""
    z2 = _NORMAL_QUANTILE**2
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    reach = _NORMAL_QUANTILE / (1 + z2 / count) * math.sqrt(share * (1 - share) / count + z2 / (4 * count**2))
    return Interval(centre - reach, centre + reach)
