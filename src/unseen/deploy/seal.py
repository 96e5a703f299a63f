"""The seal of a folder that was handed over: the digests of its files, by which it is known and checked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from unseen.base.files import damage, digest_of, write_json
from unseen.errors import RunFolderError
from unseen.runs.config import made_now

NAME = "handover.json"
FORMAT = 1


def sealed(folder: Path) -> bool:
    """Whether a folder was handed over."""
    return (folder / NAME).is_file()


def put(folder: Path, files: Iterable[Path]) -> None:
    """Seal a folder: these files of it, by their paths in it, are what decides every answer."""
    digests = {str(path): digest_of(folder / path) for path in files}
    write_json(folder / NAME, {"format": FORMAT, **made_now(), "files": digests})


def check(folder: Path) -> None:
    """Refuse a folder that was handed over and is not whole; other folders have no seal."""
    if not sealed(folder):
        return
    try:
        files = dict(json.loads((folder / NAME).read_text())["files"])
    except (ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"{folder / NAME} is damaged: {error!r}; copy the folder again") from error
    found = [wrong for name, sha256 in files.items() if (wrong := damage(folder / name, sha256))]
    if found:
        listed = "\n".join(f"  - {wrong}" for wrong in found)
        raise RunFolderError(f"{folder} is damaged:\n{listed}\ncopy the whole folder again")
