"""What claims share: differences from the same runs are not so many separate proofs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from unseen.paper.cells import Cell
from unseen.paper.claims import Judged
from unseen.paper.results import run_key
from unseen.reporting.kit.statistics import correlation, deviation
from unseen.reporting.kit.wording import counted, listed

if TYPE_CHECKING:
    from unseen.paper.section import Section

_ENOUGH = 5
"""seeds that a correlation takes to be worth telling"""


def shared_runs(judged: Sequence[Judged], sections: Sequence[Section], shared: Mapping[str, Sequence[str]]) -> str:
    """How many comparisons take their difference from the same runs, and how far those of the baseline move them.

    ``shared`` has what the runs are, and their names (RECIPE/METHOD): the baseline first, then others that several
    claims have on a side. Sentences for people; nothing where less than two seeds of the baseline are there.
    """
    (what, (baseline,)), *others = shared.items()
    own, names = _same_runs(sections, baseline)
    used = [each.comparison for some in judged for each in some.compared if each.names & names]
    moves = [
        f"{spread / math.sqrt(pairs):.1f} points on {column} with {counted(pairs, 'seed')}"
        for column, cell in own.items()
        if (pairs := max((len(c.differences) for c in used if c.domain == column), default=0)) > 1
        if (spread := deviation(cell.percent)) is not None
    ]
    if not moves:
        return ""
    every = sum(len(each.compared) for each in judged)
    said = (
        f"Claims are not independent. {_used(judged, names, f' of the {every} comparisons')} are differences from the "
        f"same {what} runs, whose mean has a standard error of {listed(moves)}, and more with fewer: where it is off "
        "by so much, all of them are, and in one direction."
    )
    said += _made_of(judged, sections, names, what)
    for what, some in others:
        names = {name for each in some for name in _same_runs(sections, each)[1]}
        if not names:
            continue
        said += f" {_used(judged, names)} have the same {what} runs on a side.{_made_of(judged, sections, names, what)}"
    return said


def _made_of(judged: Sequence[Judged], sections: Sequence[Section], names: set[str], what: str) -> str:
    """How many more comparisons have an ensemble of such runs, or an adaptation of one, on a side."""
    trainings: dict[str, set[str]] = {}
    for section, cell, name in _named(sections):
        trainings.setdefault(name, set()).update(_trainings(section, cell))
    own = set().union(*(trainings[name] for name in names))
    made = {name for name, some in trainings.items() if some & own} - names
    others = [[each for each in some.compared if not each.names & names and each.names & made] for some in judged]
    if not any(others):
        return ""
    claims = counted(sum(map(bool, others)), "claim")
    return f" {sum(map(len, others))} more, in {claims}, have ensembles or adaptations of {what} runs on a side."


def _trainings(section: Section, cell: Cell) -> set[str]:
    """What has to be trained for a cell, by key."""
    methods = [method for method in section.recipe.compared(section.lab) if method.label == cell.method]
    sources = [source for source in section.lab.sources if source.name == cell.source]
    measured = [
        m
        for method in methods
        for source in sources
        for seed in cell.accuracies
        for m in method.measurements(source, seed)
    ]
    return {run_key(request) for m in measured for request in m.needs}


def _named(sections: Sequence[Section]) -> Iterator[tuple[Section, Cell, str]]:
    """Every cell that has something, and its name (RECIPE/METHOD)."""
    for section in sections:
        for cell in section.every:
            if cell.accuracies:
                yield section, cell, f"{section.recipe.name}/{cell.method}"


def _used(judged: Sequence[Judged], names: set[str], of: str = "") -> str:
    """``20 of the 62 comparisons, in 3 claims,``: those that have one of these methods on a side."""
    counts = [sum(bool(each.names & names) for each in some.compared) for some in judged]
    return f"{sum(counts)}{of}, in {counted(sum(map(bool, counts)), 'claim')},"


def alike_in_words(judged: Sequence[Judged]) -> str:
    """How much pairing by seed removes, and how far a claim's domains tell the same thing: correlations over seeds."""
    sides = [
        each.alike
        for some in judged
        for each in some.compared
        if each.alike is not None and len(each.comparison.differences) >= _ENOUGH
    ]
    found = [one for some in judged if (one := _between_columns(some)) is not None]
    said = []
    if sides:
        said.append(
            f"Over seeds, the two sides of a comparison correlate at {median(sides):.2f} in the median "
            f"({counted(len(sides), 'comparison')} with {_ENOUGH} seeds or more): the less, the less pairing removes."
        )
    if found:
        said.append(
            f"The differences on a claim's first two domains correlate at {median(found):.2f} "
            f"({counted(len(found), 'claim')}): the more, the less two domains are two proofs."
        )
    return " ".join(said)


def _between_columns(judged: Judged) -> float | None:
    """The correlation of a claim's effects on its first two columns, over the seeds both have, if these are enough."""
    if len(judged.effects) < 2:
        return None
    first, second = (effect.comparison.differences for effect in judged.effects[:2])
    both = sorted(first.keys() & second.keys())
    return correlation([first[s] for s in both], [second[s] for s in both]) if len(both) >= _ENOUGH else None


def _same_runs(sections: Sequence[Section], baseline: str) -> tuple[dict[str, Cell], set[str]]:
    """The baseline's cells by domain, and every name (RECIPE/METHOD) under which the same runs go."""
    cells = [(name, cell) for _, cell, name in _named(sections)]
    own = {cell.domain: cell for name, cell in cells if name == baseline}
    same = {name for name, cell in cells if (known := own.get(cell.domain)) and known.accuracies == cell.accuracies}
    return own, same
