"""The folder of an ensemble: written whole or not at all, and checked bit for bit when it is read.

``ensemble.json`` has the rule, the members' names and a SHA-256 of every other file. ``members/0``, ``members/1``, ...
are small run folders: ``config.json`` and ``weights.safetensors``, enough for ``unseen.load``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from unseen.base.reading import damage, digest_of, is_there, read_json, reading
from unseen.base.tensors import write_tensors
from unseen.base.writing import make_folder, write_json, written_whole
from unseen.errors import RunFolderError
from unseen.runs.places import with_places

FORMAT = 1
FILES = ("config.json", "weights.safetensors")
_AGAIN = "copy the folder again"


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


def holds(folder: Path) -> bool:
    """Whether a folder holds an ensemble, not a run."""
    return is_there(record_of(folder), RunFolderError)


def write(folder: Path, rule: str, members: Sequence[SavedMember]) -> None:
    """Put an ensemble into a new or empty folder."""
    with written_whole(folder) as aside:
        kept = [
            {"name": member.name, "sha256": _write_member(_place(aside, i), member)} for i, member in enumerate(members)
        ]
        write_json(record_of(aside), {"format": FORMAT, "rule": rule, "members": kept})


def read(folder: Path) -> SavedEnsemble:
    """What is in a folder that ``write`` wrote; one that is damaged, half-copied or something else is refused."""
    record = _record(folder)
    with reading(record_of(folder), RunFolderError, fix=_AGAIN):
        rule, names = str(record["rule"]), tuple(str(member["name"]) for member in record["members"])
        if len(set(names)) < len(names):
            raise ValueError("two members have one name")
        files = {
            _place(folder, i) / file: member["sha256"][file]
            for i, member in enumerate(record["members"])
            for file in FILES
        }
    damaged = [found for path, sha256 in files.items() if (found := damage(path, sha256))]
    if damaged or not names:
        listed = "\n".join(f"  - {found}" for found in damaged or ["it has no members"])
        raise RunFolderError(f"{folder} is damaged:\n{listed}\ncopy the whole folder again, or make it again")
    return SavedEnsemble(rule, names, tuple(_place(folder, i) for i in range(len(names))))


def _record(folder: Path) -> dict[str, Any]:
    path = record_of(folder)
    if not holds(folder):
        if is_there(folder / "config.json", RunFolderError):
            raise RunFolderError(f"{folder} holds a run, not an ensemble; use it with: unseen.load({str(folder)!r})")
        raise RunFolderError(
            f"{folder} holds no ensemble: expected {path}; make one with: unseen ensemble RUN... --out {folder}"
        )
    record = read_json(path, fix=_AGAIN)
    if record.get("format") != FORMAT:
        raise RunFolderError(f"{path} is not what this version writes: expected an object with format {FORMAT}")
    return record


def _place(folder: Path, number: int) -> Path:
    return folder / "members" / str(number)


def _write_member(place: Path, member: SavedMember) -> dict[str, str]:
    """The files of a member, and what each must hash to."""
    make_folder(place)
    write_json(place / "config.json", with_places(member.config, place))
    write_tensors(place / "weights.safetensors", member.weights, {"member": member.name})
    return {file: digest_of(place / file) for file in FILES}
