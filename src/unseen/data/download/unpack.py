"""Unpack one archive (zip, tar) safely: nothing outside its folder, no links, within a limit, whole or not at all.

By hand: pooch's Unzip and Untar have no limit on what comes out, and an interruption leaves a half-filled folder.
"""

from __future__ import annotations

import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from gzip import BadGzipFile
from pathlib import Path, PurePosixPath

from unseen.data.download.partial import lock
from unseen.errors import InputError, SaveFailed

MOST_BYTES = 2**32
MOST_MEMBERS = 200_000
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, BadGzipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class _Member:
    name: str
    size: int
    plain: bool
    """a file or a folder: no link, no device"""
    extract_below: Callable[[Path], object]


def unpack(
    archive: Path, folder: Path, *, holds: str, most_bytes: int = MOST_BYTES, most_members: int = MOST_MEMBERS
) -> bool:
    """Put what the archive has below ``holds`` at ``folder / holds``; False when something is there already.

    It is unpacked aside and gets its place when all of it is there. The whole archive is refused for one name that
    leads out of the folder, for a link or a device below ``holds``, for more than ``most_bytes`` unpacked, and for
    more than ``most_members``.
    """
    target, aside = folder / holds, folder / f".{archive.name}.part"
    with _explained(archive), archive.open("r+b") as file:
        lock(file, archive)
        if target.exists():
            return False
        shutil.rmtree(aside, ignore_errors=True)  # of a process that was killed
        try:
            _extract(archive, aside, PurePosixPath(holds), most_bytes, most_members)
            target.parent.mkdir(parents=True, exist_ok=True)
            (aside / holds).rename(target)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return True


def _extract(archive: Path, aside: Path, holds: PurePosixPath, most_bytes: int, most_members: int) -> None:
    size, seen = 0, set()
    for count, member in enumerate(_members(archive), start=1):
        size += member.size
        if count > most_members or size > most_bytes:
            raise InputError(
                f"{archive}: expected at most {most_members:,} members of {most_bytes:,} bytes, it has more"
            )
        path = _checked_path(archive, member.name)
        seen.add(path.parts[:1])
        if not path.is_relative_to(holds):
            continue
        if not member.plain:
            raise InputError(f'{archive} is refused: its member "{member.name}" is a link or a device, expected a file')
        member.extract_below(aside)
    if not (aside / holds).is_dir():
        tops = ", ".join(sorted("".join(top) for top in seen)) or "nothing"
        raise InputError(f"{archive}: expected a folder {holds} in it, found {tops}; is it the right archive?")


def _checked_path(archive: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise InputError(f'{archive} is refused: its member "{name}" would be written outside of the folder')
    return path


def _members(archive: Path) -> Iterator[_Member]:
    if zipfile.is_zipfile(archive):
        yield from _zip_members(archive)
    elif tarfile.is_tarfile(archive):
        yield from _tar_members(archive)
    else:
        raise InputError(f"{archive}: expected a zip or tar archive, got something else; fetch it again")


def _zip_members(archive: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            plain = kind in (0, stat.S_IFREG, stat.S_IFDIR)
            yield _Member(info.filename, info.file_size, plain, partial(opened.extract, info))


def _tar_members(archive: Path) -> Iterator[_Member]:
    with tarfile.open(archive) as opened:
        for info in opened:
            plain = info.isreg() or info.isdir()
            yield _Member(info.name, info.size, plain, partial(opened.extract, info, filter="data"))


@contextmanager
def _explained(archive: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise InputError(f"{archive} can't be unpacked ({error}); delete it and fetch it again") from error
    except OSError as error:
        raise SaveFailed(
            f"{archive} could not be unpacked: {error.strerror or error}; free space or choose another folder"
        ) from error
