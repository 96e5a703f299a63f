"""The ERM run to compare a run with: the same training without rounds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unseen.base.imports import no_code
from unseen.base.reading import listed
from unseen.errors import InputError, RunFolderError
from unseen.reporting.finished.labels import minimization
from unseen.reporting.finished.methods import FinishedRun
from unseen.runs.config import RunConfig
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job

USUAL = Job()
"""what a run from Python is compared by: it has no job"""
_WATCHING = ("watch", "watch_images")  # of a job: they change nothing in the weights


def baseline_run(run: FinishedRun, given: Path | None) -> FinishedRun | None:
    """The run that is given, checked; else one in the same folder as ``run`` that differs in its rounds only."""
    if given is not None:
        return _checked(run, finished_run(given))
    return None if run.rounds == 0 else _neighbour(run)


def other_differences(run: FinishedRun, baseline: FinishedRun) -> tuple[str, ...]:
    """In what else the two differ than in their rounds, such as ``seed (1, here 0)``."""
    own, other = (_flat(_training(each.config)) for each in (run, baseline))
    found = {name: (other.get(name), own.get(name)) for name in own | other if own.get(name) != other.get(name)}
    return tuple(f"{name} ({there}, here {here})" for name, (there, here) in found.items()) + (
        () if run.config.model == baseline.config.model else ("the network",)
    )


def finished_run(folder: Path) -> FinishedRun:
    """The finished run in a folder; an adaptation is another thing."""
    return FinishedRun(folder, RunFolder(folder).finished_config())


def _checked(run: FinishedRun, baseline: FinishedRun) -> FinishedRun:
    own, other = run.config.source, baseline.config.source
    if own.sha256 != other.sha256:
        raise InputError(
            f"plain: {baseline.folder} was trained on {other.name} ({other.images:,} images), {run.folder} on "
            f"{own.name} ({own.images:,} images); expected an ERM run on the same images"
        )
    if baseline.rounds:
        raise InputError(f"plain: {baseline.folder} has K={baseline.rounds}; expected an ERM run, K=0")
    return baseline


def _neighbour(run: FinishedRun) -> FinishedRun | None:
    own = run.folder if run.folder.name not in ("", "..") else run.folder.resolve()
    for folder in listed(own.parent):
        try:
            with no_code():
                found = finished_run(folder)
        except RunFolderError:
            continue
        if found.rounds == 0 and _training(found.config) == _training(run.config):
            return found
    return None


def _training(config: RunConfig) -> dict[str, Any]:
    """What two runs have in common that differ in their rounds only."""
    job = {name: value for name, value in (config.job or USUAL).asdict().items() if name not in _WATCHING}
    named = {"job": job, "seed": config.seed, "source": config.source, "model": config.model}
    return named | minimization(config.ada)


def _flat(training: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their names, with the job's among the others."""
    others = {name: value for name, value in training.items() if name not in ("job", "source", "model")}
    return {**others, **training["job"]}
