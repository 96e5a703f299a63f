"""Where every fictitious image came from, through the rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

CLASSES_SHOWN = 10
CANDIDATES = 40  # source rows of each class to choose from

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Ancestry:
    """Where every row of a run's pool came from. Rows below ``source_size`` are the source and their own parents."""

    source_size: int
    parents: Rows
    rounds: Rows
    """the round that made each row; 0 for the source"""
    roots: Rows
    """the source row at the start of each row's chain"""

    def parent(self, row: int) -> int:
        """The row it was made from."""
        return int(self.parents[row])

    @cached_property
    def made_from(self) -> dict[int, list[int]]:
        """For each source row that a round took up, the fictitious rows that go back to it."""
        rows: dict[int, list[int]] = {}
        for row, root in enumerate(self.roots[self.source_size :].tolist(), self.source_size):
            rows.setdefault(root, []).append(row)
        return rows


def trace(source_size: int, parents_of_rounds: Sequence[Rows], first: int = 1) -> Ancestry:
    """The ancestry of a pool from the parents that each round recorded, from round ``first`` on.

    Where earlier rounds are gone, nothing was made from them: such a run's rounds start from the source.
    """
    parents = np.concatenate([np.arange(source_size), *parents_of_rounds]).astype(np.int64)
    assert first == 1 or parents.max() < source_size
    sizes = [source_size, *(len(p) for p in parents_of_rounds)]
    roots = parents.copy()
    for _ in parents_of_rounds:  # a chain has at most as many links as there are rounds
        roots = parents[roots]
    numbers = [0, *range(first, first + len(parents_of_rounds))]
    return Ancestry(source_size, parents, np.repeat(numbers, sizes), roots)


def lineage(ancestry: Ancestry, source_row: int, rounds: Sequence[int]) -> list[int | None]:
    """For each of ``rounds``, a row made from this source row: along the longest chain, else the first, else None."""
    members = ancestry.made_from.get(source_row, [])
    chain = max((_chain(ancestry, row) for row in members), key=len, default=[])
    found: list[int | None] = []
    for k in rounds:
        here = [row for row in members if ancestry.rounds[row] == k]
        found.append(next((row for row in here if row in chain), here[0] if here else None))
    return found


def candidates(ancestry: Ancestry, labels: Rows, rounds: Sequence[int]) -> list[list[int]]:
    """For each class, the first source rows among those that most of ``rounds`` took up, in the longest chains."""
    found = []
    for label in np.unique(labels)[:CLASSES_SHOWN]:
        merits = {row: _merit(ancestry, row, rounds) for row in ancestry.made_from if labels[row] == label}
        best = max(merits.values(), default=(0, 0))
        taken_up = sorted(row for row, merit in merits.items() if merit == best and best > (0, 0))
        found.append(taken_up[:CANDIDATES])
    return [rows for rows in found if rows]


def _merit(ancestry: Ancestry, source_row: int, rounds: Sequence[int]) -> tuple[int, int]:
    rows = lineage(ancestry, source_row, rounds)
    links = sum(row is not None and ancestry.parent(row) in rows for row in rows)
    return sum(row is not None for row in rows), links


def _chain(ancestry: Ancestry, row: int) -> list[int]:
    chain = [row]
    while (row := ancestry.parent(row)) >= ancestry.source_size:
        chain.append(row)
    return chain
