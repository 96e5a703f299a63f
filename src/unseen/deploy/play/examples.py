"""Pictures to begin with: a few of the source that the networks were trained on, where it is still there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from unseen.base.paths import expanded
from unseen.data.catalogue import is_drawn, names
from unseen.data.domain_names import FOLDER_PREFIX, MASKS_PREFIX
from unseen.data.formats.image_file import is_image
from unseen.data.masks import IMAGES, is_masks_folder
from unseen.data.reading import visible
from unseen.deploy.play.players import Players
from unseen.deploy.play.sitting import Shown
from unseen.errors import UnseenError
from unseen.runs.job import Job

MOST = 8


def examples(players: Players) -> list[Shown]:
    """Up to eight pictures, of as many classes as can be; none where the source can't be found any more.

    Of a folder only these files are read, and of scenes that are drawn only these are drawn.
    """
    job = players.job
    if job is None:
        return []
    try:
        root = _folder(job)
        return list(_rows(job) if root is None else _files(root, players))
    except UnseenError:  # moved, or not on this machine: nothing is lost but the convenience
        return []


def _folder(job: Job) -> Path | None:
    """The folder that the source is, if it is one; a name that is known means that domain."""
    if job.source.lower() in names():
        return None
    path = expanded(job.source.removeprefix(FOLDER_PREFIX).removeprefix(MASKS_PREFIX))
    return path if path.is_dir() else None


def _files(root: Path, players: Players) -> Iterator[Shown]:
    """The first files of a folder: of each class in turn, or of the images that have masks."""
    prepare = players.predictor.prepare
    if is_masks_folder(root):
        return (Shown(prepare(file)) for file in _images(root / IMAGES)[:MOST])
    by_class = [[(name, file) for file in _images(root / name)[:MOST]] for name in players.predictor.classes]
    in_turn = [pair for row in zip_longest(*by_class) for pair in row if pair is not None]
    return (Shown(prepare(file), name) for name, file in in_turn[:MOST])


def _images(folder: Path) -> list[Path]:
    return [file for file in visible(folder) if is_image(file)] if folder.is_dir() else []


def _rows(job: Job) -> Iterator[Shown]:
    """Of a domain that has a name: the first of each class, or images from its beginning to its end."""
    source = (replace(job, images=MOST, hold_out=0.0) if is_drawn(job.source) else job).load_source()
    if source.segmented:
        return (Shown(source.images[row], mask=source.labels[row]) for row in _spread(len(source)))
    firsts = [int((source.labels == label).int().argmax()) for label in sorted(set(source.labels.tolist()))[:MOST]]
    return (Shown(source.images[row], source.classes[int(source.labels[row])]) for row in firsts)


def _spread(count: int) -> list[int]:
    return sorted({round(i * (count - 1) / (MOST - 1)) for i in range(MOST)})
