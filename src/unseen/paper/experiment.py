"""What every recipe is, on digits or on streets: what to measure, and what is made of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from unseen.errors import InputError, did_you_mean
from unseen.paper.cells import Cell
from unseen.paper.methods import Measurement
from unseen.paper.results import Results
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.kit.wording import listed


class Keeping(Protocol):
    """Where results are kept."""

    @property
    def out(self) -> Path:
        """The folder."""

    @property
    def results(self) -> Path:
        """The results file in it."""


L = TypeVar("L", bound=Keeping)
E = TypeVar("E")


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC, Generic[L]):
    """One figure or table, carried out in a lab of its kind."""

    name: str
    what: str
    """one line for people"""
    called: str = ""
    """its heading, where the name doesn't give it"""

    @property
    def title(self) -> str:
        """A heading: ``Figure 2b, top`` for ``figure2b-top``."""
        whole, _, part = self.name.partition("-")
        kind = whole.rstrip("0123456789ab")
        return self.called or f"{kind.capitalize()} {whole.removeprefix(kind)}{f', {part}' if part else ''}".strip()

    def has(self, lab: L, domain: str) -> bool:
        """Whether the lab has that domain, so that something is to be measured on it."""
        return True

    def file(self, lab: L) -> str:
        """The name of what is written, without an ending."""
        return self.name

    @abstractmethod
    def measurements(self, lab: L, seeds: int) -> list[Measurement]:
        """Everything to measure, each once."""

    @abstractmethod
    def cells(self, lab: L, results: Results, seeds: int) -> Sequence[Cell]:
        """What is known."""

    @abstractmethod
    def sheets(self, lab: L, results: Results, seeds: int) -> list[Sheet]:
        """Its tables."""

    @abstractmethod
    def figure(self, lab: L, results: Results, seeds: int) -> Any:
        """Its figure, in the paper's arrangement."""


def named(name: str, recipes: Mapping[str, E]) -> E:
    """The recipe of that name; another is refused with those that are like it."""
    if name not in recipes:
        alike = [known for known in recipes if known.startswith(name)]
        hint = f"; there are {listed(alike)}" if len(alike) > 1 else did_you_mean(name, recipes)
        raise InputError(f'no recipe is called "{name}"{hint}')
    return recipes[name]
