"""Many items, pictures or pictures with masks, as rows of bytes: decoded by several processes, each writes its own."""

from __future__ import annotations

import multiprocessing
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import joblib
import numpy as np

from unseen.base.images import write_at
from unseen.data.formats.image_file import read_image
from unseen.data.images import Pixels, pixels_of
from unseen.data.reading import noting_problems, relative
from unseen.engine import cpu

AT_ONCE = 32
"""items that a process is given at once"""
IMAGES = "images"

Item: TypeAlias = tuple[Path, ...]
"""The files of a sample, the picture first."""


@dataclass(frozen=True)
class HowDecoded:
    """What becomes of a picture: its size, (height, width), its channels, and the kernel that resizes it."""

    size: tuple[int, int] | None
    channels: int
    resize: str
    advice: str
    """what to do about a file that can't be read"""

    def shapes(self, size: tuple[int, int]) -> dict[str, tuple[int, ...]]:
        """The name of each part that is made of an item, and its shape."""
        return {IMAGES: (self.channels, *size)}

    def known(self) -> dict[str, Any]:
        """All that decides the bytes besides the files, for JSON."""
        return {"size": self.size, "channels": self.channels, "resize": self.resize}

    def decode(self, item: Item, root: Path, problems: list[str]) -> list[Pixels] | None:
        """An item's parts, or None and the problem noted."""
        with noting_problems(relative(item[0], root), problems, self.advice):
            return [planes(pixels_of(read_image(item[0], self.channels), self.size, self.resize))]
        return None


def planes(pixels: Pixels) -> Pixels:
    """An image (H, W, channels) as (channels, H, W)."""
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


@dataclass(frozen=True)
class Decoded:
    """What came of one item."""

    size: tuple[int, int] | None
    """its height and width; None where it can't be read"""
    problem: str = ""
    crc32: int = 0
    """of the bytes of its parts, one after the other, where they were written"""


def decode_one(item: Item, root: Path, size: tuple[int, int], how: HowDecoded) -> tuple[Decoded, list[Pixels]]:
    """What came of an item, and its parts: none where it can't be read or isn't of this size."""
    problems: list[str] = []
    parts = how.decode(item, root, problems)
    if parts is None:
        return Decoded(None, problems[0]), []
    found = (parts[0].shape[-2], parts[0].shape[-1])
    return (Decoded(found, crc32=crc32(parts)), parts) if found == size else (Decoded(found), [])


def crc32(parts: Iterable[Pixels]) -> int:
    """The CRC-32 of the bytes of these parts, one after the other."""
    value = 0
    for part in parts:
        value = zlib.crc32(part.data, value)
    return value


def decode_into(
    paths: Mapping[str, Path],
    size: tuple[int, int],
    root: Path,
    items: Sequence[Item],
    how: HowDecoded,
    done: Callable[[int], None],
) -> list[Decoded]:
    """Write every item's parts to its row of their files ``paths``, items that aren't of this size left out.

    ``done`` is called with how many more are.
    """
    some = [(start, items[start : start + AT_ONCE]) for start in range(0, len(items), AT_ONCE)]
    alone = multiprocessing.current_process().daemon  # such a process may have no children
    workers = joblib.Parallel(n_jobs=1 if alone else min(cpu.cores(), len(some)), return_as="generator")
    outcomes: list[Decoded] = []
    for made in workers(joblib.delayed(_decode_some)(paths, size, root, start, part, how) for start, part in some):
        outcomes += made
        done(len(made))
    return outcomes


def _decode_some(
    paths: Mapping[str, Path], size: tuple[int, int], root: Path, first: int, items: Sequence[Item], how: HowDecoded
) -> list[Decoded]:
    outcomes = []
    with ExitStack() as opened:
        files = [opened.enter_context(paths[name].open("r+b")) for name in how.shapes(size)]
        for row, item in enumerate(items, first):
            outcome, parts = decode_one(item, root, size, how)
            for file, part in zip(files, parts, strict=False):  # of an item that can't be read there are none
                write_at(file.fileno(), part.data, row * part.nbytes)
            outcomes.append(outcome)
    return outcomes


def first_size(items: Sequence[Item], root: Path, how: HowDecoded) -> tuple[int, int] | None:
    """The size that decoded images have: the one asked for, or that of the first item that can be read."""
    if how.size is not None:
        return how.size
    readable: Iterator[list[Pixels] | None] = (how.decode(item, root, []) for item in items)
    first = next((parts for parts in readable if parts is not None), None)
    return None if first is None else (first[0].shape[-2], first[0].shape[-1])
