"""Our own format: ``svhn_test.npz`` and the like, with ``images`` (uint8) and ``labels`` (digits) in it."""

from __future__ import annotations

import zipfile
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unseen.data.copies import Copy, Raw, checked, refuse_page, refused
from unseen.data.root import find, set_of

_FIX = "make it anew"


def file_name(name: str) -> str:
    """``svhn_test.npz`` for ``svhn-test``."""
    return f"{name.replace('-', '_')}.npz"


def find_npz(root: Path, name: str) -> Copy | None:
    """The npz file of a domain, when it is there; ``InputError`` when it can't hold that domain."""
    path = find(root, set_of(name), file_name(name))
    if path is None:
        return None
    count = len(np.atleast_1d(_arrays(path, name, "labels")[0]))  # the labels are small: the images are not decoded
    return Copy(path, count, path.name, partial(_read, path, name))


def _read(path: Path, name: str) -> Raw:
    images, labels = _arrays(path, name, "images", "labels")
    return checked(path, images, labels, _FIX)


def _array(archive: zipfile.ZipFile, key: str) -> NDArray[Any]:
    with archive.open(f"{key}.npy") as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


def _arrays(path: Path, name: str, *keys: str) -> list[NDArray[Any]]:
    refuse_page(path, name)
    try:
        with zipfile.ZipFile(path) as archive:
            return [_array(archive, key) for key in keys]
    except KeyError as error:
        raise refused(
            path, "arrays images and labels", f"none of one name ({error.args[0]})", "make it anew"
        ) from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise refused(path, "an npz file", f"what can't be read as one ({error})", _FIX) from error
