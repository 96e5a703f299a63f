"""Opening a training's folder: what may differ when it resumes, and what makes it another training's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from unseen.errors import RunFolderError
from unseen.runs.checkpoint import Checkpoint
from unseen.runs.config import Config
from unseen.runs.training_folder import TrainingFolder

MAY_DIFFER = ("created", "job", "versions", "engine", "format", "identity")
DECIDES_NOTHING = ("cadence.minutes", "source.shape")  # of the bits; the fingerprint has the shape
MUST_MATCH = ("precision", "ranks")  # of the engine: they change more than the last bits


def open_folder(
    files: TrainingFolder[Config], config: Config, resume: bool | None, held: ExitStack, warn: Callable[[str], None]
) -> Checkpoint | None:
    """The folder checked and locked until ``held`` ends, and the checkpoint to resume from, if it resumes.

    ``resume=None`` resumes what was begun and begins what was not.
    """
    check_folder(files, config, resume)
    held.enter_context(files.locked())
    check_folder(files, config, resume)  # again: another process may have had the folder meanwhile
    if not (files.started if resume is None else resume):
        files.create(config)
        return None
    _warn_of_differences(files, config, warn)
    saved = files.last_checkpoint()
    for message in saved.warnings:
        warn(message)
    return saved


def _warn_of_differences(files: TrainingFolder[Config], config: Config, warn: Callable[[str], None]) -> None:
    """Warn of what differs from how the run began without making it another run, only perhaps its last bits."""
    recorded, given = files.config().asdict(), config.asdict()
    for key in ("versions", "engine"):
        for difference in _differences(key, recorded[key], given[key]):
            warn(f"{difference}: the run resumes, but its bits may differ from an uninterrupted run's")


def check_folder(files: TrainingFolder[Config], config: Config, resume: bool | None) -> None:
    """Refuse a folder that holds another run, or this one when it wasn't asked to resume, before touching it."""
    if resume or (resume is None and files.started):
        found = _other_settings(files.config().asdict(), config.asdict())
        if found:
            listed = "\n".join(f"  - {difference}" for difference in found)
            raise RunFolderError(
                f"{files.path} belongs to another config:\n{listed}\n"
                "give what the folder has (its config.json), or use another folder"
            )
    elif files.started:
        state = "a finished run" if files.finished else "an unfinished run"
        use = f"use it with: {files.use_command}" if files.finished else f"resume: {files.resume_command}"
        raise RunFolderError(f"{files.path} exists and holds {state}; {use}; or choose another folder")
    elif not files.usable:
        raise RunFolderError(f"{files.path} exists and is not a run folder; choose a new or empty folder")


def _other_settings(recorded: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    found = [d for k in given if k not in MAY_DIFFER for d in _differences(k, recorded.get(k), given[k])]
    there, here = recorded["engine"], given["engine"]
    return found + [d for k in MUST_MATCH for d in _differences(f"engine.{k}", there[k], here[k])]


def _differences(name: str, recorded: Any, given: Any) -> list[str]:
    if name in DECIDES_NOTHING:
        return []
    if name == "source.sha256" and recorded != given:
        return ["the source's images or labels are others than there"]
    if not (isinstance(recorded, Mapping) and isinstance(given, Mapping)):
        return [f"{name} is {recorded!r} there, {given!r} here"] if recorded != given else []
    keys = [k for k in {**recorded, **given} if recorded.get(k) != given.get(k)]
    return [line for k in keys for line in _differences(f"{name}.{k}", recorded.get(k), given.get(k))]
