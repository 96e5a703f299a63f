"""How a claim is judged, how often that goes wrong, and what claims share: points for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unseen.paper.claims import ALPHA, Judged
from unseen.paper.findings import LEAST_PAIRS
from unseen.paper.sharing import alike_in_words, shared_runs
from unseen.reporting.kit.statistics import sign_flip_p
from unseen.reporting.kit.wording import counted, listed

if TYPE_CHECKING:
    from unseen.paper.section import Section

_POINTS = (
    "Differences are in points of {measure}, paired by seed, over every seed that both sides have. A comparison with "
    f"fewer than {LEAST_PAIRS} pairs decides nothing.",
    "A claim holds where the 95 % t-interval of every comparison lies on its side of 0. Where only some do, each has "
    "to be clear among all of the claim's comparisons (Holm's correction): then it holds in part, which says nothing "
    "of the others. A comparison that is clear on the other side contradicts it. Else it is not decided.",
    "The recipes' tables of differences have another test, the exact permutation test, and correct for all comparisons "
    "of the table. Where one of them and a verdict differ, the verdict is the t test's.",
    "Near repetitions, which share their seed, are averaged seed by seed before any interval: one over all of them "
    "would count a seed's luck many times. Means per seed need no model of what repetitions share, and a mixed model "
    "could not be checked with so few seeds.",
)
ERRORS_AT_TWO_LOOKS = (0.05, 0.09)
"""so many of the claims that are also judged with half of their seeds err (``results/pooling.jsonl``)"""
POCOCK = 0.0294
"""the level at which two looks together err in 5 of 100 cases (Pocock 1977)"""
_FEWEST, _MOST = ERRORS_AT_TWO_LOOKS
_ERRORS = (
    f"If nothing differed at all, a verdict would be false for about {100 * ALPHA:.0f} of 100 claims that are judged "
    f"once, and for {100 * _FEWEST:.0f} to {100 * _MOST:.0f} of 100 that were also judged with half of their seeds, "
    "as some here were "
    "([simulated](../experiments/README.md#are-the-intervals-and-verdicts-of-the-results-what-they-say), with normal "
    "differences). Of {claims} that is {once:.1f} to {twice:.1f}."
)


def judging_points(
    judged: Sequence[Judged],
    sections: Sequence[Section],
    measure: str,
    also: str,
    shared: Mapping[str, Sequence[str]],
) -> list[str]:
    """``also`` is what else has to be said, ``shared`` which runs several claims share, by what they are."""
    measured = [each for each in judged if each.compared]
    count = len(measured)
    errors = _ERRORS.format(claims=counted(count, "claim"), once=ALPHA * count, twice=_MOST * count)
    points = [*(point.format(measure=measure) for point in _POINTS), also, errors]
    same = shared_runs(judged, sections, shared) if shared else ""
    return [*filter(None, [*points, judged_otherwise(measured), same, alike_in_words(judged)])]


def judged_otherwise(judged: Sequence[Judged]) -> str:
    """What becomes of the comparisons that are clear, by another test and at a stricter level."""
    clear = sum(map(_clear, judged))
    if not clear:
        return ""
    by_signs = [replace(each, test=sign_flip_p) for each in judged]
    stricter = [replace(each, alpha=POCOCK) for each in judged]
    return (
        f"Judged otherwise, how many of the {clear} clear comparisons stay so? By the permutation test, which can't be "
        f"clear with 5 seeds or fewer, {_stays(judged, by_signs)} At p < {POCOCK:g}, which keeps two looks at 5 of 100 "
        f"(Pocock's level), {_stays(judged, stricter)}"
    )


def _stays(judged: Sequence[Judged], otherwise: Sequence[Judged]) -> str:
    less = [
        f"{ours.claim.name} has {_clear(theirs)} in place of {_clear(ours)}"
        for ours, theirs in zip(judged, otherwise, strict=True)
        if _clear(theirs) != _clear(ours)
    ]
    return f"{sum(map(_clear, otherwise))}{f': {listed(less)}' if less else ''}."


def _clear(judged: Judged) -> int:
    return sum(outcome != "unclear" for outcome in judged.outcomes)
