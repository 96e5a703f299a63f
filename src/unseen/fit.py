"""Train a model by Algorithm 1, in memory or in a run folder that survives."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from torch import nn

from unseen.algorithm import State, augment_and_train
from unseen.data.domain import Domain, Source, as_domain
from unseen.draws import Draws
from unseen.engine import Engine, adam
from unseen.errors import RunFolderError
from unseen.pool import Pool
from unseen.recorder import Cadence, Progress, Recorder
from unseen.run import RunFolder
from unseen.settings import ADA
from unseen.split import Split, count_classes, split


@dataclass(frozen=True)
class Run:
    """One training and what came of it. ``folder`` is None when none was asked for."""

    net: Split
    pool: Pool
    config: Mapping[str, Any]
    metrics: list[dict[str, Any]]
    folder: Path | None


def fit(
    net: Split | nn.Module,
    source: Source,
    ada: ADA,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    resume: bool = False,
    watch: Mapping[str, Domain] | None = None,
    cadence: Cadence | None = None,
    engine: Engine | None = None,
    job: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    warn: Callable[[str], None] = print,
) -> Run:
    """Algorithm 1: train ``net`` on ``source`` with the settings ``ada``; the last iterate is the result.

    The weights of ``net`` are trained in place and it is left in evaluation mode. With ``folder``, the run is
    recorded there; with ``resume``, it goes on from the folder's last checkpoint, and its weights, optimizer
    state, pool and metrics are bit for bit those of a run that was never interrupted (same machine, versions and
    threads). ``watch`` are domains whose accuracy is recorded along the way; they select nothing. ``job`` is kept
    in the config, for callers that build model and source from a description.
    """
    net = split(net)
    engine, cadence, watch = engine or Engine(), cadence or Cadence(), watch or {}
    source = as_domain(source)
    with engine.seeded(seed):
        classes = count_classes(net, source.images)
    source = as_domain(source, classes=classes)
    config = _config(net, source, ada, seed, engine, cadence, watch, job)
    files = RunFolder(folder) if folder is not None else None
    if files:
        _check_folder(files, config, resume)
    with files.locked() if files else nullcontext(), engine.running():
        if files:
            _check_folder(files, config, resume)  # again: another process may have had the folder meanwhile
        engine.place(net)
        net.train()
        pool = Pool(source.images, source.labels, ada.K, ada.n)
        state = State(net, adam(net, ada.alpha, ada.ridge), pool, Draws(seed))
        if files and resume:
            for message in files.restore(state):
                warn(f"{message}; the checkpoint before it is used")
        elif files:
            files.create(config)
        recorder = Recorder(files, ada, engine, cadence, watch, progress)
        recorder.begin(state)
        augment_and_train(state, ada, engine, recorder)
        recorder.end(state)
        net.eval()
    return Run(net, pool, config, recorder.lines, files.path if files else None)


def _config(
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
    shapes = {name: list(tensor.shape) for name, tensor in net.model.state_dict().items()}
    return {
        "ada": ada.asdict(),
        "seed": seed,
        "source": {"name": source.name, "images": len(source), "sha256": source.fingerprint},
        "watch": {name: domain.fingerprint for name, domain in watch.items()},
        "model": {"class": type(net.model).__qualname__, "head": net.head_name, "shapes": shapes},
        "cadence": asdict(cadence),
        "engine": engine.record(),
        "versions": {name: version(name) for name in ("unseen", "torch", "numpy", "safetensors")}
        | {"python": platform.python_version()},
        "job": dict(job) if job is not None else None,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _check_folder(files: RunFolder, config: Mapping[str, Any], resume: bool) -> None:
    """Refuse a folder that holds another run, or this one when it wasn't asked to go on, before touching it."""
    if resume:
        recorded = files.config()
        different = [k for k in config if k not in ("created", "job") and config[k] != recorded.get(k)]
        if different:
            raise RunFolderError(
                "\n".join(
                    [f"{files.path} belongs to another config:"]
                    + [
                        f"  - {difference}"
                        for k in different
                        for difference in _differences(k, recorded.get(k), config[k])
                    ]
                    + ["give what the folder has (its config.json), or use another folder"]
                )
            )
    elif files.started:
        state = "a finished run" if files.finished else "an unfinished run"
        go_on = f"see it with: unseen report {files.path}" if files.finished else f"go on: {files.resume_command}"
        raise RunFolderError(f"{files.path} exists and holds {state}; {go_on}; or choose another folder")
    elif not files.usable:
        raise RunFolderError(f"{files.path} exists and is not a run folder; choose a new or empty folder")


def _differences(name: str, recorded: Any, given: Any) -> list[str]:
    if not (isinstance(recorded, Mapping) and isinstance(given, Mapping)):
        return [f"{name} is {recorded!r} there, {given!r} here"]
    keys = [k for k in {**recorded, **given} if recorded.get(k) != given.get(k)]
    return [line for k in keys for line in _differences(f"{name}.{k}", recorded.get(k), given.get(k))]
