"""How a statement fared: one number, the worst that was found, and where it has to lie."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Measured:
    """A row of the table of docs/theory.md."""

    statement: str
    how: str
    what: str
    """what the number is"""
    worst: float
    least: float = -math.inf
    most: float = math.inf

    @property
    def holds(self) -> bool:
        return self.least <= self.worst <= self.most

    def cells(self) -> tuple[str, str, str, str]:
        return self.statement, self.how, f"{self.what}: {_number(self.worst)}", self.expected

    @property
    def expected(self) -> str:
        if self.least == self.most:
            return _number(self.least)
        if self.least == -math.inf:
            return f"at most {_number(self.most)}"
        if self.most == math.inf:
            return f"at least {_number(self.least)}"
        return f"{_number(self.least)} to {_number(self.most)}"


def _number(value: float) -> str:
    """Four digits; what is nearly a whole number is shown as that, and by how much it isn't."""
    apart = value - round(value) if math.isfinite(value) else 0.0
    if 0 < abs(apart) < 5e-4 and round(value):
        return f"{round(value)} {'+' if apart > 0 else '-'} {abs(apart):.1e}"
    return f"{value:.4g}"


def slope(x: ArrayLike, y: ArrayLike) -> float:
    """The slope of log y over log x, by least squares."""
    return float(np.polyfit(np.log(np.asarray(x)), np.log(np.asarray(y)), 1)[0])
