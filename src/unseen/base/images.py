"""Images wherever they are kept, as a tensor, as bytes or in a file: whoever takes some gets float32 in [0, 1]."""

from __future__ import annotations

import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self, TypeVar, cast

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


Kept = TypeVar("Kept", bound=Images)
"""Images, or labels: whatever has rows that can be taken."""


class Space(Protocol):
    """Room for images of one shape, or for their labels: a tensor is some, and so are ``FileRows``."""

    @property
    def shape(self) -> torch.Size:
        """(N, C, H, W) of images."""

    @property
    def dtype(self) -> torch.dtype:
        """What they are kept as."""

    def __getitem__(self, rows: Any) -> Tensor: ...

    def __setitem__(self, rows: Any, values: Any) -> None: ...


class Stored(ABC):
    """Rows of one shape that are kept in memory or in a file, and taken some at a time; a part shares what is kept."""

    dtype: torch.dtype
    """what they are when they are taken"""
    what = "rows"
    """what a message calls them"""

    def __init__(self, kept: Tensor | FileRows, rows: Tensor | None = None) -> None:
        self.kept = kept
        self.rows = torch.arange(len(kept)) if rows is None else rows
        """which of the rows kept these are, in their order"""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> torch.Size:
        """How many there are, and the shape of each."""
        return torch.Size((len(self), *self.kept.shape[1:]))

    @property
    def ndim(self) -> int:
        """How many numbers the shape has."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes of memory they take; in a file none."""
        return self.kept.nbytes

    def __getitem__(self, rows: Any) -> Tensor:
        """These rows as a tensor; ``[:]`` are all of them."""
        if isinstance(rows, tuple):
            first, *rest = rows
            return self[first][tuple(rest) if isinstance(first, int) else (slice(None), *rest)]
        chosen = self.rows[rows]
        taken = self.taken(self.kept[chosen.reshape(-1)])
        return taken[0] if chosen.ndim == 0 else taken

    def taken(self, kept: Tensor) -> Tensor:
        """What becomes of rows as they are kept when they are taken."""
        return kept

    @abstractmethod
    def part(self, rows: Tensor | slice) -> Self:
        """These rows, without a copy."""

    def __iter__(self) -> Iterator[Tensor]:
        return (self[row] for row in range(len(self)))

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """torch's own functions take all rows as a tensor: ``torch.equal(images, x)``."""
        return func(*map(_whole, args), **{name: _whole(value) for name, value in (kwargs or {}).items()})

    def __getattr__(self, name: str) -> Any:
        raise self.no_tensor(f".{name}")

    def no_tensor(self, use: str) -> AttributeError:
        """What is told to whoever uses them as the tensor that they aren't."""
        return AttributeError(
            f"these {self.what} are not a tensor: they are kept as bytes or in a file. Take some of them first, for "
            f"instance {self.what}[:8]{use}, or all if they fit into memory: {self.what}[:]{use}"
        )


class StoredImages(Stored):
    """Images that are kept as bytes, in memory or in a file, and become float32 when they are taken: byte / 255.

    ``part`` shares what is kept: a part of a source takes no memory of its own. Images in a file may be float32, too.
    """

    dtype = torch.float32
    what = "images"

    def __init__(
        self, kept: Tensor | FileRows, rows: Tensor | None = None, notes: dict[str, str] | None = None
    ) -> None:
        super().__init__(kept, rows)
        self.notes = {} if notes is None else notes
        """fingerprints that were made of these images, or of some of them"""

    def taken(self, kept: Tensor) -> Tensor:
        """Float32 in [0, 1]."""
        return as_float(kept)

    def part(self, rows: Tensor | slice) -> StoredImages:
        """The images of these rows, without a copy."""
        return StoredImages(self.kept, self.rows[rows], self.notes)


class FileRows:
    """Images of one shape in a file, read and written by their rows.

    The file is read, not mapped: memory holds only what was asked for, and a file that is cut short is an error and
    not the end of the process. The kernel keeps what was read lately for as long as nobody else needs the memory.
    """

    nbytes = 0

    def __init__(self, file: BinaryIO, shape: Sequence[int], dtype: torch.dtype) -> None:
        self.file, self.shape, self.dtype = file, torch.Size(shape), dtype
        self._size = self.shape[1:].numel() * dtype.itemsize
        weakref.finalize(self, file.close)  # no __del__: in a cycle, Python may warn of the open file before that

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
    """What is stored as one tensor, also in a list; anything else as it is."""
    if isinstance(value, tuple | list):
        return type(value)(map(_whole, value))
    return value[:] if isinstance(value, Stored) else value


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


def part_of(kept: Kept, rows: Tensor | slice) -> Kept:
    """These rows of images or labels: as a tensor's index gives them, or shared where they are stored."""
    return cast(Kept, kept.part(rows) if isinstance(kept, Stored) else kept[rows])


def in_batches(kept: Images, batch: int) -> Iterator[Tensor]:
    """All images, or all labels, in their order, ``batch`` at a time."""
    return (kept[start : start + batch] for start in range(0, len(kept), batch))
