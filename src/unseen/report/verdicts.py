"""What the numbers say, in words: one sentence for each comparison, and the page's headline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from unseen.report.statistics import Interval, mean, t_interval

Outcome = Literal["above", "below", "unclear"]
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Comparison:
    """A method against the baseline on one domain; differences are in points (percent accuracy)."""

    domain: str
    method: str
    baseline: str
    gap: float
    """the mean difference: over the seeds both have, or of the means when they share none"""
    differences: Mapping[int, float]
    """seed -> difference, for the seeds both have"""
    interval: Interval | None

    @property
    def outcome(self) -> Outcome:
        """What can be said: ``unclear`` when there is no interval, or it includes 0."""
        if self.interval is None or self.interval.includes(0):
            return "unclear"
        return "above" if self.gap > 0 else "below"


def compare(
    domain: str, method: str, baseline: str, ours: Mapping[int, float], theirs: Mapping[int, float]
) -> Comparison:
    """Compare accuracies (seed -> share) of a method and the baseline, paired by seed."""
    differences = {seed: 100 * (ours[seed] - theirs[seed]) for seed in sorted(ours) if seed in theirs}
    if differences:
        gap = mean(list(differences.values()))
    else:
        gap = 100 * (mean(list(ours.values())) - mean(list(theirs.values())))
    return Comparison(domain, method, baseline, gap, differences, t_interval(list(differences.values())))


def points(value: float) -> str:
    """A difference without its sign: one decimal, or two where one would say 0."""
    return f"{abs(value):.1f}" if abs(value) >= 0.05 or value == 0 else f"{abs(value):.2f}"


def signed(value: float) -> str:
    """A difference with its sign."""
    sign = "+" if value > 0 else MINUS if value < 0 else "±"
    return sign + points(value)


def span(interval: Interval) -> str:
    """``+1.0 to +5.2``."""
    return f"{signed(interval.low)} to {signed(interval.high)}"


def counted(number: int, thing: str) -> str:
    """``1 seed``, ``3 seeds``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def sentence(c: Comparison) -> str:
    """The comparison in plain words, its evidence included."""
    return f"On {c.domain} {_finding(c)}."


def _finding(c: Comparison) -> str:
    seeds = counted(len(c.differences), "seed")
    where = _where(c)
    if c.interval is None:
        why = f"{seeds}: no interval can be given" if c.differences else "no seed in common: no interval can be given"
        return f"{where} ({why})"
    evidence = f"95 % interval {span(c.interval)}, {seeds}"
    if c.outcome == "unclear":
        return f"{where} on average, but we can't tell with {seeds} (95 % interval {span(c.interval)})"
    return f"{where} ({evidence})"


def _where(c: Comparison) -> str:
    if c.gap > 0:
        return f"{c.method} is {points(c.gap)} points above {c.baseline}"
    if c.gap < 0:
        return f"{c.method} does NOT beat {c.baseline}: {points(c.gap)} points below"
    return f"{c.method} does NOT beat {c.baseline}: no difference"


def headline(comparisons: Sequence[Comparison]) -> str:
    """The finding over all unseen domains; nothing is left out of it."""
    methods = list(dict.fromkeys(c.method for c in comparisons))
    if len(methods) == 1:
        return _one_method(comparisons)
    counts = [_beaten([c for c in comparisons if c.method == method]) for method in methods]
    domains = counted(len({c.domain for c in comparisons}), "unseen domain")
    each = listed([f"{method} on {count}" for method, count in zip(methods, counts, strict=True)])
    return f"Of {domains}, {comparisons[0].baseline} is clearly beaten by {each}"


def _beaten(comparisons: Sequence[Comparison]) -> str:
    count = sum(c.outcome == "above" for c in comparisons)
    return str(count) if count else "none"


def _one_method(comparisons: Sequence[Comparison]) -> str:
    method, baseline = comparisons[0].method, comparisons[0].baseline
    total = len(comparisons)
    if all(c.interval is None for c in comparisons):
        up = sum(c.gap > 0 for c in comparisons)
        pairs = max(len(c.differences) for c in comparisons)
        number = "none" if not up else f"{up}"
        evidence = "with one seed, which can't settle it" if pairs else "with no seed in common, which can't settle it"
        return f"{method} scores above {baseline} on {number} of {counted(total, 'unseen domain')}, {evidence}"
    parts = [
        part
        for outcome, words in (
            ("above", f"{method} beats {baseline} on"),
            ("below", f"{method} does worse than {baseline} on"),
            ("unclear", "can't tell on"),
        )
        if (part := _part(words, [c.domain for c in comparisons if c.outcome == outcome], total))
    ]
    if len(parts) == 1 and parts[0].startswith("can't"):
        seeds = counted(max(len(c.differences) for c in comparisons), "seed")
        where = f"any of the {total} unseen domains" if total > 1 else comparisons[0].domain
        return f"With {seeds} we can't tell whether {method} beats {baseline} on {where}"
    return "; ".join(parts)


def _part(words: str, domains: list[str], total: int) -> str:
    if not domains:
        return ""
    if len(domains) == total:
        return f"{words} {f'all {total} unseen domains' if total > 1 else domains[0]}"
    return f"{words} {listed(domains)}"


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
