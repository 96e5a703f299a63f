"""What attacks came to: the table, how to repeat what broke, and the file with the counts."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attacks import ROOT
from attacks.catalogue import ATTACKS
from attacks.harness import Outcome
from benchmarks.measure import commit

FILE = Path(__file__).parent / "results" / "attacks.jsonl"
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- counts: python -m attacks puts them here -->\n", "\n<!-- end of counts -->"
HEADING = f"{'attack':12} {'tried':>8} {'held':>8} {'broken':>8} {'seconds':>8}"
_OUR_BUG = "error: this is a bug"
"""the line that follows a traceback"""
_LAST = 5
"""lines of what a process said that are printed"""
_WIDEST = 300


def row(outcome: Outcome) -> str:
    """A line of the table."""
    if outcome.skipped:
        return f"{outcome.attack:12} skipped: {outcome.skipped}"
    late = f"  no time for {outcome.left_out:,} cases" if outcome.left_out else ""
    counts = f"{outcome.tried:8,} {outcome.held:8,} {len(outcome.broken):8,} {outcome.seconds:8,.0f}"
    return f"{outcome.attack:12} {counts}{late}"


def breaks(outcome: Outcome, seed: int) -> str:
    """What broke, each kind of it once with how often, and what repeats it."""
    alike: dict[str, list[tuple[int, str, str]]] = {}
    for broken in outcome.broken:
        last = [line for line in broken[1].strip().splitlines() if not line.startswith(_OUR_BUG)][-1]
        alike.setdefault(re.sub(r"[\d/].*", "", last)[:80], []).append(broken)
    told = [f"{outcome.attack}: {len(outcome.broken):,} broken, {len(alike):,} kinds of it"]
    for cases in sorted(alike.values(), key=len, reverse=True):
        number, what, folder = cases[0]
        told += [f"  {len(cases):,} x  python -m attacks {outcome.attack} --seed {seed} --only {number}   ({folder})"]
        lines = what.strip().splitlines()
        told += [f"      {line[:_WIDEST]}" for line in [*lines[:2], *lines[2:][-_LAST:]]]
    return "\n".join(told)


def append(outcomes: Iterable[Outcome], seed: int, file: Path = FILE) -> None:
    """A line for each attack that was carried out whole."""
    here = {
        "seed": seed,
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("unseen", "torch", "numpy", "safetensors")},
    }
    lines = [
        {"attack": each.attack, "tried": each.tried, "held": each.held, "broken": len(each.broken),
         "seconds": round(each.seconds), **here}
        for each in outcomes
        if not each.skipped and not each.left_out
    ]  # fmt: skip
    file.parent.mkdir(exist_ok=True)
    with file.open("a") as opened:
        opened.writelines(json.dumps(line) + "\n" for line in lines)


def newest(file: Path = FILE) -> dict[str, dict[str, Any]]:
    """The last line of each attack."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return {line["attack"]: line for line in lines}


def table(lines: Mapping[str, Mapping[str, Any]]) -> str:
    """The counts as docs/reliability.md has them."""
    told = ["| attack | promise | tried | held | broken |", "| --- | --- | ---: | ---: | ---: |"]
    for name, attack in ATTACKS.items():
        if name in lines:
            counts = [f"{lines[name][count]:,}" for count in ("tried", "held", "broken")]
            told.append(f"| {' | '.join([name, attack.promise, *counts])} |")
    last = max(lines.values(), key=lambda line: line["at"])
    made = f"torch {last['torch']}, Python {last['python']}, {last['cores']} cores"
    minutes = sum(line["seconds"] for line in lines.values()) / 60
    return "\n".join([*told, "", f"Seed {last['seed']}, {last['at'][:10]}, {made}, {minutes:.0f} minutes."])


def publish(page: Path = PAGE, file: Path = FILE) -> None:
    """Put the newest counts into the page of what is promised."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}{table(newest(file))}{END}{after}")
