"""How many seeds would show a claim's mean on each domain: the spread that was measured, the paper's difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unseen.paper.claims import Compared, Effect, Judged
from unseen.paper.findings import LEAST_PAIRS, MARGIN
from unseen.paper.prospects import seeds_in_words
from unseen.paper.tables import NONE
from unseen.reporting.kit.power import MOST_PAIRS, POWER, pairs_needed, spread_bound
from unseen.reporting.kit.statistics import deviation, mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import points, signed


@dataclass(frozen=True)
class Deciding:
    """What it would take to decide a claim on one column."""

    effect: Effect
    spread: float | None
    """deviation of a pair's difference, in the mean of the claim's comparisons; None with one seed"""
    difference: float
    """in points: the paper's, or the margin of agreement where it gives none"""
    hardest: Compared | None
    """the comparison with the least difference in the paper; None where it gives none"""
    hardest_spread: float | None
    """of one comparison: root mean square over all, since each alone has few pairs"""

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.effect.comparison.differences)

    @property
    def bound(self) -> float | None:
        """What the true spread is below in nine of ten cases."""
        return spread_bound(self.spread, self.pairs) if self.spread is not None else None

    @property
    def seeds(self) -> int | None:
        """How many decide the mean of the comparisons; None above ``MOST_PAIRS``, and where no spread is known."""
        return _needed(self.difference, self.spread) if self.spread is not None else None

    @property
    def wide_seeds(self) -> int | None:
        """The same if the spread is at its bound."""
        return _needed(self.difference, self.bound) if self.bound is not None else None

    @property
    def hardest_seeds(self) -> int | None:
        """How many decide the hardest comparison."""
        if self.hardest is None or self.hardest.theirs is None or self.hardest_spread is None:
            return None
        return _needed(self.hardest.theirs, self.hardest_spread)


def _needed(difference: float, spread: float) -> int | None:
    pairs = pairs_needed(difference, spread)
    return None if pairs is None else max(pairs, LEAST_PAIRS)


def deciding(effect: Effect) -> Deciding:
    """What it would take, by what was measured."""
    spreads = [s for part in effect.parts if (s := _spread(part.compared)) is not None]
    whole = deviation(list(effect.comparison.differences.values()))
    one = mean([s**2 for s in spreads]) ** 0.5 if spreads else None
    difference = MARGIN if effect.theirs is None else effect.theirs
    return Deciding(effect, whole, difference, _hardest(effect), one)


def _spread(each: Compared) -> float | None:
    return deviation(list(each.comparison.differences.values()))


def _hardest(effect: Effect) -> Compared | None:
    known = [part.compared for part in effect.parts if part.compared.theirs is not None]
    return min(known, key=lambda each: abs(each.theirs or 0.0), default=None)


def power_sheet(judged: Sequence[Judged]) -> Sheet:
    """A row for each claim on each column."""
    rows = [_row(each, deciding(effect)) for each in judged for effect in each.effects]
    caption = (
        f"Seeds that the two-sided paired t test at 5 % needs to see the paper's difference in {100 * POWER:.0f} of "
        f"100 cases (exact, noncentral t), in the mean of a claim's comparisons. Where the paper has only a chart, "
        f"{MARGIN:g} points are asked for, in brackets. Spread: the deviation of one seed's difference; in nine of ten "
        "cases the true one is below the second number, which few pairs leave far away; wide: the seeds for that one. "
        "One comparison: that with the least difference in the paper, by the spread of one comparison. A difference "
        f"that takes more than {MOST_PAIRS} seeds is not to be decided by more of the same runs. Fewer than "
        f"{LEAST_PAIRS} decide nothing, whatever the spread."
    )
    headings = ("claim", "domain", "pairs", "spread", "the paper's", "seeds", "seeds, wide", "one comparison")
    return Sheet("How many seeds would show each mean", headings, rows, caption, frozenset({0, 1, 7}))


def _row(judged: Judged, d: Deciding) -> tuple[str, ...]:
    difference = signed(d.difference) if d.effect.theirs is not None else f"({points(d.difference)})"
    spread = f"{d.spread:.1f} (< {d.bound:.1f})" if d.spread is not None and d.bound is not None else NONE
    seeds = (_seeds(d.seeds, d.spread), _seeds(d.wide_seeds, d.spread), _hardest_in_words(d))
    return (judged.claim.name or judged.claim.text, d.effect.column, str(d.pairs), spread, difference, *seeds)


def _hardest_in_words(d: Deciding) -> str:
    if d.hardest is None or len(d.effect.parts) == 1:
        return NONE
    c = d.hardest.comparison
    return f"{c.method} over {c.baseline}: {_seeds(d.hardest_seeds, d.hardest_spread)}"


def _seeds(seeds: int | None, spread: float | None) -> str:
    return NONE if spread is None else seeds_in_words(seeds)
