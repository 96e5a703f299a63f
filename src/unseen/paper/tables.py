"""A recipe's findings as tables: beside the paper's numbers, and against the baseline with the same seeds."""

from __future__ import annotations

from collections.abc import Sequence

from unseen.paper.cells import Cell, Setting, absent, describe_seeds, domains_of
from unseen.paper.findings import MARGIN, Finding, Paired, findings
from unseen.paper.published import Published
from unseen.reporting.kit.statistics import EXACT_UP_TO, RESAMPLES, SIGN_PATTERNS, Interval, smallest_p
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import AGREES, DIFFERS, NOT_COMPARABLE, counted, listed, signed, span, with_span

ALPHA = 0.05
NONE = "\N{EN DASH}"
_SPREAD = (
    "The paper doesn't explain its ±: taken as the deviation over runs. It says 10 runs in one place and 20 in "
    "another; 10 are counted."
)
_NO_SPREAD = (
    "The paper gives no spread and no number of runs: its numbers are taken as exact, the interval is our runs' alone."
)
_MARKS = {AGREES: " =", DIFFERS: " ≠", NOT_COMPARABLE: ""}
LEGEND = "= agrees, ≠ differs, ? not decided"
"""what the marks mean"""


def sheets(cells: Sequence[Cell], setting: Setting) -> list[Sheet]:
    """The accuracies beside the paper's; then the differences from the baseline, where there are such."""
    found = findings(cells, setting)
    differences = [_differences(found, setting)] if any(finding.paired for finding in found) else []
    return [_accuracies(cells, found, setting), *differences]


# The accuracies, a row for each cell.


def _accuracies(cells: Sequence[Cell], found: Sequence[Finding], setting: Setting) -> Sheet:
    headings = ["domain", "method", "seeds", setting.measure, "range", "bootstrap 95 %"]
    if any(cell.published for cell in cells):
        headings += ["paper"]
    if any(finding.paper and finding.paper.agreement != NOT_COMPARABLE for finding in found):
        headings += ["here \N{MINUS SIGN} paper (95 %)", "agreement"]
    by_cell = {id(finding.cell): finding for finding in found}
    rows = []
    for domain in domains_of(cells):
        here = [cell for cell in cells if cell.domain == domain]
        if domain in absent(cells):
            rows.append((domain, "not here", "0", *[NONE] * (len(headings) - 3)))
        else:
            rows += [_accuracy_row(cell, by_cell.get(id(cell)))[: len(headings)] for cell in here]
    words = frozenset({0, 1, headings.index("agreement") if "agreement" in headings else 0})
    return Sheet(setting.title, tuple(headings), rows, _accuracy_caption(cells, found, setting), words)


def _accuracy_row(cell: Cell, finding: Finding | None) -> tuple[str, ...]:
    theirs = _published(cell.published) if cell.published else NONE
    if finding is None:
        return (cell.domain, cell.method, "0", *[NONE] * 3, theirs, NONE, "not run")
    spread = f" ± {finding.deviation:.1f}" if finding.deviation is not None else ""
    over_seeds = (_reach(finding.range) if spread else NONE, _reach(finding.bootstrap))
    paper = finding.paper
    compared = (with_span(paper.gap, paper.interval), paper.agreement) if paper else (NONE, NONE)
    seeds = str(len(cell.accuracies))
    return (cell.domain, cell.method, seeds, f"{finding.mean:.1f}{spread}", *over_seeds, theirs, *compared)


def _accuracy_caption(cells: Sequence[Cell], found: Sequence[Finding], setting: Setting) -> str:
    parts = [
        f"{setting.measure_first} in percent.",
        describe_seeds(cells),
        setting.protocol,
        setting.describe_data(cells),
    ]
    if any(finding.bootstrap for finding in found):
        parts.append(
            f"Deviation (n \N{MINUS SIGN} 1) and range are over seeds. Bootstrap: percentile interval of the mean, "
            f"{RESAMPLES:,} resamples of the seeds; too narrow when these are few: with 5 it has the true mean in 84 "
            "of 100 cases."
        )
    return " ".join(filter(None, [*parts, *agreement_caption(found, setting)]))


def agreement_caption(found: Sequence[Finding], setting: Setting) -> list[str]:
    """Why our numbers can't be compared with the paper's, or how agreement is judged."""
    compared = [finding for finding in found if finding.paper]
    reasons = dict.fromkeys(reason for finding in compared for reason in setting.departures_on(finding.cell.domain))
    parts = [f"Not comparable with the paper: {'; '.join(reasons)}."] if reasons else []
    judged = [finding for finding in compared if finding.paper and finding.paper.agreement != NOT_COMPARABLE]
    if judged:
        spread = all(finding.cell.published and finding.cell.published.runs for finding in judged)
        parts.append(
            f"Agreement, by the {'Welch ' * spread}95 % interval of our number minus the paper's: differs when it "
            f"excludes 0, agrees when it lies within {MARGIN:g} points of 0; each by itself, so 5 in 100 say differs "
            f"where nothing does. {_SPREAD if spread else _NO_SPREAD}"
        )
    if any(len(f.cell.accuracies) == 2 and f.cell.published and f.cell.published.runs for f in judged):
        parts.append(
            "With 2 seeds that interval is too narrow, about 90 in 100 have the true difference: none is judged."
        )
    return parts


# The accuracies, a domain's methods as a matrix.


def matrix(cells: Sequence[Cell], setting: Setting) -> Sheet:
    """Our numbers beside the paper's for cells of a grid: ``group`` gives the row, ``at``, which is K, the column."""
    placed = [cell for cell in cells if cell.at is not None]
    columns = sorted({cell.at for cell in placed if cell.at is not None})
    found = findings(cells, setting)
    entries = {(f.cell.domain, f.cell.group, f.cell.at): _entry(f) for f in found if f.cell.at is not None}
    rows = []
    for domain in domains_of(placed):
        here = [] if domain in absent(placed) else [cell.group for cell in placed if cell.domain == domain]
        rows += [(domain, g, *(entries.get((domain, g, at), NONE) for at in columns)) for g in dict.fromkeys(here)]
        rows += [] if here else [(domain, "not here", *[NONE] * len(columns))]
    parts = [f"{setting.measure_first} in percent: here (seeds) · the paper's; {LEGEND}."]
    alone = {f.cell.domain: _entry(f) for f in found if f.cell.method == setting.baseline}
    parts += [f"{setting.baseline}: {', '.join(f'{d} {entry}' for d, entry in alone.items())}."] if alone else []
    parts += [
        describe_seeds(placed),
        setting.protocol,
        setting.describe_data(placed),
        *agreement_caption(found, setting),
    ]
    return Sheet(
        setting.title, ("domain", "", *(f"K={at:g}" for at in columns)), rows, " ".join(parts), frozenset({0, 1})
    )


def _entry(finding: Finding) -> str:
    return beside_paper(finding, f"{finding.mean:.1f} ({len(finding.cell.accuracies)})")


def beside_paper(finding: Finding, text: str) -> str:
    """An entry with the paper's number, where there is one, and the mark of their agreement behind it."""
    if finding.paper is None or finding.cell.published is None:
        return text
    return f"{text} · {100 * finding.cell.published.mean:.1f}{_MARKS.get(finding.paper.agreement, ' ?')}"


# The differences.


def _differences(found: Sequence[Finding], setting: Setting) -> Sheet:
    paired = [finding.paired for finding in found if finding.paired]
    baselines = list(dict.fromkeys(each.comparison.baseline for each in paired))
    one = len(baselines) == 1
    title = f"Difference from {baselines[0] if one else 'the baseline'}{', same seeds' if not setting.pairs else ''}"
    headings = ("domain", "method", *(() if one else ("against",)), "pairs", "difference", "95 %", "p", "p, Holm")
    rows = [_difference_row(each, one) for each in paired]
    data = setting.describe_data([finding.cell for finding in found if finding.paired])
    judged = "The paper's claims are judged by the t test instead, each over its own comparisons."
    published = judged if any(finding.cell.published for finding in found) else ""
    parts = (_difference_caption(paired, setting.measure), published, setting.protocol, data)
    caption = " ".join(filter(None, parts))
    return Sheet(title, headings, rows, caption, frozenset(range(2 if one else 3)))


def _difference_row(paired: Paired, one_baseline: bool) -> tuple[str, ...]:
    c = paired.comparison
    against = () if one_baseline else (c.baseline,)
    interval = span(c.interval) if c.interval else NONE
    ps = (p_in_words(paired.p), p_in_words(paired.corrected))
    return (c.domain, c.method, *against, str(len(c.differences)), signed(c.gap), interval, *ps)


def _difference_caption(paired: Sequence[Paired], measure: str) -> str:
    pairs = sorted({len(each.comparison.differences) for each in paired})
    drawn = f"; {SIGN_PATTERNS:,} patterns drawn above {EXACT_UP_TO} pairs" if pairs[-1] > EXACT_UP_TO else ""
    parts = [
        f"Points of {measure}, paired by seed, with the 95 % t-interval over the pairs. p: two-sided permutation test, "
        f"all patterns of signs{drawn}; Holm's correction is for the table's {counted(len(paired), 'comparison')}."
    ]
    return " ".join([*parts, *_limits(pairs, len(paired))])


def _limits(pairs: Sequence[int], comparisons: int) -> list[str]:
    """What the test can't show, whatever the differences are."""
    weak = [n for n in pairs if smallest_p(n) > ALPHA]
    if weak:
        each = listed([f"{p_in_words(smallest_p(n))} with {counted(n, 'pair')}" for n in weak])
        return [f"The smallest p that this test can give is {each}: whatever the difference, not below {ALPHA:g}."]
    least = min(1.0, comparisons * smallest_p(pairs[-1]))
    if least > ALPHA:
        given = f"{pairs[-1]} pairs can give here is {p_in_words(least)}"
        return [f"The smallest corrected p that {given}: not below {ALPHA:g}."]
    return []


# The texts of entries.


def _published(theirs: Published) -> str:
    spread = "" if theirs.deviation is None else f" ± {100 * theirs.deviation:.1f}"
    return f"{100 * theirs.mean:.1f}{spread}"


def _reach(interval: Interval | None) -> str:
    return f"{interval.low:.1f} to {interval.high:.1f}" if interval else NONE


def p_in_words(value: float) -> str:
    """A p, to what matters of it."""
    return "< 0.001" if value < 0.001 else f"{value:.3g}"
