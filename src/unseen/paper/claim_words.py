"""A claim in words: its verdict, its numbers, and what would decide it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unseen.paper.claims import ALPHA, Effect, Judged, Part, Verdict
from unseen.paper.findings import LEAST_PAIRS, MARGIN
from unseen.paper.prospects import Prospect, power_in_words
from unseen.paper.tables import NONE, p_in_words
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
_BARELY = 0.04  # a corrected p above it, of one that is clear


def headline(prospects: Sequence[Prospect]) -> str:
    """How many claims stand how, and for how many that is not the last word."""
    counts = Counter(each.judged.verdict for each in prospects)
    said = [f"{n} {one if n == 1 else many}" for verdict, (one, many) in IN_WORDS.items() if (n := counts[verdict])]
    judged = [each.judged for each in prospects]
    columns = dict.fromkeys(comparison.domain for each in judged for comparison in each.comparisons)
    where = list(filter(None, dict.fromkeys(each.on for each in judged))) or list(columns)
    on = f" (judged on {listed(where)})" if where else ""
    interim = sum(each.interim for each in prospects)
    last = f"; {interim} of these verdicts {'is' if interim == 1 else 'are'} interim" if interim else ""
    return f"Of {counted(len(prospects), 'claim')}{on}, {listed(said)}{last}"


def paragraph(prospect: Prospect) -> str:
    """The verdict and each column's effect beside the paper's, in a few sentences."""
    judged = prospect.judged
    if not judged.compared:
        why = "no run of it is finished" if judged.wanted else f"no result on {listed(judged.claim.columns)}"
        return f"**{judged.verdict.capitalize()}**: {why}."
    interim = f" (interim: {prospect.fewest} of {prospect.planned} planned seeds)" if prospect.interim else ""
    said = [
        f"**{judged.verdict.capitalize()}**{interim}: {_clear_in_words(judged)}.",
        f"{_numbers_in_words(judged)}.",
        _missing_in_words(judged),
        _without_pairs(judged) if judged.claim.independent else "",
        power_in_words(prospect),
    ]
    return " ".join(filter(None, said))


def _numbers_in_words(judged: Judged) -> str:
    """Each column's mean; of many columns, the least and the greatest; where two hardly differ, the farthest apart."""
    effects = judged.effects
    if judged.claim.alike:
        farthest = max(judged.comparisons, key=lambda c: abs(c.gap))
        return f"Farthest apart: {_pair(farthest)}, {_difference_in_words(farthest)}"
    if len(effects) > _FEW:
        gaps = sorted(effect.comparison.gap for effect in effects)
        return f"{signed(gaps[0])} to {signed(gaps[-1])} points on {len(effects)} pairs of places"
    mean = "Mean of its comparisons: " if any(len(effect.parts) > 1 for effect in effects) else ""
    return mean + listed([_difference_in_words(effect.comparison, _paper_in_words(effect)) for effect in effects])


def _clear_in_words(judged: Judged) -> str:
    clear, compared = Counter(judged.outcomes), len(judged.compared)
    few = sum(len(comparison.differences) < LEAST_PAIRS for comparison in judged.comparisons)
    parts = [f"{clear['above']}{f' of {compared}' if compared > 1 else ''} clear{_which_in_words(judged)}"]
    parts += [f"{barely} of them barely (p over {_BARELY:g})"] if (barely := _barely(judged)) else []
    parts += [f"{clear['below']} clearly the other way{_which_in_words(judged, 'below')}"] if clear["below"] else []
    parts += [f"{few} with fewer than {LEAST_PAIRS} seeds"] if few else []
    return ", ".join(parts)


def _barely(judged: Judged) -> int:
    """How many are clear on the claim's side and would not be with little less."""
    return sum(o == "above" and p > _BARELY for o, p in zip(judged.outcomes, judged.corrected, strict=True))


def _which_in_words(judged: Judged, side: Outcome = "above") -> str:
    """Which comparisons are clear where only some are: those, or all but those that are not, whichever are fewer."""
    both = list(zip(judged.comparisons, judged.outcomes, strict=True))
    clear = [comparison for comparison, outcome in both if outcome == side]
    others = [comparison for comparison, outcome in both if outcome != side]
    if not clear or not others or judged.claim.mostly:
        return ""
    one = len({comparison.baseline for comparison in judged.comparisons}) == 1
    if len(others) < len(clear):
        return f" (all but {_named(others, alone=one)})"
    return f" ({_named(clear, alone=one)})"


def _named(comparisons: Sequence[Comparison], *, alone: bool) -> str:
    """``K=1 on SVHN; K=2 and K=3 on MNIST-M``: each method once, ``alone`` or over its baseline."""
    domains: dict[str, list[str]] = {}
    for c in comparisons:
        domains.setdefault(c.method if alone else _pair(c), []).append(c.domain)
    methods: dict[str, list[str]] = {}
    for method, some in domains.items():
        methods.setdefault(listed(some), []).append(method)
    return "; ".join(f"{listed(some)} on {where}" for where, some in methods.items())


def _missing_in_words(judged: Judged) -> str:
    missing, absent = judged.wanted - len(judged.compared), judged.absent
    said = [f"Not run: {missing} of {counted(judged.wanted, 'comparison')}."] if missing else []
    said += [f"No data for {listed(absent) if len(absent) < 5 else f'{len(absent)} others'}."] if absent else []
    return " ".join(said)


def _without_pairs(judged: Judged) -> str:
    clear = judged.clear_without_pairs
    are = "is" if clear == 1 else "are"
    return f"Its pairs are arbitrary, no draws are shared: without them {clear} of {len(judged.compared)} {are} clear."


def _difference_in_words(c: Comparison, paper: str = "") -> str:
    reach = span(c.interval) if c.interval else ""
    details = ", ".join(filter(None, [reach, counted(len(c.differences), "seed"), paper]))
    return f"{c.domain} {signed(c.gap)} ({details})"


def _paper_in_words(effect: Effect) -> str:
    """Its number, if it gives one, and whether our interval leaves it out."""
    if effect.theirs is None:
        return ""
    return f"the paper {signed(effect.theirs)}{', outside' if effect.excludes(effect.theirs) else ''}"


def comparisons_sheet(judged: Judged) -> Sheet:
    """Every comparison of the claim, and of each column their mean."""
    rows: list[tuple[str, ...]] = []
    for effect in judged.effects:
        rows += map(_row, effect.parts)
        rows += [_mean_row(effect)] if len(effect.parts) > 1 else []
    headings = ("domain", "comparison", "seeds", "difference (95 %)", "the paper's", "clear", "p", "unpaired (95 %)")
    of = f"of a difference of {MARGIN:g} points" if judged.claim.alike else "of no difference"
    caption = (
        f"p: {of}, by the t test, corrected for the number of comparisons; clear below {ALPHA:.2g}. Unpaired: over "
        "every seed that either side has (Welch's interval). It is there to compare: a verdict takes pairs, "
        f"{LEAST_PAIRS} or more."
    )
    return Sheet(f"{judged.claim.text} ({judged.where})", headings, rows, caption, frozenset({0, 1, 5}))


def _row(part: Part) -> tuple[str, ...]:
    each = part.compared
    c, unpaired = each.comparison, with_span(each.unpaired.gap, each.unpaired.interval)
    p = p_in_words(part.p) if len(c.differences) >= LEAST_PAIRS else NONE
    return (*_entries(c, _pair(c), each.theirs), CLEAR[part.outcome], p, unpaired)


def _pair(c: Comparison) -> str:
    return f"{c.method} over {c.baseline}"


def _mean_row(effect: Effect) -> tuple[str, ...]:
    """Of the comparisons, seed by seed; it says so where some of them have more seeds than all of them share."""
    c = effect.comparison
    more = any(len(part.compared.comparison.differences) > len(c.differences) for part in effect.parts)
    what = f"mean, over the {counted(len(c.differences), 'seed')} that all have" if more else "mean"
    return (*_entries(c, what, effect.theirs), "", "", "")


def _entries(c: Comparison, what: str, theirs: float | None) -> tuple[str, ...]:
    paper = signed(theirs) if theirs is not None else NONE
    return (c.domain, what, str(len(c.differences)), with_span(c.gap, c.interval), paper)
