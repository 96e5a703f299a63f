"""How a claim is judged, how often that goes wrong, and what claims share: points for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unseen.paper.claims import ALPHA, Judged
from unseen.paper.findings import LEAST_PAIRS
from unseen.paper.sharing import alike_in_words, shared_runs
from unseen.reporting.kit.wording import counted

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
_TWICE = 0.09
"""of claims that are also judged with half of their seeds, at most so many err (``python -m experiments.pooling``)"""
_ERRORS = (
    "If nothing differed at all, a verdict would be false for about 5 of 100 claims that are judged once, and for 6 to "
    f"{100 * _TWICE:.0f} of 100 that were also judged with half of their seeds, as some here were "
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
    errors = _ERRORS.format(claims=counted(count, "claim"), once=ALPHA * count, twice=_TWICE * count)
    points = [*(point.format(measure=measure) for point in _POINTS), also, errors]
    same = shared_runs(judged, sections, shared) if shared else ""
    return [*filter(None, [*points, same, alike_in_words(judged)])]
