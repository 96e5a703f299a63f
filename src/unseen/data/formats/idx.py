"""MNIST's own format: an idx file of images and one of labels, gzipped or not.

By hand: a header of a few bytes, by which a file is checked before any of it is unpacked.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from unseen.base.reading import open_file, reading
from unseen.data import official
from unseen.data.copies import Copy, Raw, again, check_length, checked, compare_digests, decoding, refuse_page, refused
from unseen.data.images import Pixels
from unseen.data.official import OfficialFile
from unseen.data.root import find, set_of

_IMAGES, _LABELS = 3, 1  # how many dimensions a file of them has
_WORDS = {_IMAGES: "images", _LABELS: "labels"}
_GZIP = b"\x1f\x8b"


def find_idx(root: Path, name: str) -> Copy | None:
    """The two files of a part of MNIST, when they are there; ``InputError`` when one lacks or begins wrongly."""
    files = official.OFFICIAL[name]
    paths = [find(root, set_of(name), file.name, file.name.removesuffix(".gz")) for file in files]
    there = [path for path in paths if path is not None]
    if not there:
        return None
    if len(there) == 1:
        lacking = files[paths.index(None)].name
        raise refused(there[0], f"{lacking} (or without .gz) beside it", "nothing there", again(name))
    images, labels = there
    count, *_ = shape = _dimensions(images, _IMAGES, name)
    _refuse_cut(images, _head(_IMAGES) + math.prod(shape), name)
    _refuse_cut(labels, _head(_LABELS) + math.prod(_dimensions(labels, _LABELS, name)), name)
    return Copy(images.parent, count, "the official files", partial(_read, images, labels, name))


def _read(images: Path, labels: Path, name: str) -> Raw:
    of_images, of_labels = official.OFFICIAL[name]
    pixels, digits = _array(images, _IMAGES, of_images, name), _array(labels, _LABELS, of_labels, name)
    return checked(images, pixels, digits, again(name))


def _array(path: Path, ndim: int, file: OfficialFile, name: str) -> Pixels:
    shape = _dimensions(path, ndim, name)
    length = _head(ndim) + math.prod(shape)
    if file.content_size is not None:
        check_length(path, length, file.content_size, name)
    content = _content(path, name, length + 1)  # one more, if there is one: whatever else is in it stays packed
    check_length(path, len(content), length, name)
    if file.content_sha256 is not None:
        compare_digests(path, hashlib.sha256(content).hexdigest(), file.content_sha256, name)
    return np.frombuffer(content, np.uint8, offset=_head(ndim)).reshape(shape).copy()


def _dimensions(path: Path, ndim: int, name: str) -> tuple[int, ...]:
    """The sizes that the file's head states, read from the head alone."""
    refuse_page(path, name)
    head = _content(path, name, _head(ndim))
    if head.startswith(_magic(_IMAGES + _LABELS - ndim)):
        other = _WORDS[_IMAGES + _LABELS - ndim]
        raise refused(path, _WORDS[ndim], other, "the two files' names are swapped: rename them")
    if not head.startswith(_magic(ndim)) or len(head) < _head(ndim):
        begin = _magic(ndim).hex(" ")
        raise refused(path, f"an idx file, which begins {begin}", head[:4].hex(" ") or "an empty file", again(name))
    return tuple(int.from_bytes(head[i : i + 4], "big") for i in range(4, len(head), 4))


def _refuse_cut(path: Path, length: int, name: str) -> None:
    """Refuse a file that doesn't end where its head says, without unpacking it."""
    with reading(path), open_file(path) as file:
        if not _is_packed(file):
            check_length(path, os.fstat(file.fileno()).st_size, length, name)
            return
        file.seek(-4, os.SEEK_END)
        stated = int.from_bytes(file.read(), "little")  # a gzip file ends with the length of its content
    if stated != length:
        raise refused(path, "a whole gzip file", "a damaged one (by its end, it was cut short)", again(name))


def _content(path: Path, name: str, length: int) -> bytes:
    """The first bytes of what is inside the compression."""
    with decoding(path, "a whole gzip file", again(name)), open_file(path) as file:
        return gzip.GzipFile(fileobj=file).read(length) if _is_packed(file) else file.read(length)


def _is_packed(file: BinaryIO) -> bool:
    """By the first bytes, not by the name: browsers unpack files and leave their names."""
    first = file.read(len(_GZIP))
    file.seek(0)
    return first == _GZIP


def _magic(ndim: int) -> bytes:
    return bytes([0, 0, 8, ndim])  # 8 stands for unsigned bytes


def _head(ndim: int) -> int:
    return 4 + 4 * ndim
