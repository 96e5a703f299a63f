"""Whatever is given as a setting or as an option, a verb ends with a documented exit code and a message."""

from __future__ import annotations

import json
import signal
from dataclasses import fields

from attacks import playground
from attacks.harness import Attack, Case, Told, problem
from attacks.mutating import ODD_TOML
from attacks.processes import accepted_at, verb
from unseen.method.settings import ADA
from unseen.runs.job import Job

NAMES = sorted({each.name for kind in (ADA, Job) for each in fields(kind)} | {"seed", "device", "precision", "threads"})
NUMBERS = (
    *(
        "-1",
        "0",
        "1",
        "2",
        "1e-320",
        "1e308",
        "-1e308",
        "1e39",
        "inf",
        "nan",
        "9" * 400,
        str(2**63),
        str(2**64),
        "1e400",
    ),
    *("0.5", "-0.0", "1e-9", "99999", "2147483648", "1.5"),
)
WORDS = (
    *(
        '""',
        '" "',
        '"x"',
        '"~nobody/x"',
        '"/proc/x"',
        '"[/b]"',
        '"[red]x"',
        '"\\u001b[31m"',
        '"meta"',
        '"cuda:99"',
        '"cpu:7"',
    ),
    *(
        f'"{"a" * 300}"',
        '"a/b:c"',
        '"standard"',
        '"bf16"',
        '"float16"',
        '"everything,everything"',
        '"chain"',
        '"\\u0000"',
    ),
    *('"timm:nothing"', '"torchvision:resnet18"', '"FILE.py:make"', '"os:system"', '"masks:street"', '"street"', '"é"'),
)
LISTS = (
    "[]",
    "[[]]",
    '["x"]',
    '["standard", "standard"]',
    "[1, 2]",
    "[0.5, 0.5]",
    '["street", "street"]',
    '["[/b]"]',
    "[{}]",
)
OPTIONS = (
    "evaluate runs/done --target street --threads {}",
    "evaluate runs/done --target {}",
    "evaluate runs/done --target street --size {}",
    "evaluate runs/done --target street --model {}",
    "predict runs/done street/cat --threads {}",
    "predict runs/done {}",
    "export runs/done --folder new --size {}",
    "ensemble runs/done runs/other --out new --rule {}",
    "diagnose runs/done --target {}",
    "report runs/done --target {}",
    "report runs/done --target street --source {}",
    "reproduce {} --stand-ins",
    "reproduce figure2b-top --seeds {}",
    "reproduce figure2b-top --scale {} --seeds 1",
    "reproduce figure2b-top --without {} --seeds 1",
    "reproduce figure2b-top --offset {} --seeds 1",
    "download {} --data new",
    "choose choose.toml --seeds {} --out new",
    "choose choose.toml --jobs {} --out new",
    "sweep sweep.toml --jobs {} --out new",
    "sweep sweep.toml --engine {} --out new",
    "demo --seeds {} --out new",
    "play runs/done --port {} --no-browser",
    "play runs/done --host {} --no-browser",
    "train --size {} --source animals --K 0 --T 2 --out new",
    "train --images {} --source animals --K 0 --T 2 --out new",
    "train --seed {} --source animals --K 0 --T 2 --out new",
    "train --model {} --source animals --K 0 --T 2 --out new",
    "train --weights {} --source animals --K 0 --T 2 --out new",
    "train --augment {} --source animals --K 0 --T 2 --out new",
    "train --device {} --source animals --K 0 --T 2 --out new",
    "train --{} 1",
    "{}",
)
NEEDED = ("train.toml", "sweep.toml", "choose.toml", "animals", "street", "runs/done", "runs/other")
KNOWN = (
    *(
        "width = inf",
        "width = 1e6",
        f"seed = {2**64}",
        "eta = 1e308",
        f"gamma = {'9' * 400}",
        "precision = []",
        "batch = 1",
    ),
    *('device = "meta"', 'source = "~nobody/x"', f'source = "{"a" * 300}"', 'watch = ["[/b]"]', "size = 1000000"),
    *("images = 0", "K = -1", "T_min = 0", "alpha = nan", 'augment = "[red]"', "over = [[]]", f"x = {'[' * 5000}"),
)
"""what broke before there were attacks, and its like"""
ENOUGH = 20.0
"""seconds after which a verb that accepted what it was given is interrupted"""


def undergo(case: Case) -> Told:
    """Some settings of a training have odd values, or an option of a verb."""
    playground.copy(case.prepared, case.folder, *NEEDED)
    words = _settings(case) if case.number < len(KNOWN) or case.dice.random() < 0.6 else _option(case)
    ended = case.run(verb(words), signal_after=(signal.SIGINT, ENOUGH), audit=accepted_at("os.mkdir", ".claims"))
    wrong = problem(ended, hungry=True)
    if wrong is None and "\x1b" in ended.text:
        wrong = f"an escape code reaches the screen\n{ended.text!r}"
    what = f"unseen {json.dumps(words)[:400]}\n{(case.folder / 'train.toml').read_text()[:1500]}"
    return Told(broken=(f"{what}\n{wrong}",)) if wrong else Told()


def _settings(case: Case) -> list[str]:
    """A file of settings with one or two that are odd."""
    lines = playground.SETTINGS.splitlines()
    for given in _odd(case):
        name = given.partition(" ")[0]
        lines = [given, *(line for line in lines if not line.startswith(f"{name} ="))]
    (case.folder / "train.toml").write_text("\n".join(lines))
    return ["train", "--config", "train.toml", "--out", "new"]


def _odd(case: Case) -> list[str]:
    """What is known to have broken something, then what is drawn."""
    if case.number < len(KNOWN):
        return [KNOWN[case.number]]
    kinds = (NUMBERS, NUMBERS, WORDS, LISTS, ODD_TOML)
    names = case.dice.sample(NAMES, case.dice.choice((1, 1, 2)))
    return [f"{name} = {case.dice.choice(case.dice.choice(kinds))}" for name in names]


def _option(case: Case) -> list[str]:
    value = case.dice.choice(
        (*NUMBERS, *(word.strip('"') for word in WORDS if "\\" not in word), "\x1b[31m", "a b", "-x")
    )
    return [word.replace("{}", value) for word in case.dice.choice(OPTIONS).split()]


ATTACK = Attack("settings", "A setting that makes no sense is one message.", 600, undergo, playground.make)
