"""Finished runs, read from their folders and grouped into methods: the same settings, other seeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from unseen.errors import InputError
from unseen.method.settings import WEIGHTS
from unseen.reporting.finished.labels import distinct_labels, meaningful, shown, without_numbers
from unseen.runs.config import RunConfig
from unseen.runs.folder import RunFolder
from unseen.runs.selection import selection
from unseen.transforms.catalogue import PIXELS

_FROM_PYTHON: dict[str, Any] = {"size": None, "dropout": 0.0}


@dataclass(frozen=True)
class FinishedRun:
    """One finished run: its folder and the config it was made with."""

    kind: ClassVar[str] = "seed"
    """what its method has several of"""
    folder: Path
    config: RunConfig

    @property
    def seed(self) -> int:
        """The seed that all of the run's draws follow from."""
        return self.config.seed

    @property
    def rounds(self) -> int:
        """How many rounds of fictitious images it made."""
        return self.config.ada.K

    @cached_property
    def metrics(self) -> list[dict[str, Any]]:
        """Every record of the training."""
        return RunFolder(self.folder).metrics()

    @property
    def selection(self) -> str:
        """Which weights are its result."""
        return selection(self.config.ada, self.metrics)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What makes the method: everything that was set, except the seed and what selects nothing."""
        ada, job, model = meaningful(self.config.ada), self.config.job, self.config.model
        if "n" in ada:
            ada["n"] = self.config.round_size
        built = {"size": job.size, "model": job.model, "dropout": job.dropout} if job else _FROM_PYTHON
        return ada | {"model": model.class_name} | built | {"shapes": model.shapes}


@dataclass(frozen=True)
class Method:
    """Runs that differ in their seeds only. ``style`` numbers its colour and marker, the same in all figures."""

    label: str
    name: str
    """the label, or what it begins with (ERM, ADA) where that is enough to know it"""
    runs: tuple[FinishedRun, ...]
    style: int

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that its runs share."""
        return self.runs[0].settings

    @property
    def seeds(self) -> list[int]:
        """The seeds it was run with."""
        return [run.seed for run in self.runs]

    @property
    def rounds(self) -> int:
        """K; 0 for ERM."""
        return self.runs[0].rounds


def read_methods(folders: Sequence[Path]) -> list[Method]:
    """The runs in ``folders``, as methods: ERM first, then by rounds; refuses what can't be on one page."""
    if not folders:
        raise InputError("no run folders given; expected at least one, for instance runs/ada-0")
    runs = [_read(Path(folder)) for folder in folders]
    refuse_other_sources(runs)
    groups: dict[str, list[FinishedRun]] = {}
    for run in sorted(runs, key=_order):
        groups.setdefault(json.dumps(run.settings, sort_keys=True), []).append(run)
    for group in groups.values():
        refuse_twice(group)
    labels = distinct_labels([group[0].settings for group in groups.values()])
    return _named([Method(label, label, tuple(g), 0) for label, g in zip(labels, groups.values(), strict=True)])


def baseline_of(methods: Sequence[Method]) -> Method | None:
    """What the others are compared with: ERM, with nothing added where there are several; None without ERM."""
    return methods[0] if methods[0].rounds == 0 else None


def other_settings(method: Method, baseline: Method) -> list[str]:
    """Settings of the training itself that differ from the baseline's, so that the comparison isn't fair."""
    own, other = method.settings, baseline.settings
    names = ("T", "alpha", "schedule", "batch", "model", "size", "shapes")
    found = [f"{name} ({shown(own[name])} and {shown(other[name])})" for name in names if own[name] != other[name]]
    one, another = (each.runs[0].config.ada for each in (method, baseline))
    more = [name for name in {**one.practice, **another.practice} if getattr(one, name) != getattr(another, name)]
    return found + [f"{n} ({shown(getattr(one, n))} and {shown(getattr(another, n))})" for n in more]


def _read(folder: Path) -> FinishedRun:
    return FinishedRun(folder, RunFolder(folder).finished_config())


def refuse_other_sources(runs: Sequence[FinishedRun]) -> None:
    """Refuse runs on different data: one page has one source."""
    sources: dict[str, FinishedRun] = {}
    for run in runs:
        sources.setdefault(run.config.source.sha256, run)
    if len(sources) > 1:
        found = "; ".join(f"{run.folder} on {_source(run)}" for run in sources.values())
        raise InputError(
            f"expected runs on the same images, got {len(sources)} sources: {found}; make a page for each, or train "
            "both on the same images, at the same size"
        )


def _source(run: FinishedRun) -> str:
    """The source in words by which two may be told apart."""
    source = run.config.source
    size = f" at {source.shape[1]}x{source.shape[2]}" if source.shape else ""
    return f"{source.name} ({source.images:,} images{size})"


def refuse_twice(group: Sequence[FinishedRun]) -> None:
    """Refuse a method's runs, in the order of their seeds, when two have one seed."""
    for one, other in pairwise(group):
        if one.seed == other.seed:
            raise InputError(
                f"{one.folder} and {other.folder} have the same settings and the same seed {one.seed}: one would be "
                "counted twice; give only one of them"
            )


def _order(run: FinishedRun) -> tuple[Any, ...]:
    """ERM with nothing added first; the paper's ADA before that over transformations; then by rounds."""
    s = run.settings
    extras = (shown(s["augment"] or ""), s["dropout"], s["ridge"], *(s.get(name, 0) for name in WEIGHTS))
    over = shown(s.get("over", PIXELS))
    return (s["K"] > 0, over != PIXELS, any(extras), over, s["K"], extras, json.dumps(s, sort_keys=True), run.seed)


def _named(methods: list[Method]) -> list[Method]:
    """Short names where they are clear, and styles: 0 is the baseline's."""
    kinds = Counter(without_numbers(method.label) for method in methods)
    first = 0 if methods[0].rounds == 0 else 1
    return [
        replace(method, name=short if kinds[short] == 1 else method.label, style=first + i)
        for i, method in enumerate(methods)
        for short in [without_numbers(method.label)]
    ]
