"""Unpack one archive (zip, tar) safely: nothing outside its folder, no links, within a limit, whole or not at all.

By hand: pooch's Unzip and Untar have no limit on what comes out, and an interruption leaves a half-filled folder.
"""

from __future__ import annotations

import errno
import gzip
import io
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from unseen.base.reading import cause_of
from unseen.data.download.partial import lock
from unseen.errors import InputError, SaveFailed, UnseenError

MOST_BYTES = 2**32
MOST_MEMBERS = 200_000
MOST_HEADER = 2**20
"""bytes of a member's header in a tar archive; what is in it is copied in smaller pieces"""
_DAMAGE = {None, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EEXIST, errno.EINVAL}
"""errors of the disk that are the archive's fault: names that can't be, and decoders' own"""


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
    elif _is_tar(archive):
        yield from _tar_members(archive)
    else:
        raise InputError(f"{archive}: expected a zip or tar archive, got something else; fetch it again")


def _is_tar(archive: Path) -> bool:
    try:
        with _tar_content(archive) as content, tarfile.open(fileobj=content, mode="r:"):
            return True
    except tarfile.TarError:
        return False


def _zip_members(archive: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            plain = kind in (0, stat.S_IFREG, stat.S_IFDIR)
            yield _Member(info.filename, info.file_size, plain, partial(opened.extract, info))


def _tar_members(archive: Path) -> Iterator[_Member]:
    with _tar_content(archive) as content, tarfile.open(fileobj=content, mode="r:") as opened:
        for info in opened:
            plain = info.isreg() or info.isdir()
            yield _Member(info.name, info.size, plain, partial(opened.extract, info, filter="data"))


@contextmanager
def _tar_content(archive: Path) -> Iterator[_InPieces]:
    """What is inside the compression, gzip or none."""
    with archive.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        yield _InPieces(gzip.GzipFile(fileobj=file) if packed else file)


class _InPieces(io.RawIOBase):
    """A file that is read in small pieces: a header that says it is longer than any is not taken into memory."""

    def __init__(self, file: BinaryIO | gzip.GzipFile) -> None:
        self.file = file

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MOST_HEADER:
            raise tarfile.ReadError(f"a header claims {size:,} bytes, expected at most {MOST_HEADER:,}")
        return self.file.read(size)

    def seek(self, place: int, whence: int = 0) -> int:
        return self.file.seek(place, whence)

    def tell(self) -> int:
        return self.file.tell()


@contextmanager
def _explained(archive: Path) -> Iterator[None]:
    try:
        yield
    except UnseenError:
        raise
    except Exception as error:  # of a damaged archive, anything may come
        if isinstance(error, OSError) and error.errno not in _DAMAGE:
            raise SaveFailed(
                f"{archive} could not be unpacked: {error.strerror}; free space or choose another folder"
            ) from error
        raise InputError(f"{archive} can't be unpacked ({cause_of(error)}); delete it and fetch it again") from error
