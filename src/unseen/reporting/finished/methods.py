"""Finished runs, read from their folders and grouped into methods: the same settings, other seeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from unseen.errors import InputError
from unseen.method.settings import ADA, MINIMIZATION
from unseen.runs.config import RunConfig
from unseen.runs.folder import RunFolder

_FROM_PYTHON: dict[str, Any] = {"size": None, "dropout": 0.0}
_IN_LABEL = ("K", "gamma", "cost", "scale", "dropout", "ridge")


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

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What makes the method: everything that was set, except the seed and what selects nothing."""
        ada, job, model = self.config.ada.asdict() | {"n": self.config.round_size}, self.config.job, self.config.model
        if self.rounds == 0:
            ada = {"K": 0} | {name: value for name, value in ada.items() if name in MINIMIZATION}
        built = {"size": job.size, "model": job.model, "dropout": job.dropout} if job else _FROM_PYTHON
        return ada | {"model": model.class_name} | built | {"shapes": model.shapes}


@dataclass(frozen=True)
class Method:
    """Runs that differ in their seeds only. ``style`` numbers its colour and marker, the same in all figures."""

    label: str
    name: str
    """the label, or just ERM or ADA where that is enough to know it"""
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
    labels = _distinct_labels([group[0].settings for group in groups.values()])
    return _named([Method(label, label, tuple(g), 0) for label, g in zip(labels, groups.values(), strict=True)])


def baseline_of(methods: Sequence[Method]) -> Method | None:
    """What the others are compared with: ERM, without dropout and ridge where there are several; None without ERM."""
    return methods[0] if methods[0].rounds == 0 else None


def other_settings(method: Method, baseline: Method) -> list[str]:
    """Settings of the training itself that differ from the baseline's, so that the comparison isn't fair."""
    own, other = method.settings, baseline.settings
    names = ("T", "alpha", "batch", "model", "size", "shapes")
    return [f"{name} ({_show(own[name])} and {_show(other[name])})" for name in names if own[name] != other[name]]


def _read(folder: Path) -> FinishedRun:
    return FinishedRun(folder, RunFolder(folder).finished_config())


def refuse_other_sources(runs: Sequence[FinishedRun]) -> None:
    """Refuse runs on different data: one page has one source."""
    sources: dict[str, FinishedRun] = {}
    for run in runs:
        sources.setdefault(run.config.source.sha256, run)
    if len(sources) > 1:
        found = "; ".join(f"{run.folder} on {run.config.source.name}" for run in sources.values())
        raise InputError(f"expected runs on one source, got {len(sources)}: {found}; make a page for each source")


def refuse_twice(group: Sequence[FinishedRun]) -> None:
    """Refuse a method's runs, in the order of their seeds, when two have one seed."""
    for one, other in pairwise(group):
        if one.seed == other.seed:
            raise InputError(
                f"{one.folder} and {other.folder} have the same settings and the same seed {one.seed}: one would be "
                "counted twice; give only one of them"
            )


def _order(run: FinishedRun) -> tuple[Any, ...]:
    s = run.settings
    extras = (s["dropout"], s["ridge"])
    return (s["K"] > 0, any(extras), s["K"], extras, json.dumps(s, sort_keys=True), run.seed)


def _words(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that name a method: its rounds, and what isn't the default."""
    words = []
    if settings["K"] > 0:
        words += [f"K={settings['K']}", f"γ={settings['gamma']:g}"]
        words += [f"{settings[name]} {name}" for name in ("cost", "scale") if settings[name] != getattr(ADA, name)]
    return (*words, *(f"{name} {settings[name]:g}" for name in ("dropout", "ridge") if settings[name]))


def _distinct_labels(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """``ADA (K=2, γ=1)``, with whatever other setting distinguishes those that would have the same."""
    words = [("ADA" if settings["K"] else "ERM", *_words(settings)) for settings in groups]
    labels = []
    for own, settings in zip(words, groups, strict=True):
        alike = [other for other, theirs in zip(groups, words, strict=True) if theirs == own]
        distinct = [k for k in settings if k not in _IN_LABEL and any(o[k] != settings[k] for o in alike)]
        more = [f"{k}={_show(settings[k])}" for k in distinct if k != "shapes" or distinct == ["shapes"]]
        labels.append(f"{own[0]} ({', '.join([*own[1:], *more])})" if [*own[1:], *more] else own[0])
    again = Counter(labels)
    return [f"{label} no. {i}" if again[label] > 1 else label for i, label in enumerate(labels, 1)]


def _named(methods: list[Method]) -> list[Method]:
    """Short names where they are clear, and styles: 0 is the baseline's."""
    kinds = Counter(method.label[:3] for method in methods)
    first = 0 if methods[0].rounds == 0 else 1
    return [
        replace(method, name=method.label[:3] if kinds[method.label[:3]] == 1 else method.label, style=first + i)
        for i, method in enumerate(methods)
    ]


def _show(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{len(value)} tensors"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
