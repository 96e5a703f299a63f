"""Digits followed through the rounds: the original, what each round made of it, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
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


def choose(ancestry: Ancestry, labels: Rows) -> list[int]:
    """One source row for each class, the first among those that most rounds took up, in the longest chain."""
    chosen = []
    for label in np.unique(labels)[:CLASSES_SHOWN]:
        candidates = [row for row in ancestry.made_from if labels[row] == label]
        if candidates:
            chosen.append(max(candidates, key=lambda row: (*_merit(ancestry, row), -row)))
    return chosen


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
    complete: bool
    """whether every class had a place"""


def make_gallery(method: Method, source: Domain) -> Gallery:
    """The gallery of a method's first run, one digit for each class."""
    run = method.runs[0]
    files = RunFolder(run.folder)
    ks = range(1, run.rounds + 1)
    ancestry = trace(len(source), [files.read_round(k)[1].numpy() for k in ks])
    lines = {row: lineage(ancestry, row) for row in choose(ancestry, source.labels.numpy())}
    wanted = {row for line in lines.values() for row in line if row is not None}
    images = _read_rows(files, ancestry, wanted | {ancestry.parent(row) for row in wanted} | set(lines), source)
    changes = {row: images[row] - images[ancestry.parent(row)] for row in wanted}
    factor = amplification(list(changes.values()))

    def step(row: int | None) -> Step | None:
        if row is None:
            return None
        start = int(ancestry.rounds[ancestry.parent(row)])
        made_from = f"round {start}" if start else "original"
        change = difference_picture(changes[row], factor)
        return Step(picture(images[row]), change, made_from, float(changes[row].norm()))

    rows = [_row(source, images, digit, [step(row) for row in line]) for digit, line in lines.items()]
    fictitious = torch.stack([images[row] for row in sorted(wanted)])
    outside = float(((fictitious < 0) | (fictitious > 1)).double().mean())
    moved = mean([float(change.norm()) for change in changes.values()])
    return Gallery(method, run, rows, factor, moved, outside, len(source.labels.unique()) <= CLASSES_SHOWN)


def _row(source: Domain, images: dict[int, Tensor], digit: int, steps: list[Step | None]) -> Row:
    return Row(source.classes[int(source.labels[digit])], picture(images[digit]), steps)


def _read_rows(files: RunFolder, ancestry: Ancestry, rows: set[int], source: Domain) -> dict[int, Tensor]:
    """The images of these rows; only one round is in memory at a time."""
    images = {row: source.images[row] for row in rows if row < ancestry.source_size}
    for k in range(1, int(ancestry.rounds.max()) + 1):
        start = int(np.argmax(ancestry.rounds == k))
        made, _ = files.read_round(k)
        images |= {row: made[row - start].clone() for row in rows if ancestry.rounds[row] == k}
    return images
