"""A claim in words: its verdict, its numbers, and what would decide it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unseen.paper.claims import Effect, Judged, Verdict
from unseen.paper.deciding import Deciding, deciding
from unseen.paper.findings import MARGIN
from unseen.paper.tables import NONE
from unseen.reporting.kit.power import MOST_PAIRS
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import Comparison, Outcome, counted, listed, signed, span, with_span

IN_WORDS: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "holds in part": ("holds in part", "hold in part"),
    "contradicted in part": ("is contradicted in part", "are contradicted in part"),
    "does not hold": ("does not hold", "do not hold"),
    "not decided": ("is not decided", "are not decided"),
    "not all measured": ("is measured in part", "are measured in part"),
    "not measured": ("is not measured", "are not measured"),
}
"""each verdict, said of one claim and of several"""
CLEAR: dict[Outcome, str] = {"above": "yes", "below": "the other way", "unclear": "not decided"}
"""each outcome as a table has it"""
_FEW = 3  # columns that a paragraph has the numbers of


def headline(judged: Sequence[Judged]) -> str:
    """How many claims stand how."""
    counts = Counter(each.verdict for each in judged)
    said = [f"{n} {one if n == 1 else many}" for verdict, (one, many) in IN_WORDS.items() if (n := counts[verdict])]
    return f"Of {counted(len(judged), 'claim')}, {listed(said)}"


def paragraph(judged: Judged) -> str:
    """The verdict and each column's effect beside the paper's, in a few sentences."""
    if not judged.compared:
        why = "no run of it is finished" if judged.wanted else f"no result on {listed(judged.claim.columns)}"
        return f"**{judged.verdict.capitalize()}**: {why}."
    clear = Counter(judged.outcomes)
    among = f" of {len(judged.compared)}" if len(judged.compared) > 1 else ""
    counts = f"{clear['above']}{among} clear" + (f", {clear['below']} clearly the other way" if clear["below"] else "")
    effects = judged.effects
    if len(effects) > _FEW:
        gaps = sorted(effect.comparison.gap for effect in effects)
        numbers = f"{signed(gaps[0])} to {signed(gaps[-1])} points on {len(effects)} pairs of places"
    else:
        numbers = listed([_effect_in_words(effect) for effect in effects])
    mean = "In the mean of its comparisons: " if any(len(effect.parts) > 1 for effect in effects) else ""
    missing = judged.wanted - len(judged.compared)
    left = f" Not run: {missing} of {counted(judged.wanted, 'comparison')}." if missing else ""
    here = {effect.column for effect in effects}
    absent = [column for column in judged.claim.columns if column not in here]
    left += f" No data for {listed(absent) if len(absent) < 5 else f'{len(absent)} others'}." if absent else ""
    return f"**{judged.verdict.capitalize()}**: {counts}. {mean}{numbers}.{left}{_seeds_in_words(judged)}"


def _seeds_in_words(judged: Judged) -> str:
    """How many seeds would decide what is not decided."""
    found = [deciding(effect) for effect in judged.effects]
    known = [each for each in found if each.spread is not None]
    if "unclear" not in judged.outcomes or not known or len(known) > _FEW:
        return ""
    needed = [f"{_range(each)} on {each.effect.column}" for each in known]
    far = [
        f"{each.hardest.comparison.method} over {each.hardest.comparison.baseline} on {each.effect.column}"
        for each in known
        if each.hardest_seeds is None and len(each.effect.parts) > 1
    ]
    stop = f" Over {MOST_PAIRS} for {listed(far)}: we stop there." if far else ""
    what = f"{MARGIN:g} points" if known[0].effect.theirs is None else "the paper's difference"
    return f" Seeds to see {what}: {listed(needed)}.{stop}"


def _range(each: Deciding) -> str:
    """At the spread that was measured, and at the greatest that it may well be."""
    ends = [_number(seeds) for seeds in (each.seeds, each.wide_seeds)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _number(seeds: int | None) -> str:
    return f"over {MOST_PAIRS}" if seeds is None else str(seeds)


def _effect_in_words(effect: Effect) -> str:
    c = effect.comparison
    reach = [span(c.interval)] if c.interval else []
    paper = [f"the paper {signed(effect.theirs)}"] if effect.theirs is not None else []
    details = ", ".join([*reach, counted(len(c.differences), "seed"), *paper])
    return f"{c.domain} {signed(c.gap)} ({details})"


def comparisons_sheet(judged: Judged) -> Sheet:
    """Every comparison of the claim, and of each column their mean."""
    rows: list[tuple[str, ...]] = []
    for effect in judged.effects:
        rows += [_row(each.comparison, each.theirs, CLEAR[outcome]) for each, outcome in effect.parts]
        rows += [_mean_row(effect)] if len(effect.parts) > 1 else []
    headings = ("domain", "comparison", "seeds", "difference (95 %)", "the paper's", "clear")
    return Sheet(f"{judged.claim.text} ({judged.where})", headings, rows, "", frozenset({0, 1, 5}))


def _row(c: Comparison, theirs: float | None, clear: str) -> tuple[str, ...]:
    return _entries(c, f"{c.method} over {c.baseline}", theirs, clear)


def _mean_row(effect: Effect) -> tuple[str, ...]:
    """Of the comparisons, seed by seed; it says so where some of them have more seeds than all of them share."""
    c = effect.comparison
    more = any(len(each.comparison.differences) > len(c.differences) for each, _ in effect.parts)
    what = f"mean, over the {counted(len(c.differences), 'seed')} that all have" if more else "mean"
    return _entries(c, what, effect.theirs, "")


def _entries(c: Comparison, what: str, theirs: float | None, clear: str) -> tuple[str, ...]:
    paper = signed(theirs) if theirs is not None else NONE
    return (c.domain, what, str(len(c.differences)), with_span(c.gap, c.interval), paper, clear)
