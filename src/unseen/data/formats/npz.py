"""Our own format: ``svhn_test.npz`` and the like, with ``images`` (uint8) and ``labels`` (digits) in it.

By hand in place of ``numpy.load``: a shape is read, and checked, before its numbers are.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from unseen.base.reading import open_file
from unseen.data import official
from unseen.data.copies import Copy, Raw, checked, decoding, refuse_page, refused
from unseen.data.root import find, set_of

_FIX = "make it again"
_MOST_NUMBERS = 64 * 64 * 3
"""of an image; the published sets have 32 x 32 x 3 at most"""


def file_name(name: str) -> str:
    """``svhn_test.npz`` for ``svhn-test``."""
    return f"{name.replace('-', '_')}.npz"


def find_npz(root: Path, name: str) -> Copy | None:
    """The npz file of a domain, when it is there; ``InputError`` when it can't hold that domain."""
    path = find(root, set_of(name), file_name(name))
    if path is None:
        return None
    refuse_page(path, name)
    count = next(iter(shape_of(path, "labels")), 1)
    return Copy(path, count, path.name, partial(_read, path, official.IMAGES[name]))


def _read(path: Path, count: int) -> Raw:
    images, labels = arrays(path, images=count * _MOST_NUMBERS, labels=count)
    return checked(path, images, labels, _FIX)


def arrays(path: Path, **most: int) -> list[NDArray[Any]]:
    """The arrays of these names in an npz file, each of at most so many numbers; nothing is unpickled."""
    with _opened(path) as archive:
        return [_array(path, archive, key, count) for key, count in most.items()]


def shape_of(path: Path, key: str) -> tuple[int, ...]:
    """The shape of an array in an npz file; none of its numbers is read."""
    with _opened(path) as archive, _member(archive, key) as file:
        return _header(file)[0]


def _array(path: Path, archive: zipfile.ZipFile, key: str, most: int) -> NDArray[Any]:
    """The array, once its header says that it can be what is expected: a header may claim anything."""
    with _member(archive, key) as file:
        shape, dtype = _header(file)
        if dtype.kind not in "biuf":
            raise ValueError(f"{key} has {dtype}, expected numbers")
        if math.prod(shape) > most:
            raise refused(path, f"{key} of {most:,} numbers or fewer", f"{shape}", _FIX)
        file.seek(0)
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    if any(side < 0 for side in shape):
        raise ValueError(f"its shape is {shape}")
    return shape, dtype


def _member(archive: zipfile.ZipFile, key: str) -> IO[bytes]:
    about = archive.getinfo(f"{key}.npy")
    if about.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{key} is compressed by another method than numpy's")
    return archive.open(about)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    with decoding(path, "an npz file", _FIX):
        try:
            with open_file(path) as file, zipfile.ZipFile(file) as archive:
                yield archive
        except KeyError as error:
            raise refused(path, "arrays images and labels", f"none of one name ({error.args[0]})", _FIX) from error
