"""Image files, and masks with them, as rows of bytes: in memory where they are few, else in the decoded cache."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from unseen.base.images import FileRows, StoredImages
from unseen.data.cache_folder import VARIABLE, cache_folder
from unseen.data.decoded_cache import DecodedCache
from unseen.data.decoding import IMAGES, Decoded, HowDecoded, Item, decode_one, first_size
from unseen.data.reading import refuse_two_sizes
from unseen.engine import cpu
from unseen.errors import InputError

SMALL = 2**25
"""bytes of files, and of what is decoded, up to which they are decoded here and kept in memory alone"""


@dataclass(frozen=True)
class Rows:
    """What was made of some items: a row of bytes for each, which means nothing where the item can't be read."""

    parts: Mapping[str, Tensor | FileRows]
    """what is kept of each part, by its name: ``images``, and where there are masks ``masks``"""
    outcomes: list[Decoded]
    notes: dict[str, str] = field(default_factory=dict)
    """fingerprints that were made of them"""

    @property
    def images(self) -> StoredImages:
        """The images among the parts."""
        return StoredImages(self.parts[IMAGES], notes=self.notes)

    @property
    def problems(self) -> list[str]:
        """What is wrong with the items that can't be read."""
        return [outcome.problem for outcome in self.outcomes if outcome.problem]


def decoded(
    root: Path, items: Sequence[Item], how: HowDecoded, progress: bool | None, warn: Callable[[str], None]
) -> Rows:
    """The items as rows of bytes; what isn't of the first one's size has no row, and is for ``refuse_sizes``."""
    size = first_size(items, root, how)
    if size is None:
        return _in_memory(root, items, how, (1, 1))
    cache = DecodedCache(root, items, size, how)
    small = max(cache.bytes, cache.file_bytes) <= SMALL
    if small or not (cache.path.exists() or _fits(root, cache)):
        return _in_memory(root, items, how, size)
    kept, outcomes = cache.open(progress, warn)
    return Rows(kept, outcomes, cache.notes)


def _in_memory(root: Path, items: Sequence[Item], how: HowDecoded, size: tuple[int, int]) -> Rows:
    kept = {name: np.zeros((len(items), *shape), np.uint8) for name, shape in how.shapes(size).items()}
    outcomes = []
    for row, item in enumerate(items):
        outcome, parts = decode_one(item, root, size, how)
        for rows, part in zip(kept.values(), parts, strict=False):  # of an item that can't be read there are none
            rows[row] = part
        outcomes.append(outcome)
    return Rows({name: torch.from_numpy(rows) for name, rows in kept.items()}, outcomes)


def refuse_sizes(root: Path, items: Sequence[Item], outcomes: Sequence[Decoded]) -> None:
    """Refuse items of several sizes; those that can't be read have none."""
    read = [(item[0], outcome.size) for item, outcome in zip(items, outcomes, strict=True) if outcome.size is not None]
    refuse_two_sizes(root, [file for file, _ in read], [size for _, size in read])


def _fits(root: Path, cache: DecodedCache) -> bool:
    """Whether decoded images fit on the disk of the cache; if not there and not in memory either, they are refused."""
    free, memory = shutil.disk_usage(cache_folder()).free, cpu.memory() // 2
    if cache.bytes <= free:
        return True
    if cache.bytes <= memory:
        return False
    count, channels, height, width = cache.shapes[IMAGES]
    raise InputError(
        f"{root}: {count:,} images of {channels}x{height}x{width} take {_gib(cache.bytes)} decoded, and there are "
        f"{_gib(free)} on the disk of {cache_folder()} and {_gib(memory)} of memory to use; give a smaller size=, or "
        f"let {VARIABLE} name a folder on a disk with as much room"
    )


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"
