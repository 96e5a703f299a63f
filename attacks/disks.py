"""A full disk, one without inodes, and one that can only be read: one message, and with room again the same bits."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attacks import playground
from attacks.harness import Attack, Case, Skipped, Told, problem
from attacks.kills import finish, other_bits
from attacks.processes import verb

KINDS = ("ADA", "transformations", "masks", "ADDA")
LARGEST = 400
"""KiB of the small disks; the trainings take about as much"""
MOST_FILES = 30
READ_ONLY = (
    "evaluate runs/done --target street",
    "report runs/done --target street",
    "diagnose runs/done --plain runs/erm",
    "ensemble runs/done runs/other --out new",
    "predict runs/done street/cat --csv new.csv",
    "predict runs/done street/cat",
    "export runs/done --folder new",
    "export runs/done --onnx new.onnx",
    "train --config train.toml --out new",
    "train --resume runs/unfinished",
    "train --resume runs/finished",
    "sweep sweep.toml",
    "choose choose.toml",
    "demo --out new --seeds 1",
    "reproduce figure2b-top --seeds 1 --stand-ins --scale small --out new",
    "results results/streets.jsonl",
    "leaderboard results",
    "download usps --data new",
    "domains --data data",
)


@contextmanager
def disk(place: Path, options: str) -> Iterator[None]:
    """Inside: a file system of its own is mounted there."""
    place.mkdir()
    _mount(place, options, "-t", "tmpfs", "tmpfs")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def _mount(place: Path, options: str, *how: str) -> None:
    subprocess.run(["mount", *how, "-o", options, str(place)], check=True, capture_output=True)


def check() -> None:
    """Whether file systems may be mounted here."""
    try:
        with tempfile.TemporaryDirectory() as folder, disk(Path(folder) / "try", "size=64k"):
            pass
    except (OSError, subprocess.CalledProcessError) as error:
        reason = error.stderr.decode().strip() if isinstance(error, subprocess.CalledProcessError) else error
        raise Skipped(f"no file system may be mounted here ({reason})") from None


def undergo(case: Case) -> Told:
    """A small disk for a training, or one that can only be read for a verb."""
    return _read_only(case) if case.number % 4 == 0 else _full(case)


def _full(case: Case) -> Told:
    kind, few = case.dice.choice(KINDS), case.dice.random() < 0.3
    files, size = case.dice.randint(2, MOST_FILES), case.dice.randint(1, LARGEST)
    options = f"size=8m,nr_inodes={files}" if few else f"size={size}k"
    with disk(case.folder / "disk", options):
        folder = case.folder / "disk" / "run"
        wrong = problem(case.run(lambda: finish(kind, folder)), allowed=(0, 5))
        if wrong is None:
            _mount(case.folder / "disk", "remount,size=64m,nr_inodes=9999")
            wrong = other_bits(kind, folder, case)
    return Told(broken=(f"{kind} on a disk of {options}: {wrong}",)) if wrong else Told()


def _read_only(case: Case) -> Told:
    words = READ_ONLY[case.number // 4 % len(READ_ONLY)]
    with disk(case.folder / "disk", "size=64m"):
        playground.copy(case.prepared, case.folder / "disk", *playground.PARTS)
        _mount(case.folder / "disk", "remount,ro")
        ended = case.run(verb(words), folder=case.folder / "disk")
    wrong = problem(ended)
    if wrong is None and words.startswith("evaluate") and "%" not in ended.text:
        wrong = f"the score isn't printed\n{ended.text}"
    return Told(broken=(f"on a read-only disk: unseen {words}\n{wrong}",)) if wrong else Told()


ATTACK = Attack(
    "disks",
    "A save that fails is one message, and loses nothing that was saved before.",
    160,
    undergo,
    playground.make,
    check,
)
