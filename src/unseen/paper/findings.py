"""What a recipe's accuracies say: over seeds, against the baseline with the same seeds, and against the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unseen.paper.cells import Cell, Setting, domains_of, over_shared_seeds
from unseen.paper.published import Published
from unseen.reporting.kit.statistics import (
    Interval,
    bootstrap_interval,
    deviation,
    holm,
    mean,
    sign_flip_p,
    t_interval,
    welch_interval,
)
from unseen.reporting.kit.wording import AGREES, DIFFERS, NOT_COMPARABLE, Comparison, counted

MARGIN = 3.0  # points: an interval of the difference that stays within it counts as agreement
LEAST_PAIRS = 3
"""that a judgement takes: whether two values agree by luck can't be seen"""


@dataclass(frozen=True)
class Paired:
    """A cell against its baseline over the seeds both have, in points."""

    comparison: Comparison
    p: float
    """of the sign-flip test"""
    corrected: float
    """p after Holm's correction for all comparisons of the table"""


@dataclass(frozen=True)
class AgainstPaper:
    """Our mean minus the paper's, in points, with its interval and what that allows to say."""

    gap: float
    interval: Interval | None
    agreement: str


@dataclass(frozen=True)
class Finding:
    """The statistics of one cell that was run, in percent."""

    cell: Cell
    mean: float
    deviation: float | None
    range: Interval
    bootstrap: Interval | None
    """None with fewer than ``LEAST_PAIRS`` seeds: of two it would be the range, and have the mean every other time"""
    paired: Paired | None
    """None for a baseline, and where the two have no seed in common"""
    paper: AgainstPaper | None
    """None where the paper gives no number"""


def findings(cells: Sequence[Cell], setting: Setting) -> list[Finding]:
    """One for each cell that has accuracies, domain by domain, else in their order."""
    by_place = {(cell.method, cell.domain): cell for cell in cells}
    assert len(by_place) == len(cells), "a method has two cells on one domain"
    run = [cell for domain in domains_of(cells) for cell in cells if cell.domain == domain and cell.accuracies]
    compared = {(c.method, c.domain): c for cell in run if (c := _comparison(cell, setting, by_place))}
    paired = _tested(compared)
    return [_finding(cell, setting, paired.get((cell.method, cell.domain))) for cell in run]


def _finding(cell: Cell, setting: Setting, paired: Paired | None) -> Finding:
    values = cell.percent
    spread = Interval(min(values), max(values))
    bootstrap = bootstrap_interval(values) if len(values) >= LEAST_PAIRS else None
    return Finding(cell, mean(values), deviation(values), spread, bootstrap, paired, against_paper(cell, setting))


def _comparison(cell: Cell, setting: Setting, by_place: Mapping[tuple[str, str], Cell]) -> Comparison | None:
    baseline = cell.against or setting.baseline
    other = by_place.get((baseline, cell.domain)) if baseline and baseline != cell.method else None
    return over_shared_seeds(cell, other) if other else None


def _tested(compared: Mapping[tuple[str, str], Comparison]) -> dict[tuple[str, str], Paired]:
    ps = [p for c in compared.values() if (p := sign_flip_p(list(c.differences.values()))) is not None]
    corrected = zip(compared.items(), ps, holm(ps), strict=True)
    return {place: Paired(comparison, p, q) for (place, comparison), p, q in corrected}


def against_paper(cell: Cell, setting: Setting) -> AgainstPaper | None:
    """How the cell stands to the paper's number; None where there is none, or nothing was run."""
    if cell.published is None or not cell.accuracies:
        return None
    theirs = cell.published
    gap = mean(cell.percent) - 100 * theirs.mean
    interval = _gap_interval(cell.percent, theirs)
    comparable = not setting.departures_on(cell.domain)
    return AgainstPaper(gap, interval, agreement(interval, len(cell.accuracies)) if comparable else NOT_COMPARABLE)


def _gap_interval(percent: Sequence[float], theirs: Published) -> Interval | None:
    """Welch's; where the paper gives no spread, our runs' alone, as if its number were exact."""
    if theirs.deviation is None or theirs.runs is None:
        return t_interval([value - 100 * theirs.mean for value in percent])
    return welch_interval(percent, 100 * theirs.mean, 100 * theirs.deviation, theirs.runs)


def agreement(interval: Interval | None, seeds: int) -> str:
    """What the interval of a difference in points allows to say about agreement; nothing with very few seeds."""
    if seeds < LEAST_PAIRS:
        interval = None
    if interval is not None and not interval.includes(0):
        return DIFFERS
    if interval is not None and max(abs(interval.low), abs(interval.high)) <= MARGIN:
        return AGREES
    return f"not decided with {counted(seeds, 'seed')}"
