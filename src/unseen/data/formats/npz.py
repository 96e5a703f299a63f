"""Our own format: ``svhn_test.npz`` and the like, with ``images`` (uint8) and ``labels`` (digits) in it.

By hand in place of ``numpy.load``: a shape is read without its numbers.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.copies import Copy, Raw, checked, refuse_page, refused
from unseen.data.root import find, set_of

_FIX = "make it again"


def file_name(name: str) -> str:
    """``svhn_test.npz`` for ``svhn-test``."""
    return f"{name.replace('-', '_')}.npz"


def find_npz(root: Path, name: str) -> Copy | None:
    """The npz file of a domain, when it is there; ``InputError`` when it can't hold that domain."""
    path = find(root, set_of(name), file_name(name))
    if path is None:
        return None
    refuse_page(path, name)
    count = len(np.atleast_1d(arrays(path, "labels")[0]))  # the labels are small: the images are not decoded
    return Copy(path, count, path.name, partial(_read, path))


def _read(path: Path) -> Raw:
    images, labels = arrays(path, "images", "labels")
    return checked(path, images, labels, _FIX)


def arrays(path: Path, *keys: str) -> list[NDArray[Any]]:
    """The arrays of these names in an npz file; nothing is unpickled."""
    with _refusing(path), zipfile.ZipFile(path) as archive:
        return [_array(archive, key) for key in keys]


def shape_of(path: Path, key: str) -> tuple[int, ...]:
    """The shape of an array in an npz file; none of its numbers is read."""
    with _refusing(path), zipfile.ZipFile(path) as archive, archive.open(f"{key}.npy") as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape: tuple[int, ...] = read(file)[0]
        return shape


def _array(archive: zipfile.ZipFile, key: str) -> NDArray[Any]:
    with archive.open(f"{key}.npy") as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise refused(path, "arrays images and labels", f"none of one name ({error.args[0]})", _FIX) from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise refused(path, "an npz file", f"what can't be read as one ({error})", _FIX) from error
