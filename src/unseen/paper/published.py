"""What the paper published, as data with the place it comes from: ``published.json``, and how to look a number up."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

DOMAINS = ("SVHN", "MNIST-M", "SYN", "USPS")
"""the paper's test sets, in the order of its figures' columns"""
GAMMAS = tuple(float(f"1e{i}") for i in range(-6, 5))
ROUNDS = (1, 2, 3, 4)
"""the values of K in Table 1"""


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


def erm(domain: str) -> Published | None:
    """The accuracy of plain training on one of ``DOMAINS``; None on another domain."""
    numbers = published_part("ERM")
    return _read(numbers, numbers["accuracies"].get(domain))


def table1(gamma: float, K: int, domain: str) -> Published | None:
    """The entry of Table 1; None where it has none."""
    numbers = published_part("Table 1")
    rows = numbers["accuracies"].get(domain, {})
    row = next((rows[key] for key in rows if math.isclose(float(key), gamma)), None)
    return _read(numbers, row[ROUNDS.index(K)] if row and K in ROUNDS else None)


def published_part(name: str) -> dict[str, Any]:
    """What ``published.json`` has under that name, as it is there."""
    content: dict[str, Any] = _everything()[name]
    return content


@cache
def _everything() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files("unseen.paper").joinpath("published.json").read_text("utf-8"))
    return content


def _read(numbers: dict[str, Any], entry: list[float] | None) -> Published | None:
    return None if entry is None else Published(entry[0], entry[1], tuple(numbers["runs"]), numbers["where"])
