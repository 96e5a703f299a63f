"""A run folder from somebody else runs no code; a model file of one's own that fails is one message."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from configs import rewrite

from attacks import playground
from attacks.harness import Attack, Case, Told, problem
from attacks.processes import verb

CANARY = "canary"
EVIL = f"""
import pathlib
pathlib.Path(__file__).with_name("{CANARY}").write_text("code of the folder was run")

def make(classes=3):
    from torch import nn
    return nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, classes))

def fade(image):
    return image
"""
FOLDERS = {
    "runs/done": (
        *("evaluate runs/done --target street", "predict runs/done street/cat", "report runs/done --target street"),
        *(
            "diagnose runs/done --plain runs/erm",
            "export runs/done --folder new",
            "ensemble runs/done runs/other --out new",
        ),
    ),
    "runs/unfinished": ("train --resume runs/unfinished",),
    "ensemble/members/0": ("evaluate ensemble --target street", "predict ensemble street/cat"),
    "handed-over": ("predict handed-over street/cat", "export handed-over --onnx new.onnx"),
}
NEEDED = ("train.toml", "animals", "street", "runs", "ensemble", "handed-over")

OWN = {
    "a syntax error": "def make(classes):\n    return (",
    "an exception": "raise RuntimeError('a part is missing')",
    "sys.exit(0)": "import sys\nsys.exit(0)",
    "sys.exit in the function": "import sys\ndef make(classes):\n    sys.exit(0)",
    "an import that there isn't": "import nothing_of_that_name",
    "endless recursion": "def make(classes):\n    return make(classes)",
    "a deep exception": "def make(classes):\n    raise BaseException('stop')",
    "KeyboardInterrupt": "def make(classes):\n    raise KeyboardInterrupt",
    "no function": "x = 1",
    "no model": "def make(classes):\n    return 'model'",
    "None": "def make(classes):\n    return None",
    "another signature": "def make(a, b, c):\n    return None",
    "too few classes": (
        "from torch import nn\ndef make(classes):\n    return nn.Sequential(nn.Flatten(), nn.Linear(3072, 1))"
    ),
    "a head that isn't the last layer": (
        "from torch import nn\ndef make(classes):\n"
        "    return nn.Sequential(nn.Flatten(), nn.Linear(3072, classes), nn.Linear(classes, classes), nn.Softmax(1))"
    ),
    "an exception in forward": (
        "from torch import nn\nclass M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.head = nn.Linear(3072, 3)\n    def forward(self, x):\n        raise ValueError('no')\n"
        "def make(classes):\n    return M()"
    ),
    "NaN": (
        "from torch import nn\nclass M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.head = nn.Linear(3072, 3)\n"
        "    def forward(self, x):\n        return self.head(x.flatten(1)) * float('nan')\n"
        "def make(classes):\n    return M()"
    ),
    "no gradient": (
        "from torch import nn\ndef make(classes):\n"
        "    return nn.Sequential(nn.Flatten(), nn.Linear(3072, classes)).requires_grad_(False)"
    ),
    "bytes that aren't UTF-8": "\udcff\udcfe",
    "a null byte": "x = 1\x00",
}


def _set(config: dict[str, Any], place: tuple[str, ...], value: Any) -> None:
    for name in place[:-1]:
        config = config[name]
    config[place[-1]] = value


HOSTILE: dict[str, Callable[[Path], tuple[tuple[str, ...], Any]]] = {
    "the model is a file of the folder": lambda folder: (("job", "model"), f"{folder}/evil.py:make"),
    "the model is a file beside it": lambda folder: (("job", "model"), "evil.py:make"),
    "the model is a module": lambda _: (("job", "model"), "evil:make"),
    "augment is a file of the folder": lambda folder: (("ada", "augment"), [f"{folder}/evil.py:fade"]),
    "augment is a name": lambda _: (("ada", "augment"), "evil:fade"),
    "over is a file of the folder": lambda folder: (("ada", "over"), [f"{folder}/evil.py:fade"]),
    "a watched domain is code": lambda folder: (("job", "watch"), [f"{folder}/evil.py:make"]),
    "the source is code": lambda folder: (("job", "source"), f"{folder}/evil.py:make"),
    "the weights are a pickle": lambda folder: (("job", "weights"), f"{folder}/evil.pth"),
}


def undergo(case: Case) -> Told:
    """A folder that names code of its own, or a model file that fails."""
    return _own(case) if case.number % 3 == 0 else _somebody_elses(case)


def _somebody_elses(case: Case) -> Told:
    playground.copy(case.prepared, case.folder, *NEEDED)
    part = case.dice.choice(sorted(FOLDERS))
    words, how = case.dice.choice(FOLDERS[part]), case.dice.choice(sorted(HOSTILE))
    folder = case.folder / part
    places = {folder, case.folder}
    for place in places:
        (place / "evil.py").write_text(EVIL)
    (folder / "evil.pth").write_bytes(b"cpathlib\nPath.touch\n(cpathlib\nPath\n(S'canary'\ntRtR.")
    rewrite(folder, lambda config: _set(config, *HOSTILE[how](folder)))
    _seal_again(case.folder / part.partition("/")[0])
    ended = case.run(lambda: _with_path(case.folder, words))
    wrong = problem(ended)
    if any((place / CANARY).exists() for place in places):
        wrong = f"code of the folder was run\n{ended.text}"
    return Told(broken=(f"{how}: unseen {words}\n{wrong}",)) if wrong else Told()


def _seal_again(folder: Path) -> None:
    """The digests of an ensemble or a hand-over, as somebody who made it would have them."""
    seal = next((folder / name for name in ("ensemble.json", "handover.json") if (folder / name).exists()), None)
    if seal is None:
        return
    content = json.loads(seal.read_text())
    kept = [("", content["files"])] if "files" in content else []
    kept += [(f"members/{i}/", member["sha256"]) for i, member in enumerate(content.get("members", ()))]
    for place, files in kept:
        files |= {name: hashlib.sha256((folder / place / name).read_bytes()).hexdigest() for name in files}
    seal.write_text(json.dumps(content))


def _with_path(folder: Path, words: str) -> None:
    sys.path.insert(0, str(folder))  # as python -m has it
    verb(words)()


def _own(case: Case) -> Told:
    playground.copy(case.prepared, case.folder, "animals", "street")
    what = sorted(OWN)[case.number // 3 % len(OWN)]
    (case.folder / "mine.py").write_bytes(OWN[what].encode(errors="surrogateescape"))
    words = "train --source animals --size 32 --model mine.py:make --K 1 --T 4 --T-min 2 --device cpu --out new"
    ended = case.run(verb(words))
    wrong = problem(ended)
    if wrong is None and ended.code == 0:
        wrong = _usable(case)
    return Told(broken=(f"a model file with {what}: unseen {words}\n{wrong}",)) if wrong else Told()


def _usable(case: Case) -> str | None:
    """What was trained can be evaluated."""
    if not (case.folder / "new" / "weights.safetensors").exists():
        return "exit code 0, and nothing was trained"
    ended = case.run(verb("evaluate new --model mine.py:make --target street"))
    return problem(ended, allowed=(0,))


ATTACK = Attack(
    "models",
    "No code of a run folder is run unless the user says so; a model file that fails is one message.",
    150,
    undergo,
    playground.make,
)
