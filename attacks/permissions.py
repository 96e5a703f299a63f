"""A file or folder that may not be read or written: one message, and with permission again the same bits."""

from __future__ import annotations

from contextlib import suppress

import kill_points

from attacks import playground
from attacks.harness import Attack, Case, Told, problem
from attacks.processes import accepted_at, give_away, verb

VERBS = {
    "train --resume runs/unfinished": ("runs/unfinished", "animals", "street"),
    "evaluate runs/done --target street": ("runs/done", "street"),
    "predict runs/done street/cat": ("runs/done", "street/cat"),
    "report runs/done --target street": ("runs/done", "animals", "street"),
    "diagnose runs/done --plain runs/erm": ("runs/done", "runs/erm", "animals", "street"),
    "ensemble runs/done runs/other --out new": ("runs/done", "runs/other"),
    "evaluate ensemble --target street": ("ensemble", "street"),
    "predict handed-over street/cat": ("handed-over", "street/cat"),
    "export runs/done --folder new": ("runs/done",),
    "train --config train.toml --out new": ("train.toml", "animals", "street"),
    "train --source masks:masks --model fcn-resnet18 --size 16 --K 0 --T 2 --out new": ("masks",),
    "train --source svhn-test --K 0 --T 2 --out new --data data": ("data/svhn", "data/mnist"),
    "domains --data data": ("data",),
    "sweep sweep.toml --out new": ("sweep.toml", "animals", "street"),
    "choose choose.toml --out new": ("choose.toml", "animals", "street"),
    "results results/streets.jsonl": ("results",),
}
SHARES = {
    words: 12 if "--resume" in words else 1 if words.split()[0] in ("report", "diagnose", "results") else 4
    for words in VERBS
}
MODES = (0o000, 0o000, 0o444, 0o555, 0o111)


def undergo(case: Case) -> Told:
    """One file or folder loses its permissions, an ordinary user runs a verb, and gets the permissions back."""
    words = case.dice.choices(list(VERBS), list(SHARES.values()))[0]
    playground.copy(case.prepared, case.folder, *VERBS[words])
    give_away(case.folder)
    path = case.dice.choice(
        sorted(p for part in VERBS[words] for p in (case.folder / part, *(case.folder / part).rglob("*")))
    )
    before, mode = path.stat().st_mode, case.dice.choice(MODES)
    path.chmod(mode)
    stop = accepted_at("os.mkdir", ".claims") if words.startswith(("sweep", "choose")) else None
    ended = case.run(verb(words), ordinary=True, audit=stop)
    with suppress(FileNotFoundError):  # events are written anew where their folder may be written to
        path.chmod(before)
    wrong = problem(ended)
    if wrong is None and "--resume" in words:
        wrong = _goes_on(case, words)
    what = f"{path.relative_to(case.folder)} with mode {mode:03o}: unseen {words}"
    return Told(broken=(f"{what}\n{wrong}",)) if wrong else Told()


def _goes_on(case: Case, words: str) -> str | None:
    ended = case.run(verb(words), ordinary=True)
    if (wrong := problem(ended, allowed=(0,))) is not None:
        return f"with permission again: {wrong}"
    run, expected = case.folder / "runs/unfinished", case.prepared / "runs/finished"
    different = case.differences(kill_points.outcome_on_disk, run, expected)
    return f"with permission again: other bits in {', '.join(different[:9])}" if different else None


ATTACK = Attack(
    "permissions",
    "What may not be read or written is one message; with permission again a run resumes to the same bits.",
    200,
    undergo,
    playground.make,
)
