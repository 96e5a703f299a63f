"""Attacks and how they are carried out: case by case, each with dice of its own, several at once.

A case is repeated alone by its number: ``python -m attacks NAME --seed S --only NUMBER``.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import kill_points

from attacks.processes import Conditions, Ended, run

DOCUMENTED = {0: "done", 2: "bad input", 3: "a run folder that can't be used", 4: "diverged", 5: "a save failed",
              6: "a process was lost", 7: "runs failed", 8: "pictures can't be read", 130: "interrupted"}  # fmt: skip
"""the exit codes of the documentation but 1, which is a bug"""
_OUT_OF_MEMORY = re.compile(r"MemoryError|more memory than|allocate memory|Cannot allocate|Unable to allocate")


class Skipped(Exception):
    """What an attack needs isn't there."""


@dataclass(frozen=True)
class Case:
    """One case of an attack: its dice, a folder of its own, and what was prepared for all."""

    number: int
    dice: random.Random
    folder: Path
    prepared: Path

    def run(self, work: Callable[[], Any], **conditions: Any) -> Ended:
        """Do the work in a process of its own that works in the case's folder."""
        return run(work, Conditions(**{"folder": self.folder, **conditions}))

    def differences(self, told: Callable[[Path], kill_points.Outcome], one: Path, other: Path) -> list[str]:
        """In what two places differ, as one process tells of both."""
        return kill_points.differences(*done(self.run(lambda: [told(one), told(other)])))


@dataclass(frozen=True)
class Told:
    """What came of a case: how often something was tried in it, and what broke."""

    tried: int = 1
    broken: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attack:
    """A promise, and how it is attacked."""

    name: str
    promise: str
    cases: int
    """of a whole attack"""
    undergo: Callable[[Case], Told]
    prepare: Callable[[Path], None] = lambda folder: None
    """Puts into a folder what every case needs."""
    check: Callable[[], None] = lambda: None
    """Raises ``Skipped`` where the attack can't be carried out."""


@dataclass
class Outcome:
    """What came of an attack."""

    attack: str
    tried: int = 0
    seconds: float = 0.0
    broken: list[tuple[int, str, str]] = field(default_factory=list)
    """the case's number, what broke, and the folder it is kept in"""
    skipped: str = ""
    """why it was not carried out"""
    left_out: int = 0
    """cases that there was no time for"""

    @property
    def held(self) -> int:
        """How often the promise was kept."""
        return self.tried - len(self.broken)


def carry_out(attack: Attack, numbers: Sequence[int], *, seed: int, home: Path, jobs: int, until: float) -> Outcome:
    """Every case of these numbers, ``jobs`` at once, as long as the clock is before ``until``."""
    began, outcome = time.monotonic(), Outcome(attack.name)
    (home / attack.name).mkdir()
    try:
        attack.check()
    except Skipped as reason:
        outcome.skipped = str(reason)
        return outcome
    prepared = _prepared(attack, home)
    shares = [numbers[i::jobs] for i in range(min(jobs, len(numbers)))]
    cases = _Cases(attack, seed, home / attack.name, prepared, until)
    for told in _in_processes([partial(cases.undergo, share) for share in shares]):
        if told["left out"]:
            outcome.left_out += 1
            continue
        outcome.tried += told["tried"]
        outcome.broken += [(told["number"], what, told["folder"]) for what in told["broken"]]
    outcome.seconds = time.monotonic() - began
    outcome.broken.sort()
    return outcome


def _prepared(attack: Attack, home: Path) -> Path:
    """What every case needs; attacks that need the same share it."""
    prepared = home / "prepared" / attack.prepare.__module__
    if not prepared.exists():
        prepared.mkdir(parents=True)
        attack.prepare(prepared)
    return prepared


@dataclass(frozen=True)
class _Cases:
    """The cases of an attack, as one process after the other meets them."""

    attack: Attack
    seed: int
    home: Path
    prepared: Path
    until: float

    def undergo(self, numbers: Sequence[int], tell: Callable[[Any], None]) -> None:
        for number in numbers:
            late = time.monotonic() > self.until
            tell({"left out": True} if late else {"left out": False, **self._one(number)})

    def _one(self, number: int) -> dict[str, Any]:
        folder = self.home / str(number)
        folder.mkdir()
        folder.chmod(0o777)  # also for the ordinary user that some attacks become
        dice = random.Random(f"{self.seed} {self.attack.name} {number}")
        told = self._told(Case(number, dice, folder, self.prepared))
        if told.broken:
            (folder / "broken.txt").write_text("\n\n".join(told.broken))
        else:
            shutil.rmtree(folder)
        return {"number": number, "tried": told.tried, "broken": told.broken, "folder": str(folder)}

    def _told(self, case: Case) -> Told:
        """A mistake of the harness's own breaks its case, and the others are still carried out."""
        try:
            return self.attack.undergo(case)
        except Exception:
            return Told(broken=(f"the harness itself failed\n{traceback.format_exc()}",))


def _in_processes(works: Sequence[Callable[[Callable[[Any], None]], None]]) -> Iterable[Any]:
    """What each of them tells, once all have ended. They fork in their turn, and so may have one thread only, too."""
    files = [tempfile.TemporaryFile() for _ in works]  # noqa: SIM115 (each worker writes to its own)
    children = []
    for work, file in zip(works, files, strict=True):
        children.append(os.fork())
        if children[-1] == 0:
            code = 1
            try:
                work(lambda told, file=file: os.write(file.fileno(), json.dumps(told).encode() + b"\n"))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
    ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    if any(ends):
        raise RuntimeError(f"the harness itself failed: its processes ended with {ends}")
    for file in files:
        file.seek(0)
        yield from map(json.loads, file)
        file.close()


def problem(ended: Ended, *, allowed: Iterable[int] = DOCUMENTED, hungry: bool = False) -> str | None:
    """What is wrong with how a process ended, if anything: a hang, a traceback, another exit code than documented.

    Unless it may be ``hungry``, so is a message that there wasn't enough memory: the limit is far above what is needed.
    """
    if ended.hung:
        return f"hangs\n{ended.text}"
    if "Traceback (most recent call last)" in ended.text:
        return f"a traceback\n{ended.text}"
    if ended.code not in set(allowed):
        return f"exit code {ended.code}\n{ended.text}"
    if not hungry and _OUT_OF_MEMORY.search(ended.text):
        return f"above the memory limit\n{ended.text}"
    if ended.code > 0 and ended.code != 130 and not ended.text.strip():
        return f"exit code {ended.code} and not a word"
    return None


def done(ended: Ended) -> Any:
    """The answer of something that was only prepared; whatever went wrong with it is the harness's own fault."""
    if ended.code != 0:
        raise RuntimeError(f"preparing failed with {ended.code}:\n{ended.text}")
    return ended.answer
