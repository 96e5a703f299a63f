"""The seal of a folder that was handed over: the digests of its files, by which it is known and checked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from unseen.base.reading import damage, digest_of, read_json, reading
from unseen.base.writing import write_json
from unseen.errors import RunFolderError
from unseen.runs.config import made_now

NAME = "handover.json"
FORMAT = 1
_AGAIN = "copy the folder again"


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
    content = read_json(folder / NAME, fix=_AGAIN)
    with reading(folder / NAME, RunFolderError, fix=_AGAIN):
        files = {str(name): str(sha256) for name, sha256 in content["files"].items()}
    found = [wrong for name, sha256 in files.items() if (wrong := damage(folder / name, sha256))]
    if found:
        listed = "\n".join(f"  - {wrong}" for wrong in found)
        raise RunFolderError(f"{folder} is damaged:\n{listed}\ncopy the whole folder again")
