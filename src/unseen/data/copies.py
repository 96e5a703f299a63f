"""A copy of a published set on this machine, and the checks that every format shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.base.reading import NotAFile, cause_of, open_file, reading
from unseen.data import official
from unseen.data.images import Labels, Pixels
from unseen.data.official import OfficialFile
from unseen.data.root import find, set_of
from unseen.errors import InputError, UnseenError

Raw = tuple[Pixels, Labels]


@dataclass(frozen=True)
class Copy:
    """What was found of a domain, before any image of it is decoded."""

    where: Path
    """the file, or the folder"""
    count: int
    """how many images"""
    kind: str
    """which copy it is, in words"""
    read: Callable[[], Raw]
    """decodes and checks it: uint8 (N, H, W) or (N, H, W, 3), and the digits 0..9"""


def find_whole(root: Path, name: str, read: Callable[[Path, str], Raw]) -> Copy | None:
    """A part that is published as one file, when it is there; refused when it can't be that file."""
    (file,) = official.OFFICIAL[name]
    path = find(root, set_of(name), file.name)
    if path is None:
        return None
    check_size(path, file, name)
    return Copy(path, official.IMAGES[name], "the official file", partial(read, path, name))


def refused(path: Path, expected: str, got: str, fix: str) -> InputError:
    """What is wrong with a file, in one shape."""
    return InputError(f"{path}: expected {expected}, got {got}; {fix}")


@contextmanager
def decoding(path: Path, expected: str, fix: str) -> Iterator[None]:
    """Inside, one file is decoded: whatever a decoder raises at a damaged one becomes an ``InputError`` about it."""
    with reading(path, fix=fix):
        try:
            yield
        except (UnseenError, NotAFile, MemoryError):
            raise
        except Exception as error:  # a decoder may raise anything at a damaged file
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise refused(path, expected, f"what can't be read as one ({cause_of(error)})", fix) from error


def again(name: str) -> str:
    """The advice for a file that isn't what it should be."""
    return f"replace it: unseen download {name}"


def check_size(path: Path, file: OfficialFile, name: str) -> None:
    """Refuse, without reading it, a file that can't be the official one."""
    refuse_page(path, name)
    if file.size is not None:
        with reading(path):
            found = path.stat().st_size
        check_length(path, found, file.size, name)


def check_length(path: Path, length: int, expected: int, name: str) -> None:
    """Refuse a content of another length than the official file's."""
    if length != expected:
        got = f"{length:,} (it was cut short)" if length < expected else f"{length:,}, so another file"
        raise refused(path, f"{expected:,} bytes", got, again(name))


def is_page(start: bytes) -> bool:
    """Whether what begins so is a web page."""
    return start.lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml"))


def refuse_page(path: Path, name: str) -> None:
    """Refuse a web page, which is what a server that lacks the file may send under its name."""
    with reading(path), open_file(path) as file:
        page = is_page(file.read(256))
    if page:
        raise refused(path, f"the data of {name}", "a web page saved under that name", again(name))


def digest_of(path: Path, algorithm: str = "sha256") -> str:
    """``algorithm:hex`` of a file's content."""
    import pooch  # here, because its import takes long

    with reading(path):
        return f"{algorithm}:{pooch.file_hash(path, algorithm)}"


def has_digest(path: Path, digest: str) -> bool:
    """Whether the file's content has that digest, ``sha256:HEX`` or ``md5:HEX``."""
    return digest_of(path, digest.partition(":")[0]) == digest


def check_digest(path: Path, file: OfficialFile, name: str) -> None:
    """Refuse a file that isn't, bit for bit, the official one."""
    if file.sha256 is not None:
        compare_digests(path, digest_of(path).removeprefix("sha256:"), file.sha256, name)


def compare_digests(path: Path, digest: str, expected: str, name: str) -> None:
    """Refuse a content of another SHA-256 than the official one's."""
    if digest != expected:
        raise refused(path, f"the official file, SHA-256 {expected}", f"SHA-256 {digest}", again(name))


def checked(path: Path, images: NDArray[Any], labels: NDArray[Any], fix: str) -> Raw:
    """The arrays, when they are images with a digit for each; refused with that advice otherwise."""
    shape, given = images.shape, labels.shape
    if len(shape) == 1 and len(given) in (3, 4):
        raise refused(path, "images, then labels", "them the other way round", "swap the two")
    if len(shape) not in (3, 4) or shape[3:] not in ((), (3,)) or images.dtype != np.uint8:
        raise refused(path, "images as uint8 (N, H, W) or (N, H, W, 3)", f"{images.dtype} {shape}", fix)
    if len(given) != 1 or not np.issubdtype(labels.dtype, np.integer):
        raise refused(path, "labels as whole numbers (N,)", f"{labels.dtype} {given}", fix)
    if len(images) != len(labels) or len(images) == 0:
        raise refused(path, "a label for each image", f"{len(images):,} images and {len(labels):,} labels", fix)
    if labels.min() < 0 or labels.max() > 9:
        raise refused(path, "labels 0 to 9", f"labels {labels.min()} to {labels.max()}", fix)
    return images, labels.astype(np.int64)
