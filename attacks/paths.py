"""Whatever place a verb is given to read or to write, it ends with a documented exit code and a message."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from attacks import playground
from attacks.harness import Attack, Case, Told, problem
from attacks.processes import accepted_at, give_away, verb

DEVICES = {"null": 3, "full": 7}
"""their numbers; the second has no room, ever"""
VERBS = (
    *("train --config train.toml --out {}", "train --resume {}", "train --config {}", "sweep {}", "choose {}"),
    *("train --source {} --K 0 --T 2 --out new", "train --config train.toml --weights {} --out new"),
    *("sweep sweep.toml --out {}", "choose choose.toml --out {}", "demo --seeds 1 --out {}", "evaluate {}"),
    *("evaluate runs/done --target {}", "report runs/done --target street --out {}", "report {} --out new.html"),
    *("diagnose {}", "diagnose runs/done --plain {}", "diagnose runs/done --out {}", "ensemble {} --out new"),
    *("ensemble runs/done runs/other --out {}", "predict {} street/cat", "predict runs/done {}"),
    *("predict runs/done street/cat --csv {}", "predict runs/done street/cat --out {}", "export {} --folder new"),
    *("export runs/done --folder {}", "export runs/done --onnx {}", "export runs/done --torch {}", "domains --data {}"),
    *("download usps --data {}", "results {}", "results results/streets.jsonl --page {}", "leaderboard {}"),
    *("results results/streets.jsonl --markdown {}", "results results/streets.jsonl --discussion {}"),
    *("reproduce figure2b-top --seeds 1 --stand-ins --scale small --out {}", "train --data {} --source mnist-test"),
)
SLOW = ("report", "diagnose", "results", "leaderboard", "export", "demo", "reproduce")
STOPS = {"download": accepted_at("socket.getaddrinfo"), "export": accepted_at("import", "onnx")}
NEEDED = ("train.toml", "sweep.toml", "choose.toml", "animals", "street", "runs", "results", "data")


def _link(folder: Path) -> str:
    (folder / "dangling").symlink_to("nowhere/at/all")
    return "dangling"


def _loop(folder: Path) -> str:
    (folder / "loop").symlink_to("loop")
    return "loop"


def _named(name: str) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        (folder / name).mkdir(parents=True, exist_ok=True)
        return name

    return make


def _device(name: str, number: int) -> Callable[[Path], str]:
    """A device of one's own where that may be made: root could replace the machine's."""

    def make(folder: Path) -> str:
        if os.geteuid() != 0:
            return f"/dev/{name}"
        os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, number))
        return name

    return make


def _leads_to_file(folder: Path) -> str:
    (folder / "mine.txt").write_text("mine")
    (folder / "link").symlink_to("mine.txt")
    return "link"


def _given(path: str) -> Callable[[Path], str]:
    return lambda _: path


PLACES: tuple[Callable[[Path], str], ...] = (
    *map(_given, ("/proc/x", "/proc/self/mem", "/sys/x", "train.toml/x", "train.toml", "~nobody/x", "~nosuchuser/x")),
    *map(_given, ("a" * 300, "b/" * 3000 + "c", "", ".", "..", "/proc", "nowhere", "new/deep/er", "é/ü")),
    *map(_given, ("street", "runs", "runs/done", "runs/unfinished", "data", "runs/done/config.json", "-", "--out")),
    *map(_named, ("[red]t", "[/b]", "a\x1b[31mb", "new\nline", "tab\there", "\udcff", "x:y", "%s {}", "$HOME `ls`")),
    *(_device(name, number) for name, number in DEVICES.items()),
    *(_link, _loop, _leads_to_file),
)


def undergo(case: Case) -> Told:
    """One verb, one odd place."""
    words = case.dice.choices(VERBS, [1 if v.split()[0] in SLOW else 4 for v in VERBS])[0]
    playground.copy(case.prepared, case.folder, *NEEDED)
    place = case.dice.choice(PLACES)(case.folder)
    given = [word.replace("{}", place) for word in words.split()]
    stop = STOPS.get(given[0], accepted_at("os.mkdir", ".claims"))
    give_away(case.folder)
    ended = case.run(verb(given), audit=stop, ordinary=True)  # root would write to places that are not the case's
    wrong = problem(ended) or _escapes(ended.text, place) or _replaced(case.folder)
    return Told(broken=(f"unseen {words} with {place[:80]!r}\n{wrong}",)) if wrong else Told()


def _escapes(text: str, place: str) -> str | None:
    if "\x1b" in text:
        return f"an escape code reaches the screen\n{text!r}"
    return (
        f"[red] was taken for a colour\n{text}" if place == "[red]t" and "/t" in text and "[red]t" not in text else None
    )


def _replaced(folder: Path) -> str | None:
    """A device is still one, and a link still leads where it did."""
    link, devices = folder / "link", [folder / name for name in DEVICES]
    if any(device.exists() and not stat.S_ISCHR(device.lstat().st_mode) for device in devices):
        return "the device was replaced by a file"
    return "the link was replaced by a file" if (folder / "mine.txt").exists() and not link.is_symlink() else None


ATTACK = Attack(
    "paths", "A place that can't be used is one message; a device or a link stays one.", 400, undergo, playground.make
)
