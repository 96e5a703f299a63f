"""Where a recipe is carried out: domains, scale and folder. A digit lab has one source, a street lab has several."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from unseen.data.catalogue import domain
from unseen.data.domain import Domain
from unseen.data.root import VARIABLE, data_root
from unseen.errors import InputError
from unseen.paper.cells import Setting
from unseen.paper.domain_cache import DomainCache
from unseen.paper.results import Results
from unseen.runs.job import HELD_OUT
from unseen.runs.request import Request
from unseen.sweep.grid import grid

_CACHE = DomainCache()

Rows = Mapping[str, tuple[str, ...]]
"""sources, and the targets of each, by the names that recipes use"""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How large an experiment is: the settings that all its trainings share."""

    name: str = "paper"
    images: int | None
    """of the source, and of each street domain; all when not given"""
    T: int
    T_min: int
    T_max: int
    model: str = "convnet"
    width: float = 1.0
    """share of the convnet's hidden units"""
    size: tuple[int, int] | None = None
    """of street scenes; digits are 32x32"""
    batch: int = 32
    eta: float = 1.0
    adda_steps: int = 1_000

    def __str__(self) -> str:
        """One line for people."""
        size = f"{self.size[0]}x{self.size[1]}, " if self.size else ""
        images = "all" if self.images is None else f"{self.images:,}"
        return f"{self.name} scale ({self.model}, {size}{images} images, T={self.T:,})"


@dataclass(frozen=True, kw_only=True)
class DomainSet:
    """Domains by the names that recipes use: ``SVHN`` for ``svhn-test``."""

    name: str
    domains: Mapping[str, str]
    """name in recipes -> name in the catalogue"""
    unlabelled: Mapping[str, str] = field(default_factory=dict)
    """target -> the domain whose images an adaptation to it may see"""
    stand_in: bool = False
    """whether it is built in and stands in for the paper's"""


@dataclass(frozen=True, kw_only=True)
class Lab(ABC):
    """Everything that the methods of a recipe share."""

    out: Path
    """folder of the results, and of the runs in ``runs/``"""
    data: DomainSet
    rows: Rows
    scale: Scale
    absent: tuple[str, ...] = ()
    """targets without data: they keep their place in tables and figures"""
    offset: int = 0
    """number of the first source image"""
    resize: str = "bilinear"
    precision: str = "auto"

    file: ClassVar[str]
    """name of the results file"""

    @property
    def results(self) -> Path:
        """The results file."""
        return self.out / self.file

    @property
    def runs(self) -> Path:
        """Where the runs are: recipes share them."""
        return self.out / "runs"

    @property
    def sources(self) -> tuple[Source, ...]:
        """What is trained on, one by one."""
        return tuple(Source(self, name) for name in self.rows)

    def load(self, name: str, resize: str | None = None) -> Domain:
        """The catalogue's domain of that name, prepared as the sources are; ``images`` limits streets alone."""
        size, images, kernel = self.scale.size, self.scale.images, resize or self.resize
        return _CACHE.get((name, size, images, kernel), lambda: domain(name, size, images=images, resize=kernel))

    @property
    @abstractmethod
    def cadence(self) -> dict[str, int]:
        """How often a run writes things down."""

    @abstractmethod
    def label(self, source: str, target: str) -> str:
        """What tables and figures call the pair."""

    @abstractmethod
    def setting(self, title: str, results: Results) -> Setting:
        """What has to be said with numbers of this lab."""


@dataclass(frozen=True)
class Source:
    """One source of a lab and its targets: what a method is carried out on."""

    lab: Lab
    name: str

    @property
    def domain(self) -> str:
        """The source's name in the catalogue."""
        return self.lab.data.domains[self.name]

    @property
    def targets(self) -> dict[str, str]:
        """The targets that are here, and the domain behind each."""
        here = [name for name in self.lab.rows[self.name] if name not in self.lab.absent]
        return {name: self.lab.data.domains[name] for name in here}

    @property
    def scored(self) -> dict[str, str]:
        """What every run is scored on: the targets, and the source's held-out part where it has one."""
        held_out = HELD_OUT.get(self.domain)
        return self.targets | ({"source": held_out} if held_out else {})

    def request(self, seed: int, settings: Mapping[str, Any]) -> Request:
        """The training with these settings, K among them, in the folder that is its own in every recipe."""
        lab, scale, held_out = self.lab, self.lab.scale, HELD_OUT.get(self.domain)
        shared: dict[str, Any] = {
            "source": self.domain, "images": scale.images, "offset": lab.offset, "resize": lab.resize,
            "size": scale.size, "model": scale.model, "width": scale.width, "T": scale.T, "batch": scale.batch,
            "precision": lab.precision, "watch": [held_out] if held_out else [],
            "watch_images": 1_000 if held_out else None, "cadence": lab.cadence,
        }  # fmt: skip
        if settings["K"]:
            shared |= {"T_min": scale.T_min, "T_max": scale.T_max, "eta": scale.eta}
        return _request(shared | dict(settings), lab.runs, seed)

    def unlabelled(self, target: str) -> Domain:
        """What an adaptation may see of a target."""
        return self.lab.load(self.lab.data.unlabelled[target])


_REQUESTS: dict[str, Request] = {}
"""by what was asked for: a page asks for each some twenty times"""


def _request(settings: dict[str, Any], out: Path, seed: int) -> Request:
    known = json.dumps([settings, str(out), seed], sort_keys=True)
    if known not in _REQUESTS:
        (_REQUESTS[known],) = grid(settings, out=out, seed=[seed])
    return _REQUESTS[known]


def refuse_missing(
    names: Sequence[str], problem: Callable[[str], str | None], advice: Callable[[Sequence[str]], Sequence[str]]
) -> None:
    """Refuse domains that can't be used, all at once.

    ``problem`` says what is wrong with one, ``advice`` what to do about those that are missing, in lines.
    """
    problems = {name: found for name in names if (found := problem(name))}
    if not problems:
        return
    root = data_root()
    if root is None:
        message = f"this takes {', '.join(names)}, and no data folder is named: set {VARIABLE} or use --data FOLDER"
    else:
        message = (
            f"{len(problems)} of the {len(names)} domains that this takes are missing or damaged, looked for in "
            f"{root}:\n" + "\n".join(f"  - {name}: {found}" for name, found in problems.items())
        )
    raise InputError("\n".join([message, *advice(list(problems))]))
