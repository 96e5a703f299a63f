"""Many image files as rows of bytes in a file: decoded by several processes, each of which writes what it decoded."""

from __future__ import annotations

import multiprocessing
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np

from unseen.base.images import write_at
from unseen.data.formats.image_file import read_image
from unseen.data.images import Pixels, pixels_of
from unseen.data.reading import noting_problems, relative
from unseen.engine import cpu

AT_ONCE = 32
"""files that a process is given at once"""


@dataclass(frozen=True)
class HowDecoded:
    """What becomes of a picture: its size, (height, width), its channels, and the kernel that resizes it."""

    size: tuple[int, int] | None
    channels: int
    resize: str
    advice: str
    """what to do about a file that can't be read"""

    def pixels(self, file: Path, root: Path, problems: list[str]) -> Pixels | None:
        """A file's pixels (H, W, channels), or None and the problem noted."""
        with noting_problems(relative(file, root), problems, self.advice):
            return pixels_of(read_image(file, self.channels), self.size, self.resize)
        return None


@dataclass(frozen=True)
class Decoded:
    """What came of one file."""

    size: tuple[int, int] | None
    """its height and width; None where it can't be read"""
    problem: str = ""
    crc32: int = 0
    """of its bytes, where they were written"""


def decode_into(
    path: Path,
    size: tuple[int, int],
    root: Path,
    files: Sequence[Path],
    how: HowDecoded,
    done: Callable[[int], None],
) -> list[Decoded]:
    """Write every file's pixels (channels, H, W) to its row of ``path``, those that aren't of this size left out.

    ``done`` is called with how many more are.
    """
    parts = [(start, files[start : start + AT_ONCE]) for start in range(0, len(files), AT_ONCE)]
    alone = multiprocessing.current_process().daemon  # such a process may have no children
    workers = joblib.Parallel(n_jobs=1 if alone else min(cpu.cores(), len(parts)), return_as="generator")
    outcomes: list[Decoded] = []
    for some in workers(joblib.delayed(_decode_some)(path, size, root, start, part, how) for start, part in parts):
        outcomes += some
        done(len(some))
    return outcomes


def _decode_some(
    path: Path, size: tuple[int, int], root: Path, first: int, files: Sequence[Path], how: HowDecoded
) -> list[Decoded]:
    length = size[0] * size[1] * how.channels
    with path.open("r+b") as file:
        return [_decode(file.fileno(), (first + i) * length, each, root, size, how) for i, each in enumerate(files)]


def _decode(descriptor: int, start: int, file: Path, root: Path, size: tuple[int, int], how: HowDecoded) -> Decoded:
    problems: list[str] = []
    pixels = how.pixels(file, root, problems)
    if pixels is None:
        return Decoded(None, problems[0])
    found = (pixels.shape[0], pixels.shape[1])
    if found != size:
        return Decoded(found)
    content = np.ascontiguousarray(pixels.transpose(2, 0, 1)).data
    write_at(descriptor, content, start)
    return Decoded(found, crc32=zlib.crc32(content))


def first_size(files: Sequence[Path], root: Path, how: HowDecoded) -> tuple[int, int] | None:
    """The size that decoded images have: the one asked for, or that of the first file that can be read."""
    if how.size is not None:
        return how.size
    readable: Iterator[Pixels | None] = (how.pixels(file, root, []) for file in files)
    first = next((pixels for pixels in readable if pixels is not None), None)
    return None if first is None else (first.shape[0], first.shape[1])
