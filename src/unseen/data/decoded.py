"""Image files as rows of bytes: in memory where they are few, else in the cache of decoded images."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from unseen.base.images import StoredImages
from unseen.data.cache_folder import VARIABLE, cache_folder
from unseen.data.decoded_cache import DecodedCache
from unseen.data.decoding import Decoded, HowDecoded, first_size
from unseen.data.images import Pixels, as_images
from unseen.data.reading import refuse_two_sizes
from unseen.engine import cpu
from unseen.errors import InputError

SMALL = 2**25
"""bytes of files, and of decoded images, up to which they are decoded here and kept in memory alone"""


def decoded(
    root: Path, files: Sequence[Path], how: HowDecoded, progress: bool | None, warn: Callable[[str], None]
) -> tuple[StoredImages, list[Decoded]]:
    """A row of bytes for each file, and what came of it; the rows of those that can't be read mean nothing."""
    size = first_size(files, root, how)
    if size is None:
        return _in_memory(files, root, how)
    cache = DecodedCache(root, files, size, how)
    small = max(cache.bytes, cache.file_bytes) <= SMALL
    if small or not (cache.path.exists() or _fits(root, cache)):
        return _in_memory(files, root, how)
    kept, outcomes = cache.open(progress, warn)
    _refuse_two_sizes(root, files, outcomes)
    return StoredImages(kept, notes=cache.notes), outcomes


def _in_memory(files: Sequence[Path], root: Path, how: HowDecoded) -> tuple[StoredImages, list[Decoded]]:
    images: list[Pixels] = []
    outcomes: list[Decoded] = []
    for file in files:
        problems: list[str] = []
        pixels = how.pixels(file, root, problems)
        outcomes.append(Decoded(None, problems[0]) if pixels is None else Decoded((pixels.shape[0], pixels.shape[1])))
        if pixels is not None and (not images or pixels.shape == images[0].shape):
            images.append(pixels)  # those of another size are refused below, and not kept until then
    _refuse_two_sizes(root, files, outcomes)
    blank = np.zeros_like(images[0]) if images else np.zeros((1, 1, how.channels), np.uint8)
    read = iter(images)
    return as_images([blank if outcome.problem else next(read) for outcome in outcomes]), outcomes


def _refuse_two_sizes(root: Path, files: Sequence[Path], outcomes: Sequence[Decoded]) -> None:
    read = [(file, outcome.size) for file, outcome in zip(files, outcomes, strict=True) if outcome.size is not None]
    refuse_two_sizes(root, [file for file, _ in read], [size for _, size in read])


def _fits(root: Path, cache: DecodedCache) -> bool:
    """Whether decoded images fit on the disk of the cache; if not there and not in memory either, they are refused."""
    free, memory = shutil.disk_usage(cache_folder()).free, cpu.memory() // 2
    if cache.bytes <= free:
        return True
    if cache.bytes <= memory:
        return False
    count, channels, height, width = cache.shape
    raise InputError(
        f"{root}: {count:,} images of {channels}x{height}x{width} take {_gib(cache.bytes)} decoded, and there are "
        f"{_gib(free)} on the disk of {cache_folder()} and {_gib(memory)} of memory to use; give a smaller size=, or "
        f"let {VARIABLE} name a folder on a disk with as much room"
    )


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"
