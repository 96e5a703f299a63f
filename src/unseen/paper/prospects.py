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
    wide: Chances | None
    """the same if the spread is at its bound"""

    @property
    def fewest(self) -> int:
        """The seeds of the comparison that has the fewest."""
        return min((len(comparison.differences) for comparison in self.judged.comparisons), default=0)

    @property
    def seeds(self) -> tuple[str, str] | None:
        """How many show it in part and as a whole, from the measured spread to its bound; None without a spread."""
        if self.chances is None or self.wide is None:
            return None
        return (
            _reach(self.chances.seeds_in_part, self.wide.seeds_in_part),
            _reach(self.chances.seeds_whole, self.wide.seeds_whole),
        )

    @property
    def interim(self) -> bool:
        """Whether the planned seeds are not all there, so that the verdict is not the last."""
        return self.planned is not None and 0 < self.fewest < self.planned


def prospect(judged: Judged, planned: Mapping[str, int]) -> Prospect:
    """The claim with the seeds that the plan has for its recipes."""
    seeds = planned_for(judged.claim, planned)
    return Prospect(judged, seeds, chances(judged, seeds), chances(judged, wide=True))


def _reach(seeds: int | None, most: int | None) -> str:
    """``5 to 12``, ``5 to over 200``, or ``over 200``."""
    return " to ".join(dict.fromkeys(map(seeds_in_words, (seeds, most))))


def chances_sheet(prospects: Sequence[Prospect]) -> Sheet:
    """A row for each claim that has two seeds."""
    rows = [_row(each, each.chances, each.seeds) for each in prospects if each.chances and each.seeds]
    caption = (
        "If the true differences were the paper's, or those in brackets where it only draws bars, with the spread "
        f"measured here: {DRAWS:,} simulated results, judged as claims are. As a whole: every comparison is clear. In "
        f"part: at least one. Seeds: from about so many on, the chance is {100 * POWER:.0f} %; by the spread as "
        "measured, to what the true one is below in nine of ten cases. ?: the spread comes from two seeds, and is "
        "hardly known."
    )
    headings = ("claim", "comparisons", "differences", "seeds now", "seeds, in part", "seeds, whole", "planned",
                "in part then", "whole then")  # fmt: skip
    return Sheet("How many seeds would decide each claim", headings, rows, caption)


def _row(prospect: Prospect, chances: Chances, seeds: tuple[str, str]) -> tuple[str, ...]:
    planned, theirs = prospect.planned, _theirs(prospect.judged)
    then = [f"{100 * each[planned]:.0f} %" if planned in each else NONE for each in (chances.part, chances.whole)]
    return (
        f"{prospect.judged.claim.name}{' ?' if chances.pairs < LEAST_PAIRS else ''}",
        str(len(prospect.judged.compared)),
        " to ".join(dict.fromkeys(map(signed, (min(theirs), max(theirs))))) if theirs else f"({MARGIN:g})",
        str(prospect.fewest),
        *seeds,
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
    if prospect.seeds is None or prospect.judged.verdict == "holds":
        return ""
    asked = "if the paper's differences were true" if _theirs(prospect.judged) else f"to see {MARGIN:g} points"
    part, whole = prospect.seeds
    needed = f"{part} to show it in part, {whole} as a whole" if len(prospect.judged.compared) > 1 else whole
    return f"Seeds for {100 * POWER:.0f} % power {asked}: {needed}."


def within_reach(prospects: Sequence[Prospect]) -> str:
    """What more seeds can decide and what they can't, in words."""
    known = [(each, each.chances) for each in prospects if each.chances]
    if not known:
        return "No claim has two seeds yet: nothing is known about the spread."
    printed = [chances for each, chances in known if _theirs(each.judged)]
    drawn = [chances for each, chances in known if not _theirs(each.judged)]
    said = [_shown(printed, "whose differences the paper prints", "these were true")] if printed else []
    said += [_shown(drawn, "whose bars it only draws", f"the differences were {MARGIN:g} points")] if drawn else []
    few = sum(chances.pairs < LEAST_PAIRS for _, chances in known)
    hardly = f" The spreads of {counted(few, 'claim')} come from two seeds, and are hardly known." if few else ""
    shown = f"With {100 * POWER:.0f} % power, {AFFORDABLE} seeds or fewer would show {'; '.join(said)}."
    return f"{shown}{hardly}{_far(known)}"


def _shown(some: Sequence[Chances], which: str, if_true: str) -> str:
    part = sum(_affordable(chances.seeds_in_part) for chances in some)
    whole = sum(_affordable(chances.seeds_whole) for chances in some)
    return f"{part} of {counted(len(some), 'claim')} {which} in part and {whole} as a whole, if {if_true}"


def _far(known: Sequence[tuple[Prospect, Chances]]) -> str:
    """The claims that don't hold, and take more seeds than one can think of running to hold as a whole."""
    far = [
        f"{each.judged.claim.name} ({seeds_in_words(chances.seeds_whole)})"
        for each, chances in known
        if each.judged.verdict != "holds" and not _affordable(chances.seeds_whole)
    ]
    return f" As a whole, these take more, and we stop: {listed(far)}." if far else ""


def _affordable(seeds: int | None) -> bool:
    return seeds is not None and seeds <= AFFORDABLE
