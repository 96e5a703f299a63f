"""From values to places in a drawing, and the round numbers to mark on an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 560  # of a figure that fills half of a wide page or all of a narrow one


@dataclass(frozen=True)
class Tick:
    """A marked place on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class Scale:
    """Maps low..high to start..end, linearly or by the logarithm."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value, rounded to what a screen can show."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, self.low))
        share = (value - low) / (high - low)
        return round(self.start + share * (self.end - self.start), 2)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers in low..high, about so many."""
    rough = (high - low) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 10) for i in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten in low..high, or the powers alone when those are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [m * 10.0**p for p in powers for m in (1, 2, 5) if low <= m * 10.0**p <= high]
    coarse = [10.0**p for p in powers if low <= 10.0**p <= high]
    return fine if len(fine) <= 7 else coarse


def thin(values: Sequence[tuple[float, float]], most: int = 240) -> list[tuple[float, float]]:
    """At most so many points: means of neighbours, where there are more."""
    size = math.ceil(len(values) / most) or 1
    groups = [values[i : i + size] for i in range(0, len(values), size)]
    return [(math.fsum(x for x, _ in g) / len(g), math.fsum(y for _, y in g) / len(g)) for g in groups]
