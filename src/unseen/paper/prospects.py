"""A claim as it stands, and what more seeds would make of it, in a table and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unseen.paper.chances import DRAWS, Chances, chances
from unseen.paper.claims import Effect, Judged
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
        part = _reach(self.chances.seeds_in_part, self.wide.seeds_in_part) if self.has_parts else NONE
        return part, _reach(self.chances.seeds_whole, self.wide.seeds_whole)

    @property
    def has_parts(self) -> bool:
        """Whether the claim can hold in part."""
        return len(self.judged.compared) > 1 and not self.judged.claim.mostly

    @property
    def decided(self) -> bool:
        """Whether it holds, or doesn't, as a whole."""
        return self.judged.verdict in ("holds", "does not hold")

    @property
    def asked(self) -> str:
        """What the true differences are taken to be."""
        if self.judged.claim.alike:
            return "if nothing differed"
        if _theirs(self.judged):
            return "if the paper's differences were true"
        return f"if the differences were {MARGIN:g} points"

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
        "If the true differences were the paper's, or those in brackets where it has only a chart, with the spread "
        f"measured here: {DRAWS:,} simulated results, judged as claims are. As a whole: every comparison is clear, or "
        "more than half where the paper says mostly. In part: at least one. Seeds: from about so many on, the chance "
        f"is {100 * POWER:.0f} %; by the spread as measured, to what the true one is below in nine of ten cases. Where "
        "the true differences are larger than the paper's, a claim may hold with fewer. ?: the spread comes from two "
        "seeds, and is hardly known."
    )
    headings = ("claim", "now", "comparisons", "differences", "seeds now", "seeds, in part", "seeds, whole", "planned",
                "in part then", "whole then")  # fmt: skip
    return Sheet("How many seeds would decide each claim", headings, rows, caption, frozenset({0, 1}))


def _row(prospect: Prospect, chances: Chances, seeds: tuple[str, str]) -> tuple[str, ...]:
    planned, theirs = prospect.planned, _theirs(prospect.judged)
    shown = (chances.part if prospect.has_parts else {}, chances.whole)
    then = [f"{100 * each[planned]:.0f} %" if planned in each else NONE for each in shown]
    return (
        f"{prospect.judged.claim.name}{' ?' if chances.pairs < LEAST_PAIRS else ''}",
        prospect.judged.verdict,
        str(len(prospect.judged.compared)),
        " to ".join(dict.fromkeys(map(signed, (min(theirs), max(theirs))))) if theirs else _asked_for(prospect.judged),
        str(prospect.fewest),
        *seeds,
        str(planned or NONE),
        *then,
    )


def _asked_for(judged: Judged) -> str:
    """In brackets: the paper has no number."""
    return f"(0 ± {MARGIN:g})" if judged.claim.alike else f"({MARGIN:g})"


def _theirs(judged: Judged) -> list[float]:
    """The paper's differences, where it gives them."""
    return [each.theirs for each in judged.compared if each.theirs is not None]


def seeds_in_words(seeds: int | None) -> str:
    """``12``, or ``over 200``."""
    return str(seeds) if seeds is not None else f"over {MOST_PAIRS}"


def power_in_words(prospect: Prospect) -> str:
    """What would decide a claim that isn't decided as a whole."""
    if prospect.seeds is None or prospect.decided:
        return ""
    part, whole = prospect.seeds
    needed = f"{part} in part, {whole} as a whole" if prospect.has_parts else whole
    return f"Seeds for {100 * POWER:.0f} % power {prospect.asked}: {needed}{_excluded(prospect.judged)}."


def _excluded(judged: Judged) -> str:
    """That most of the means are less than what is asked for, by their intervals, where they are."""
    if judged.claim.alike:
        return ""
    count, of = sum(_lies_below(effect) for effect in judged.effects), len(judged.effects)
    if 2 * count <= of:
        return ""
    means = " of means" if any(len(effect.parts) > 1 for effect in judged.effects) else ""
    every = "both" if of == 2 else f"all {of}"
    some = every if count == of else f"{count} of {of}"
    which = f"{some} intervals{means} here lie" if of > 1 else f"the interval{' of the mean' * bool(means)} here lies"
    return f"; but {which} below that, which more seeds would hardly change"


def _lies_below(effect: Effect) -> bool:
    asked = MARGIN if effect.theirs is None else effect.theirs
    return effect.comparison.gap < asked and effect.excludes(asked)


def within_reach(prospects: Sequence[Prospect]) -> str:
    """Which claims more seeds could show, and for which they are too many, in words."""
    known = [each for each in prospects if each.chances]
    if not known:
        return "No claim has two seeds yet: nothing is known about the spread."
    known = [each for each in known if not each.decided]
    if not known:
        return "Every claim that has two seeds is decided."
    less = [each for each in known if _excluded(each.judged)]
    near = [each for each in known if each not in less and each.chances and _affordable(each.chances.seeds_whole)]
    far = [each for each in known if each not in [*less, *near]]
    few = sum(each.chances.pairs < LEAST_PAIRS for each in known if each.chances)
    parts = [
        f"Claims that aren't decided as a whole, and the seeds with which they would hold, with {100 * POWER:.0f} % "
        "power: from the spread as measured to the most that it may be, if the true differences were the paper's, or "
        f"{MARGIN:g} points where it has only a chart.",
        f"Within reach, by the spread as measured: {_with_seeds(near)}." if near else "",
        f"More than {AFFORDABLE}, so that we stop: {_with_seeds(far)}." if far else "",
        f"Less than that here, by most intervals, whatever the seeds: {_names(less)}." if less else "",
        f"The spreads of {counted(few, 'claim')} come from two seeds, and are hardly known." if few else "",
    ]
    return " ".join(filter(None, parts))


def _names(some: Sequence[Prospect]) -> str:
    return listed([each.judged.claim.name for each in some])


def _with_seeds(some: Sequence[Prospect]) -> str:
    return listed([f"{each.judged.claim.name} ({each.seeds[1]})" for each in some if each.seeds])


def _affordable(seeds: int | None) -> bool:
    return seeds is not None and seeds <= AFFORDABLE
