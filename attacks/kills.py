"""A training that is killed at any moment, again and again, ends with the bits of one that never was."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import kill_points

from attacks.harness import Attack, Case, Told, done, problem
from attacks.processes import Audit, Ended
from attacks.trainings import RANKS, TRAININGS, as_ranks, outcome
from unseen.base.writing import write_json
from unseen.errors import RankLost

EACH = 4
"""kills of each case"""
TRIES = 10 * EACH
"""in which they have to come: a training may be faster than the signal"""
SHARES = {name: 1 if name == "ranks" else 10 for name in TRAININGS}
SIGNALS = (signal.SIGKILL,) * 8 + (signal.SIGTERM, signal.SIGINT)
CALLS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.listdir", "os.scandir")
"""of the file system, as Python audits them"""


def undergo(case: Case) -> Told:
    """One kind of training, killed so many times; whenever it came to its end, its bits are compared."""
    kind = case.dice.choices(list(SHARES), list(SHARES.values()))[0]
    kills, whole = 0, twin(kind, case)
    for attempt in range(TRIES):
        folder, signalled = case.folder / f"{kind}-{attempt}", True
        while kills < EACH and signalled:
            ended = _killed(kind, folder, case, whole)
            if (wrong := _wrong(ended, kind)) is not None:
                return Told(kills + 1, (f"{kind}, after {kills} kills: {wrong}",))
            signalled = ended.signalled
            kills += signalled
        if (wrong := other_bits(kind, folder, case)) is not None:
            return Told(kills, (f"{kind}, after {kills} kills, in {folder.name}: {wrong}",))
        if kills == EACH:
            return Told(kills)
    raise RuntimeError(f"{kind} was faster than {TRIES} signals")


def finish(kind: str, folder: Path) -> None:
    """Go on to the end."""
    codes = TRAININGS[kind](folder)
    if isinstance(codes, list) and any(codes):
        sys.exit(max(codes, key=abs))


def other_bits(kind: str, folder: Path, case: Case) -> str | None:
    """What is wrong with what a training comes to, whatever was done to it before, if anything."""
    ended = case.run(partial(finish, kind, folder))
    if (wrong := problem(ended, allowed=(0,), hungry=kind == "sweep")) is not None:
        return f"it can't go on: {wrong}"
    different = kill_points.differences(twin(kind, case)["outcome"], done(case.run(partial(outcome, folder))))
    return f"other bits in {', '.join(different[:9])}" if different else None


def twin(kind: str, case: Case) -> dict[str, Any]:
    """What the training comes to when nobody interrupts it, how long it takes and how often it calls for files."""
    path = case.prepared / f"{kind}.json"
    if not path.exists():
        folder = case.folder / "whole"
        ended = case.run(lambda: _counted(lambda: finish(kind, folder), folder))
        calls, told = done(ended), done(case.run(partial(outcome, folder)))
        write_json(path, {"outcome": told, "seconds": ended.seconds, "calls": calls})
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def _counted(work: Callable[[], Any], folder: Path) -> int:
    calls = 0

    def count(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal calls
        calls += _concerns(folder, name, arguments)

    sys.addaudithook(count)
    work()
    return calls


def _concerns(folder: Path, name: str, arguments: tuple[Any, ...]) -> bool:
    return name in CALLS and str(arguments[0]).startswith(str(folder))


def at_call(nth: int, number: int, folder: Path) -> Audit:
    """The signal, just before the nth call for a file of the folder."""
    calls = 0

    def audit(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal calls
        if _concerns(folder, name, arguments):
            calls += 1
            if calls == nth:
                os.kill(os.getpid(), number)

    return audit


def _killed(kind: str, folder: Path, case: Case, whole: dict[str, Any]) -> Ended:
    """Begin or go on, until a signal comes: at a moment of the clock, or at a call for a file."""
    dice, number = case.dice, case.dice.choice(SIGNALS)
    seconds = dice.uniform(0.02, 0.9) * whole["seconds"]
    if kind == "ranks":
        killed = dice.choice(([0], [1], [0, 1]))
        ended = case.run(lambda: as_ranks(folder, killed, seconds))
        return _as_signalled(ended, killed)
    work = partial(finish, kind, folder)
    if dice.random() < 0.5:
        return case.run(work, signal_after=(int(number), seconds))
    nth = dice.randint(1, max(2, whole["calls"]))
    ended = case.run(work, audit=at_call(nth, number, folder))
    came = ended.code in (-number, 130)
    return Ended(ended.code, ended.text, ended.seconds, signalled=came, hung=ended.hung)


def _as_signalled(ended: Ended, killed: list[int]) -> Ended:
    """Of ranks: a rank that lost another has to end by itself, and say so."""
    codes = ended.answer or [ended.code] * RANKS
    others = [code for rank, code in enumerate(codes) if rank not in killed]
    code = next((code for code in others if code not in (0, RankLost.exit_code)), 0)
    signalled = any(codes[rank] == -signal.SIGKILL for rank in killed)
    return Ended(code, ended.text, ended.seconds, hung=ended.hung, signalled=signalled)


def _wrong(ended: Ended, kind: str) -> str | None:
    signals = {-int(number) for number in SIGNALS} if ended.signalled else set()
    return problem(ended, allowed={0, *signals, *({130} if ended.signalled else ())}, hungry=kind == "sweep")


ATTACK = Attack("kills", "A training killed at any moment resumes to the same bits.", 1000 // EACH, undergo)
