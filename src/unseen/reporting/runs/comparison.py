"""Every method measured on every domain and compared with the baseline: charts, a table, and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.base.labels import class_counts
from unseen.data.domain import Domain
from unseen.reporting.evaluation import Score, Warn, score_run
from unseen.reporting.finished.methods import Method, baseline_of, other_settings
from unseen.reporting.kit import wording
from unseen.reporting.kit.dots import DotGroup, Dots, dot_chart
from unseen.reporting.kit.measure import ACCURACY, MIOU
from unseen.reporting.kit.scores import DomainScores, score_chart
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import Comparison, compare, counted, signed, span
from unseen.reporting.runs.class_bars import ClassChart, class_chart
from unseen.reporting.runs.samples import Network

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Scores = Mapping[str, Mapping[str, Mapping[int, Score]]]
"""domain -> method label -> seed -> score"""
Compared = Mapping[tuple[str, str], Comparison]
"""domain and method label -> comparison with the baseline"""


def score_methods(
    methods: Sequence[Method],
    domains: Sequence[Domain],
    load: Callable[[Path], Network] | None,
    warn: Warn | None = None,
) -> Scores:
    """Every run and ensemble on every domain; ``load`` gives networks that their folders alone can't.

    ``warn`` is told of folders that can't be written to.
    """
    found: dict[str, dict[str, dict[int, Score]]] = {d.name: {m.label: {} for m in methods} for d in domains}
    for method in methods:
        for run in method.runs:
            net = load(run.folder) if load else None
            for domain, score in zip(domains, score_run(run.folder, domains, net, warn=warn), strict=True):
                found[domain.name][method.label][run.seed] = score
    return found


def domain_scores(scores: Scores, unseen: Sequence[Domain], held_out: Sequence[Domain]) -> list[DomainScores]:
    """The accuracies or mIoUs, the unseen domains first."""
    return [
        DomainScores(
            domain.name,
            len(domain),
            len(domain.classes),
            {label: {seed: score.value for seed, score in s.items()} for label, s in scores[domain.name].items()},
            domain in held_out,
            MIOU if domain.segmented else ACCURACY,
        )
        for domain in [*unseen, *held_out]
    ]


def class_charts(scores: Scores, domains: Sequence[Domain], methods: Sequence[Method]) -> list[ClassChart]:
    """Every class's IoU on each domain whose labels are masks."""
    return [_class_chart(scores[domain.name], domain, methods) for domain in domains if domain.segmented]


def _class_chart(scores: Mapping[str, Mapping[int, Score]], domain: Domain, methods: Sequence[Method]) -> ClassChart:
    ious = {label: {seed: s.iou for seed, s in seeds.items() if s.iou is not None} for label, seeds in scores.items()}
    true = [count > 0 for count in class_counts(domain.labels, len(domain.classes)).tolist()]
    return class_chart(domain.name, domain.classes, true, ious, methods)


def comparison(methods: Sequence[Method], scored: Sequence[DomainScores]) -> dict[str, Any]:
    """Every method against the baseline on every domain: what the page's first section shows."""
    baseline = baseline_of(methods)
    compared = against_baseline(methods, scored)
    unseen = on_unseen(scored, compared)
    reach = _reach(list(compared.values()))
    return {
        "baseline": baseline,
        "scored": scored,
        "measure": scored[0].measure,
        "verdicts": unseen,
        "fewest_pairs": min((len(c.differences) for c in unseen), default=0),
        "headline": wording.headline(unseen) if unseen else _no_comparison(methods, scored),
        "score_chart": score_chart(scored, {method.label: method.style for method in methods}),
        "difference_chart": _difference_chart(scored, methods, compared, reach) if compared else None,
        "cut": any(c.interval and max(-c.interval.low, c.interval.high) > reach for c in compared.values()),
        "sheet": _sheet(scored, methods, compared),
    }


def against_baseline(methods: Sequence[Method], scored: Sequence[DomainScores]) -> Compared:
    """Every other method compared with the baseline on every domain; empty without a baseline."""
    baseline = baseline_of(methods)
    if baseline is None:
        return {}
    return {
        (domain.name, method.label): compare(
            domain.name,
            method.name,
            baseline.name,
            domain.values[method.label],
            domain.values[baseline.label],
            domain.measure,
        )
        for domain in scored
        for method in methods
        if method is not baseline
    }


def on_unseen(scored: Sequence[DomainScores], compared: Compared) -> list[Comparison]:
    """The comparisons on unseen domains, domain by domain."""
    unseen = {domain.name for domain in scored if not domain.source}
    return [found for (name, _), found in compared.items() if name in unseen]


def caveats(methods: Sequence[Method]) -> list[tuple[Method, list[str]]]:
    """The methods whose training differs from the baseline's in more than the rounds, and in what."""
    baseline = baseline_of(methods)
    if baseline is None:
        return []
    return [(method, differing) for method in methods if (differing := other_settings(method, baseline))]


def _no_comparison(methods: Sequence[Method], scored: Sequence[DomainScores]) -> str:
    if len(methods) > 1:
        return f"{counted(len(methods), 'method')} on unseen domains, without ERM to compare with"
    label, name = methods[0].label, scored[0].measure.name
    unseen = [100 * domain.mean(label) for domain in scored if not domain.source]
    own = next((f"; on its own domain {100 * domain.mean(label):.1f} %" for domain in scored if domain.source), "")
    reach = " to ".join(f"{value:.1f}" for value in dict.fromkeys([min(unseen), max(unseen)]))
    return f"{label} has {reach} % {name} on {counted(len(unseen), 'unseen domain')}{own}"


# The differences as a chart.


def _difference_chart(
    domains: Sequence[DomainScores], methods: Sequence[Method], compared: Compared, reach: float
) -> Figure:
    """Every seed's difference from the baseline, the mean and its interval; rows as in ``score_chart``."""
    groups = []
    for domain in domains:
        found = [(method.style, compared.get((domain.name, method.label))) for method in methods]
        rows = [_difference_row(style, each) if each else None for style, each in found]
        groups.append(DotGroup(domain.name, rows, "held-out source: not unseen" * domain.source, domain.source))
    return dot_chart(groups, (-reach, reach), _signed_tick, line=(0, ""), margin=142)


def _difference_row(style: int, c: Comparison) -> Dots:
    detail = span(c.interval) if c.interval else "no interval"
    return Dots(style, list(c.differences.values()), c.gap, signed(c.gap), c.interval, detail)


def _signed_tick(value: float) -> str:
    return f"{value:+g}".replace("-", wording.MINUS) if value else "0"


def _reach(comparisons: Sequence[Comparison]) -> float:
    """Far enough for all seeds and for intervals, unless those are so wide that they would hide the rest."""
    seen = [value for c in comparisons for value in (c.gap, *c.differences.values())]
    ends = [end for c in comparisons if c.interval for end in (c.interval.low, c.interval.high)]
    most = max(1.0, *map(abs, [0.0, *seen]))
    return min(max([most, *map(abs, ends)]), 2.5 * most) * 1.08


# The table.


def _sheet(domains: Sequence[DomainScores], methods: Sequence[Method], compared: Compared) -> Sheet:
    measure, labels = domains[0].measure, [method.label for method in methods]
    several, single = (any((len(m.runs) > 1) is many for m in methods) for many in (True, False))
    headings = ["Domain", "Method", f"{measure.title}, %"]
    if each := measure.over_images or several:
        headings.append("Each seed, %" if several else "95 % over images")
    if compared:
        base = next(iter(compared.values())).baseline
        headings += [f"Against {base}, points", "95 % interval", "Paired seeds"]
    mark = " *" * (len(methods) > 1)
    rows = []
    for domain in domains:
        for label in labels:
            entries = [f"{100 * domain.mean(label):.1f}", *([_each(domain, label, mark)] if each else [])]
            found = compared.get((domain.name, label))
            rows.append((domain.name, label, *entries, *(_difference(found) if compared else ())))
    starred = " * one seed: the 95 % Wilson interval over the test images." * bool(
        measure.over_images and single and mark
    )
    return Sheet(
        f"{measure.title} by domain",
        tuple(headings),
        rows,
        f"{measure.meaning}{'; the mean where there are several seeds' * several}.{starred}",
        words=frozenset({0, 1}),
        notes={d.name: f"{d.images:,} images{'; held-out source, not unseen' * d.source}" for d in domains},
        aside=frozenset(domain.name for domain in domains if domain.source),
        styles={method.label: method.style for method in methods},
    )


def _each(domain: DomainScores, label: str, mark: str) -> str:
    """Each seed's value; of a single accuracy, its interval over the test images."""
    alone = domain.over_images(label)
    if alone:
        return f"{100 * alone.low:.1f} to {100 * alone.high:.1f}{mark}"
    return " · ".join(f"{100 * value:.1f}" for value in domain.values[label].values())


def _difference(c: Comparison | None) -> tuple[str, str, str]:
    if c is None:
        return "", "", ""
    return signed(c.gap), span(c.interval) if c.interval else "none", str(len(c.differences))
