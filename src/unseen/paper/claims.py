"""What the paper claims, as comparisons, and how each claim stands by the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from unseen.paper.cells import Cell
from unseen.paper.findings import LEAST_PAIRS, MARGIN
from unseen.reporting.kit.statistics import (
    CONFIDENCE,
    Interval,
    correlation,
    deviation,
    holm,
    mean,
    seed_means,
    t_test_p,
    welch_interval,
    welch_p,
)
from unseen.reporting.kit.wording import Comparison, Outcome, compare, pool

ALPHA = 1 - CONFIDENCE
Test = Callable[[Sequence[float]], float | None]
"""gives the p of paired differences, if nothing differed"""

Verdict = Literal[
    "holds",
    "holds in part",
    "contradicted in part",
    "does not hold",
    "not decided",
    "not all measured",
    "not measured",
]


@dataclass(frozen=True)
class Claim:
    """What the paper says, as comparisons: on ``columns``, the first of each pair has the higher accuracy.

    A method is named as RECIPE/METHOD.
    """

    text: str
    where: str
    pairs: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    name: str = ""
    """a few words for it, as in the figure of all claims"""
    mostly: bool = False
    """whether more than half of the comparisons are enough"""
    alike: bool = False
    """whether it says that the two of each pair hardly differ, by no more than the margin of agreement"""
    named: tuple[str, str] = ("", "")
    """what to call the two of a pair, where their recipes' labels are the same"""
    independent: bool = False
    """whether the two of a pair share no draws, so that any seed of one could stand beside any of the other"""
    near: Mapping[str, str] = field(default_factory=dict)
    """methods that are near repetitions, and what to call them together: they make one comparison"""

    def tested(self, comparison: Comparison, test: Test = t_test_p) -> tuple[float, Outcome]:
        """The p of what the comparison says, and whether that is as the claim has it (``above``) or not."""
        if len(comparison.differences) < LEAST_PAIRS:
            return 1.0, "unclear"
        nearer = MARGIN if comparison.gap > 0 else -MARGIN
        centre = nearer if self.alike else 0.0
        p = test([value - centre for value in comparison.differences.values()])
        assert p is not None, "there are pairs enough"
        within = abs(comparison.gap) < MARGIN if self.alike else comparison.gap > 0
        return p, "above" if within else "below"

    @property
    def groups(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """The pairs of each comparison: near repetitions are one."""
        found: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for better, worse in self.pairs:
            found.setdefault((self.near.get(better, better), worse), []).append((better, worse))
        return found


@dataclass(frozen=True)
class Unpaired:
    """The same two sides without pairs, over every seed that either has, in points."""

    gap: float
    interval: Interval | None
    """Welch's"""
    p: float | None
    """of Welch's test"""


@dataclass(frozen=True)
class Compared:
    """A comparison here, and the difference of the paper's numbers."""

    comparison: Comparison
    theirs: float | None
    """in points; None where the paper only draws bars"""
    unpaired: Unpaired
    alike: float | None
    """the correlation of the two sides over the seeds both have; None with fewer than a verdict takes"""
    names: frozenset[str]
    """RECIPE/METHOD of either side"""


@dataclass(frozen=True)
class Part:
    """A comparison among all of its claim."""

    compared: Compared
    outcome: Outcome
    """what it says, by its corrected p"""
    p: float


@dataclass(frozen=True)
class Effect:
    """A claim on one column in one number: the mean of its comparisons, taken seed by seed before the interval."""

    column: str
    comparison: Comparison
    """over the seeds that all of them have"""
    theirs: float | None
    """the mean of the paper's differences, where it gives them all"""
    parts: Sequence[Part]

    def excludes(self, points: float) -> bool:
        """Whether the interval does, in tenths of a point, as it is printed."""
        interval = self.comparison.interval
        return interval is not None and not round(interval.low, 1) <= round(points, 1) <= round(interval.high, 1)


@dataclass(frozen=True)
class Judged:
    """A claim with the comparisons that bear on it."""

    claim: Claim
    compared: Sequence[Compared]
    wanted: int
    """how many there would be, had everything been run on the columns that are here"""
    on: str = ""
    """what it was judged on, where several are shown"""
    test: Test = t_test_p
    """gives the p of a comparison by itself"""
    alpha: float = ALPHA
    """what a corrected p is below that is clear"""

    @property
    def comparisons(self) -> list[Comparison]:
        """The comparisons alone."""
        return [each.comparison for each in self.compared]

    @property
    def absent(self) -> list[str]:
        """The claim's columns that nothing was measured on."""
        here = {comparison.domain for comparison in self.comparisons}
        return [column for column in self.claim.columns if column not in here]

    @property
    def where(self) -> str:
        """Where the paper says it, and what it was judged on."""
        return f"{self.claim.where}; {self.on}" if self.on else self.claim.where

    @cached_property
    def corrected(self) -> list[float]:
        """The p of each comparison among all of them, so that 5 of 100 claims at most say something false.

        It is Holm's. Where all are on one side, it is no greater than the greatest of their own: that every one of them
        is clear by itself by chance is rarer still than that one is.
        """
        ps, sides = self._tested
        most = max(ps, default=1.0) if len(set(sides)) == 1 else 1.0
        return [min(p, most) for p in holm(ps)]

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """What each comparison says, by its corrected p."""
        _, sides = self._tested
        return [side if p < self.alpha else "unclear" for p, side in zip(self.corrected, sides, strict=True)]

    @property
    def clear_without_pairs(self) -> int:
        """How many comparisons are clear on the claim's side by Welch's test, corrected by Holm."""
        ps = [each.unpaired.p for each in self.compared]
        corrected = holm([1.0 if p is None else p for p in ps])
        return sum(p < ALPHA and each.unpaired.gap > 0 for p, each in zip(corrected, self.compared, strict=True))

    @cached_property
    def _tested(self) -> tuple[list[float], list[Outcome]]:
        both = [self.claim.tested(comparison, self.test) for comparison in self.comparisons]
        return [p for p, _ in both], [side for _, side in both]

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds; every comparison counts, and so does one that is missing."""
        counts = Counter(self.outcomes)
        outcomes = set(counts)
        if not outcomes:
            return "not measured"
        if self.claim.mostly:
            return self._mostly(counts)
        if "below" in outcomes:
            return "contradicted in part" if "above" in outcomes else "does not hold"
        if len(self.compared) < self.wanted:
            return "not all measured"
        if outcomes == {"above"}:
            return "holds"
        return "holds in part" if "above" in outcomes else "not decided"

    def _mostly(self, counts: Counter[Outcome]) -> Verdict:
        half = self.wanted / 2
        if max(counts["above"], counts["below"]) > half:
            return "holds" if counts["above"] > half else "does not hold"
        return "not all measured" if len(self.compared) < self.wanted else "not decided"

    @cached_property
    def effects(self) -> list[Effect]:
        """The claim in one number for each column that has something of it."""
        columns: dict[str, list[Part]] = {}
        for part in map(Part, self.compared, self.outcomes, self.corrected):
            columns.setdefault(part.compared.comparison.domain, []).append(part)
        return list(map(_effect, columns.values()))


def _effect(parts: Sequence[Part]) -> Effect:
    some = [part.compared.comparison for part in parts]
    shared = set.intersection(*(set(c.differences) for c in some))
    kept = [replace(c, differences={seed: c.differences[seed] for seed in sorted(shared)}) for c in some]
    theirs = [part.compared.theirs for part in parts if part.compared.theirs is not None]
    whole = mean(theirs) if len(theirs) == len(parts) else None
    return Effect(some[0].domain, pool(kept, some[0].method if len(some) == 1 else "mean"), whole, parts)


def judge(claim: Claim, cells: Mapping[str, Sequence[Cell]], on: str = "") -> Judged:
    """The claim by the cells of each recipe, which are ``on`` some data."""
    known = {(f"{recipe}/{c.method}", c.domain): c for recipe in cells for c in cells[recipe] if c.accuracies}
    here = {domain for _, domain in known} & set(claim.columns)
    compared = []
    for column in claim.columns:
        for (name, worse), pairs in claim.groups.items():
            some = [known[better, column] for better, _ in pairs if (better, column) in known]
            if some and (worse, column) in known:
                names = frozenset({worse, *(better for better, _ in pairs)})
                pooled = name if len(pairs) > 1 else ""
                compared.append(_compare(some, known[worse, column], claim.named, pooled, names))
    return Judged(claim, compared, len(here) * len(claim.groups), on)


def _compare(better: Sequence[Cell], worse: Cell, named: tuple[str, str], name: str, names: frozenset[str]) -> Compared:
    """One comparison; several on the better side are near repetitions, pooled under ``name``."""
    each = [_paired(cell, worse, named) for cell in better]
    theirs = [difference for _, difference in each if difference is not None]
    ours = pool([comparison for comparison, _ in each], name) if name else each[0][0]
    sides = seed_means([cell.accuracies for cell in better]), worse.accuracies
    return Compared(ours, mean(theirs) if theirs else None, _unpaired(*sides), _alike(*sides), names)


def _paired(better: Cell, worse: Cell, named: tuple[str, str]) -> tuple[Comparison, float | None]:
    first, second = (f"{name} {cell.method}".strip() for name, cell in zip(named, (better, worse), strict=True))
    ours = compare(better.domain, first, second, better.accuracies, worse.accuracies)
    theirs = better.published, worse.published
    return ours, 100 * (theirs[0].mean - theirs[1].mean) if theirs[0] and theirs[1] else None


def _unpaired(better: Mapping[int, float], worse: Mapping[int, float]) -> Unpaired:
    first, second = ([100 * share for share in side.values()] for side in (better, worse))
    spread = deviation(second)
    gap = mean(first) - mean(second)
    if spread is None:
        return Unpaired(gap, None, None)
    other = (mean(second), spread, len(second))
    return Unpaired(gap, welch_interval(first, *other), welch_p(first, *other))


def _alike(better: Mapping[int, float], worse: Mapping[int, float]) -> float | None:
    both = sorted(better.keys() & worse.keys())
    if len(both) < LEAST_PAIRS:
        return None
    return correlation([better[seed] for seed in both], [worse[seed] for seed in both])
