"""Training images followed through the rounds: the original, what each round made of it, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from unseen.base.images import Images, part_of
from unseen.data.domain import Domain
from unseen.reporting.finished.methods import FinishedRun, Method
from unseen.reporting.kit.links import how_far, parts
from unseen.reporting.kit.pictures import LONGEST_SIDE, Picture, amplification, difference_picture, picture
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.wording import listed
from unseen.reporting.runs.ancestry import CLASSES_SHOWN, Ancestry, candidates, lineage, trace
from unseen.reporting.runs.scenes import SCENE_SIDE, evenly_spaced, some_of
from unseen.runs.folder import RunFolder

SCENES_SHOWN = 3
ROUNDS_SHOWN = 5
SCENE_ROUNDS_SHOWN = 3  # their images are wide


@dataclass(frozen=True)
class Step:
    """One round's image, what it was made from, and how."""

    image: Picture
    change: Picture | None
    """its difference from that, amplified; None where transformations moved, for which that means nothing"""
    made_from: str
    moved: float
    """L2 in pixels"""
    went: list[str]
    """the transformations it went through, and how far"""


@dataclass(frozen=True)
class Row:
    """One training image through the rounds shown; None where a round did not take it up."""

    label: str
    """its class; empty where every pixel has one of its own"""
    number: int
    """its row in the source"""
    original: Picture
    steps: list[Step | None]


@dataclass(frozen=True)
class Gallery:
    """Some images of one run, with one amplification for all their differences."""

    method: Method
    run: FinishedRun
    rounds: list[int]
    """those shown"""
    which_rounds: str
    """the same in words, where they aren't all; else empty"""
    rows: list[Row]
    factor: int
    moved: float
    """mean L2 of the changes shown"""
    outside: float
    """share of the shown fictitious pixels that lie outside [0, 1]"""
    farthest: float
    """how far outside the farthest of them lies"""
    choice: str
    """which images these are, in words"""
    scenes: bool

    @property
    def transformed(self) -> bool:
        """Whether the ascent moved transformations."""
        return self.run.config.ada.ascended is not None

    @property
    def columns(self) -> int:
        """Images in a row: the original, and one for each round, or two where there is a difference to show."""
        return 1 + len(self.rounds) * (1 if self.transformed else 2)


def make_gallery(method: Method, source: Domain) -> Gallery:
    """The gallery of a method's first run: for each class the image whose changes are nearest to the mean.

    Where labels are masks: images whose changes are small, middling and great. Of many rounds, some are shown.
    """
    run = method.runs[0]
    files, kept = RunFolder(run.folder), run.config.ada.kept_rounds(run.rounds)
    rounds = some_of(kept, SCENE_ROUNDS_SHOWN if source.segmented else ROUNDS_SHOWN)
    numbers = source.labelled.tolist()  # what the training took
    ancestry = trace(len(numbers), [files.read_round(k)[1].numpy() for k in kept], kept.start)
    labels = np.zeros(len(numbers), np.int64) if source.segmented else source.labels.numpy()
    classes = candidates(ancestry, labels, rounds)
    lines = {row: lineage(ancestry, row, rounds) for rows in classes for row in rows}
    images, went = _read_rows(run, ancestry, _needed(ancestry, lines), part_of(source.images, source.labelled))
    made = sorted({row for line in lines.values() for row in line if row is not None})
    changes = {row: images[row] - images[ancestry.parent(row)] for row in made}
    moved = {row: float(change.norm()) for row, change in changes.items()}
    chosen = _spread(lines, moved) if source.segmented else [_most_usual(rows, lines, moved) for rows in classes]
    shown = [row for start in chosen for row in lines[start] if row is not None]
    factor, side = amplification([changes[row] for row in shown]), SCENE_SIDE if source.segmented else LONGEST_SIDE

    def step(row: int | None) -> Step | None:
        if row is None:
            return None
        start = int(ancestry.rounds[ancestry.parent(row)])
        change = None if row in went else difference_picture(changes[row], factor, side)
        made_from = f"round {start}" if start else "original"
        return Step(picture(images[row], side), change, made_from, moved[row], went.get(row, []))

    rows = [
        Row(
            "" if source.segmented else source.classes[labels[start]],
            numbers[start],
            picture(images[start], side),
            [step(row) for row in lines[start]],
        )
        for start in chosen
    ]
    usual, outside = mean([moved[row] for row in shown]), _outside([images[row] for row in shown])
    which = _which_rounds(rounds, kept, run)
    return Gallery(method, run, rounds, which, rows, factor, usual, *outside, _choice(source), source.segmented)


def _which_rounds(rounds: Sequence[int], kept: range, run: FinishedRun) -> str:
    if len(rounds) == run.rounds:
        return ""
    plural = "s" if len(rounds) > 1 else ""
    said = f"Round{plural} {listed([str(k) for k in rounds])} of {run.rounds} {'are' if plural else 'is'} shown"
    if len(kept) == run.rounds:
        return f"{said}."
    last = f"the last {len(kept)}" if len(kept) > 1 else "the last"
    return f"{said}: {last} stayed in the training set, and the folder has no others."


def _choice(source: Domain) -> str:
    among = (
        "among the first images that most of these rounds took up, one round building on another where such chains "
        "exist"
    )
    if source.segmented:
        return f"{among}, evenly spaced from the one that changed least to the one that changed most"
    complete = len(np.unique(source.labels.numpy())) <= CLASSES_SHOWN
    which = "for each class" if complete else f"for each class (the first {CLASSES_SHOWN} of them)"
    return f"{which}, {among}, the one whose changes are nearest to the mean"


def _spread(lines: Mapping[int, list[int | None]], moved: Mapping[int, float]) -> list[int]:
    """Rows evenly spaced in the order of how long their changes are on average."""
    by_length = sorted(lines, key=lambda row: (_length(lines[row], moved), row))
    return [by_length[i] for i in evenly_spaced(len(by_length), SCENES_SHOWN)]


def _most_usual(rows: list[int], lines: Mapping[int, list[int | None]], moved: Mapping[int, float]) -> int:
    """The row whose changes' mean length is nearest to the mean over all rows that ``moved`` knows."""
    usual = mean(list(moved.values()))
    return min(rows, key=lambda row: abs(_length(lines[row], moved) - usual))


def _length(line: list[int | None], moved: Mapping[int, float]) -> float:
    return mean([moved[row] for row in line if row is not None])


def _outside(images: list[Tensor]) -> tuple[float, float]:
    beyond = torch.stack([torch.maximum(-image, image - 1) for image in images])
    return float((beyond > 0).double().mean()), max(0.0, float(beyond.max()))


def _needed(ancestry: Ancestry, lines: Mapping[int, list[int | None]]) -> set[int]:
    made = {row for line in lines.values() for row in line if row is not None}
    return made | {ancestry.parent(row) for row in made} | set(lines)


def _read_rows(
    run: FinishedRun, ancestry: Ancestry, rows: set[int], source: Images
) -> tuple[dict[int, Tensor], dict[int, list[str]]]:
    """The images of these rows, and what they went through; only one round is in memory at a time."""
    images = {row: source[row] for row in rows if row < ancestry.source_size}
    went: dict[int, list[str]] = {}
    for k in run.config.ada.kept_rounds(run.rounds):
        here = sorted(row for row in rows if ancestry.rounds[row] == k)
        if not here:
            continue
        made, _ = RunFolder(run.folder).read_round(k)
        at = torch.tensor(here) - int(np.argmax(ancestry.rounds == k))
        images |= dict(zip(here, made.images[at], strict=True))
        chains = run.config.ada.ascended
        if chains is not None and made.links is not None:
            went |= dict(zip(here, map(parts, how_far(chains, made.links[at])), strict=True))
    return images, went
