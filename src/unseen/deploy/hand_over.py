"""A folder to hand over: the weights, how the network is built, what was measured, and a card that says so."""

from __future__ import annotations

from pathlib import Path

from unseen.base.imports import beside
from unseen.base.paths import resolved
from unseen.base.writing import copy, make_folder, write_atomically, written_whole
from unseen.deploy import seal
from unseen.deploy.card import card
from unseen.deploy.provenance import Provenance
from unseen.ensembles import folder as ensemble_folder
from unseen.errors import RunFolderError
from unseen.runs.loading import NetworkRecord

ABOUT = ("metrics.jsonl", "evaluation.json")


def hand_over(folder: Path, to: Path) -> None:
    """Put what a network needs, and where it is from, into ``to``: whole, or not at all.

    ``to`` is new, empty, or was handed over before. ``unseen.Predictor.load(to)`` needs neither the run's folder nor
    its data, wherever ``to`` is moved.
    """
    again = seal.sealed(to)
    if resolved(to) == resolved(folder):
        raise RunFolderError(f"{to} is the folder to hand over itself; choose another, new or empty one")
    about = Provenance.read(folder)
    with written_whole(to, replaces=again) as aside:
        needed = _needed(folder)
        for name, path in (needed | _about(folder)).items():
            make_folder((aside / name).parent)
            copy(path, aside / name)
        write_atomically(aside / "README.md", card(about, resolved(to).name).encode())
        seal.put(aside, needed)


def _needed(folder: Path) -> dict[Path, Path]:
    """The files that decide every answer: each by its path in the folder that is handed over, and where it is now.

    Where a file of Python makes a member's network, it is among them, beside the member's config.
    """
    record = ensemble_folder.record_of(folder)
    places = list(ensemble_folder.read(folder).places) if ensemble_folder.holds(folder) else [folder]
    files = {place.relative_to(folder) / name: place / name for place in places for name in ensemble_folder.FILES}
    files |= {place.relative_to(folder) / file.name: file for place in places for file in _python_of(place)}
    return files | ({Path(record.name): record} if ensemble_folder.holds(folder) else {})


def _python_of(place: Path) -> list[Path]:
    job = NetworkRecord.read(place).job
    file = Path(beside(job.model, place).partition(":")[0]) if job is not None else Path()
    return [file] if file.suffix == ".py" else []


def _about(folder: Path) -> dict[Path, Path]:
    """What was recorded and measured, as far as it is there."""
    return {Path(name): folder / name for name in ABOUT if (folder / name).is_file()}
