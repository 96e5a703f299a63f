"""Where digit recipes are carried out: MNIST, or the built-in digits in its place, as the one source."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from typing_extensions import override

from unseen.data.catalogue import domains, targets
from unseen.data.domain_names import DEFAULT_SOURCE
from unseen.data.root import data_root, set_of
from unseen.errors import InputError, did_you_mean
from unseen.paper.cells import Setting
from unseen.paper.defaults import RESULTS
from unseen.paper.lab import DomainSet, Lab, Rows, Scale, refuse_missing
from unseen.paper.published import DOMAINS
from unseen.paper.results import Results
from unseen.runs.job import HELD_OUT

SOURCE = "mnist-train"
COLUMNS = dict(zip(DOMAINS, ("svhn-test", "mnist-m-test", "syn-test", "usps-test"), strict=True))
"""the columns of the paper's figures, and the domain behind each"""
REAL = DomainSet(
    name="MNIST",
    domains={SOURCE: SOURCE, **COLUMNS},
    unlabelled={column: name.replace("-test", "-train") for column, name in COLUMNS.items()},
)
PAPER = Scale(images=10_000, T=10_000, T_min=100, T_max=15)
SMALL = replace(PAPER, name="small", images=2_000, T=1_000, width=0.25, adda_steps=300)
SCALES = {scale.name: scale for scale in (PAPER, SMALL)}
_INSTEAD = "or use the built-in stand-ins, which are not those sets: --stand-ins"


@dataclass(frozen=True, kw_only=True)
class DigitLab(Lab):
    """One source; a column for each target."""

    data: DomainSet = field(default_factory=lambda: REAL)
    rows: Rows = field(default_factory=lambda: {SOURCE: DOMAINS})
    scale: Scale = PAPER

    file: ClassVar[str] = RESULTS

    @property
    def cadence(self) -> dict[str, int]:
        """How often a run writes things down."""
        return {"record": 100, "watch": 1_000, "save": min(2_500, max(1, self.scale.T // 4))}

    @override
    def label(self, source: str, target: str) -> str:
        return target

    def setting(self, title: str, results: Results) -> Setting:
        """What has to be said with numbers of this lab."""
        (source,) = self.sources
        return Setting(
            title=title,
            source=self._source_described(),
            data={column: _images_described(name, results) for column, name in source.targets.items()},
            steps=self.scale.T,
            stand_ins=_stood_for() if self.data.stand_in else {},
            departures=self._departures(),
        )

    def _source_described(self) -> str:
        name = "built-in MNIST digits" if self.data.stand_in else "MNIST training images"
        first, count, width = self.offset, self.scale.images or 0, self.scale.width
        which = f"the first {count:,}" if first == 0 else f"numbers {first:,} to {first + count - 1:,} of the"
        narrow = f", a network of {width:g} times the paper's width" if width != 1 else ""
        return f"{which} {name}, resized with the {self.resize} kernel{narrow}"

    def _departures(self) -> tuple[str, ...]:
        found = []
        if self.scale.images != PAPER.images:
            found.append(f"{self.scale.images:,} source images instead of {PAPER.images:,}")
        if self.scale.width != PAPER.width:
            found.append(f"a network of {self.scale.width:g} times the paper's width")
        return tuple(found)


def _images_described(name: str, results: Results) -> str:
    """How many images the results are from: fewer than the set has, where a copy has not all."""
    counts = {score["images"] for line in results for score in line["scores"] if score["domain"] == name}
    whole = next(entry.published for entry in domains() if entry.name == name)
    each = [f"{n:,} of the {whole:,} test images" if whole and n != whole else f"{n:,} images" for n in sorted(counts)]
    return " or ".join(each) or "no result"


def _stood_for() -> dict[str, str]:
    return {entry.name: entry.stands_in_for for entry in domains() if entry.stands_in_for}


def real_lab(
    out: Path,
    *,
    columns: Sequence[str] = DOMAINS,
    without: Collection[str] = (),
    adapting: bool = False,
    **options: Any,
) -> DigitLab:
    """A lab with the paper's own sets; those that are missing are named all at once, with what to do.

    ``without`` are columns to leave out; ``adapting`` asks for the targets' training parts as well.
    """
    unknown = [f'"{name}"{did_you_mean(name, DOMAINS)}' for name in without if name not in DOMAINS]
    if unknown:
        raise InputError(f"--without: expected some of {', '.join(DOMAINS)}, got {', '.join(unknown)}")
    kept = [column for column in columns if column not in without]
    if not kept:
        raise InputError(f"--without {','.join(without)}: no column would be left; keep one of {', '.join(columns)}")
    absent = tuple(column for column in columns if column in without)
    needs = {column: [COLUMNS[column], *[REAL.unlabelled[column]] * adapting] for column in kept}
    _refuse_missing(needs)
    return DigitLab(out=out, rows={SOURCE: tuple(columns)}, absent=absent, **options)


def stand_in_lab(out: Path, *, without: Collection[str] = (), scale: Scale = PAPER, **options: Any) -> DigitLab:
    """A lab that needs no data: built-in digits stand in for the paper's sets, and every table and plot says so."""
    if without:
        raise InputError(
            f"--without {' '.join(without)}: with --stand-ins there is nothing to leave out; give one of both"
        )
    there = next(entry.count for entry in domains() if entry.name == DEFAULT_SOURCE)
    names = {name: name for name in targets()}
    data = DomainSet(
        name="built-in digits", domains={DEFAULT_SOURCE: DEFAULT_SOURCE, **names}, unlabelled=names, stand_in=True
    )
    fitting = replace(scale, images=min(scale.images or there, there))
    return DigitLab(out=out, data=data, rows={DEFAULT_SOURCE: tuple(names)}, scale=fitting, **options)


def _refuse_missing(needs: dict[str, list[str]]) -> None:
    """``needs`` has the domains of each column that could be left out."""
    found = {entry.name: entry.missing for entry in domains()}

    def advice(missing: Sequence[str]) -> list[str]:
        if data_root() is None:
            sets = " ".join(dict.fromkeys(map(set_of, missing)))
            get = f"get what can be fetched, and read how to get the rest, with: unseen download {sets} --data FOLDER"
            return [get, _INSTEAD]
        columns = [column for column, names in needs.items() if set(names) & set(missing)]
        spared = not {SOURCE, HELD_OUT[SOURCE]} & set(missing) and len(columns) < len(needs)
        leave = f"or leave out what needs them: {' '.join(f'--without {column}' for column in columns)}"
        return [*[leave] * spared, _INSTEAD]

    refuse_missing([SOURCE, HELD_OUT[SOURCE], *(name for names in needs.values() for name in names)], found.get, advice)
