"""The published sets by name: which files each has, on what terms, and getting them to where they are looked for."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unseen.base.paths import expanded
from unseen.base.reading import open_file, reading
from unseen.data import official
from unseen.data.copies import digest_of, has_digest
from unseen.data.download.fetch import fetch
from unseen.data.download.transfer import CHUNK, LIMIT
from unseen.data.download.unpack import unpack
from unseen.data.official import OfficialFile
from unseen.data.root import FOLDERS, VARIABLE, set_of
from unseen.errors import InputError, SaveFailed, did_you_mean

TERMS: Mapping[str, str] = {
    "mnist": "CC BY-SA 3.0",
    "svhn": "non-commercial use only",
    "mnist-m": "none stated; made from MNIST and BSDS500",
    "syn": "CC BY 4.0, as a mirror states",
    "usps": "none stated",
    "bsds500": "non-commercial research and education only",
}
"""What the publishers say of each set's use."""


def published_sets() -> dict[str, list[OfficialFile]]:
    """The files of each set, by its name."""
    sets: dict[str, list[OfficialFile]] = {}
    for name, files in official.OFFICIAL.items():
        found = sets.setdefault(set_of(name) or name, [])
        found += [file for file in files if file not in found]
    return sets


def files_of(names: Sequence[str]) -> list[OfficialFile]:
    """The files of the named sets (``svhn``) and domains (``svhn-test``), each once; unknown names are refused."""
    known = {**published_sets(), **official.OFFICIAL}
    for name in names:
        if name.lower() not in known:
            raise InputError(f'"{name}": expected a published set or a part of one{did_you_mean(name, known)}')
    return list(dict.fromkeys(file for name in names for file in known[name.lower()]))


def download_folder(given: Path | None) -> Path:
    """The data folder that is given, else the one that ``UNSEEN_DATA`` names; it need not exist yet."""
    named = given or os.environ.get(VARIABLE)
    if not named:
        raise InputError(f"expected a folder to put the files in; give it with --data, or set {VARIABLE} to it")
    return expanded(named).absolute()


def found(file: OfficialFile, root: Path) -> Path | None:
    """Where the published file is below ``root``, in any layout that is read; None where it isn't, or is another."""
    with reading(root):
        if file.holds is not None:
            unpacked = root / file.folder / file.holds
            return unpacked if unpacked.is_dir() else None
        folders = FOLDERS.get(file.folder, (file.folder,))
        places = (root / folder / name for folder in folders for name in (file.name, file.name.removesuffix(".gz")))
        return next((place for place in places if place.is_file() and _is_official(place, file)), None)


def obtain(file: OfficialFile, root: Path, **options: Any) -> Path:
    """Put a published file at its place below ``root`` and unpack it if it is an archive; where it is then.

    ``options`` are those of ``fetch``. Where nobody publishes it over https, the error says how to get it by hand, and
    it is checked and unpacked once it has been put there.
    """
    path = root / file.folder / file.name
    try:
        _fetch(file, path, options)
        return path if file.holds is None else _unpack(path, file.holds)
    except SaveFailed:
        raise
    except InputError as error:
        ways = "; or ".join(filter(None, (file.url, file.how)))
        raise InputError(f"{error}. Got by hand ({ways}), it belongs at {path}") from error


def _fetch(file: OfficialFile, path: Path, options: Mapping[str, Any]) -> None:
    if file.url is not None:
        fetch(file.url, path, digest=file.digest, size=file.size, **options)
    elif not path.is_file():
        raise InputError(f"{file.name} can't be fetched over https")
    elif not _is_official(path, file):
        raise InputError(f"{path} is not the published file: expected {file.digest}")


def _unpack(path: Path, holds: str) -> Path:
    unpack(path, path.parent, holds=holds)
    return path.parent / holds


def _is_official(path: Path, file: OfficialFile) -> bool:
    """Whether the published file is at ``path``; where its content's digest is known, in any compression."""
    if has_digest(path, file.digest):
        return True
    if file.content_sha256 is None:
        return False
    return f"sha256:{file.content_sha256}" in (digest_of(path), _unpacked_digest(path, file.content_size or LIMIT))


def _unpacked_digest(path: Path, size: int) -> str | None:
    """The digest of what is inside the compression, if that is no more than it should be."""
    digest, left = hashlib.sha256(), size + 1
    try:
        with open_file(path) as packed, gzip.GzipFile(fileobj=packed) as content:
            while left and (chunk := content.read(min(left, CHUNK))):
                digest.update(chunk)
                left -= len(chunk)
    except (OSError, EOFError, zlib.error):
        return None
    return f"sha256:{digest.hexdigest()}" if left else None
