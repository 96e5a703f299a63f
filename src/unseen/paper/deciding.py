"""How many seeds would decide each claim, by the spread that was measured and the difference that the paper reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unseen.paper.claims import Compared, Effect, Judged
from unseen.paper.findings import MARGIN
from unseen.paper.tables import NONE
from unseen.reporting.kit.power import MOST_PAIRS, POWER, pairs_needed, power, spread_bound
from unseen.reporting.kit.statistics import deviation, mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import listed, points, signed

AFFORDABLE = 20
"""seeds that one can think of running"""


@dataclass(frozen=True)
class Deciding:
    """What it would take to decide a claim on one column."""

    effect: Effect
    spread: float | None
    """deviation of a pair's difference, in the mean of the claim's comparisons; None with one seed"""
    difference: float
    """in points: the paper's, or the margin of agreement where it gives none"""
    hardest: Compared
    """the comparison with the least difference in the paper, of those with one"""
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
        return pairs_needed(self.difference, self.spread) if self.spread is not None else None

    @property
    def wide_seeds(self) -> int | None:
        """The same if the spread is at its bound."""
        return pairs_needed(self.difference, self.bound) if self.bound is not None else None

    @property
    def hardest_seeds(self) -> int | None:
        """How many decide the hardest comparison."""
        theirs = self.hardest.theirs
        difference = MARGIN if theirs is None else theirs
        return pairs_needed(difference, self.hardest_spread) if self.hardest_spread is not None else None


def deciding(effect: Effect) -> Deciding:
    """What it would take, by what was measured."""
    spreads = [s for each, _ in effect.parts if (s := _spread(each)) is not None]
    whole = deviation(list(effect.comparison.differences.values()))
    one = mean([s**2 for s in spreads]) ** 0.5 if spreads else None
    difference = MARGIN if effect.theirs is None else effect.theirs
    return Deciding(effect, whole, difference, _hardest(effect), one)


def _spread(each: Compared) -> float | None:
    return deviation(list(each.comparison.differences.values()))


def _hardest(effect: Effect) -> Compared:
    known = [each for each, _ in effect.parts if each.theirs is not None]
    return min(known, key=lambda each: abs(each.theirs or 0.0)) if known else effect.parts[0][0]


def power_sheet(judged: Sequence[Judged], planned: Mapping[str, int]) -> Sheet:
    """A row for each claim on each column; ``planned`` are the seeds that each recipe shall have."""
    rows = [_row(each, deciding(effect), _planned(each, planned)) for each in judged for effect in each.effects]
    caption = (
        f"Seeds that the two-sided paired t test at 5 % needs to see the paper's difference in {100 * POWER:.0f} of "
        f"100 cases (exact, noncentral t). Where the paper only draws bars, {MARGIN:g} points are asked for, in "
        "brackets. Spread: the deviation of one seed's difference, in the mean of the claim's comparisons; in nine of "
        "ten cases the true one is below the second number, which few pairs leave far away. One comparison: that "
        "with the least difference in the paper, by the spread of one comparison. Above "
        f"{MOST_PAIRS} seeds we stop: such a claim is not to be decided by more of the same runs."
    )
    headings = ("claim", "domain", "pairs", "spread", "the paper's", "seeds", "seeds, wide", "one comparison",
                "planned", "power then")  # fmt: skip
    return Sheet("How many seeds would decide it", headings, rows, caption, frozenset({0, 1, 7}))


def within_reach(judged: Sequence[Judged]) -> str:
    """What more seeds can decide and what they can't, in words."""
    found = [(each, deciding(effect)) for each in judged for effect in each.effects]
    known = [(each, d) for each, d in found if d.spread is not None]
    if not known:
        return "No claim has two seeds yet: nothing is known about the spread."
    few, few_wide = (
        sum(seeds is not None and seeds <= AFFORDABLE for seeds in column)
        for column in ([d.seeds for _, d in known], [d.wide_seeds for _, d in known])
    )
    published = sum(d.effect.theirs is not None for _, d in known)
    far = [
        f"{each.claim.name} ({d.hardest.comparison.method} on {d.effect.column})"
        for each, d in known
        if d.hardest_seeds is None
    ]
    said = (
        f"By the spread measured so far, {AFFORDABLE} seeds or fewer would show the difference asked for in {few} of "
        f"{len(known)} rows of this table; at that spread's upper bound, in {few_wide}. It is the paper's in "
        f"{published} rows and {MARGIN:g} points in the others, in the mean of a claim's comparisons."
    )
    stop = f" More than {MOST_PAIRS} seeds for one comparison, so that we stop: {listed(far)}." if far else ""
    return said + stop


def _row(judged: Judged, d: Deciding, planned: int | None) -> tuple[str, ...]:
    difference = signed(d.difference) if d.effect.theirs is not None else f"({points(d.difference)})"
    spread = f"{d.spread:.1f} (< {d.bound:.1f})" if d.spread is not None and d.bound is not None else NONE
    c = d.hardest.comparison
    one = f"{c.method} over {c.baseline}: {_seeds(d.hardest_seeds, d.hardest_spread)}"
    seeds = (_seeds(d.seeds, d.spread), _seeds(d.wide_seeds, d.spread), one if len(d.effect.parts) > 1 else NONE)
    then = f"{power(d.difference, d.spread, planned):.2f}" if planned and d.spread is not None else NONE
    name = judged.claim.name or judged.claim.text
    return (name, d.effect.column, str(d.pairs), spread, difference, *seeds, str(planned or NONE), then)


def _seeds(seeds: int | None, spread: float | None) -> str:
    if spread is None:
        return NONE
    return str(seeds) if seeds is not None else f"> {MOST_PAIRS}"


def _planned(judged: Judged, planned: Mapping[str, int]) -> int | None:
    """As many as the recipe with the fewest of those that the claim compares."""
    recipes = {name.partition("/")[0] for pair in judged.claim.pairs for name in pair}
    return min((planned[recipe] for recipe in recipes if recipe in planned), default=None)
