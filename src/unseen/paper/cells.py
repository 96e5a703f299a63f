"""What a recipe hands to tables and figures: shares by method, domain and seed, and what must be said with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from unseen.errors import InputError
from unseen.paper.published import Published
from unseen.reporting.kit.theme import Kind
from unseen.reporting.kit.wording import Comparison, compare, listed

PUBLISHED_SCALE = "released"
PUBLISHED_STEPS = 10_000  # of the digits: the paper has no number; these are the released code's


@dataclass(frozen=True)
class Cell:
    """One bar of a figure, one entry of a table: a method on a domain, over seeds."""

    method: str
    domain: str
    accuracies: Mapping[int, float] = field(default_factory=dict)
    """seed -> share of right answers, or mIoU; empty where nothing was run"""
    published: Published | None = None
    """the paper's number; None where it only draws a bar"""
    kind: Kind = "ada"
    against: str | None = None
    """the method whose accuracies it is paired with, where that isn't the setting's baseline"""
    group: str = ""
    """what stands together: bars over one mark of the axis, or a row of a grid"""
    at: float | None = None
    """its place along an axis of numbers: the number of target images in a curve, K in a grid"""
    source: str = ""
    target: str = ""
    """the two behind ``domain``, by the names that recipes use"""

    def __post_init__(self) -> None:
        wrong = {seed: share for seed, share in self.accuracies.items() if not 0 <= share <= 1}
        if wrong:
            seed, share = next(iter(wrong.items()))
            raise InputError(
                f"{self.method} on {self.domain}, seed {seed}: accuracy is {share!r}, expected a share from 0 to 1"
            )

    @property
    def percent(self) -> list[float]:
        """The accuracies in percent, by seed."""
        return [100 * self.accuracies[seed] for seed in sorted(self.accuracies)]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What every table and figure of a recipe has to say."""

    title: str
    source: str
    """what was trained on: ``the first 10,000 MNIST images``"""
    data: Mapping[str, str] = field(default_factory=dict)
    """domain -> which images of it: ``11,420 of the 26,032 test images``"""
    scale: str = PUBLISHED_SCALE
    steps: int = PUBLISHED_STEPS
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """domain -> the set of the paper that it stands in for"""
    departures: tuple[str, ...] = ()
    """what else isn't as in the paper, so that its numbers are no yardstick: ``4,000 source images``"""
    measure: Literal["accuracy", "mIoU"] = "accuracy"
    published_steps: int | None = PUBLISHED_STEPS
    """None where nobody knows them: then no number of steps is a departure"""
    baseline: str | None = "ERM"
    """the method that the others are paired with, seed by seed"""
    pairs: str = ""
    """how they are paired, where that isn't by the same draws"""

    @property
    def protocol(self) -> str:
        """Source, steps, scale, selection rule; how pairs are made, where that isn't by the same draws."""
        training = f"Trained on {self.source}, {self.steps:,} steps, {self.scale} scale of γ and η; last iterate."
        return f"{training} {self.pairs}".strip()

    @property
    def measure_first(self) -> str:
        """The measure at the beginning of a sentence."""
        return "Accuracy" if self.measure == "accuracy" else self.measure

    def describe_data(self, cells: Sequence[Cell]) -> str:
        """Which images of each domain, and the caveats."""
        here = [name for name in domains_of(cells) if name in self.data and name not in absent(cells)]
        images = "; ".join(f"{name}: {self.data[name]}" for name in here)
        return " ".join([f"{images}."] * bool(here) + [self.caveats(cells)]).strip()

    def caveats(self, cells: Sequence[Cell]) -> str:
        """What there is no result on, and what only stands in for the paper's sets."""
        missing, names = absent(cells), [name for name in domains_of(cells) if name in self.stand_ins]
        parts = [f"No result on {listed(missing)}."] if missing else []
        stand_ins = listed([f"{name} for {self.stand_ins[name]}" for name in names])
        parts += [f"Stand-ins, which are not the paper's sets: {stand_ins}."] if names else []
        return " ".join(parts)

    def not_comparable(self, cells: Sequence[Cell]) -> str:
        """Why the paper's numbers, where they are shown, are no yardstick."""
        shown = any(cell.published for cell in cells) and self.departures
        return f"The paper's numbers can't be compared: {'; '.join(self.departures)}." if shown else ""

    def departures_on(self, domain: str) -> list[str]:
        """Why the paper's number on this domain can't be compared; empty where it can."""
        found = list(self.departures)
        if domain in self.stand_ins:
            found.append(f"{domain} is a stand-in")
        if self.scale != PUBLISHED_SCALE:
            found.append(f"the published numbers come from the {PUBLISHED_SCALE} scale")
        if self.published_steps not in (None, self.steps):
            found.append(f"{self.steps:,} steps instead of {self.published_steps:,}")
        return found


def over_shared_seeds(cell: Cell, other: Cell) -> Comparison | None:
    """The first against the second over the seeds both have; None where they share none."""
    if cell.accuracies.keys().isdisjoint(other.accuracies):
        return None
    return compare(cell.domain, cell.method, other.method, cell.accuracies, other.accuracies)


def domains_of(cells: Iterable[Cell]) -> list[str]:
    """Every domain once, in the order they come."""
    return list(dict.fromkeys(cell.domain for cell in cells))


def absent(cells: Sequence[Cell]) -> list[str]:
    """The domains on which nothing was run."""
    return [name for name in domains_of(cells) if not any(c.accuracies for c in cells if c.domain == name)]


def describe_seeds(cells: Sequence[Cell]) -> str:
    """How many seeds stand behind the cells that were run; where not all have as many, how to compare them."""
    counts = sorted({len(cell.accuracies) for cell in cells if cell.accuracies})
    if not counts:
        return "Nothing was run."
    if counts == [1]:
        return "One seed."
    if len(counts) == 1:
        return f"Mean of {counts[0]} seeds."
    return f"Mean of {counts[0]} to {counts[-1]} seeds: compare by the table of differences, which pairs them."
