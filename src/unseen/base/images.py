"""Images wherever they are kept, as a tensor, as bytes or in a file: whoever takes some gets float32 in [0, 1]."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import torch
from torch import Tensor

from unseen.base.reading import reading
from unseen.base.writing import writing

WHITE = 255
"""the value of a byte that is 1.0 when it is taken"""


class Images(Protocol):
    """What can be asked of a domain's images, wherever they are kept. A float tensor answers all of it by itself."""

    @property
    def shape(self) -> torch.Size:
        """(N, C, H, W)."""

    @property
    def nbytes(self) -> int:
        """How many bytes of memory they take."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any) -> Tensor:
        """The images of these rows, as a tensor's index takes them: float32 with every value in [0, 1]."""


class Space(Protocol):
    """Room for images of one shape: a tensor is some, and so are ``FileRows``."""

    @property
    def shape(self) -> torch.Size:
        """(N, C, H, W)."""

    @property
    def dtype(self) -> torch.dtype:
        """What the images are kept as."""

    def __getitem__(self, rows: Any) -> Tensor: ...

    def __setitem__(self, rows: Any, values: Any) -> None: ...


class StoredImages:
    """Images that are kept as bytes, in memory or in a file, and become float32 when they are taken: byte / 255.

    ``part`` shares what is kept: a part of a source takes no memory of its own. Images in a file may be float32, too.
    """

    def __init__(
        self, kept: Tensor | FileRows, rows: Tensor | None = None, notes: dict[str, str] | None = None
    ) -> None:
        self.kept = kept
        self.rows = torch.arange(len(kept)) if rows is None else rows
        """which of the images kept these are, in their order"""
        self.notes = {} if notes is None else notes
        """fingerprints that were made of these images, or of some of them"""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> torch.Size:
        """(N, C, H, W)."""
        return torch.Size((len(self), *self.kept.shape[1:]))

    @property
    def dtype(self) -> torch.dtype:
        """What they are when they are taken."""
        return torch.float32

    def __getitem__(self, rows: Any) -> Tensor:
        """The images of these rows, float32 in [0, 1]; ``images[:]`` are all of them."""
        if isinstance(rows, tuple):
            first, *rest = rows
            return self[first][tuple(rest) if isinstance(first, int) else (slice(None), *rest)]
        chosen = self.rows[rows]
        taken = as_float(self.kept[chosen.reshape(-1)])
        return taken[0] if chosen.ndim == 0 else taken

    def __iter__(self) -> Iterator[Tensor]:
        return (self[row] for row in range(len(self)))

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """torch's own functions take all of the images as floats: ``torch.equal(images, x)``."""
        return func(*map(_whole, args), **{name: _whole(value) for name, value in (kwargs or {}).items()})

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"these images are not a tensor: they are kept as bytes or in a file. Take some of them first, for "
            f"instance images[:8].{name}, or all if they fit into memory: images[:].{name}"
        )

    def part(self, rows: Tensor | slice) -> StoredImages:
        """The images of these rows, without a copy."""
        return StoredImages(self.kept, self.rows[rows], self.notes)

    @property
    def nbytes(self) -> int:
        """How many bytes of memory they take; in a file none."""
        return self.kept.nbytes


class FileRows:
    """Images of one shape in a file, read and written by their rows.

    The file is read, not mapped: memory holds only what was asked for, and a file that is cut short is an error and
    not the end of the process. The kernel keeps what was read lately for as long as nobody else needs the memory.
    """

    nbytes = 0

    def __init__(self, file: BinaryIO, shape: Sequence[int], dtype: torch.dtype) -> None:
        self.file, self.shape, self.dtype = file, torch.Size(shape), dtype
        self._size = self.shape[1:].numel() * dtype.itemsize

    def __del__(self) -> None:
        self.file.close()

    @property
    def path(self) -> Path:
        """What a message calls the file: one without a name has a number for it."""
        return Path("a temporary file of images" if isinstance(self.file.name, int) else self.file.name)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Tensor:
        """The images of these rows, as they are in the file."""
        numbers = torch.arange(len(self))[rows].reshape(-1).tolist()
        taken = torch.empty(len(numbers), *self.shape[1:], dtype=self.dtype)
        if taken.numel():
            room = taken.numpy().data.cast("B")
            with reading(self.path, fix="start again: what it is made from is read anew"):
                for at, row, count in _in_a_row(numbers):
                    self._read(room[at * self._size : (at + count) * self._size], row * self._size)
        return taken

    def _read(self, room: memoryview, start: int) -> None:
        while len(room):
            got = os.preadv(self.file.fileno(), [room], start)
            if not got:
                raise ValueError(f"it is cut short: expected {len(self):,} images of {self._size:,} bytes")
            room, start = room[got:], start + got

    def __setitem__(self, rows: slice, values: Tensor) -> None:
        """Put images into consecutive rows."""
        start, stop, step = rows.indices(len(self))
        assert (step, *values.shape) == (1, stop - start, *self.shape[1:]), (rows, values.shape)
        if values.numel():
            with writing(self.path):
                write_at(self.file.fileno(), values.to(self.dtype).contiguous().numpy().data, start * self._size)


def _whole(value: Any) -> Any:
    """Stored images as one tensor, also those in a list; anything else as it is."""
    if isinstance(value, tuple | list):
        return type(value)(map(_whole, value))
    return value[:] if isinstance(value, StoredImages) else value


def write_at(descriptor: int, content: memoryview, start: int) -> None:
    """All of ``content`` from byte ``start`` of a file on."""
    left = content.cast("B")
    while len(left):
        done = os.pwrite(descriptor, left, start)
        left, start = left[done:], start + done


def _in_a_row(numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Stretches of consecutive numbers: where each begins in the list, its first number and how many they are."""
    at = 0
    for i in range(1, len(numbers) + 1):
        if i == len(numbers) or numbers[i] != numbers[i - 1] + 1:
            yield at, numbers[at], i - at
            at = i


def as_float(images: Tensor) -> Tensor:
    """Bytes as float32 in [0, 1]; anything else as it is."""
    return images.float().div_(WHITE) if images.dtype == torch.uint8 else images


def part_of(images: Images, rows: Tensor | slice) -> Images:
    """The images of these rows: as a tensor's index gives them, or shared where they are stored."""
    return images.part(rows) if isinstance(images, StoredImages) else images[rows]


def in_batches(images: Images, batch: int) -> Iterator[Tensor]:
    """All images in their order, ``batch`` at a time."""
    return (images[start : start + batch] for start in range(0, len(images), batch))
