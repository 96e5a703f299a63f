"""Two processes that train in one folder: one of them does, and what comes of it has the bits of one alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

from attacks.harness import Attack, Case, Told, problem
from attacks.kills import finish, other_bits, twin
from unseen.errors import UnseenError

KINDS = ("ADA", "practice", "masks", "ADDA")


def undergo(case: Case) -> Told:
    """A second process, or a third, comes along while one trains; in between somebody removes the lock, or not."""
    kind, dice = case.dice.choice(KINDS), case.dice
    seconds, folder = twin(kind, case)["seconds"], case.folder / "run"
    waits = [dice.uniform(0, 0.8) * seconds for _ in range(dice.choice((2, 3)))]
    removes = dice.random() < 0.7
    ended = case.run(lambda: _together(kind, folder, [0.0, *waits], removes))
    codes = ended.answer or []
    what = f"{kind}, {len(waits) + 1} processes{', the lock removed' * removes}, which ended with {codes}"
    wrong = problem(ended, allowed=(0,)) or (f"exit codes\n{ended.text}" if set(codes) - {0, 3} else None)
    if wrong is None:
        wrong = other_bits(kind, folder, case)
    return Told(broken=(f"{what}: {wrong}",)) if wrong else Told()


def _together(kind: str, folder: Path, waits: list[float], removes: bool) -> list[int]:
    writers = []
    for wait in waits:
        time.sleep(wait)
        if removes:
            (folder / "lock").unlink(missing_ok=True)
        writers.append(_writer(kind, folder))
    return [os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]) for writer in writers]


def _writer(kind: str, folder: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        finish(kind, folder)
        code = 0
    except UnseenError as error:
        print(f"error: {error}", flush=True)
        code = error.exit_code
    finally:
        os._exit(code)


ATTACK = Attack("writers", "One folder, one process: a second is refused, and no bit changes.", 40, undergo)
