"""A file that is being downloaded: ``NAME.part``, locked by one process, renamed to ``NAME`` when it is whole."""

from __future__ import annotations

import fcntl
import itertools
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from unseen.base.reading import read_json
from unseen.base.writing import fsync_folder, write_json
from unseen.errors import InputError, SaveFailed, UnseenError

_VERSION = "[\x20-\x7e]{1,256}"  # what can be sent back as a header


def lock(file: IO[bytes], path: Path) -> None:
    """Make an open file this process's until it is closed; refuse one that is another's."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError(
            f"{path} is in use by another process that fetches or unpacks it ({error.strerror}); wait for it to end or "
            "stop it"
        ) from error


class Partial:
    """What has come of a file so far, and in ``NAME.part.json`` of which version at which address."""

    def __init__(self, target: Path, file: IO[bytes]) -> None:
        self.target, self.path, self._note = target, _sibling(target, ".part"), _sibling(target, ".part.json")
        self._file = file

    @property
    def size(self) -> int:
        """How many bytes have come."""
        return os.fstat(self._file.fileno()).st_size

    def version(self, url: str) -> str | None:
        """What the server at ``url`` called the version these bytes are of; None where that isn't known."""
        with suppress(UnseenError):
            note = read_json(self._note)
            version = note.get("version")
            if note.get("url") == url and isinstance(version, str) and re.fullmatch(_VERSION, version):
                return version
        return None

    def restart(self, url: str, version: str | None) -> None:
        """Begin at the first byte of that version."""
        self.clear()
        write_json(self._note, {"url": url, "version": version})

    def clear(self) -> None:
        """Forget what has come."""
        with self.saving():
            self._file.truncate(0)

    def append(self, chunk: bytes) -> None:
        """Write ``chunk`` after what has come."""
        rest = memoryview(chunk)
        with self.saving():
            while rest:
                rest = rest[self._file.write(rest) :]

    def lend(self, place: Path) -> None:
        """Make ``place`` another name of this file, or a copy where the file system has no hard links."""
        with self.saving():
            try:
                place.hardlink_to(self.path)
            except OSError:
                shutil.copyfile(self.path, place)

    def finish(self) -> None:
        """Give the file its name, durably; a file that has the name is kept as ``NAME.replaced-1``, or 2, ..."""
        with self.saving():
            with self.path.open("rb") as whole:
                os.fsync(whole.fileno())
            if self.target.exists():
                self.target.rename(_free_name(self.target))
            self.path.replace(self.target)
            self._note.unlink(missing_ok=True)
            fsync_folder(self.target.parent)

    def remove_if_empty(self) -> None:
        """Leave nothing behind where nothing came."""
        if self.size == 0:
            self.path.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)

    @contextmanager
    def saving(self) -> Iterator[None]:
        """What the disk refuses inside is raised as a ``SaveFailed`` that says what is kept."""
        try:
            yield
        except OSError as error:
            raise SaveFailed(
                f"could not write to {self.path}: {error.strerror or error}; free space or choose another folder. "
                f"{self.size:,} bytes are kept there: the same command resumes from them"
            ) from error


@contextmanager
def partial_of(target: Path) -> Iterator[Partial]:
    """The partial file of ``target``, locked: however this process ends, the next one finds what it got."""
    made = [folder for folder in target.parents if not folder.exists()]
    with _open_locked(_sibling(target, ".part")) as file:
        partial = Partial(target, file)
        try:
            yield partial
        finally:
            partial.remove_if_empty()
            with suppress(OSError):  # not empty
                for folder in made:
                    folder.rmdir()


def _open_locked(path: Path) -> IO[bytes]:
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("ab", buffering=0)
        except OSError as error:
            raise InputError(f"{path.parent}: can't write there ({error.strerror}); choose another folder") from error
        try:
            lock(file, path)
        except InputError:
            file.close()
            raise
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()  # between our opening and our locking, another process gave the file its name


def _free_name(target: Path) -> Path:
    names = (_sibling(target, f".replaced-{n}") for n in itertools.count(1))
    return next(name for name in names if not name.exists())


def _sibling(target: Path, ending: str) -> Path:
    return target.with_name(target.name + ending)
