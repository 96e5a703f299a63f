"""What so many seeds would say of a claim if the paper's differences were the true ones: simulated, judged as here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.base.extras import require
from unseen.paper.claims import ALPHA, Judged
from unseen.paper.findings import LEAST_PAIRS, MARGIN
from unseen.reporting.kit.power import MOST_PAIRS, POWER, spread_bound
from unseen.reporting.kit.wording import Comparison

DRAWS = 2_000
SEEDS = (*range(LEAST_PAIRS, 21), *range(25, 61, 5), *range(80, MOST_PAIRS + 1, 20))
"""numbers of seeds that are tried"""
_MOST_ALIKE = 0.95
_SEED = 2018

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chances:
    """How often a claim would hold, by the number of seeds of every comparison."""

    whole: dict[int, float]
    """every comparison is clear on its side; more than half of them, where the paper says mostly"""
    part: dict[int, float]
    """at least one is; the whole, where the paper says mostly"""
    pairs: int
    """how many seeds the spread comes from: those that all comparisons have"""

    @property
    def seeds_in_part(self) -> int | None:
        """The fewest seeds tried from which on the chance for a part is ``POWER``; None above ``MOST_PAIRS``."""
        return _needed(self.part)

    @property
    def seeds_whole(self) -> int | None:
        """The same for the whole."""
        return _needed(self.whole)


def _needed(chances: Mapping[int, float]) -> int | None:
    short = [seeds for seeds, chance in chances.items() if chance < POWER]
    return next((seeds for seeds in chances if not short or seeds > max(short)), None)


def chances(judged: Judged, planned: int | None = None, *, wide: bool = False) -> Chances | None:
    """By the spread that was measured; None where there is none.

    Where the paper has only a chart, a difference of ``MARGIN`` points is taken to be the true one; where it says that
    two hardly differ, none. With ``wide``, the spread is at its bound.
    """
    model = _model(judged)
    if model is None:
        return None
    true, deviations, alike, pairs = model
    bound = spread_bound(1.0, pairs) if wide else 1.0
    assert bound is not None, "a model has two pairs or more"
    deviations = bound * deviations
    tried = sorted({*SEEDS, *([planned] if planned and planned >= LEAST_PAIRS else [])})
    drawn = _drawn(true, deviations, alike, tried[-1])
    found = {seeds: clear_on_its_side(drawn[:, :, :seeds], alike=judged.claim.alike) for seeds in tried}
    most = judged.wanted // 2 + 1
    part, whole = (most, most) if judged.claim.mostly else (1, len(true))

    def often(enough: int) -> dict[int, float]:
        return {seeds: float((clear >= enough).mean()) for seeds, clear in found.items()}

    return Chances(often(whole), often(part), pairs)


def _model(judged: Judged) -> tuple[Array, Array, float, int] | None:
    """True differences, deviations and the correlation of the comparisons, and the seeds these come from.

    A deviation is that of one comparison on its column, pooled over those there are: each alone has few pairs.
    """
    some = judged.comparisons
    shared = sorted(set.intersection(*(set(c.differences) for c in some))) if some else []
    if len(shared) < 2:
        return None
    values = np.array([[c.differences[seed] for seed in shared] for c in some])
    pooled = {column: _pooled_deviation([c for c in some if c.domain == column]) for column in {c.domain for c in some}}
    deviations = np.array([pooled[c.domain] for c in some])
    if not deviations.all():
        return None
    theirs = [MARGIN if each.theirs is None else each.theirs for each in judged.compared]
    true = np.zeros(len(theirs)) if judged.claim.alike else np.array(theirs)
    return true, deviations, _alike(values), len(shared)


def _pooled_deviation(comparisons: Sequence[Comparison]) -> float:
    """Root mean square of the comparisons' deviations, each counted by its degrees of freedom."""
    each = [np.array(list(c.differences.values())) for c in comparisons if len(c.differences) > 1]
    squares, degrees = sum(float(((v - v.mean()) ** 2).sum()) for v in each), sum(len(v) - 1 for v in each)
    return float((squares / degrees) ** 0.5)


def _alike(values: Array) -> float:
    """One correlation for all pairs of comparisons: what the spread of their mean says of it."""
    count, own = len(values), float(values.var(axis=1, ddof=1).mean())
    if count == 1 or own == 0:
        return 0.0
    found = (count * float(values.mean(axis=0).var(ddof=1)) / own - 1) / (count - 1)
    return min(max(found, 0.0), _MOST_ALIKE)


def _drawn(true: Array, deviations: Array, alike: float, seeds: int) -> Array:
    """Differences of ``DRAWS`` simulated results (draw, comparison, seed): the same numbers for every claim."""
    generator = np.random.default_rng(_SEED)
    own = generator.standard_normal((DRAWS, len(true), seeds))
    together = generator.standard_normal((DRAWS, 1, seeds))
    drawn: Array = true[:, None] + deviations[:, None] * (alike**0.5 * together + (1 - alike) ** 0.5 * own)
    return drawn


def clear_on_its_side(differences: Array, *, alike: bool = False) -> NDArray[np.int64]:
    """How many comparisons of each simulated result (draw, comparison, seed) are clear on the claim's side.

    What ``Judged.outcomes`` says, for many results at once.
    """
    count, seeds = differences.shape[1:]
    gaps, errors = differences.mean(axis=2), differences.std(axis=2, ddof=1) / seeds**0.5
    # From 0; for a claim that two hardly differ from the margin's nearer edge, inside or outside.
    away = np.abs(np.abs(gaps) - MARGIN) if alike else np.abs(gaps)
    ps: Array = 2 * require("scipy.special", "report").stdtr(seeds - 1, -away / errors)
    order = ps.argsort(axis=1)
    steps = np.take_along_axis(ps, order, 1) * np.arange(count, 0, -1) < ALPHA
    clear = np.empty_like(steps)
    np.put_along_axis(clear, order, np.logical_and.accumulate(steps, axis=1), 1)
    above = np.abs(gaps) < MARGIN if alike else gaps > 0
    every = (above.all(1) | (~above).all(1)) & (ps.max(axis=1) < ALPHA)
    clear[every] = True
    found: NDArray[np.int64] = (clear & above).sum(axis=1)
    return found
