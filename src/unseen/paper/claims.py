"""What the paper claims, as comparisons, and how each claim stands by the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from unseen.paper.cells import Cell
from unseen.paper.findings import MARGIN
from unseen.reporting.kit.wording import Comparison, Outcome, compare, counted, listed, signed, span

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
    mostly: bool = False
    """whether more than half of the comparisons are enough"""
    alike: bool = False
    """whether it says that the two of each pair hardly differ, by no more than the margin of agreement"""
    named: tuple[str, str] = ("", "")
    """what to call the two of a pair, where their recipes' labels are the same"""

    def outcome(self, comparison: Comparison) -> Outcome:
        """``above`` where the comparison is as the claim has it, ``below`` where it is clearly not."""
        if not self.alike:
            return comparison.outcome
        if comparison.interval is None:
            return "unclear"
        low, high = comparison.interval.low, comparison.interval.high
        if max(-low, high) <= MARGIN:
            return "above"
        return "below" if low > MARGIN or high < -MARGIN else "unclear"


@dataclass(frozen=True)
class Judged:
    """A claim with the comparisons that bear on it."""

    claim: Claim
    comparisons: Sequence[Comparison]
    wanted: int
    """how many there would be, had everything been run on the columns that are here"""
    on: str = ""
    """what it was judged on, where several are shown"""

    @property
    def where(self) -> str:
        """Where the paper says it, and what it was judged on."""
        return f"{self.claim.where}; {self.on}" if self.on else self.claim.where

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds; every comparison counts, and so does one that is missing."""
        counts = Counter(map(self.claim.outcome, self.comparisons))
        outcomes = set(counts)
        if not outcomes:
            return "not measured"
        if self.claim.mostly:
            return self._mostly(counts)
        if "below" in outcomes:
            return "contradicted in part" if "above" in outcomes else "does not hold"
        if len(self.comparisons) < self.wanted:
            return "not all measured"
        if outcomes == {"above"}:
            return "holds"
        return "holds in part" if "above" in outcomes else "not decided"

    def _mostly(self, counts: Counter[Outcome]) -> Verdict:
        half = self.wanted / 2
        if max(counts["above"], counts["below"]) > half:
            return "holds" if counts["above"] > half else "does not hold"
        return "not all measured" if len(self.comparisons) < self.wanted else "not decided"

    @property
    def evidence(self) -> str:
        """The comparisons in numbers, column by column; nothing is left out."""
        if not self.comparisons:
            return "No run of it is finished." if self.wanted else f"No result on {listed(self.claim.columns)}."
        columns = dict.fromkeys(comparison.domain for comparison in self.comparisons)
        parts = [f"{column}: {self._column(column)}" for column in columns]
        left = self.wanted - len(self.comparisons)
        parts += [f"Not run: {left} of {counted(self.wanted, 'comparison')}"] if left else []
        absent = [column for column in self.claim.columns if column not in columns]
        parts += [f"No data for {listed(absent) if len(absent) < 5 else f'{len(absent)} others'}"] if absent else []
        return ". ".join(parts) + "."

    def _column(self, column: str) -> str:
        here = [comparison for comparison in self.comparisons if comparison.domain == column]
        if len(here) <= 4:
            return listed([_in_numbers(comparison) for comparison in here])
        gaps = sorted(comparison.gap for comparison in here)
        clear = [sum(c.outcome == outcome for c in here) for outcome in ("above", "below")]
        fewest, most = min(len(c.differences) for c in here), max(len(c.differences) for c in here)
        pairs = counted(most, "seed") if fewest == most else f"{fewest} to {most} seeds"
        return (
            f"{signed(gaps[0])} to {signed(gaps[-1])} points over {len(here)} comparisons of {pairs}, "
            f"{clear[0]} clearly above and {clear[1]} clearly below"
        )


def _in_numbers(comparison: Comparison) -> str:
    seeds = counted(len(comparison.differences), "seed")
    reach = f"{span(comparison.interval)}, {seeds}" if comparison.interval else seeds
    return f"{comparison.method} over {comparison.baseline} {signed(comparison.gap)} ({reach})"


def judge(claim: Claim, cells: Mapping[str, Sequence[Cell]], on: str = "") -> Judged:
    """The claim by the cells of each recipe, which are ``on`` some data."""
    known = {(f"{recipe}/{c.method}", c.domain): c for recipe in cells for c in cells[recipe] if c.accuracies}
    here = {domain for _, domain in known} & set(claim.columns)
    comparisons = [
        _compare(known[better, column], known[worse, column], claim.named)
        for column in claim.columns
        for better, worse in claim.pairs
        if (better, column) in known and (worse, column) in known
    ]
    return Judged(claim, comparisons, len(here) * len(claim.pairs), on)


def _compare(better: Cell, worse: Cell, named: tuple[str, str]) -> Comparison:
    first, second = (f"{name} {cell.method}".strip() for name, cell in zip(named, (better, worse), strict=True))
    return compare(better.domain, first, second, better.accuracies, worse.accuracies)
