"""What a recipe's ensembles come to under every rule, and what one of their members does alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unseen.ensembles import rules
from unseen.paper.lab import Lab, Source
from unseen.paper.methods import Ensembled
from unseen.paper.results import Results
from unseen.paper.tables import NONE
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet

CAPTION = (
    "Accuracy in percent, mean over the ensembles. One member: the mean of the members' own accuracies, what a member "
    "drawn at random would reach. The paper's text says greatest-softmax; its equation, read literally, is "
    "greatest-score (docs/ensembles.md has the rules)."
)


def rules_sheet(methods: Sequence[Ensembled], lab: Lab, results: Results, seeds: int) -> Sheet:
    """A row for each ensemble on each domain, where it was measured."""
    rows = [
        (lab.label(source.name, target), method.label, str(len(made)), *_entries(method, source, results, made, target))
        for source in lab.sources
        for target in source.targets
        for method in methods
        if (made := [seed for seed in range(seeds) if method.accuracy(results, source, seed, target) is not None])
    ]
    headings = ("domain", "ensembles", "of them", "one member", *rules.RULES)
    return Sheet("Under every rule", headings, rows, CAPTION, frozenset({0, 1}))


def _entries(method: Ensembled, source: Source, results: Results, seeds: Sequence[int], target: str) -> list[str]:
    alone = [accuracy for seed in seeds for accuracy in method.alone(results, source, seed, target)]
    under = [replace(method, rule=rule) for rule in rules.RULES]
    together = [[each.accuracy(results, source, seed, target) for seed in seeds] for each in under]
    return [_mean(accuracies) for accuracies in (alone, *together)]


def _mean(accuracies: Sequence[float | None]) -> str:
    """In percent; nothing where one is missing, as in results of before there was the rule."""
    known = [accuracy for accuracy in accuracies if accuracy is not None]
    return f"{100 * mean(known):.1f}" if known and len(known) == len(accuracies) else NONE
