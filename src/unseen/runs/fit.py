"""Train a model by Algorithm 1, in memory or in a run folder that survives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from unseen.base.randomness import Draws
from unseen.data.domain import Domain, Source, as_domain
from unseen.engine import Engine, adam
from unseen.errors import InputError, RankLost
from unseen.method.algorithm import augment_and_train
from unseen.method.pool import Pool
from unseen.method.settings import ADA
from unseen.method.state import State
from unseen.models.split import Split, count_classes, refuse_probabilities, split
from unseen.runs.config import check_folder, make_config, warn_of_other_bits
from unseen.runs.console import showing_if
from unseen.runs.folder import RunFolder, Saved
from unseen.runs.recorder import Cadence, Progress, Recorder


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
        classes = count_classes(net, source.images, pixels=source.segmented)
        refuse_probabilities(net, source.images)
        unused = engine.ranks > 1 and net.leaves_out(source.images[:1])
    source = as_domain(source, classes=classes)
    if ada.batch < engine.ranks:
        raise InputError(f"batch={ada.batch} can't be shared by {engine.ranks} ranks; raise batch or start fewer ranks")
    config = make_config(net, source, ada, seed, engine, cadence, watch, job)
    _tell_unlabelled(source, warn)
    files = RunFolder(folder) if folder is not None else None
    with (
        _saying_how_to_go_on(files),
        engine.running(unused=unused),
        ExitStack() as held,
        showing_if(progress if engine.rank == 0 else False) as tell,
    ):
        saved = engine.first(lambda: _open(files, config, resume, held, warn)) if files else None
        with engine.seeded(seed), net.frozen():
            engine.place(net, source.images[:1])
        net.train()
        pool = engine.each(lambda: _pool(source, ada, partial(engine.room, folder=files.path if files else None)))
        optimizer = adam(net, ada.alpha, ada.ridge)
        state = State(net, engine.prepare(net), optimizer, pool, Draws(seed))
        if files and saved:
            saved.put_into(state, lambda k: engine.first(lambda: files.read_round(k)))
        recorder = Recorder(files, ada, engine, cadence, watch, tell)
        recorder.begin(state)
        augment_and_train(state, ada, engine, recorder)
        recorder.end(state)
        net.eval()
    return Run(net, pool, config, recorder.lines, files.path if files else None)


def _tell_unlabelled(source: Domain, warn: Callable[[str], None]) -> None:
    unlabelled = len(source) - len(source.labelled)
    if unlabelled:
        left_out = f"{unlabelled:,} of its {len(source):,} images have no labelled pixel"
        warn(f"{source.name}: {left_out} and are left out of the training")


def _pool(source: Domain, ada: ADA, room: Callable[[int, Tensor], Tensor]) -> Pool:
    """The pool before its first round: the images that have a label."""
    rows = slice(None) if len(source.labelled) == len(source) else source.labelled
    return Pool(source.images[rows], source.labels[rows], ada.K, ada.n, room)


def _open(
    files: RunFolder, config: Mapping[str, Any], resume: bool, held: ExitStack, warn: Callable[[str], None]
) -> Saved | None:
    """The folder checked and locked until ``held`` ends, and what a run that goes on goes on from."""
    check_folder(files, config, resume)
    held.enter_context(files.locked())
    check_folder(files, config, resume)  # again: another process may have had the folder meanwhile
    if not resume:
        files.create(config)
        return None
    warn_of_other_bits(files, config, warn)
    source = config["source"]
    saved = files.go_back(config["ada"]["n"] or source["images"] - source.get("unlabelled", 0))
    for message in saved.warnings:
        warn(message)
    return saved


@contextmanager
def _saying_how_to_go_on(files: RunFolder | None) -> Iterator[None]:
    """Inside: when another rank is lost, the message also has what is safe and the command that goes on from it."""
    try:
        yield
    except RankLost as error:
        if files is None or not files.started:
            raise
        raise RankLost(f"{error}. {files.how_to_go_on('go on under torchrun as before, with')}") from error
