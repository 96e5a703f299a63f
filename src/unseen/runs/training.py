"""One training, with all that it needs: checked, prepared, run in memory or in its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from unseen.base.images import part_of
from unseen.base.randomness import Draws
from unseen.data.domain import Domain, as_domain
from unseen.engine import Engine
from unseen.engine.cpu import check_memory
from unseen.errors import InputError, RankLost
from unseen.method.algorithm import augment, augment_and_train
from unseen.method.descent import class_weights, optimizer_for
from unseen.method.freezing import check_frozen, partly_frozen, train_mode
from unseen.method.pool import Pool
from unseen.method.result import Result
from unseen.method.settings import ADA
from unseen.method.state import State
from unseen.models.split import Split, count_classes, refuse_other_heads, refuse_probabilities
from unseen.runs.config import Cadence, ModelRecord, Provenance, RunConfig, SourceRecord, identity_of, made_now
from unseen.runs.console import showing_if
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job
from unseen.runs.model_checks import refuse_single_samples, warn_of_classes
from unseen.runs.opening import open_folder
from unseen.runs.places import code_digests
from unseen.runs.progress import Progress
from unseen.runs.recorder import Recorder
from unseen.runs.selection import check_selection, selection, split_off
from unseen.runs.source_checks import check_classes, check_transforms

Report = Callable[[Progress], None]
Warn = Callable[[str], None]


@dataclass(frozen=True)
class Run:
    """One training and what came of it. ``folder`` is None when none was asked for."""

    net: Split
    pool: Pool
    config: RunConfig
    metrics: list[dict[str, Any]]
    folder: Path | None

    @property
    def selection(self) -> str:
        """Which weights are the result: the last iterate, unless a rule of the source's validation was asked for."""
        return selection(self.config.ada, self.metrics)

    def __repr__(self) -> str:
        where = f"in {self.folder}" if self.folder else "in memory"
        return f"Run({self.config.ada.T} steps, {self.pool.rounds} rounds, {len(self.pool)} images, {where})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Training:
    """A network, its source and every setting; ``job`` where both are built by name, so that a folder can do it again.

    ``run`` trains the network in place.
    """

    net: Split
    source: Domain
    ada: ADA
    seed: int = 0
    folder: Path | None = None
    watch: Mapping[str, Domain] = field(default_factory=dict)
    cadence: Cadence = field(default_factory=Cadence)
    engine: Engine = field(default_factory=Engine)
    job: Job | None = None

    @classmethod
    def on(cls, source: Domain, ada: ADA, watch: Mapping[str, Domain], **others: Any) -> Training:
        """A training on a source of which the validation share is split off; epochs of what is left are steps."""
        source, watch = split_off(source, ada, watch)
        return cls(source=source, ada=ada.for_source(len(source.labelled)), watch=watch, **others)

    def run(
        self,
        *,
        resume: bool = False,
        progress: Report | bool = False,
        warn: Warn = print,
        remark: Warn | None = None,
    ) -> Run:
        """Algorithm 1 to its end; the last iterate is the result, unless the settings say otherwise.

        ``remark`` gets what is no warning, only worth knowing; where it isn't given, ``warn`` does.
        """
        config = self._checked(warn)
        self.net.classes = self.source.classes
        with self._under_way(config, resume, progress, warn, remark=remark or warn) as (state, recorder):
            augment_and_train(state, self.ada, self.engine, recorder)
            recorder.end(state)
        self.net.eval()
        return Run(self.net, state.pool, config, recorder.lines, self.folder)

    def make_rounds(self, K: int, *, resume: bool, after_round: Callable[[], None], warn: Warn = print) -> None:
        """Algorithm 1 up to its K-th round and no further; ``after_round`` is called whenever a round is saved."""
        with self._under_way(self._checked(warn), resume, False, warn, after_round) as (state, recorder):
            augment(state, self.ada, self.engine, recorder, K)

    def _checked(self, warn: Warn) -> RunConfig:
        """The config, once everything that a user can get wrong is known to be right."""
        net, source, engine = self.net, self.source, self.engine
        with engine.seeded(self.seed):
            classes = count_classes(net, source.images, pixels=source.segmented)
            refuse_other_heads(net, source.images)
            refuse_probabilities(net, source.images)
            refuse_single_samples(net, source.images, self.ada.batch, engine.ranks)
        as_domain(source, classes=classes)
        warn_of_classes(source, classes, warn)
        check_transforms(self.ada, source, engine)
        check_classes(self.ada, source)
        check_frozen(net, self.ada)
        check_selection(self.ada, self.cadence)
        if self.ada.batch < engine.ranks:
            raise InputError(
                f"batch={self.ada.batch} can't be shared by {engine.ranks} ranks; raise batch or start fewer ranks"
            )
        self._check_sizes()
        record = SourceRecord.of(source)
        if record.unlabelled:
            left_out = f"{record.unlabelled:,} of its {record.images:,} images have no labelled pixel"
            warn(f"{source.name}: {left_out} and are left out of the training")
        return RunConfig(
            ada=self.ada,
            watch={name: domain.fingerprint for name, domain in self.watch.items()},
            seed=self.seed,
            source=record,
            model=ModelRecord.of(net),
            cadence=self.cadence,
            engine=engine.record(),
            job=self.job,
            identity=self._identity(record) if self.folder is not None else None,
            **self._made_now(),
        )

    def _made_now(self) -> Provenance:
        """Files of the user's own code are among the versions: a resume warns where they are others."""
        now = made_now()
        named = {"job": self.job.asdict() if self.job is not None else None, "ada": self.ada.asdict()}
        return {**now, "versions": now["versions"] | code_digests(named)}

    def _identity(self, source: SourceRecord) -> str:
        """K is no part of it unless it decides when rounds are made: runs that differ in nothing else share them."""
        ada, engine = self.ada.asdict(), self.engine.record()
        if not self.ada.spread:
            del ada["K"]
        return identity_of(
            self.net, ada=ada, seed=self.seed, source=source.sha256, engine=(engine.precision, engine.ranks)
        )

    def _check_sizes(self) -> None:
        """Refuse a minibatch or a pool that no memory here holds, before anything is allocated for it."""
        ada, image = self.ada, self.source.images[:1]
        one = image.numel() * image.element_size()
        shape = "x".join(map(str, image.shape[1:]))
        check_memory(ada.batch * one // self.engine.ranks, f"batch={ada.batch:,} images of {shape}", "lower batch")
        n, kept = ada.n or len(self.source), min(ada.K, ada.keep or ada.K)
        rows = f"a pool of {kept:,} rounds of {n:,} images (K={ada.K:,}), without the images themselves,"
        check_memory(n * kept * 2 * 8, rows, "lower K or n, or say keep")  # parents, and labels that are no masks

    @contextmanager
    def _under_way(
        self,
        config: RunConfig,
        resume: bool,
        progress: Report | bool,
        warn: Warn,
        after_round: Callable[[], None] = lambda: None,
        remark: Warn = lambda _: None,
    ) -> Iterator[tuple[State, Recorder]]:
        """Inside: the folder is locked, the hardware is set up, and the state is new or that of the checkpoint."""
        engine, files = self.engine, RunFolder(self.folder) if self.folder is not None else None
        with (
            _saying_how_to_resume(files),
            partly_frozen(self.net, self.ada),
            engine.running(unused=self._unused()),
            ExitStack() as held,
            showing_if(progress if engine.rank == 0 else False) as report,
        ):
            saved = engine.on_first_rank(lambda: open_folder(files, config, resume, held, warn)) if files else None
            state = self._state()
            if files and saved:
                saved.restore_with_rounds(state, lambda k, part: engine.on_first_rank(lambda: files.read_part(k, part)))
            recorder = Recorder(files, self.ada, engine, self.cadence, self.watch, report, after_round, remark)
            recorder.begin(state)
            yield state, recorder

    def _unused(self) -> bool:
        """Whether some parameters get no gradient, which only several ranks have to know."""
        with self.engine.seeded(self.seed):
            return self.engine.ranks > 1 and self.net.leaves_out(self.source.images[:1])

    def _state(self) -> State:
        """The state before the first step, with the network on its device."""
        net, engine = self.net, self.engine
        with engine.seeded(self.seed), net.frozen():
            engine.place(net, self.source.images[:1])
        train_mode(net, self.ada)
        pool = engine.on_every_rank(self._pool)
        optimizer = optimizer_for(net, self.ada)  # first: it has the clearer message where there is nothing to train
        return State(
            net,
            engine.prepare(net),
            optimizer,
            pool,
            Draws(self.seed),
            result=Result(net.model, self.ada.average),
            class_weights=class_weights(self.ada, pool.source_labels),
        )

    def _pool(self) -> Pool:
        """The pool before its first round: the images that have a label."""
        source = self.source
        images, labels = source.images, source.labels
        if len(source.labelled) < len(source):
            images, labels = part_of(images, source.labelled), part_of(labels, source.labelled)
        allocate = partial(self.engine.allocate, folder=self.folder)
        return Pool(images, labels, self.ada.K, self.ada.n, allocate, self.ada.keep)


@contextmanager
def _saying_how_to_resume(files: RunFolder | None) -> Iterator[None]:
    """Inside: when another rank is lost, the message also has what is safe and the command that resumes from it."""
    try:
        yield
    except RankLost as error:
        if files is None or not files.started:
            raise
        raise RankLost(f"{error}. {files.how_to_resume('resume under torchrun as before, with')}") from error
