"""What `unseen evaluate` prints: tables of runs and domains, and of each class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import RenderableType
from rich.table import Column, Table

from unseen.base.terminal import plain
from unseen.data.domain import Domain
from unseen.ensembles.ensemble import Ensemble
from unseen.models.split import Split
from unseen.reporting.evaluation import Progress, Score, Selection, answers_of, score_run, selections_of
from unseen.runs.selection import LAST_ITERATE
from unseen.scoring.accuracy import Choice, Done
from unseen.scoring.mistakes import Confusion, missing_classes

ACROSS = 4
"""columns of numbers that a table of 80 characters has room for"""
MISTAKES = 3
"""how many kinds of mistakes are listed of each run on each domain"""

Item = TypeVar("Item")
Shares = Mapping[str, float | None]
"""of each class: its accuracy or IoU; None where there is none of it"""


class Scored:
    """The scores of runs on domains, and of each class where that is asked for."""

    def __init__(self, per_class: bool) -> None:
        self.per_class = per_class
        self._scores: dict[tuple[str, ...], dict[str, list[Score]]] = {}
        self._shares: dict[str, dict[str, Shares]] = {}
        self._mistakes: list[str] = []
        self._missing: dict[str, tuple[str, ...]] = {}
        self._selections: dict[str, list[Selection]] = {}
        self._unkept: dict[str, None] = {}
        self._guessed: list[str] = []

    def add(
        self,
        run: Path,
        domains: Sequence[Domain],
        net: Split | Ensemble | None,
        begin: Callable[[str, int], Done],
    ) -> None:
        """Measure a run, with a progress for each domain."""

        def progress(domain: Domain) -> Done:
            return begin(f"{run.name}, {domain.name}", len(domain))

        self._selections[run.name] = selections_of(run)
        if self.per_class:
            for domain in (each for each in domains if not each.segmented):
                self._add_classes(run, Confusion.of(domain, self._answers(run, domain, net, progress)))
        scores = score_run(run, domains, net, progress=progress, warn=self._warn)
        self._scores.setdefault(tuple(f"{s.domain} ({s.images:,})" for s in scores), {})[run.name] = scores
        for domain, score in zip(domains, scores, strict=True):
            self._missing[domain.name] = missing_classes(domain)
            classes, of_images = len(domain.classes), score.miou is None
            if of_images and classes > 1 and score.value <= 1 / classes:
                guessing = f"guessing among {classes:,} classes ({1 / classes:.1%})"
                self._guessed.append(f"{run.name} on {domain.name}: {score.value:.1%} is no better than {guessing}")
            if self.per_class and score.iou is not None:
                shares = dict(zip(domain.classes, score.iou, strict=True))
                self._shares.setdefault(f"{domain.name}: IoU of each class", {})[run.name] = shares

    def _answers(self, run: Path, domain: Domain, net: Split | Ensemble | None, progress: Progress) -> Choice:
        return answers_of(run, domain, net, progress=progress, warn=self._warn)

    def _warn(self, message: str) -> None:
        """Once, whatever else of a run can't be kept for the same reason."""
        self._unkept[message] = None

    def _add_classes(self, run: Path, found: Confusion) -> None:
        self._shares.setdefault(f"{found.domain}: accuracy of each class", {})[run.name] = found.per_class
        most = [f"{true} taken for {given} ({count:,})" for true, given, count in found.mistakes(MISTAKES)]
        if most:
            self._mistakes.append(f"Most frequent mistakes of {run.name} on {found.domain}: {', '.join(most)}.")

    def shown(self) -> Iterator[RenderableType]:
        """Everything, from the top."""
        for names, scored in self._scores.items():
            selections = {run: self._selections[run] for run in scored}
            yield from _tables(names, scored, selections)
            yield from map(plain, _chosen(selections))
        for title, runs in self._shares.items():
            yield from _class_tables(title, runs)
        for sentence in self._mistakes:
            yield plain(sentence)

    def remarks(self) -> Iterator[str]:
        """What can't be kept, scores no better than guessing, and the classes that domains have none of."""
        yield from self._unkept
        yield from self._guessed
        for name, missing in self._missing.items():
            if missing:
                yield f"{name} has none of {', '.join(missing)}: its score says nothing about {_them(missing)}"


def _them(names: Sequence[str]) -> str:
    return "that class" if len(names) == 1 else "those classes"


def _tables(
    names: Sequence[str], scored: Mapping[str, Sequence[Score]], selections: Mapping[str, list[Selection]]
) -> Iterator[Table]:
    """Runs down and domains across; the other way round, a few runs at a time, where the domains are many."""
    first, *_ = scored.values()
    rules = {each.rule for run in scored for each in selections[run]}
    which = f" of the {rules.pop()}" if len(rules) == 1 else ""
    title = f"{'Accuracy' if first[0].miou is None else 'mIoU'}{which} (images)"
    if len(names) <= ACROSS:
        table = Table(Column("run", overflow="fold"), *names, title=title)
        for run, scores in scored.items():
            table.add_row(run, *(f"{s.value:.1%}" for s in scores))
        yield table
        return
    for some in _a_few(scored):
        table = Table("domain", *(Column(run, overflow="fold") for run in some), title=title)
        for row, name in enumerate(names):
            table.add_row(name, *(f"{scores[row].value:.1%}" for scores in some.values()))
        yield table


def _chosen(selections: Mapping[str, list[Selection]]) -> list[str]:
    """For each run which weights are its result, where a rule chose some of them; target data is no part of it."""
    if all(each.chosen == LAST_ITERATE for every in selections.values() for each in every):
        return []
    each_run = {run: "; ".join(dict.fromkeys(each.chosen for each in every)) for run, every in selections.items()}
    return [f"{run}: {chosen}" for run, chosen in each_run.items()]


def _class_tables(title: str, runs: Mapping[str, Shares]) -> Iterator[Table]:
    """Classes down and runs across, a few at a time."""
    for some in _a_few(runs):
        table = Table(Column("class", overflow="fold"), *(Column(run, overflow="fold") for run in some))
        table.title = title
        for name in next(iter(some.values())):
            shares = [each.get(name) for each in some.values()]
            table.add_row(name, *("none there" if share is None else f"{share:.1%}" for share in shares))
        yield table


def _a_few(runs: Mapping[str, Item]) -> Iterator[dict[str, Item]]:
    for start in range(0, len(runs), ACROSS):
        yield dict(list(runs.items())[start : start + ACROSS])
