"""The plain run to hold a run against: the same training without rounds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unseen.errors import InputError, RunFolderError
from unseen.method.settings import MINIMIZATION
from unseen.reporting.finished.methods import FinishedRun
from unseen.runs.folder import RunFolder

_WATCHING = ("watch", "watch_images")  # of a job: they change nothing in the weights


def plain_run(run: FinishedRun, given: Path | None) -> FinishedRun | None:
    """The run that is given, checked; else a finished one beside ``run`` that differs in its rounds only."""
    if given is not None:
        return _checked(run, finished_run(given))
    return None if run.rounds == 0 else _beside(run)


def apart(run: FinishedRun, plain: FinishedRun) -> tuple[str, ...]:
    """What sets a given plain run apart besides its rounds, such as ``seed (1, here 0)``."""
    ours, theirs = (_flat(_training(each.config)) for each in (run, plain))
    found = {name: (theirs.get(name), ours.get(name)) for name in ours | theirs if ours.get(name) != theirs.get(name)}
    return tuple(f"{name} ({there}, here {here})" for name, (there, here) in found.items()) + (
        () if run.config["model"] == plain.config["model"] else ("the network",)
    )


def finished_run(folder: Path) -> FinishedRun:
    """The finished run in a folder; an adaptation is another thing."""
    config = RunFolder(folder).finished_config()
    if "ada" not in config:
        raise RunFolderError(f"{folder} holds an adaptation (ADDA), expected a run of ADA or ERM")
    return FinishedRun(folder, config)


def _checked(run: FinishedRun, plain: FinishedRun) -> FinishedRun:
    ours, theirs = run.config["source"], plain.config["source"]
    if ours["sha256"] != theirs["sha256"]:
        raise InputError(
            f"plain: {plain.folder} was trained on {theirs['name']} ({theirs['images']:,} images), {run.folder} on "
            f"{ours['name']} ({ours['images']:,} images); expected a plain run on the same images"
        )
    if plain.rounds:
        raise InputError(f"plain: {plain.folder} has K={plain.rounds}; expected plain training, K=0")
    return plain


def _beside(run: FinishedRun) -> FinishedRun | None:
    own = run.folder if run.folder.name not in ("", "..") else run.folder.resolve()
    for folder in sorted(own.parent.iterdir()):
        try:
            found = finished_run(folder)
        except RunFolderError:
            continue
        if found.rounds == 0 and _training(found.config) == _training(run.config):
            return found
    return None


def _training(config: Mapping[str, Any]) -> dict[str, Any]:
    """What two runs have in common that differ in their rounds only."""
    job = {name: value for name, value in (config["job"] or {}).items() if name not in _WATCHING}
    minimization = {name: config["ada"][name] for name in sorted(MINIMIZATION)}
    return {"job": job, "seed": config["seed"], "source": config["source"], "model": config["model"]} | minimization


def _flat(training: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their names, the job's beside the others."""
    others = {name: value for name, value in training.items() if name not in ("job", "source", "model")}
    return {**training["job"], **others}
