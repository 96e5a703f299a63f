"""Decoded images on disk, found again by what they were decoded from: names, sizes and times of files, and how."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from unseen.base.bars import counting
from unseen.base.images import FileRows
from unseen.base.locking import locked_file
from unseen.base.reading import read_json, reading
from unseen.base.writing import fsync_folder, make_folder, write_json
from unseen.data.cache_folder import ELSEWHERE, cache_folder
from unseen.data.decoding import IMAGES, Decoded, HowDecoded, Item, crc32, decode_into
from unseen.data.reading import relative
from unseen.errors import InputError, SaveFailed, UnseenError

FORMAT = 1
ABOUT, NOTES = "about.json", "fingerprints.json"
_CHECKED_AT_ONCE = 64
Outcomes = list[Decoded]
Parts = Mapping[str, FileRows]


class DecodedCache:
    """What was decoded of some items, in a folder of its own that is there whole or not at all.

    ``images`` has the bytes (channels, H, W) of each item in turn, and ``masks``, where items have one, those (H, W) of
    its mask; ``about.json`` has what came of each item, with a CRC-32 of its bytes, which is checked whenever the
    folder is opened.
    """

    def __init__(self, root: Path, items: Sequence[Item], size: tuple[int, int], how: HowDecoded) -> None:
        self.root, self.items, self.size, self.how = root, items, size, how
        self.files = [file for item in items for file in item]

    @cached_property
    def path(self) -> Path:
        """The folder, named after a SHA-256 of all that decides the bytes."""
        names = (str(relative(file, self.root)) for file in self.files)
        known = {
            "format": FORMAT,
            "files": [(name, *stamp) for name, stamp in zip(names, self._stamps, strict=True)],
            **self.how.known(),
            "pillow": version("pillow"),
        }
        return cache_folder() / "decoded" / hashlib.sha256(json.dumps(known).encode()).hexdigest()[:32]

    @cached_property
    def _stamps(self) -> list[tuple[int, int]]:
        return [_stamp(file) for file in self.files]

    @property
    def file_bytes(self) -> int:
        """How much room the files take."""
        return sum(max(size, 0) for size, _ in self._stamps)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of each part by its name: (items, channels, H, W) of the images."""
        return {name: (len(self.items), *shape) for name, shape in self.how.shapes(self.size).items()}

    @property
    def bytes(self) -> int:
        """How much room the parts take."""
        return sum(torch.Size(shape).numel() for shape in self.shapes.values())

    def open(self, progress: bool | None, warn: Callable[[str], None]) -> tuple[Parts, Outcomes]:
        """The parts and what came of each item: as they were kept, or decoded now and kept for the next time."""
        make_folder(self.path.parent, ELSEWHERE)
        with locked_file(self.path.with_name(f".{self.path.name}.lock"), wait=True, fix=ELSEWHERE):
            if self.path.exists():
                try:
                    return self._read(progress)
                except InputError as error:
                    warn(f"{error}: the images of {self.root} are decoded again")
            self._make(progress)
            return self._read(progress=False, check=False)

    def _read(self, progress: bool | None, *, check: bool = True) -> tuple[Parts, Outcomes]:
        about, shape = read_json(self.path / ABOUT, InputError), self.shapes[IMAGES]
        with reading(self.path / ABOUT):
            if about["format"] != FORMAT or tuple(about["shape"]) != shape:
                raise ValueError(f"expected {shape} in format {FORMAT}, got {about['shape']} in {about['format']}")
            if len(about["files"]) != len(self.items):
                raise ValueError(f"expected {len(self.items):,} files, got {len(about['files']):,}")
            outcomes = [_outcome(each) for each in about["files"]]
        parts = {name: self._rows(name, shape) for name, shape in self.shapes.items()}
        if check:
            with reading(self.path / " and ".join(parts)):
                self._check(parts, outcomes, progress)
        return parts, outcomes

    def _rows(self, name: str, shape: tuple[int, ...]) -> FileRows:
        with reading(self.path / name):
            rows = FileRows((self.path / name).open("rb", buffering=0), shape, torch.uint8)
            expected = rows.shape.numel()
            if (found := os.fstat(rows.file.fileno()).st_size) != expected:
                raise ValueError(f"expected {expected:,} bytes, got {found:,}")
        return rows

    def _check(self, parts: Parts, outcomes: Outcomes, progress: bool | None) -> None:
        with counting(f"checking the decoded {self.root.name}", len(outcomes), "images", progress) as done:
            for start in range(0, len(outcomes), _CHECKED_AT_ONCE):
                some = [rows[start : start + _CHECKED_AT_ONCE].numpy() for rows in parts.values()]
                for i, each in enumerate(zip(*some, strict=True), start):
                    if outcomes[i].size is not None and crc32(each) != outcomes[i].crc32:
                        name = relative(self.items[i][0], self.root)
                        raise ValueError(f"the bytes of {name} are not what was decoded")
                done(len(some[0]))

    def _make(self, progress: bool | None) -> None:
        """Decode every item aside, and give the folder its name when all of it is there."""
        aside = self.path.with_name(f".{self.path.name}.part")
        shutil.rmtree(aside, ignore_errors=True)
        make_folder(aside, ELSEWHERE)
        height, width = self.size
        words = f"decoding {self.root.name} to {height}x{width} ({self.bytes / 2**30:.1f} GiB in {self.path.parent})"
        try:
            paths = {name: aside / name for name in self.shapes}
            for name, path in paths.items():
                with path.open("wb") as file:
                    os.posix_fallocate(file.fileno(), 0, torch.Size(self.shapes[name]).numel())
            with counting(words, len(self.items), "images", progress) as done:
                outcomes = decode_into(paths, self.size, self.root, self.items, self.how, done)
            for path in paths.values():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
            files = [[each.size, each.problem, each.crc32] for each in outcomes]
            write_json(aside / ABOUT, {"format": FORMAT, "shape": self.shapes[IMAGES], "files": files})
            shutil.rmtree(self.path, ignore_errors=True)
            aside.rename(self.path)
            fsync_folder(self.path.parent)
        except OSError as error:
            raise SaveFailed(
                f"could not keep the decoded images of {self.root} in {self.path.parent} "
                f"({self.bytes / 2**30:.1f} GiB): {error.strerror or error}; {ELSEWHERE}"
            ) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    @property
    def notes(self) -> Notes:
        """Fingerprints made of these images, kept beside them."""
        return Notes(self.path / NOTES)


def _stamp(file: Path) -> tuple[int, int]:
    """A file's size and time of change; -1 for one that can't be read, so that it is read once it can be."""
    try:
        stat = file.stat()
    except OSError:
        return -1, -1
    return (stat.st_size, stat.st_mtime_ns) if os.access(file, os.R_OK) else (-1, -1)


def _outcome(given: Any) -> Decoded:
    size, problem, crc32 = given
    if (size is None) != bool(problem):
        raise ValueError(f"a file has the size {size} and the problem {problem!r:.80}")
    return Decoded(None if size is None else (int(size[0]), int(size[1])), str(problem), int(crc32))


class Notes(dict[str, str]):
    """Entries that are kept in a JSON file; one that can't be read or written only costs making an entry again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with suppress(UnseenError):
            kept = read_json(path)
            self.update({key: value for key, value in kept.items() if isinstance(value, str)})

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        with suppress(SaveFailed):
            write_json(self.path, self)
