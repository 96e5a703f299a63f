"""What the paper published, as data with the place it comes from: ``published.json``, and how to look a number up."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from unseen.paper.streets.names import TABLE2, condition_of, place_of

DOMAINS = ("SVHN", "MNIST-M", "SYN", "USPS")
"""the paper's test sets, in the order of its figures' columns"""
GAMMAS = tuple(float(f"1e{i}") for i in range(-6, 5))
ROUNDS = (1, 2, 3, 4)
"""the values of K in Table 1"""
FIGURE3 = "Section 4.2, Figure 3: the mean of Table 2's five"

Row = Literal["ERM", "ADA"]
_PRINTED: dict[Row, str] = {"ERM": "ERM", "ADA": "Ours"}
"""what Table 2 calls them"""


@dataclass(frozen=True)
class Published:
    """An accuracy, or an mIoU (a share), that the paper gives; accuracies have a deviation."""

    mean: float
    deviation: float | None
    """what follows the paper's ±, which it doesn't explain: taken as the deviation over runs; an mIoU has none"""
    stated_runs: tuple[int, ...]
    """every number of runs that the paper states for it: Table 1's caption has 20, the text 10; none for an mIoU"""
    where: str

    @property
    def runs(self) -> int | None:
        """The fewest runs that it may stand for, which gives the widest interval; None where the paper states none."""
        return min(self.stated_runs, default=None)


# Digits.


def erm(domain: str) -> Published | None:
    """The accuracy of ERM on one of ``DOMAINS``; None on another domain."""
    numbers = _part("ERM")
    return _read(numbers, numbers["accuracies"].get(domain))


def table1(gamma: float, K: int, domain: str) -> Published | None:
    """The entry of Table 1; None where it has none."""
    numbers = _part("Table 1")
    rows = numbers["accuracies"].get(domain, {})
    row = next((rows[key] for key in rows if math.isclose(float(key), gamma)), None)
    return _read(numbers, row[ROUNDS.index(K)] if row and K in ROUNDS else None)


def _read(numbers: dict[str, Any], entry: list[float] | None) -> Published | None:
    return None if entry is None else Published(entry[0], entry[1], tuple(numbers["runs"]), numbers["where"])


# Streets.


@dataclass(frozen=True)
class Entry:
    """One number of Table 2, an mIoU as a share, and whether it is in bold type."""

    miou: float
    bold: bool


@dataclass(frozen=True)
class Pair:
    """What Table 2 has for a source and a target."""

    source: str
    target: str
    erm: Entry
    ada: Entry

    @property
    def higher(self) -> Row:
        """The row with the higher number."""
        return "ADA" if self.ada.miou > self.erm.miou else "ERM"

    @property
    def bold(self) -> str:
        """The row in bold type, or ``neither``."""
        return {(True, False): "ERM", (False, True): "ADA", (False, False): "neither"}.get(
            (self.erm.bold, self.ada.bold), "both"
        )


@cache
def table2_pairs() -> dict[tuple[str, str], Pair]:
    """Every pair of Table 2 by source and target, in its order."""
    places = [(source, target) for source, targets in TABLE2.items() for target in targets]
    return {place: Pair(*place, _entry("ERM", *place), _entry("ADA", *place)) for place in places}


def _entry(row: Row, source: str, target: str) -> Entry:
    numbers = _part("Table 2")
    printed = numbers["mious"][source][_PRINTED[row]][place_of(target)]
    miou, bold = printed[numbers["conditions"].index(condition_of(target))]
    return Entry(miou, bool(bold))


def table2(row: Row, source: str, target: str) -> Published | None:
    """The mIoU of Table 2, which has neither a spread nor a number of runs; None where it has none."""
    pair = table2_pairs().get((source, target))
    if pair is None:
        return None
    return Published((pair.erm if row == "ERM" else pair.ada).miou, None, (), _part("Table 2")["where"])


def figure3(numbers: Sequence[Published | None]) -> Published | None:
    """A bar of Figure 3, which the paper only draws: its text says that it is the mean over the test conditions."""
    known = [number.mean for number in numbers if number is not None]
    return Published(sum(known) / len(known), None, (), FIGURE3) if known and len(known) == len(numbers) else None


def contradictions() -> list[Pair]:
    """Every pair of Table 2 whose higher number isn't the one in bold type, in the table's order."""
    return [pair for pair in table2_pairs().values() if pair.bold != pair.higher]


# The file.


def _part(name: str) -> dict[str, Any]:
    content: dict[str, Any] = _everything()[name]
    return content


@cache
def _everything() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files("unseen.paper").joinpath("published.json").read_text("utf-8"))
    return content
