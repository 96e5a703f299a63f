"""Train a model by Algorithm 1, in memory or in a run folder that survives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from unseen.algorithm import augment_and_train
from unseen.config import check_folder, make_config, warn_of_other_bits
from unseen.console import showing_if
from unseen.data.domain import Domain, Source, as_domain
from unseen.draws import Draws
from unseen.engine import Engine, adam
from unseen.errors import InputError
from unseen.pool import Pool
from unseen.recorder import Cadence, Progress, Recorder
from unseen.run import RunFolder
from unseen.settings import ADA
from unseen.split import Split, count_classes, split
from unseen.state import State


@dataclass(frozen=True)
class Run:
    """One training and what came of it. ``folder`` is None when none was asked for."""

    net: Split
    pool: Pool
    config: Mapping[str, Any]
    metrics: list[dict[str, Any]]
    folder: Path | None

    def __repr__(self) -> str:
        where = f"in {self.folder}" if self.folder else "in memory"
        return f"Run({self.config['ada']['T']} steps, {self.pool.rounds} rounds, {len(self.pool)} images, {where})"


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
    progress: Callable[[Progress], None] | bool = False,
    warn: Callable[[str], None] = print,
) -> Run:
    """Algorithm 1: train ``net`` on ``source`` with the settings ``ada``; the last iterate is the result.

    The weights of ``net`` are trained in place and it is left in evaluation mode. With ``folder``, the run is
    recorded there; with ``resume``, it goes on from the folder's last checkpoint, and its weights, optimizer
    state, pool and metrics are bit for bit those of a run that was never interrupted (same machine, versions and
    threads). ``watch`` are domains whose accuracy is recorded along the way; they select nothing. ``progress=True``
    shows how it goes, as the command line does. ``job`` is kept in the config, for callers that build model and
    source from a description.
    """
    if not isinstance(ada, ADA):
        raise InputError(f"fit: expected settings such as unseen.ADA() or unseen.ERM(), got {ada!r}")
    net = split(net)
    engine, cadence, watch = engine or Engine(), cadence or Cadence(), watch or {}
    source = as_domain(source)
    with engine.seeded(seed):
        classes = count_classes(net, source.images)
    source = as_domain(source, classes=classes)
    config = make_config(net, source, ada, seed, engine, cadence, watch, job)
    files = RunFolder(folder) if folder is not None else None
    if files:
        check_folder(files, config, resume)
    with files.locked() if files else nullcontext(), engine.running(), showing_if(progress) as tell:
        if files:
            check_folder(files, config, resume)  # again: another process may have had the folder meanwhile
        engine.place(net)
        net.train()
        pool = Pool(source.images, source.labels, ada.K, ada.n)
        state = State(net, adam(net, ada.alpha, ada.ridge), pool, Draws(seed))
        if files and resume:
            warn_of_other_bits(files, config, warn)
            for message in files.restore(state):
                warn(message)
        elif files:
            files.create(config)
        recorder = Recorder(files, ada, engine, cadence, watch, tell)
        recorder.begin(state)
        augment_and_train(state, ada, engine, recorder)
        recorder.end(state)
        net.eval()
    return Run(net, pool, config, recorder.lines, files.path if files else None)
