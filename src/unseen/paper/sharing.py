"""What claims share: differences from the same runs are not so many separate proofs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unseen.paper.cells import Cell
from unseen.paper.claims import Judged
from unseen.reporting.kit.statistics import deviation
from unseen.reporting.kit.wording import counted, listed

if TYPE_CHECKING:
    from unseen.paper.section import Section


def shared_runs(judged: Sequence[Judged], sections: Sequence[Section], baseline: str) -> str:
    """How many comparisons take their difference from the runs of ``baseline`` (RECIPE/METHOD), and how far these move.

    A sentence for people; nothing where less than two seeds of them are there.
    """
    own, names = _same_runs(sections, baseline)
    users = [each for each in judged if any(name in names for pair in each.claim.pairs for name in pair)]
    used = [comparison for each in users for comparison in each.comparisons if comparison.domain in own]
    moves = [
        f"{spread / math.sqrt(pairs):.1f} points on {column} with {counted(pairs, 'seed')}"
        for column, cell in own.items()
        if (pairs := max((len(c.differences) for c in used if c.domain == column), default=0)) > 1
        if (spread := deviation(cell.percent)) is not None
    ]
    if not moves:
        return ""
    every = sum(len(each.comparisons) for each in judged)
    return (
        f"{len(used)} of the {every} comparisons, in {counted(len(users), 'claim')}, are differences from the same "
        f"{baseline.partition('/')[2]} runs, whose mean has a standard error of {listed(moves)}: where it is off by so "
        "much, all of them are, and in one direction."
    )


def _same_runs(sections: Sequence[Section], baseline: str) -> tuple[dict[str, Cell], set[str]]:
    """The baseline's cells by domain, and every name (RECIPE/METHOD) under which the same runs go."""
    cells = [(f"{s.recipe.name}/{cell.method}", cell) for s in sections for cell in s.every if cell.accuracies]
    own = {cell.domain: cell for name, cell in cells if name == baseline}
    same = {name for name, cell in cells if (known := own.get(cell.domain)) and known.accuracies == cell.accuracies}
    return own, same
