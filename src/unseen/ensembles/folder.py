"""The folder of an ensemble: written whole or not at all, and checked bit for bit when it is read.

``ensemble.json`` has the rule, the members' names and a SHA-256 of every other file. ``members/0``, ``members/1``, ...
are small run folders: ``config.json`` and ``weights.safetensors``, enough for ``unseen.load``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from unseen.base.files import fsync_folder, write_json, write_tensors
from unseen.errors import RunFolderError, SaveFailed
from unseen.runs.places import with_places

FORMAT = 1
FILES = ("config.json", "weights.safetensors")


@dataclass(frozen=True, eq=False)
class SavedMember:
    """What is kept of a member."""

    name: str
    config: Mapping[str, Any]
    weights: Mapping[str, Tensor]


@dataclass(frozen=True)
class SavedEnsemble:
    """What a folder holds: the rule by its name, and the members' names and small run folders."""

    rule: str
    names: tuple[str, ...]
    places: tuple[Path, ...]


def record_of(folder: Path) -> Path:
    """The file that makes a folder an ensemble's; it is another where anything in the ensemble is."""
    return folder / "ensemble.json"


def write(folder: Path, rule: str, members: Sequence[SavedMember]) -> None:
    """Put an ensemble into a new or empty folder."""
    with _written_whole(folder) as aside:
        kept = [
            {"name": member.name, "sha256": _write_member(_place(aside, i), member)} for i, member in enumerate(members)
        ]
        write_json(record_of(aside), {"format": FORMAT, "rule": rule, "members": kept})


def read(folder: Path) -> SavedEnsemble:
    """What is in a folder that ``write`` wrote; one that is damaged, half-copied or something else is refused."""
    record = _record(folder)
    try:
        rule, names = str(record["rule"]), tuple(str(member["name"]) for member in record["members"])
        files = {
            _place(folder, i) / file: member["sha256"][file]
            for i, member in enumerate(record["members"])
            for file in FILES
        }
    except (KeyError, TypeError) as error:
        raise RunFolderError(f"{record_of(folder)} is damaged: {error!r}; copy the folder again") from error
    damaged = [damage for path, sha256 in files.items() if (damage := _damage(path, sha256))]
    if damaged or not names:
        listed = "\n".join(f"  - {damage}" for damage in damaged or ["it has no members"])
        raise RunFolderError(f"{folder} is damaged:\n{listed}\ncopy the whole folder again, or make it again")
    return SavedEnsemble(rule, names, tuple(_place(folder, i) for i in range(len(names))))


def _record(folder: Path) -> dict[str, Any]:
    path = record_of(folder)
    if not path.exists():
        if (folder / "config.json").exists():
            raise RunFolderError(f"{folder} holds a run, not an ensemble; use it with: unseen.load({str(folder)!r})")
        raise RunFolderError(
            f"{folder} holds no ensemble: expected {path}; make one with: unseen ensemble RUN... --out {folder}"
        )
    try:
        record = json.loads(path.read_text())
    except ValueError as error:
        raise RunFolderError(f"{path} is damaged: {error}; copy the folder again") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise RunFolderError(f"{path} is not what this version writes: expected an object with format {FORMAT}")
    return record


def _damage(path: Path, sha256: str) -> str | None:
    if not path.exists():
        return f"{path} is missing"
    return None if _digest(path) == sha256 else f"{path} is not what was saved (SHA-256 differs)"


def _place(folder: Path, number: int) -> Path:
    return folder / "members" / str(number)


def _write_member(place: Path, member: SavedMember) -> dict[str, str]:
    """The files of a member, and what each must hash to."""
    place.mkdir(parents=True)
    write_json(place / "config.json", with_places(member.config, place))
    write_tensors(place / "weights.safetensors", member.weights, {"member": member.name})
    return {file: _digest(place / file) for file in FILES}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _written_whole(folder: Path) -> Iterator[Path]:
    """Inside: a folder beside ``folder`` to write to. After: it is ``folder``; or it is gone, if anything failed."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunFolderError(f"{folder} exists and is not empty; choose a new or empty folder")
    aside = folder.absolute().with_name(f".{folder.absolute().name}.{os.getpid()}.part")
    try:
        shutil.rmtree(aside, ignore_errors=True)  # left by a process of the same number that was killed
        aside.mkdir(parents=True)
        yield aside
        fsync_folder(aside)
        aside.rename(folder)
        fsync_folder(aside.parent)
    except OSError as error:
        raise SaveFailed(f"could not save {folder}: {error.strerror or error}; choose another folder") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
