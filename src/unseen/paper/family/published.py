"""What others published on digits, as data with the place it was read: ``published.json``, and the table of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from unseen.paper.published import DOMAINS
from unseen.paper.tables import NONE
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import listed

FROM_MEMORY = "from memory"
_UNKNOWN = "not known"
_ROUNDING = 0.05  # points between a printed average and its row's that are no contradiction
_CAPTION = (
    "Accuracy in percent after training on 10,000 MNIST images, as others printed it: one number for each method, no "
    "seeds. Numbers from memory were not read again for this table. Where the row's own average isn't the printed one, "
    "it is in brackets. Steps and checkpoint are those of the released code. Where they aren't those of our protocol "
    "(10,000 steps of 32, the last iterate), or not known, the numbers can't be compared with those above; least of "
    "all where the checkpoint was chosen on a target."
)


@dataclass(frozen=True)
class Released:
    """How the released code makes the number that it prints."""

    repository: str
    steps: str
    checkpoint: str
    same: bool
    """whether steps and checkpoint are those of our protocol"""


@dataclass(frozen=True)
class Relative:
    """A method's published numbers."""

    method: str
    average: float
    """as printed"""
    where: str
    accuracies: dict[str, float] = field(default_factory=dict)
    memory: bool = False
    released: Released | None = None

    @property
    def own_average(self) -> float | None:
        """Of the row's four numbers."""
        return mean(list(self.accuracies.values())) if self.accuracies else None

    @property
    def read(self) -> str:
        """Where the numbers were read."""
        return " ".join(filter(None, [self.where, FROM_MEMORY if self.memory else ""]))


@cache
def relatives() -> tuple[Relative, ...]:
    """Every method, the lowest average first."""
    content: dict[str, Any] = json.loads(files("unseen.paper.family").joinpath("published.json").read_text("utf-8"))
    code = {name: Released(name, **known) for name, known in content["code"].items()}
    return tuple(
        Relative(
            line["method"], line["average"], line["where"], line["accuracies"], line.get("memory", False),
            code[line["code"]] if "code" in line else None,
        )
        for line in content["methods"]
    )  # fmt: skip


def published_sheet(here: Sequence[str]) -> Sheet:
    """The published numbers; ``here`` are the targets of our own mean."""
    headings = (
        "method", *DOMAINS, "average", f"mean of {', '.join(here)}", "read in", "steps", "printed checkpoint",
        "steps and checkpoint as here",
    )  # fmt: skip
    words = frozenset({0, *range(len(headings) - 4, len(headings))})
    return Sheet("Published numbers", headings, [_row(each, here) for each in relatives()], _caption(here), words)


def _caption(here: Sequence[str]) -> str:
    missing = [name for name in DOMAINS if name not in here]
    return f"{_CAPTION} {f'We have no {listed(missing)}, so it is in none of our means.' if missing else ''}".strip()


def _row(each: Relative, here: Sequence[str]) -> tuple[str, ...]:
    columns = [f"{each.accuracies[name]:.2f}" if name in each.accuracies else NONE for name in DOMAINS]
    known = [each.accuracies[name] for name in here if name in each.accuracies]
    ours = f"{mean(known):.2f}" if known and len(known) == len(here) else NONE
    return (each.method, *columns, _average(each), ours, each.read, *_released(each.released))


def _average(each: Relative) -> str:
    printed, own = f"{each.average:.2f}", each.own_average
    return printed if own is None or abs(own - each.average) < _ROUNDING else f"{printed} ({own:.2f})"


def _released(code: Released | None) -> tuple[str, str, str]:
    if code is None:
        return (_UNKNOWN, _UNKNOWN, "not comparable: not known")
    return (code.steps, f"{code.checkpoint} ({code.repository})", "yes" if code.same else "not comparable")
