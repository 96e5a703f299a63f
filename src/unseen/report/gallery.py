"""Digits followed through the rounds: the original, what each round made of it, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from unseen.data.domain import Domain
from unseen.report.methods import FinishedRun, Method
from unseen.report.pictures import Picture, amplification, difference_picture, picture
from unseen.report.statistics import mean
from unseen.run import RunFolder

CLASSES_SHOWN = 10
CANDIDATES = 40  # source rows of each class to choose one from

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


def trace(source_size: int, parents_of_rounds: Sequence[Rows]) -> Ancestry:
    """The ancestry of a pool from the parents that each round recorded."""
    parents = np.concatenate([np.arange(source_size), *parents_of_rounds]).astype(np.int64)
    sizes = [source_size, *(len(p) for p in parents_of_rounds)]
    roots = parents.copy()
    for _ in parents_of_rounds:  # a chain has at most as many links as there are rounds
        roots = parents[roots]
    return Ancestry(source_size, parents, np.repeat(np.arange(len(sizes)), sizes), roots)


def lineage(ancestry: Ancestry, source_row: int) -> list[int | None]:
    """For each round, a row made from this source row: along the longest chain, else the first there is, else None."""
    members = ancestry.made_from.get(source_row, [])
    chain = max((_chain(ancestry, row) for row in members), key=len, default=[])
    found: list[int | None] = []
    for k in range(1, int(ancestry.rounds.max()) + 1):
        here = [row for row in members if ancestry.rounds[row] == k]
        found.append(next((row for row in here if row in chain), here[0] if here else None))
    return found


def candidates(ancestry: Ancestry, labels: Rows) -> list[list[int]]:
    """For each class, the first source rows among those that most rounds took up, in the longest chains."""
    found = []
    for label in np.unique(labels)[:CLASSES_SHOWN]:
        merits = {row: _merit(ancestry, row) for row in ancestry.made_from if labels[row] == label}
        best = max(merits.values(), default=(0, 0))
        found.append(sorted(row for row, merit in merits.items() if merit == best)[:CANDIDATES])
    return [rows for rows in found if rows]


def _merit(ancestry: Ancestry, source_row: int) -> tuple[int, int]:
    rows = lineage(ancestry, source_row)
    links = sum(row is not None and ancestry.parent(row) in rows for row in rows)
    return sum(row is not None for row in rows), links


def _chain(ancestry: Ancestry, row: int) -> list[int]:
    chain = [row]
    while (row := ancestry.parent(row)) >= ancestry.source_size:
        chain.append(row)
    return chain


@dataclass(frozen=True)
class Step:
    """One round's image of a digit, what it was made from, and how far it went (L2 in pixels)."""

    image: Picture
    change: Picture
    made_from: str
    moved: float


@dataclass(frozen=True)
class Row:
    """One digit through the rounds; None where a round did not take it up."""

    label: str
    number: int
    """its row in the source"""
    original: Picture
    steps: list[Step | None]


@dataclass(frozen=True)
class Gallery:
    """Some digits of one run, with one amplification for all their differences."""

    method: Method
    run: FinishedRun
    rows: list[Row]
    factor: int
    moved: float
    """mean L2 of the changes shown"""
    outside: float
    """share of the shown fictitious pixels that lie outside [0, 1]"""
    farthest: float
    """how far outside the farthest of them lies"""
    complete: bool
    """whether every class had a place"""


def make_gallery(method: Method, source: Domain) -> Gallery:
    """The gallery of a method's first run: for each class, the digit whose changes are nearest to the mean."""
    run = method.runs[0]
    files = RunFolder(run.folder)
    ancestry = trace(len(source), [files.read_round(k)[1].numpy() for k in range(1, run.rounds + 1)])
    classes = candidates(ancestry, source.labels.numpy())
    lines = {row: lineage(ancestry, row) for rows in classes for row in rows}
    images = _read_rows(files, ancestry, _needed(ancestry, lines), source)
    made = sorted({row for line in lines.values() for row in line if row is not None})
    changes = {row: images[row] - images[ancestry.parent(row)] for row in made}
    moved = {row: float(change.norm()) for row, change in changes.items()}
    digits = [_most_usual(rows, lines, moved) for rows in classes]
    shown = [row for digit in digits for row in lines[digit] if row is not None]
    factor = amplification([changes[row] for row in shown])

    def step(row: int | None) -> Step | None:
        if row is None:
            return None
        start = int(ancestry.rounds[ancestry.parent(row)])
        change = difference_picture(changes[row], factor)
        return Step(picture(images[row]), change, f"round {start}" if start else "original", moved[row])

    rows = [
        Row(source.classes[label], digit, picture(images[digit]), [step(row) for row in lines[digit]])
        for digit, label in zip(digits, source.labels[digits].tolist(), strict=True)
    ]
    complete = len(np.unique(source.labels.numpy())) <= CLASSES_SHOWN
    usual = mean([moved[row] for row in shown])
    return Gallery(method, run, rows, factor, usual, *_outside([images[row] for row in shown]), complete)


def _most_usual(rows: list[int], lines: Mapping[int, list[int | None]], moved: Mapping[int, float]) -> int:
    """The row whose changes' mean length is nearest to the mean over all rows that ``moved`` knows."""
    usual = mean(list(moved.values()))
    return min(rows, key=lambda row: abs(mean([moved[r] for r in lines[row] if r is not None]) - usual))


def _outside(images: list[Tensor]) -> tuple[float, float]:
    beyond = torch.stack([torch.maximum(-image, image - 1) for image in images])
    return float((beyond > 0).double().mean()), max(0.0, float(beyond.max()))


def _needed(ancestry: Ancestry, lines: Mapping[int, list[int | None]]) -> set[int]:
    made = {row for line in lines.values() for row in line if row is not None}
    return made | {ancestry.parent(row) for row in made} | set(lines)


def _read_rows(files: RunFolder, ancestry: Ancestry, rows: set[int], source: Domain) -> dict[int, Tensor]:
    """The images of these rows; only one round is in memory at a time."""
    images = {row: source.images[row] for row in rows if row < ancestry.source_size}
    for k in range(1, int(ancestry.rounds.max()) + 1):
        start = int(np.argmax(ancestry.rounds == k))
        made, _ = files.read_round(k)
        images |= {row: made[row - start].clone() for row in rows if ancestry.rounds[row] == k}
    return images
