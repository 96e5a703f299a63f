"""The config of a run: everything that decides its bits, and whether a folder belongs to it."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from unseen.data.domain import Domain
from unseen.engine import Engine
from unseen.errors import RunFolderError
from unseen.method.settings import ADA
from unseen.models.split import Split
from unseen.runs.folder import RunFolder
from unseen.runs.recorder import Cadence

MAY_DIFFER = ("created", "job", "versions", "engine")
MUST_MATCH = ("precision", "ranks")  # of the engine: they change more than the last bits


def make_config(
    net: Split,
    source: Domain,
    ada: ADA,
    seed: int,
    engine: Engine,
    cadence: Cadence,
    watch: Mapping[str, Domain],
    job: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Everything that decides the bits of a run, and when and with what it was made."""
    return {
        "ada": ada.asdict(),
        "watch": {name: domain.fingerprint for name, domain in watch.items()},
        **shared_config(net, source, seed, engine, cadence, job),
    }


def shared_config(
    net: Split, source: Domain, seed: int, engine: Engine, cadence: Cadence, job: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What the config of anything that is trained has."""
    shapes = {name: list(tensor.shape) for name, tensor in net.model.state_dict().items()}
    unlabelled = len(source) - len(source.labelled)
    return {
        "seed": seed,
        "source": {
            "name": source.name,
            "images": len(source),
            "classes": list(source.classes),
            "sha256": source.fingerprint,
        }
        | ({"unlabelled": unlabelled} if unlabelled else {}),
        "model": {"class": type(net.model).__qualname__, "head": net.head_name, "shapes": shapes},
        "cadence": asdict(cadence),
        "engine": engine.record(),
        **made_now(),
        "job": dict(job) if job is not None else None,
    }


def made_now() -> dict[str, Any]:
    """With which versions, and when."""
    versions = {name: version(name) for name in ("unseen", "torch", "numpy", "safetensors")}
    return {
        "versions": versions | {"python": platform.python_version()},
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def warn_of_other_bits(files: RunFolder, config: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    """What differs from how the run began without making it another run, only perhaps its last bits."""
    recorded = files.config()
    for key in ("versions", "engine"):
        for difference in _differences(key, recorded.get(key), config[key]):
            warn(f"{difference}: the run goes on, but its bits may differ from an uninterrupted run's")


def check_folder(files: RunFolder, config: Mapping[str, Any], resume: bool) -> None:
    """Refuse a folder that holds another run, or this one when it wasn't asked to go on, before touching it."""
    if resume:
        recorded = files.config()
        found = [d for k in config if k not in MAY_DIFFER for d in _differences(k, recorded.get(k), config[k])]
        there, here = recorded["engine"], config["engine"]
        found += [d for k in MUST_MATCH for d in _differences(f"engine.{k}", there.get(k), here[k])]
        if found:
            listed = "\n".join(f"  - {difference}" for difference in found)
            raise RunFolderError(
                f"{files.path} belongs to another config:\n{listed}\n"
                "give what the folder has (its config.json), or use another folder"
            )
    elif files.started:
        state = "a finished run" if files.finished else "an unfinished run"
        go_on = f"use it with: unseen.load({str(files.path)!r})" if files.finished else f"go on: {files.resume_command}"
        raise RunFolderError(f"{files.path} exists and holds {state}; {go_on}; or choose another folder")
    elif not files.usable:
        raise RunFolderError(f"{files.path} exists and is not a run folder; choose a new or empty folder")


def _differences(name: str, recorded: Any, given: Any) -> list[str]:
    if name == "source.sha256" and recorded != given:
        return ["the source's images or labels are others than there"]
    if not (isinstance(recorded, Mapping) and isinstance(given, Mapping)):
        return [f"{name} is {recorded!r} there, {given!r} here"] if recorded != given else []
    keys = [k for k in {**recorded, **given} if recorded.get(k) != given.get(k)]
    return [line for k in keys for line in _differences(f"{name}.{k}", recorded.get(k), given.get(k))]
