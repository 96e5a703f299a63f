"""Locks between processes. They are the kernel's: however a process ends, what it had locked is free again."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from unseen.base.writing import make_folder, writing
from unseen.errors import RunFolderError

LOCK = "lock"
"""the file in a folder that is locked with it, and says who has it"""
SOMEBODY = "another process"
_FIX = "choose a place where files can be written and locked"


class InUse(RunFolderError):
    """Another process has the lock; ``str`` of it is what the process wrote of itself, if it did."""


@contextmanager
def locked_file(path: Path, *, wait: bool = False, fix: str = _FIX) -> Iterator[TextIO]:
    """Inside: this process alone has locked the file, which is made where there is none; ``wait`` until it can."""
    with writing(path, fix):
        file = path.open("a+", errors="replace")
    with file:
        with writing(path, fix):
            if not _lock(file.fileno(), wait):
                file.seek(0)
                raise InUse(file.read().strip() or SOMEBODY)
        yield file


@contextmanager
def locked_folder(folder: Path, holder: str) -> Iterator[None]:
    """Inside: no other process has the folder, and its lock file names the ``holder``.

    Locked are a file in it and the folder itself. Without the second, whoever removed the file would let another
    process in; without the first, nothing would hold where the file system locks no folders.
    """
    make_folder(folder)
    with _locked_itself(folder), locked_file(folder / LOCK) as file:
        if not _is_at(file, folder / LOCK):  # somebody removed it since it was opened
            raise InUse(SOMEBODY)
        file.truncate(0)
        file.write(holder)
        file.flush()
        yield


@contextmanager
def _locked_itself(folder: Path) -> Iterator[None]:
    with writing(folder, _FIX):
        handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems lock files alone
            if not _lock(handle):
                raise InUse(_holder(folder / LOCK))
        yield
    finally:
        os.close(handle)


def _lock(handle: int, wait: bool = False) -> bool:
    """Whether it could be locked, or somebody else has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def _holder(lock: Path) -> str:
    """What the lock file says, if it is there and says anything."""
    with suppress(OSError):
        return lock.read_text(errors="replace").strip() or SOMEBODY
    return SOMEBODY


def _is_at(file: TextIO, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False
