"""What the numbers say, in words: one sentence for each comparison, and the page's headline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from unseen.reporting.kit.measure import ACCURACY, Measure
from unseen.reporting.kit.statistics import Interval, mean, seed_means, t_interval

Outcome = Literal["above", "below", "unclear"]
AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"  # with a published number
MINUS = "\N{MINUS SIGN}"
METHODS_IN_WORDS = 3  # more make no headline
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Comparison:
    """A method against the baseline on one domain; differences are in points (percent accuracy or mIoU)."""

    domain: str
    method: str
    baseline: str
    gap: float
    """the mean difference: over the seeds both have, or of the means when they share none"""
    differences: Mapping[int, float]
    """seed -> difference, for the seeds both have"""
    interval: Interval | None
    measure: Measure = ACCURACY

    @property
    def outcome(self) -> Outcome:
        """What can be said: ``unclear`` when there is no interval, or it includes 0."""
        if self.interval is None or self.interval.includes(0):
            return "unclear"
        return "above" if self.gap > 0 else "below"


def compare(
    domain: str,
    method: str,
    baseline: str,
    scores: Mapping[int, float],
    baseline_scores: Mapping[int, float],
    measure: Measure = ACCURACY,
) -> Comparison:
    """Compare accuracies or mIoUs (seed -> share) of a method and the baseline, paired by seed."""
    both = [seed for seed in sorted(scores) if seed in baseline_scores]
    differences = {seed: 100 * (scores[seed] - baseline_scores[seed]) for seed in both}
    if differences:
        gap = mean(list(differences.values()))
    else:
        gap = 100 * (mean(list(scores.values())) - mean(list(baseline_scores.values())))
    return Comparison(domain, method, baseline, gap, differences, t_interval(list(differences.values())), measure)


def pool(comparisons: Sequence[Comparison], method: str) -> Comparison:
    """Comparisons on one domain that share their seeds as one, called ``method``: means per seed, then the interval.

    A seed counts once, with those of the comparisons that have it.
    """
    first, differences = comparisons[0], seed_means([each.differences for each in comparisons])
    values = list(differences.values())
    gap = mean(values or [each.gap for each in comparisons])
    return replace(first, method=method, gap=gap, differences=differences, interval=t_interval(values))


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


def with_span(gap: float, interval: Interval | None) -> str:
    """``+3.1 (+1.0 to +5.2)``, or the gap alone where there is no interval."""
    return f"{signed(gap)} ({span(interval)})" if interval else signed(gap)


def short(value: float) -> str:
    """A measured size with two digits that matter: ``1.23``, ``0.077``, ``9.3 x 10^-5`` as one would print it."""
    if value == 0 or not abs(value) < 0.1:  # NaN too
        return f"{value:.2f}"
    if abs(value) >= 0.001:
        return f"{value:.2g}"
    digits, _, exponent = f"{value:.1e}".partition("e")
    return f"{digits}\N{MULTIPLICATION SIGN}{power_of_ten(int(exponent))}"


def power_of_ten(exponent: int) -> str:
    """``10⁻²``."""
    return f"10{str(exponent).translate(_RAISED)}"


def counted(number: int, thing: str) -> str:
    """``1 seed``, ``3 seeds``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def sentence(c: Comparison) -> str:
    """The comparison in words, its evidence included."""
    return f"On {c.domain} {_finding(c)}."


def _finding(c: Comparison) -> str:
    seeds = counted(len(c.differences), "seed")
    where = _where(c)
    if c.interval is None:
        why = f"{seeds}: no interval can be given" if c.differences else "no seed in common: no interval can be given"
        return f"{where} ({why})"
    if not any(c.differences.values()):
        return f"{c.method} does NOT beat {c.baseline}: the same {c.measure.name} with each of {seeds}"
    if c.outcome == "unclear":
        return f"{where} on average, but the 95 % interval includes zero ({span(c.interval)}, {seeds})"
    return f"{where} (95 % interval {span(c.interval)}, {seeds})"


def _where(c: Comparison) -> str:
    if c.gap > 0:
        return f"{c.method} is {points(c.gap)} {c.measure.unit} above {c.baseline}"
    if c.gap < 0:
        return f"{c.method} does NOT beat {c.baseline}: {points(c.gap)} {c.measure.unit} below"
    return f"{c.method} does NOT beat {c.baseline}: no difference"


def headline(comparisons: Sequence[Comparison]) -> str:
    """The finding over all unseen domains, in words for a few methods, counted for more; no domain is left out."""
    methods: dict[str, list[Comparison]] = {}
    for c in comparisons:
        methods.setdefault(c.method, []).append(c)
    if len(methods) == 1:
        return _one_method(comparisons)
    if len(methods) > METHODS_IN_WORDS or all(c.interval and c.outcome == "unclear" for c in comparisons):
        return _counted_methods(comparisons, len(methods))
    most_first = sorted(methods.values(), key=lambda found: -sum(c.outcome == "above" for c in found))
    return ". ".join(_one_method(found, among_others=True) for found in most_first)


def _counted_methods(comparisons: Sequence[Comparison], methods: int) -> str:
    beaten = {c.domain: 0 for c in comparisons}
    for c in comparisons:
        beaten[c.domain] += c.outcome == "above"
    if not any(beaten.values()):
        return f"None of {methods} methods clearly beats {comparisons[0].baseline} on {_any_of(list(beaten))}"
    first, *rest = [(domain, count or "none") for domain, count in beaten.items()]
    each = [f"{first[1]} of {methods} methods on {first[0]}", *(f"{count} on {domain}" for domain, count in rest)]
    return f"{comparisons[0].baseline} is clearly beaten by {listed(each)}"


def _one_method(comparisons: Sequence[Comparison], *, among_others: bool = False) -> str:
    method, baseline = comparisons[0].method, comparisons[0].baseline
    total = len(comparisons)
    if all(c.interval is None for c in comparisons):
        up = sum(c.gap > 0 for c in comparisons)
        pairs = max(len(c.differences) for c in comparisons)
        number = "none" if not up else f"{up}"
        evidence = "with one seed: no interval" if pairs else "with no seed in common: no interval"
        return f"{method} scores above {baseline} on {number} of {counted(total, 'unseen domain')}, {evidence}"
    by_outcome = {o: [c.domain for c in comparisons if c.outcome == o] for o in ("above", "below", "unclear")}
    if len(by_outcome["unclear"]) == total:
        seeds = counted(max(len(c.differences) for c in comparisons), "seed")
        found = "No clear" if among_others else f"With {seeds} there is no clear"
        return f"{found} difference between {method} and {baseline} on {_any_of(by_outcome['unclear'])}"
    beats, worse = f"{method} beats {baseline} on", f"{method} does worse than {baseline} on"
    words = {
        "above": beats,
        "below": "does worse on" if by_outcome["above"] else worse,
        "unclear": "no clear difference on",
    }
    return "; ".join(f"{words[o]} {_all_or_listed(names, total)}" for o, names in by_outcome.items() if names)


def _any_of(domains: Sequence[str]) -> str:
    return f"any of the {len(domains)} unseen domains" if len(domains) > 1 else domains[0]


def _all_or_listed(domains: list[str], total: int) -> str:
    return f"all {total} unseen domains" if len(domains) == total > 1 else listed(domains)


def listed(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def curly(text: str) -> str:
    """Prose with the apostrophes of print."""
    return text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
