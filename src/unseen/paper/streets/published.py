"""The paper's Table 2, and where its bold type contradicts its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from unseen.paper.published import Published, published_part
from unseen.paper.streets.names import TABLE2, condition_of, place_of

Row = Literal["ERM", "Ours"]
FIGURE3 = "Section 4.2, Figure 3: the mean of Table 2's five"


@dataclass(frozen=True)
class Entry:
    """One number of Table 2, an mIoU as a share, and whether it is in bold type."""

    miou: float
    bold: bool


def entry(source: str, row: Row, target: str) -> Entry | None:
    """The number as it is printed; None for a pair that the table doesn't have."""
    if target not in TABLE2.get(source, ()):
        return None
    numbers = _table2()
    miou, bold = numbers["mious"][source][row][place_of(target)][numbers["conditions"].index(condition_of(target))]
    return Entry(miou, bool(bold))


def table2(source: str, row: Row, target: str) -> Published | None:
    """The mIoU of Table 2, which has neither a spread nor a number of runs; None where it has none."""
    found = entry(source, row, target)
    return None if found is None else Published(found.miou, None, (), _table2()["where"])


def figure3(numbers: Sequence[Published | None]) -> Published | None:
    """A bar of Figure 3, which the paper only draws: its text says that it is the mean over the test conditions."""
    known = [number.mean for number in numbers if number is not None]
    return Published(sum(known) / len(known), None, (), FIGURE3) if known and len(known) == len(numbers) else None


@dataclass(frozen=True)
class Contradiction:
    """A pair of Table 2 whose bold type isn't at its higher number."""

    source: str
    target: str
    erm: Entry
    ours: Entry

    @property
    def higher(self) -> Row:
        """The row with the higher number."""
        return "Ours" if self.ours.miou > self.erm.miou else "ERM"

    @property
    def bold(self) -> str:
        """The row in bold type, or ``neither``."""
        return {(True, False): "ERM", (False, True): "Ours", (False, False): "neither"}.get(
            (self.erm.bold, self.ours.bold), "both"
        )


def contradictions() -> list[Contradiction]:
    """Every pair of Table 2 whose higher number isn't the one in bold type, in the table's order."""
    every = []
    for source, targets in TABLE2.items():
        for target in targets:
            erm, ours = entry(source, "ERM", target), entry(source, "Ours", target)
            assert erm is not None
            assert ours is not None
            every.append(Contradiction(source, target, erm, ours))
    return [pair for pair in every if pair.bold != pair.higher]


def higher_count() -> int:
    """In how many of Table 2's pairs ours has the higher number."""
    pairs = [(entry(s, "Ours", t), entry(s, "ERM", t)) for s, targets in TABLE2.items() for t in targets]
    return sum(ours.miou > erm.miou for ours, erm in pairs if ours and erm)


def _table2() -> dict[str, Any]:
    return published_part("Table 2")
