"""A folder to hand over: the weights, how the network is built, what was measured, and a card that says so."""

from __future__ import annotations

from pathlib import Path

from unseen.base.files import write_atomically, written_whole
from unseen.deploy import seal
from unseen.deploy.card import card
from unseen.deploy.provenance import Provenance
from unseen.ensembles import folder as ensemble_folder
from unseen.errors import RunFolderError

EVALUATION = Path("evaluation.json")


def hand_over(folder: Path, to: Path) -> None:
    """Put what a network needs, and where it is from, into ``to``: whole, or not at all.

    ``to`` is new, empty, or was handed over before. ``unseen.Predictor.load(to)`` needs neither the run's folder nor
    its data, wherever ``to`` is moved.
    """
    again = seal.sealed(to)
    if to.resolve() == folder.resolve():
        raise RunFolderError(f"{to} is the folder to hand over itself; choose another, new or empty one")
    about = Provenance.read(folder)
    with written_whole(to, replaces=again) as aside:
        needed = _needed(folder)
        for name in [*needed, *([EVALUATION] if (folder / EVALUATION).is_file() else [])]:
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(aside / name, (folder / name).read_bytes())
        write_atomically(aside / "README.md", card(about, to.resolve().name).encode())
        seal.put(aside, needed)


def _needed(folder: Path) -> list[Path]:
    """The files of a run's or an ensemble's folder that decide every answer."""
    record = ensemble_folder.record_of(folder)
    if not record.exists():
        return list(map(Path, ensemble_folder.FILES))
    places = [place.relative_to(folder) for place in ensemble_folder.read(folder).places]
    return [Path(record.name), *(place / name for place in places for name in ensemble_folder.FILES)]
