"""Where a recipe is carried out: its source, its targets, its scale, and the folder that keeps it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from unseen.data.catalogue import domain, domains, targets
from unseen.data.domain import Domain
from unseen.data.domain_names import DEFAULT_SOURCE
from unseen.data.root import VARIABLE, data_root, set_of
from unseen.errors import InputError, did_you_mean
from unseen.paper.defaults import RESULTS
from unseen.runs.job import HELD_OUT
from unseen.runs.request import Request
from unseen.sweep.runner import grid

REAL_SOURCE = "mnist-train"
REAL = {"SVHN": "svhn-test", "MNIST-M": "mnist-m-test", "SYN": "syn-test", "USPS": "usps-test"}
"""the columns of the paper's figures, and the domain behind each"""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How large the experiment is; the paper's by default."""

    name: str = "paper"
    images: int = 10_000
    """of the source"""
    T: int = 10_000
    T_min: int = 100
    T_max: int = 15
    width: float = 1.0
    adda_steps: int = 1_000

    def __str__(self) -> str:
        """One line for people."""
        return (
            f"{self.name} ({self.images:,} source images, {self.T:,} steps, T_min={self.T_min}, T_max={self.T_max}, "
            f"network of {self.width:g} times the paper's width)"
        )


SCALES = {
    scale.name: scale for scale in (Scale(), Scale(name="small", images=2_000, T=1_000, width=0.25, adda_steps=300))
}


@dataclass(frozen=True, kw_only=True)
class Lab:
    """Everything that the methods of a recipe share."""

    out: Path
    """folder of the results, and of the runs in ``runs/``"""
    targets: Mapping[str, str]
    """the columns of the paper's figures, and the domain behind each"""
    absent: tuple[str, ...] = ()
    """columns that were left out for want of data"""
    source: str = REAL_SOURCE
    scale: Scale = SCALES["paper"]
    offset: int = 0
    """number of the first source image"""
    resize: str = "bilinear"
    precision: str = "auto"

    @property
    def stand_ins(self) -> bool:
        """Whether the built-in domains stand in for the paper's."""
        return self.source != REAL_SOURCE

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in the paper's order, those without data included."""
        every = (*self.targets, *self.absent)
        return tuple(sorted(every, key=list(REAL).index)) if not self.stand_ins else every

    @property
    def scored(self) -> dict[str, str]:
        """What every run is scored on: the targets, and the source's held-out part."""
        return {**self.targets, "source": HELD_OUT[self.source]}

    @property
    def results(self) -> Path:
        """The results file."""
        return self.out / RESULTS

    @property
    def runs(self) -> Path:
        """Where the runs are: recipes share them."""
        return self.out / "runs"

    def request(self, seed: int, settings: Mapping[str, Any]) -> Request:
        """The training with these settings, in the folder that is its own in every recipe."""
        shared: dict[str, Any] = {
            "source": self.source, "images": self.scale.images, "offset": self.offset, "resize": self.resize,
            "width": self.scale.width, "T": self.scale.T, "precision": self.precision,
            "watch": [HELD_OUT[self.source]], "watch_images": 1_000,
            "cadence": {"record": 100, "watch": 1_000, "save": min(2_500, max(1, self.scale.T // 4))},
        }  # fmt: skip
        if settings["K"]:
            shared |= {"T_min": self.scale.T_min, "T_max": self.scale.T_max}
        (request,) = grid(shared | dict(settings), out=self.runs, seed=[seed])
        return request

    def load(self, name: str, resize: str | None = None) -> Domain:
        """The domain of that name, resized as the source is; kept, since every run is scored on it."""
        return _load(name, resize or self.resize)

    def unlabelled(self, column: str) -> Domain:
        """What an adaptation may see of a target: its training part; of a stand-in, which has none, its images."""
        name = self.targets[column]
        return domain(name if self.stand_ins else training_part(name), resize=self.resize)


@cache
def _load(name: str, resize: str) -> Domain:
    return domain(name, resize=resize)


def real_lab(
    out: Path,
    *,
    columns: Sequence[str] = tuple(REAL),
    without: Collection[str] = (),
    adapting: bool = False,
    **options: Any,
) -> Lab:
    """A lab with the paper's own sets; those that are missing are told all at once, with what to do.

    ``without`` are columns to leave out; ``adapting`` asks for the targets' training parts as well.
    """
    unknown = [f'"{name}"{did_you_mean(name, REAL)}' for name in without if name not in REAL]
    if unknown:
        raise InputError(f"--without: expected some of {', '.join(REAL)}, got {', '.join(unknown)}")
    if set(columns) <= set(without):
        raise InputError(f"--without {','.join(without)}: no column would be left; keep one of {', '.join(columns)}")
    lab = Lab(
        out=out,
        targets={column: REAL[column] for column in columns if column not in without},
        absent=tuple(column for column in columns if column in without),
        **options,
    )
    wanted = {None: [lab.source, HELD_OUT[lab.source]]} | {column: [name] for column, name in lab.targets.items()}
    if adapting:
        wanted |= {column: [name, training_part(name)] for column, name in lab.targets.items()}
    _refuse_missing(wanted)
    return lab


def stand_in_lab(out: Path, *, without: Collection[str] = (), scale: Scale = SCALES["paper"], **options: Any) -> Lab:
    """A lab that needs no data: built-in digits stand in for the paper's sets, and every table and plot says so."""
    if without:
        raise InputError(
            f"--without {' '.join(without)}: with --stand-ins there is nothing to leave out; give one of both"
        )
    there = next(entry.count for entry in domains() if entry.name == DEFAULT_SOURCE)
    fitting = replace(scale, images=min(scale.images, there))
    return Lab(out=out, source=DEFAULT_SOURCE, targets={name: name for name in targets()}, scale=fitting, **options)


def training_part(name: str) -> str:
    """The name of a real set's training part."""
    return name.replace("-test", "-train")


def _refuse_missing(wanted: Mapping[str | None, Sequence[str]]) -> None:
    """``wanted`` has the domains of each column; those of None can't be left out."""
    entries = {entry.name: entry for entry in domains()}
    names = [name for some in wanted.values() for name in some]
    missing = [name for name in names if entries[name].missing]
    if not missing:
        return
    if data_root() is None:
        sets = " ".join(dict.fromkeys(map(set_of, missing)))
        raise InputError(
            f"this takes {', '.join(missing)}, and no data folder is named: set {VARIABLE} or use --data FOLDER\n"
            f"get what can be fetched, and hear how to get the rest, with: unseen download {sets} --data FOLDER\n"
            "or use the built-in stand-ins, which are not those sets: --stand-ins"
        )
    listed = "\n".join(f"  - {name}: {entries[name].missing}" for name in missing)
    columns = [column for column, some in wanted.items() if column and set(some) & set(missing)]
    spared = set(missing).isdisjoint(wanted[None]) and len(columns) < len(wanted) - 1
    leave = f"or leave out what needs them: {' '.join(f'--without {column}' for column in columns)}\n" if spared else ""
    raise InputError(
        f"{len(missing)} of the {len(names)} sets that this takes are missing or damaged:\n{listed}\n"
        f"{leave}"
        "or use the built-in stand-ins, which are not those sets: --stand-ins"
    )
