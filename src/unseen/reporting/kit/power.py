"""How many pairs of seeds would decide a difference: the power of the paired t test, and what few pairs leave open."""

from __future__ import annotations

import math

from unseen.base.extras import require
from unseen.reporting.kit.statistics import CONFIDENCE, t_quantile

POWER = 0.8
MOST_PAIRS = 200
"""nobody runs more: a difference that needs more is out of reach"""
_SURE = 0.9


def power(difference: float, spread: float, pairs: int, confidence: float = CONFIDENCE) -> float:
    """The chance that the two-sided paired t test sees a true ``difference``, exact for normal pairs.

    ``spread`` is the deviation of one pair's difference. Under two pairs there is no test: the chance is 0.
    """
    if pairs < 2:
        return 0.0
    if spread == 0:
        return float(difference != 0)
    quantile, shift = t_quantile(confidence, pairs - 1), abs(difference) / spread * math.sqrt(pairs)
    return 1 - _below(quantile, pairs - 1, shift) + _below(-quantile, pairs - 1, shift)


def _below(t: float, degrees: int, shift: float) -> float:
    """P(T < t) of the noncentral T; 0 where scipy has no number, which is so far out that it is below 1e-15."""
    found = float(require("scipy.special", "report").nctdtr(degrees, shift, t))
    return 0.0 if math.isnan(found) else found


def pairs_needed(difference: float, spread: float, wanted: float = POWER) -> int | None:
    """The fewest pairs with which ``difference`` is seen with the chance ``wanted``; None above ``MOST_PAIRS``."""
    enough = (pairs for pairs in range(2, MOST_PAIRS + 1) if power(difference, spread, pairs) >= wanted)
    return next(enough, None)


def spread_bound(spread: float, pairs: int, sure: float = _SURE) -> float | None:
    """What the true spread is below in ``sure`` of all cases where ``pairs`` showed this one; None under two pairs."""
    if pairs < 2:
        return None
    least = require("scipy.special", "report").chdtri(pairs - 1, sure)
    return spread * math.sqrt((pairs - 1) / float(least))
