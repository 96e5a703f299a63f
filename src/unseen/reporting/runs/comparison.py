"""Every method measured on every domain and compared with the baseline, as figures and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unseen.data.domain import Domain
from unseen.reporting.evaluation import Score, score_run
from unseen.reporting.finished.methods import Method, baseline_of, unlike
from unseen.reporting.kit import wording as verdicts
from unseen.reporting.kit.measure import ACCURACY, MIOU
from unseen.reporting.kit.statistics import mean, wilson
from unseen.reporting.kit.wording import Comparison, compare
from unseen.reporting.runs.bars import BarChart, bar_chart
from unseen.reporting.runs.dots import DomainScores, accuracy_chart, difference_chart
from unseen.reporting.runs.samples import Network

Scores = Mapping[str, Mapping[str, Mapping[int, Score]]]
"""domain -> method label -> seed -> score"""


def score_methods(
    methods: Sequence[Method], domains: Sequence[Domain], load: Callable[[Path], Network] | None
) -> Scores:
    """Every run and ensemble on every domain; ``load`` gives networks that their folders alone can't."""
    found: dict[str, dict[str, dict[int, Score]]] = {d.name: {m.label: {} for m in methods} for d in domains}
    for method in methods:
        for run in method.runs:
            net = load(run.folder) if load else None
            for domain, score in zip(domains, score_run(run.folder, domains, net), strict=True):
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


def class_charts(scores: Scores, domains: Sequence[Domain], methods: Sequence[Method]) -> list[BarChart]:
    """Every class's IoU on each domain whose labels are masks."""
    return [_class_chart(scores[domain.name], domain, methods) for domain in domains if domain.segmented]


def _class_chart(scores: Mapping[str, Mapping[int, Score]], domain: Domain, methods: Sequence[Method]) -> BarChart:
    ious = {label: {seed: s.iou for seed, s in seeds.items() if s.iou is not None} for label, seeds in scores.items()}
    true = [bool((domain.labels == i).any()) for i in range(len(domain.classes))]
    return bar_chart(domain.name, domain.classes, true, ious, methods)


def comparison(methods: Sequence[Method], scored: Sequence[DomainScores]) -> dict[str, Any]:
    """Every method against the baseline on every domain: what the page's first section shows."""
    baseline = baseline_of(methods)
    others = [method for method in methods if method is not baseline] if baseline else []
    compared: dict[tuple[str, str], Comparison] = {}
    for domain in scored:
        for method in others:
            assert baseline is not None
            ours, theirs = domain.values[method.label], domain.values[baseline.label]
            found = compare(domain.name, method.name, baseline.name, ours, theirs, domain.measure)
            compared[domain.name, method.label] = found
    unseen = [c for d in scored for m in others if not d.source for c in [compared[d.name, m.label]]]
    return {
        "baseline": baseline,
        "scored": scored,
        "measure": scored[0].measure,
        "compared": compared,
        "verdicts": unseen,
        "fewest_pairs": min((len(c.differences) for c in unseen), default=0),
        "headline": verdicts.headline(unseen) if unseen else _no_comparison(methods, scored),
        "accuracy_chart": accuracy_chart(scored, methods),
        "difference_chart": difference_chart(scored, methods, compared) if compared else None,
        "cells": {(d.name, m.label): _cell(d, m) for d in scored for m in methods},
    }


def caveats(methods: Sequence[Method]) -> list[tuple[Method, list[str]]]:
    """The methods whose training differs from the baseline's in more than the rounds, and in what."""
    baseline = baseline_of(methods)
    if baseline is None:
        return []
    return [(method, differing) for method in methods if (differing := unlike(method, baseline))]


def _no_comparison(methods: Sequence[Method], scored: Sequence[DomainScores]) -> str:
    if len(methods) > 1:
        return f"{verdicts.counted(len(methods), 'method')} on unseen domains, without plain training to compare with"
    own = next((_mean_percent(d, methods[0]) for d in scored if d.source), None)
    away = [_mean_percent(d, methods[0]) for d in scored if not d.source]
    reach = " to ".join(f"{value:.1f}" for value in dict.fromkeys([min(away), max(away)]))
    what = "right" if scored[0].measure.over_images else scored[0].measure.name
    finding = f"{methods[0].label} has {reach} % {what} on {verdicts.counted(len(away), 'unseen domain')}"
    return finding if own is None else f"{finding}, and {own:.1f} % on its own"


def _mean_percent(domain: DomainScores, method: Method) -> float:
    return 100 * mean(list(domain.values[method.label].values()))


def _cell(domain: DomainScores, method: Method) -> dict[str, Any]:
    """A cell of the table: the mean and each seed's own; an accuracy alone has an interval over the test images."""
    seeds = domain.values[method.label]
    alone = next(iter(seeds.values())) if len(seeds) == 1 and domain.measure.over_images else None
    return {
        "mean": mean(list(seeds.values())),
        "seeds": seeds,
        "wilson": wilson(alone, domain.images) if alone is not None else None,
    }
