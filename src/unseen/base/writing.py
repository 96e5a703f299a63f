"""The door out: every file that is written goes through here, whole or not at all: aside, fsynced, then renamed.

    with writing(path):
        ...

What the disk refuses becomes ``SaveFailed``, with the place and the reason.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from unseen.base.paths import resolved
from unseen.base.reading import open_file, reading
from unseen.errors import RunFolderError, SaveFailed

CHUNK = 2**22
TRIES, PAUSE = 40, 0.05
"""how often a pipe is looked at for somebody who reads, and the seconds between"""


@contextmanager
def writing(path: Path, fix: str = "") -> Iterator[None]:
    """Inside, something is written at ``path``: what the disk refuses becomes ``SaveFailed``, with ``fix``."""
    try:
        yield
    except OSError as error:
        raise SaveFailed(f"could not save {path}: {_reason(path, error)}{f'; {fix}' if fix else ''}") from error


def _reason(path: Path, error: OSError) -> str:
    """Why, in words about the place that is in the way."""
    if error.errno == errno.ENXIO:
        return "it is a pipe or a socket that nobody reads from"
    with suppress(OSError):  # a place that can't be looked at says no more than the error does
        link = next((place for place in (path, *path.parents) if place.is_symlink() and not place.exists()), None)
        if link is not None:
            return f"{link} is a link to {link.readlink()}, where nothing is"
        file = next((place for place in path.parents if place.is_file()), None)
        if file is not None:
            return f"{file} is a file, not a folder"
    return error.strerror or str(error)


def make_folder(folder: Path, fix: str = "choose another place") -> None:
    """The folder and those above it, where they aren't there yet."""
    with writing(folder, fix):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Inside: a file to write to. After: whoever looks, after any crash, finds the old file at ``path`` or this, whole.

    A link stays a link: the file it leads to is written. A device or a pipe is written to as it is; one that nobody
    reads from is not waited for.
    """
    with writing(path):
        place = resolved(path) if path.is_symlink() else path
        if place.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))  # it leads back to itself
        if place.exists() and not place.is_file():
            with open(place, "wb", opener=_without_waiting) as device:
                yield device
            return
        aside = place.with_name(f".{place.name}.part")
        try:
            with aside.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            aside.replace(place)
            fsync_folder(place.parent)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise


def _without_waiting(name: str, flags: int) -> int:
    """Opens a device or a pipe for writing; a pipe that nobody reads from, even a moment later, is an error."""
    left = TRIES
    while True:
        try:
            handle = os.open(name, (flags | os.O_NONBLOCK) & ~(os.O_CREAT | os.O_TRUNC))
        except OSError as error:
            left -= 1
            if error.errno != errno.ENXIO or not left:
                raise
            time.sleep(PAUSE)
        else:
            os.set_blocking(handle, True)  # whoever reads may take their time
            return handle


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path`` as ``whole_file`` does."""
    with whole_file(path) as file:
        for start in range(0, len(content), CHUNK):
            file.write(content[start : start + CHUNK])


def copy(source: Path, target: Path) -> None:
    """A copy of one of our files, whole or not at all."""
    with reading(source, RunFolderError), open_file(source) as file:
        content = file.read()
    write_atomically(target, content)


def append(path: Path, content: str | bytes) -> None:
    """Add to the end of a file."""
    with writing(path), path.open("ab") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def synced_size(path: Path) -> int:
    """How long a file is, once all of it is on the disk; an empty one is made where there is none."""
    with writing(path), path.open("ab") as file:
        os.fsync(file.fileno())
        fsync_folder(path.parent)  # the file may be new
        return file.tell()


def cut(path: Path, size: int) -> None:
    """Take away what a file has beyond ``size``."""
    with writing(path), path.open("ab") as file:
        file.truncate(size)


def remove(path: Path) -> None:
    """Take away a file, or a folder with all that is in it; nothing happens where there is none."""
    with writing(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def remove_empty(folder: Path) -> None:
    """Take away a folder, unless there is something in it."""
    with writing(folder):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def nameless_file(size: int, folder: Path | None, what: str, fix: str) -> BinaryIO:
    """A file of ``size`` bytes that has no name in ``folder``: it goes with the process, however that ends.

    ``what`` needs it, for the message, and ``fix`` is what to do on a full disk.
    """
    file = None
    try:
        file = tempfile.TemporaryFile(prefix=".unseen-", dir=folder, buffering=0)  # noqa: SIM115 (it stays open)
        os.posix_fallocate(file.fileno(), 0, size)  # a full disk is found here, not at some later write
    except (OSError, OverflowError) as error:
        if file is not None:
            file.close()
        raise SaveFailed(
            f"{what} needs {size / 2**30:,.1f} GiB on the disk of {folder or tempfile.gettempdir()}: "
            f"{getattr(error, 'strerror', error)}; {fix}"
        ) from error
    return cast(BinaryIO, file)


def fsync_folder(folder: Path) -> None:
    """Make renames and new names in ``folder`` durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """A JSON file, atomically."""
    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode())


@contextmanager
def written_whole(folder: Path, *, replaces: bool = False) -> Iterator[Path]:
    """Inside: a folder beside ``folder`` to write to. After: it is ``folder``; or it is gone, if anything failed.

    ``folder`` has to be new or empty, unless what it holds may be replaced: that is taken away last.
    """
    fix = "choose another folder"
    with writing(folder, fix):
        if not replaces and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RunFolderError(f"{folder} exists and is not empty; choose a new or empty folder")
    aside = folder.absolute().with_name(f".{folder.absolute().name}.{os.getpid()}.part")
    before = aside.with_suffix(".before")
    try:
        with writing(folder, fix):
            for left in (aside, before):
                shutil.rmtree(left, ignore_errors=True)  # by a process of the same number that was killed
            aside.mkdir(parents=True)
            yield aside
            fsync_folder(aside)
            if replaces:
                folder.rename(before)
            try:
                aside.rename(folder)  # fails where another process has put something there meanwhile
            except OSError:
                if replaces:
                    before.rename(folder)
                raise
            fsync_folder(aside.parent)
            shutil.rmtree(before, ignore_errors=True)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
