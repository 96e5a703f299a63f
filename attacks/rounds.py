"""Files of a run that are not its own, or not as it left them, are refused or made again: never other weights."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import kill_points

from attacks.harness import Attack, Case, Told, done, problem
from attacks.processes import Conditions, run

AFTER_ROUNDS, IN_A_ROUND = ("minimize", 25, 2), ("maximize", 48, 1)
STATES = {"after its rounds": AFTER_ROUNDS, "in its second round": IN_A_ROUND}


def _train(folder: Path, **changes: Any) -> None:
    with kill_points.small_pieces():
        kill_points.train(folder, **changes)


def _interrupt(folder: Path, at: tuple[str, int, int]) -> None:
    with kill_points.small_pieces():
        kill_points.interrupted(kill_points.train, folder, at)


def prepare(folder: Path) -> None:
    """The run, whole and interrupted, and another with another seed."""
    conditions = Conditions(folder)
    done(run(lambda: _train(folder / "whole"), conditions))
    done(run(lambda: _train(folder / "stranger", seed=5), conditions))
    for name, at in STATES.items():
        done(run(lambda name=name, at=at: _interrupt(folder / name, at), conditions))


def undergo(case: Case) -> Told:
    """One change to the files of the rounds, then the run is resumed."""
    state = case.dice.choice(sorted(STATES))
    folder = case.folder / "run"
    shutil.copytree(case.prepared / state, folder)
    what = _change(case, folder)
    ended = case.run(lambda: _train(folder, resume=True))
    wrong = problem(ended, allowed=(0, 3))
    if wrong is None and ended.code == 0:
        different = case.differences(kill_points.outcome_on_disk, folder, case.prepared / "whole")
        wrong = f"exit code 0 and other bits in {', '.join(different[:9])}" if different else None
    return Told(broken=(f"a run that was interrupted {state}; {what}: {wrong}",)) if wrong else Told()


def _change(case: Case, folder: Path) -> str:
    dice, parts = case.dice, sorted((folder / "rounds").glob("*/*.safetensors"))
    part = dice.choice(parts)
    name = part.relative_to(folder)
    other = dice.choice([p for p in sorted((case.prepared / "whole" / "rounds").glob("*/*")) if p.name != part.name])
    changes = {
        f"{name} is that of another seed": lambda: shutil.copy(case.prepared / "stranger" / name, part),
        f"{name} is {other.relative_to(case.prepared)}": lambda: shutil.copy(other, part),
        f"{name} is there again under another name": lambda: shutil.copy(part, part.with_name("0009.safetensors")),
        f"{name} and another part are exchanged": lambda: _exchange(part, dice.choice(parts)),
        "rounds 1 and 2 are exchanged": lambda: _exchange(folder / "rounds/1", folder / "rounds/2"),
        "round 1 is that of another seed": lambda: _replace(case.prepared / "stranger/rounds/1", folder / "rounds/1"),
        f"{name} is missing": part.unlink,
        f"{part.parent.name} of rounds/ is missing": lambda: shutil.rmtree(part.parent),
        "rounds/ is missing": lambda: shutil.rmtree(folder / "rounds"),
        "events/ is missing": lambda: shutil.rmtree(folder / "events"),
        "a checkpoint is that of another seed": lambda: _stranger(case, folder),
        f"{name} is a pipe": lambda: _pipe(part),
        "the newest checkpoint is a pipe": lambda: _pipe(max((folder / "checkpoints").iterdir())),
        "config.json is a pipe": lambda: _pipe(folder / "config.json"),
        "checkpoints/ is a link to a disk that is away": lambda: _away(folder / "checkpoints"),
        "config.json has another rate": lambda: _reword(folder / "config.json", '"alpha": ', '"alpha": 1'),
        "config.json has another K": lambda: _reword(folder / "config.json", '"K": ', '"K": 1'),
        "metrics.jsonl has another loss": lambda: _reword(folder / "metrics.jsonl", '"loss": ', '"loss": 1'),
        "metrics.jsonl has a line less": lambda: _first_line_off(folder / "metrics.jsonl"),
    }
    what = dice.choice(list(changes))
    changes[what]()
    return what


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _away(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to(folder.with_name("away"))


def _reword(path: Path, old: str, new: str) -> None:
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new, 1))


def _first_line_off(path: Path) -> None:
    path.write_text(path.read_text().partition("\n")[2])


def _exchange(one: Path, other: Path) -> None:
    if one != other:
        aside = one.with_name("aside")
        one.rename(aside)
        other.rename(one)
        aside.rename(other)


def _replace(path: Path, by: Path) -> None:
    shutil.rmtree(by)
    shutil.copytree(path, by)


def _stranger(case: Case, folder: Path) -> None:
    theirs = max((case.prepared / "stranger" / "checkpoints").iterdir())
    ours = max((folder / "checkpoints").iterdir())
    shutil.copy(theirs, ours)


ATTACK = Attack(
    "rounds", "Files of another run or round, or changed ones, are refused: never other weights.", 200, undergo, prepare
)
