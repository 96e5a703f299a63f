"""A claim as it stands, and what more seeds would make of it, in a table and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unseen.paper.chances import DRAWS, Chances, chances
from unseen.paper.claims import Judged
from unseen.paper.findings import LEAST_PAIRS, MARGIN
from unseen.paper.plan import planned_for
from unseen.paper.tables import NONE
from unseen.reporting.kit.power import MOST_PAIRS, POWER
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import counted, listed, signed

AFFORDABLE = 20
"""seeds that one can think of running"""


@dataclass(frozen=True)
class Prospect:
    """A claim as it stands, and what more seeds would make of it."""

    judged: Judged
    planned: int | None
    """seeds that every comparison shall have"""
    chances: Chances | None

    @property
    def fewest(self) -> int:
        """The seeds of the comparison that has the fewest."""
        return min((len(comparison.differences) for comparison in self.judged.comparisons), default=0)

    @property
    def interim(self) -> bool:
        """Whether the planned seeds are not all there, so that the verdict is not the last."""
        return self.planned is not None and 0 < self.fewest < self.planned


def prospect(judged: Judged, planned: Mapping[str, int]) -> Prospect:
    """The claim with the seeds that the plan has for its recipes."""
    seeds = planned_for(judged.claim, planned)
    return Prospect(judged, seeds, chances(judged, seeds))


def chances_sheet(prospects: Sequence[Prospect]) -> Sheet:
    """A row for each claim that has two seeds."""
    rows = [_row(each, each.chances) for each in prospects if each.chances]
    caption = (
        "If the true differences were the paper's, or those in brackets where it only draws bars, with the spread "
        f"measured here: {DRAWS:,} simulated results, judged as claims are. As a whole: every comparison is clear. In "
        f"part: at least one. Seeds: from so many on, the chance is {100 * POWER:.0f} %. ?: the spread comes from two "
        "seeds, and is hardly known."
    )
    headings = ("claim", "comparisons", "differences", "seeds now", "seeds, in part", "seeds, whole", "planned",
                "in part then", "whole then")  # fmt: skip
    return Sheet("How many seeds would decide each claim", headings, rows, caption)


def _row(prospect: Prospect, chances: Chances) -> tuple[str, ...]:
    planned, theirs = prospect.planned, _theirs(prospect.judged)
    then = [f"{100 * each[planned]:.0f} %" if planned in each else NONE for each in (chances.part, chances.whole)]
    return (
        f"{prospect.judged.claim.name}{' ?' if chances.pairs < LEAST_PAIRS else ''}",
        str(len(prospect.judged.compared)),
        " to ".join(dict.fromkeys(map(signed, (min(theirs), max(theirs))))) if theirs else f"({MARGIN:g})",
        str(prospect.fewest),
        *map(seeds_in_words, (chances.seeds_in_part, chances.seeds_whole)),
        str(planned or NONE),
        *then,
    )


def _theirs(judged: Judged) -> list[float]:
    """The paper's differences, where it gives them."""
    return [each.theirs for each in judged.compared if each.theirs is not None]


def seeds_in_words(seeds: int | None) -> str:
    """``12``, or ``over 200``."""
    return str(seeds) if seeds is not None else f"over {MOST_PAIRS}"


def power_in_words(prospect: Prospect) -> str:
    """What would decide a claim that doesn't hold as a whole."""
    chances = prospect.chances
    if chances is None or prospect.judged.verdict == "holds":
        return ""
    asked = "if the paper's differences were true" if _theirs(prospect.judged) else f"to see {MARGIN:g} points"
    part, whole = map(seeds_in_words, (chances.seeds_in_part, chances.seeds_whole))
    several = len(prospect.judged.compared) > 1
    needed = f"{part} to show it in part, {whole} as a whole" if several else whole
    hardly = " (two seeds hardly give the spread)" if chances.pairs < LEAST_PAIRS else ""
    return f"Seeds for {100 * POWER:.0f} % power {asked}: {needed}{hardly}."


def within_reach(prospects: Sequence[Prospect]) -> str:
    """What more seeds can decide and what they can't, in words."""
    known = [(each, each.chances) for each in prospects if each.chances]
    if not known:
        return "No claim has two seeds yet: nothing is known about the spread."
    part = sum(_affordable(chances.seeds_in_part) for _, chances in known)
    whole = sum(_affordable(chances.seeds_whole) for _, chances in known)
    open_ = [(each.judged, chances) for each, chances in known if each.judged.verdict != "holds"]
    far = [judged.claim.name for judged, chances in open_ if chances.seeds_whole is None]
    stop = f" As a whole, these would take more than {MOST_PAIRS}, so that we stop: {listed(far)}." if far else ""
    return (
        f"If the paper's differences were the true ones, {AFFORDABLE} seeds or fewer would show {part} of "
        f"{counted(len(known), 'claim')} in part and {whole} as a whole, with {100 * POWER:.0f} % power.{stop}"
    )


def _affordable(seeds: int | None) -> bool:
    return seeds is not None and seeds <= AFFORDABLE
