"""Where a street recipe is carried out: a world of domains, a scale, and a bench for each source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unseen.data.catalogue import domain
from unseen.data.domain import Domain
from unseen.data.root import VARIABLE, data_root
from unseen.data.streets.camvid import HOW as CAMVID_HOW
from unseen.data.streets.classes import IMAGES, SIZE
from unseen.data.streets.real_streets import find
from unseen.data.streets.synthia import HOW as SYNTHIA_HOW
from unseen.errors import InputError
from unseen.paper.streets.names import DRIVES, STREETS, Rows
from unseen.paper.streets.shelf import Shelf
from unseen.runs.request import Request
from unseen.sweep.runner import grid

RESULTS = "streets.jsonl"
_SHELF = Shelf()


@dataclass(frozen=True, kw_only=True)
class StreetScale:
    """How large the experiment is; the paper's by default, but for T, which the paper doesn't state."""

    name: str = "paper"
    model: str = "fcn-resnet50"
    size: tuple[int, int] = SIZE
    images: int | None = IMAGES
    """of each domain; all when not given"""
    T: int = 5_000
    T_min: int = 500
    T_max: int = 50
    batch: int = 8
    eta: float = 2.0

    def __str__(self) -> str:
        """One line for people."""
        images = "all" if self.images is None else f"{self.images:,}"
        return f"{self.name} scale ({self.model}, {self.size[0]}x{self.size[1]}, {images} images, T={self.T:,})"


PAPER = StreetScale()
SMALL = StreetScale(name="small", model="fcn-resnet18", size=(96, 160), images=150, T=1_000)
SCALES = {scale.name: scale for scale in (PAPER, SMALL)}
WHOLE_DRIVES = replace(SMALL, images=None, T=1_500)
"""the small scale with every image of a CamVid drive, and more steps"""


@dataclass(frozen=True)
class World:
    """A set of street domains."""

    name: str
    prefix: str
    """of its domains' names"""
    names: tuple[str, ...]
    """what follows it"""
    how: str | None = None
    """how to get it; None for what is built in"""


SYNTHIA = World("SYNTHIA", "synthia-", STREETS, SYNTHIA_HOW)
SCENES = World("built-in scenes", "", STREETS)
CAMVID = World("CamVid", "camvid-", DRIVES, CAMVID_HOW)


@dataclass(frozen=True, kw_only=True)
class StreetLab:
    """Everything that the sources of a recipe share."""

    out: Path
    """folder of the results, and of the runs in ``runs/``"""
    world: World
    rows: Rows
    """the sources, and the targets of each, without the world's prefix"""
    scale: StreetScale = PAPER
    precision: str = "auto"

    @property
    def results(self) -> Path:
        """The results file."""
        return self.out / RESULTS

    @property
    def stand_ins(self) -> bool:
        """Whether built-in scenes stand in for SYNTHIA."""
        return self.world == SCENES

    def at(self, source: str) -> StreetBench:
        """The bench of one source."""
        return StreetBench(self, source)


@dataclass(frozen=True)
class StreetBench:
    """One source and its targets."""

    lab: StreetLab
    source: str

    @property
    def targets(self) -> dict[str, str]:
        """The targets, and the domain behind each."""
        return {target: self.lab.world.prefix + target for target in self.lab.rows[self.source]}

    @property
    def scored(self) -> dict[str, str]:
        """The targets: nothing of the source is held out."""
        return self.targets

    def request(self, seed: int, settings: Mapping[str, Any]) -> Request:
        """The training with these settings, in the folder that is its own in every recipe."""
        scale = self.lab.scale
        shared: dict[str, Any] = {
            "source": self.lab.world.prefix + self.source, "images": scale.images, "size": scale.size,
            "model": scale.model, "T": scale.T, "batch": scale.batch, "precision": self.lab.precision, "watch": [],
            "cadence": {"record": 50, "save": max(1, scale.T // 4)},
        }  # fmt: skip
        if settings["K"]:
            shared |= {"T_min": scale.T_min, "T_max": scale.T_max, "eta": scale.eta}
        (request,) = grid(shared | dict(settings), out=self.lab.out / "runs", seed=[seed])
        return request

    def load(self, name: str, resize: str | None = None) -> Domain:
        """The domain of that name at the lab's scale; the same images for every seed."""
        scale, kernel = self.lab.scale, resize or "bilinear"
        key = (name, scale.size, scale.images, kernel)
        return _SHELF.get(key, lambda: domain(name, scale.size, images=scale.images, resize=kernel))


def open_lab(world: World, rows: Rows, out: Path, **options: Any) -> StreetLab:
    """A lab whose domains are there; those that are missing are told all at once, with what to do."""
    lab = StreetLab(out=out, world=world, rows=rows, **options)
    if world.how is not None:
        names = dict.fromkeys(name for source, targets in rows.items() for name in (source, *targets))
        _refuse_missing(world, [world.prefix + name for name in names])
    return lab


def _refuse_missing(world: World, names: list[str]) -> None:
    root = data_root()
    around = "" if world == CAMVID else f"\nor use the {SCENES.name}, which are not {world.name}: --stand-ins"
    if root is None:
        raise InputError(
            f"this takes {len(names)} domains of {world.name}, and no data folder is named: set {VARIABLE} or use "
            f"--data FOLDER\n{world.how}{around}"
        )
    problems = [problem for name in names if (problem := _missing(name, root))]
    if problems:
        listed = "\n".join(f"  - {problem}" for problem in problems)
        raise InputError(
            f"{len(problems)} of the {len(names)} domains of {world.name} that this takes can't be used, looked for in "
            f"{root}:\n{listed}\n{world.how}{around}"
        )


def _missing(name: str, root: Path) -> str | None:
    """What is wrong with a real domain; None where it can be used."""
    try:
        return None if find(name, root) else f"{name}: not found"
    except InputError as error:
        return f"{name}: {error}"
