"""Intervals over seeds (Student, Welch, bootstrap) and over test images (Wilson), tests of paired differences, pooling.

Student's quantiles are scipy's. The rest is written out: each is a few lines, the bootstrap and the sign patterns are
drawn by generators of our own, so that published numbers stay what they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unseen.base.extras import require

CONFIDENCE = 0.95
RESAMPLES = 10_000
EXACT_UP_TO = 16  # differences whose sign patterns are all counted
SIGN_PATTERNS = 100_000  # drawn where there are more
_SEED = 2018
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


def deviation(values: Sequence[float]) -> float | None:
    """The standard deviation of what ``values`` were drawn from (n - 1 in it); None for fewer than two values."""
    if len(values) < 2:
        return None
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def correlation(values: Sequence[float], others: Sequence[float]) -> float | None:
    """Pearson's, of values that belong together; None where one side doesn't vary."""
    first, second = (np.asarray(side, np.float64) - mean(side) for side in (values, others))
    scale = math.sqrt(float(first @ first) * float(second @ second))
    return float(first @ second) / scale if scale else None


def t_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The interval for the mean of what ``values`` were drawn from; None for fewer than two values."""
    spread = deviation(values)
    if spread is None:
        return None
    return _around(mean(values), t_quantile(confidence, len(values) - 1) * spread / math.sqrt(len(values)))


def welch_interval(
    values: Sequence[float], other_mean: float, other_deviation: float, other_count: int, confidence: float = CONFIDENCE
) -> Interval | None:
    """The interval for how much greater the mean behind ``values`` is than another, known by its summary.

    The two spreads may differ (Welch's t). None where either side has fewer than two values.
    """
    found = _welch(values, other_mean, other_deviation, other_count)
    if found is None:
        return None
    gap, error, degrees = found
    return _around(gap, t_quantile(confidence, degrees) * error) if error else Interval(gap, gap)


def welch_p(values: Sequence[float], other_mean: float, other_deviation: float, other_count: int) -> float | None:
    """The two-sided p of Welch's test that the two means are the same; None as for ``welch_interval``."""
    found = _welch(values, other_mean, other_deviation, other_count)
    if found is None:
        return None
    gap, error, degrees = found
    return _t_tails(gap / error, degrees) if error else float(gap == 0)


def _welch(values: Sequence[float], mean_: float, deviation_: float, count: int) -> tuple[float, float, float] | None:
    """The difference of the means, its standard error and the degrees of freedom; these are 0 without any spread."""
    spread = deviation(values)
    if spread is None or count < 2:
        return None
    own, other = spread**2 / len(values), deviation_**2 / count
    squares = own**2 / (len(values) - 1) + other**2 / (count - 1)
    return mean(values) - mean_, math.sqrt(own + other), (own + other) ** 2 / squares if squares else 0.0


def _t_tails(t: float, degrees: float) -> float:
    """P(|T| > |t|) for Student's T."""
    return 2 * float(require("scipy.special", "report").stdtr(degrees, -abs(t)))


def _around(centre: float, reach: float) -> Interval:
    return Interval(centre - reach, centre + reach)


def t_quantile(confidence: float, degrees: float) -> float:
    """The t with P(|T| < t) = ``confidence`` for Student's T; ``degrees`` needn't be whole."""
    # what scipy.stats.t.ppf calls; scipy.stats itself takes a second to import
    return float(require("scipy.special", "report").stdtrit(degrees, (1 + confidence) / 2))


def t_test_p(values: Sequence[float], centre: float = 0.0) -> float | None:
    """The two-sided p of the t test that the mean behind ``values`` is ``centre``; None for fewer than two values.

    Below 0.05 where the 95 % ``t_interval`` excludes ``centre``, and nowhere else.
    """
    spread = deviation(values)
    if spread is None:
        return None
    away = abs(mean(values) - centre)
    if spread == 0:
        return float(away == 0)
    return _t_tails(away * math.sqrt(len(values)) / spread, len(values) - 1)


def seed_means(repetitions: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """For each seed the mean over those repetitions (seed -> value) that have it.

    Repetitions with one seed share its draws: they are not so many more values. An interval over the seeds' means
    counts each seed once, whatever the repetitions share; one over all values would be too narrow.
    """
    seeds = sorted({seed for values in repetitions for seed in values})
    return {seed: mean([values[seed] for values in repetitions if seed in values]) for seed in seeds}


@dataclass(frozen=True)
class Crossed:
    """What settings and seeds each do to a table of values that has every seed of every setting."""

    settings: int
    seeds: int
    within: float
    """deviation between settings with one seed, pooled over the seeds"""
    between: float
    """deviation between the seeds' means"""
    ratio: float
    """F: the spread of the settings' means over what chance alone would give; about 1 where settings do nothing"""
    p: float


def crossed(table: Sequence[Sequence[float]]) -> Crossed:
    """The two-way analysis of variance of a ``table`` with a row for each setting and a column for each seed."""
    values = np.asarray(table, np.float64)
    settings, seeds = values.shape
    rows, columns, centre = values.mean(1, keepdims=True), values.mean(0, keepdims=True), values.mean()
    degrees = settings - 1, (settings - 1) * (seeds - 1)
    between_rows = seeds * float(((rows - centre) ** 2).sum()) / degrees[0]
    chance = float(((values - rows - columns + centre) ** 2).sum()) / degrees[1]
    ratio = between_rows / chance
    p = float(require("scipy.special", "report").fdtrc(*degrees, ratio))
    within = math.sqrt(float(values.var(0, ddof=1).mean()))
    return Crossed(settings, seeds, within, float(columns.std(ddof=1)), ratio, p)


def bootstrap_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The percentile bootstrap's interval for the mean; None for fewer than two values.

    It is made of ``RESAMPLES`` resamples from a generator of its own: the same values, in any order, give the same
    interval. With few values it is too narrow: of normal samples of five, 84 in 100 such intervals have the mean.
    """
    if len(values) < 2:
        return None
    rows = np.random.default_rng(_SEED).integers(len(values), size=(RESAMPLES, len(values)))
    means = np.sort(np.asarray(values, np.float64))[rows].mean(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def sign_flip_p(differences: Sequence[float]) -> float | None:
    """The two-sided p of the paired permutation test; None without differences.

    If neither side were better, each difference could as well have had the other sign. p is the share of sign
    patterns whose sum is at least as far from 0 as the one seen: of all 2^n for n up to ``EXACT_UP_TO``, else of
    ``SIGN_PATTERNS`` drawn from a generator of its own and the one seen.
    """
    count = len(differences)
    if not count:
        return None
    values = np.asarray(differences, np.float64)
    exact = count <= EXACT_UP_TO
    signs = _every_pattern(count) if exact else np.random.default_rng(_SEED).integers(2, size=(SIGN_PATTERNS, count))
    sums = np.abs((2 * signs - 1) @ values)
    least = abs(values.sum()) - 1e-9 * np.abs(values).sum()  # rounding makes no tie a difference
    reached = int((sums >= least).sum())
    return reached / len(signs) if exact else (reached + 1) / (len(signs) + 1)


def _every_pattern(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """All rows of ``count`` zeros and ones."""
    return np.arange(2**count)[:, None] >> np.arange(count) & 1


def smallest_p(count: int) -> float:
    """The least p that ``sign_flip_p`` can give for so many differences, all patterns counted: 2 / 2^n."""
    return 2.0 ** (1 - count)


def holm(ps: Sequence[float]) -> list[float]:
    """Each p as Holm corrects it, in the order given: below 0.05, it holds among all of them together."""
    corrected, least = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, ps[i] * (len(ps) - rank)))
        corrected[i] = least
    return corrected


def wilson(share: float, count: int) -> Interval:
    """The 95 % interval for the accuracy behind ``share`` right answers among ``count`` images."""
    z2 = _NORMAL_QUANTILE**2
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    reach = _NORMAL_QUANTILE / (1 + z2 / count) * math.sqrt(share * (1 - share) / count + z2 / (4 * count**2))
    return Interval(centre - reach, centre + reach)
