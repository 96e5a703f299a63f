"""Paths as users write them."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from unseen.errors import InputError


def expanded(path: str | PathLike[str]) -> Path:
    """The path with ``~`` as the home that it stands for; that of a user whom nobody here knows is refused."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"{path}: there is no home of that user here; write the path in full") from error


def resolved(path: str | PathLike[str]) -> Path:
    """The path in full, without links. One that leads back to itself is found by whoever opens it.

    ``Path.resolve`` is like that from Python 3.13 on; before, it raises a RuntimeError.
    """
    return Path(os.path.realpath(path))


def names_file(path: str | PathLike[str]) -> bool:
    """Whether it names a file that is here; what can't be a path, one that is too long for instance, names none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def names_folder(path: str | PathLike[str]) -> bool:
    """Whether it names a folder that is here; what can't be a path names none."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False
