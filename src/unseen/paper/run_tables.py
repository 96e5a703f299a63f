"""Tables of the runs behind a recipe's numbers: what their rounds made, what their ensembles reach under every rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unseen.ensembles import rules
from unseen.paper.lab import Lab, Source
from unseen.paper.methods import Ensembled, Trained
from unseen.paper.results import Results
from unseen.paper.tables import NONE
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet
from unseen.runs.rounds import RoundRecord

ROUNDS_CAPTION = (
    "Means over a round's images, of newer runs over at most 256 of them, drawn; then over seeds. The loss is that of "
    "the network when the round began, on the images the round took up and on the fictitious ones it made of them; L2 "
    "is how far these went, over all pixels and channels of a 32x32 image (0.1 is 0.002 in root mean square)."
)
RULES_CAPTION = (
    "Accuracy in percent, mean over the ensembles. One member: the mean of the members' own accuracies, what a member "
    "drawn at random would reach. The paper's text says greatest-softmax; its equation, read literally, is "
    "greatest-score (docs/ensembles.md has the rules)."
)


def rounds_sheet(methods: Sequence[Trained], lab: Lab, results: Results, seeds: int) -> Sheet:
    """A row for each round of each training that was run."""
    rows = []
    for method in methods:
        runs = [method.rounds(results, source, seed) for source in lab.sources for seed in range(seeds)]
        records = [record for run in runs for record in run]
        for k in sorted({record.round for record in records}):
            rows.append(_round_row(method.label, k, [record for record in records if record.round == k]))
    headings = ("training", "round", "seeds", "loss before", "loss after", "L2")
    return Sheet("What the rounds made", headings, rows, ROUNDS_CAPTION, frozenset({0}))


def _round_row(label: str, k: int, records: Sequence[RoundRecord]) -> tuple[str, ...]:
    before, after = mean([record.loss_before for record in records]), mean([record.loss_after for record in records])
    moved = mean([record.moved for record in records])
    return (label, str(k), str(len(records)), f"{before:.2f}", f"{after:,.2f}", f"{moved:,.3g}")


def rules_sheet(methods: Sequence[Ensembled], lab: Lab, results: Results, seeds: int) -> Sheet:
    """A row for each ensemble on each domain, where it was measured."""
    rows = [
        (lab.label(source.name, target), method.label, str(len(made)), *_entries(method, source, results, made, target))
        for source in lab.sources
        for target in source.targets
        for method in methods
        if (made := [seed for seed in range(seeds) if method.accuracy(results, source, seed, target) is not None])
    ]
    headings = ("domain", "ensembles", "seeds", "one member", *rules.RULES)
    return Sheet("Under every rule", headings, rows, RULES_CAPTION, frozenset({0, 1}))


def _entries(method: Ensembled, source: Source, results: Results, seeds: Sequence[int], target: str) -> list[str]:
    alone = [accuracy for seed in seeds for accuracy in method.alone(results, source, seed, target)]
    under = [replace(method, rule=rule) for rule in rules.RULES]
    together = [[each.accuracy(results, source, seed, target) for seed in seeds] for each in under]
    return [_mean(accuracies) for accuracies in (alone, *together)]


def _mean(accuracies: Sequence[float | None]) -> str:
    """In percent; nothing where one is missing, as in results of before there was the rule."""
    known = [accuracy for accuracy in accuracies if accuracy is not None]
    return f"{100 * mean(known):.1f}" if known and len(known) == len(accuracies) else NONE
