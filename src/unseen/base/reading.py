"""The door in: every file that is read comes through here, and whatever is wrong with it becomes one message.

    with reading(path, RunFolderError, fix="restore it"):
        content = decode(path)

A file may be missing, unreadable, cut, changed, of another kind, or larger than it says. Whoever reads one puts the
decoding, and nothing else, inside ``reading``: what it raises there is the file's fault and is told as such.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from unseen.errors import InputError, RunFolderError, UnseenError

MOST_TEXT = 2**30
"""bytes of a text file; one with more is not ours"""
_LONGEST_CAUSE = 200


@contextmanager
def reading(path: Path, kind: type[UnseenError] = InputError, *, fix: str = "") -> Iterator[None]:
    """Inside, one file is decoded: whatever fails becomes ``kind``, with the file, what was found and ``fix``."""
    try:
        yield
    except UnseenError:
        raise
    except Exception as error:
        raise kind(f"{path} {what_failed(error)}{f'; {fix}' if fix else ''}") from error


def what_failed(error: Exception) -> str:
    """What is wrong with a file that could not be read or decoded, as the end of a sentence about it."""
    if isinstance(error, FileNotFoundError):
        return "is missing"
    if isinstance(error, OSError) and error.errno is not None:
        return f"can't be read: {error.strerror}"
    if isinstance(error, MemoryError):
        return "can't be read: it needs more memory than there is"
    if isinstance(error, KeyError):
        return f"is damaged: {error} is missing in it"
    if isinstance(error, RecursionError):
        return "is damaged: it is nested too deeply"
    if isinstance(error, NotAFile):
        return str(error)
    return f"is damaged: {cause_of(error)}"


def cause_of(error: Exception) -> str:
    """What a decoder says of a file, in short: it may be long, and may have parts of the file in it."""
    return " ".join(str(error).split())[:_LONGEST_CAUSE] or type(error).__name__


class NotAFile(Exception):
    """Something else where a file was expected; its text is the end of a sentence about it."""


_OTHERS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def open_file(path: Path) -> BufferedReader:
    """An ordinary file, opened; a pipe or a device, which may give nothing or never end, is ``NotAFile`` at once.

    Whoever reads from it does so inside ``reading``.
    """
    _refuse_others(path.stat().st_mode)
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))  # noqa: SIM115 (given)
    try:
        _refuse_others(os.fstat(file.fileno()).st_mode)  # it may be another one by now
    except NotAFile:
        file.close()
        raise
    return file


def _refuse_others(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotAFile(f"is {_OTHERS.get(stat.S_IFMT(mode), 'a device')}, expected a file")


def read_bytes(
    path: Path, kind: type[UnseenError] = InputError, *, most: int = MOST_TEXT, fix: str = "", pipe: bool = False
) -> bytes:
    """The whole file, if it is no larger than ``most``. One that the user names on the command line may be a pipe."""
    with reading(path, kind, fix=fix), path.open("rb") if pipe else open_file(path) as file:
        content = file.read(most + 1)
        if len(content) > most:
            raise kind(f"{path} has more than {most / 2**20:,.0f} MiB, which is not what was expected here")
        return content


def read_text(path: Path, kind: type[UnseenError] = InputError, *, fix: str = "", pipe: bool = False) -> str:
    """A text file, in UTF-8."""
    content = read_bytes(path, kind, fix=fix, pipe=pipe)
    with reading(path, kind, fix=fix):
        return content.decode()


def read_json(path: Path, kind: type[UnseenError] = RunFolderError, *, fix: str = "") -> dict[str, Any]:
    """The object in a JSON file; anything else in it is damage."""
    content = read_text(path, kind, fix=fix)
    with reading(path, kind, fix=fix):
        return as_object(json.loads(content))


def read_json_lines(path: Path, kind: type[UnseenError] = RunFolderError, *, fix: str = "") -> list[dict[str, Any]]:
    """The objects in a file of JSON lines, one a line. A last line without its end is one that is being written."""
    lines = read_text(path, kind, fix=fix).splitlines(keepends=True)
    found = []
    for number, line in enumerate(lines, 1):
        if line.endswith("\n"):
            with reading(path, kind, fix=fix):
                try:
                    found.append(as_object(json.loads(line)))
                except (ValueError, TypeError, RecursionError) as error:
                    raise ValueError(f"line {number}: {error}") from error
    return found


def as_object(content: Any) -> dict[str, Any]:
    """What a JSON text is, where it is an object."""
    if not isinstance(content, dict):
        raise TypeError(f"expected an object, got {type(content).__name__}")
    return content


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file has, by name."""
    content = read_text(path, fix="expected a TOML file of settings", pipe=True).removeprefix("\ufeff")
    with reading(path):
        try:
            return tomllib.loads(content)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{path}: not valid TOML: {error}; expected lines such as gamma = 1.0") from error


def is_there(path: Path, kind: type[UnseenError] = InputError) -> bool:
    """Whether there is a file or a folder at ``path``. A place that can't be looked at is refused: it isn't empty.

    So is a link to where nothing is now: what it leads to may be on a disk that is away.
    """
    with reading(path, kind):
        there = path.exists()
        if not there and path.is_symlink():
            raise NotAFile(f"is a link to {path.readlink()}, where nothing is now; put back what it leads to")
        return there


def entries(folder: Path, kind: type[UnseenError] = InputError, *, fix: str = "") -> list[Path]:
    """What is in a folder, by name. One that can't be read is no empty one."""
    with reading(folder, kind, fix=fix):
        return sorted(folder.iterdir(), key=lambda entry: entry.name)


def is_folder(path: Path, kind: type[UnseenError] = InputError) -> bool:
    """Whether there is a folder at ``path``; a place that can't be looked at is refused."""
    with reading(path, kind):
        return path.is_dir()


def listed(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing where it can't be read, for those to whom the rest is only of use."""
    try:
        return entries(folder)
    except InputError:
        return []


def digest_of_start(path: Path, size: int, kind: type[UnseenError] = RunFolderError) -> str:
    """SHA-256 of the first ``size`` bytes of a file, or of all where it has less."""
    with reading(path, kind), open_file(path) as file:
        return hashlib.sha256(file.read(size)).hexdigest()


def digest_of(path: Path, kind: type[UnseenError] = RunFolderError) -> str:
    """SHA-256 of a file."""
    with reading(path, kind), open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def damage(path: Path, sha256: str) -> str | None:
    """What is wrong with a file that should have this digest, if anything."""
    if not is_there(path, RunFolderError):
        return f"{path} is missing"
    return None if digest_of(path) == sha256 else f"{path} is not what was saved (SHA-256 differs)"
