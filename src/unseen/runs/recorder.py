"""Observes Algorithm 1: records metrics, keeps rounds and checkpoints, reports the progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from unseen.base.images import part_of
from unseen.data.domain import Domain
from unseen.engine import Engine, evaluation_batch
from unseen.method.moves import Fictitious
from unseen.method.settings import ADA
from unseen.method.state import State
from unseen.runs.config import Cadence
from unseen.runs.events import Events
from unseen.runs.folder import RunFolder
from unseen.runs.movement import remark_on
from unseen.runs.progress import Progress
from unseen.runs.rounds import MEASURED, AscentRecord, RoundRecord, measure_ascent
from unseen.runs.selection import validated
from unseen.scoring.accuracy import confusions, hits
from unseen.scoring.confusion import miou


class Recorder:
    """The ``Observer`` of a run: it writes what happens to the run's folder, if there is one."""

    def __init__(
        self,
        files: RunFolder | None,
        ada: ADA,
        engine: Engine,
        cadence: Cadence,
        watch: Mapping[str, Domain],
        progress: Callable[[Progress], None],
        after_round: Callable[[], None] = lambda: None,
        remark: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.files, self.ada, self.engine, self.cadence = files, ada, engine, cadence
        self.watch, self.progress, self.after_round, self.remark = watch, progress, after_round, remark
        self.lines: list[dict[str, Any]] = engine.on_first_rank(lambda: files.metrics() if files else [])
        self.events: Events | None = None
        self._write(self._open_events)
        self._ascended = 0
        self._parts = 0
        self._saved = time.monotonic()

    def _write(self, work: Callable[[RunFolder], None]) -> None:
        """Rank 0 does the work in the folder, if there is one; when it can't, every rank raises why."""

        def write() -> None:
            if self.files:
                work(self.files)

        self.engine.on_first_rank(write)

    def _open_events(self, files: RunFolder) -> None:
        with files.saving():
            self.events = Events(files.path / "events", self.lines)

    def begin(self, state: State) -> None:
        """Training starts or resumes from ``state``; a new run is saved before its first step."""
        if state.t == 0:
            self._save(state)
        self._report(state)

    def stepped(self, state: State) -> None:
        """One minimization step was made."""
        last, every = state.t == self.ada.T, self.cadence
        line = self._record_step(state) if state.t % every.record == 0 or last else None
        round_next = state.k < self.ada.K and state.t == self.ada.steps_before(state.k + 1)
        if state.t % every.save == 0 or round_next or last or self._overdue(line is not None):
            self._save(state)
        self._report(state, line)

    def _save(self, state: State) -> None:
        self._write(lambda files: files.save(state))
        self._saved = time.monotonic()

    def _overdue(self, recorded: bool) -> bool:
        """Whether the last checkpoint is older than it may be; several ranks ask rank 0's clock at records only."""
        if self.engine.ranks > 1 and not recorded:
            return False
        return self.engine.on_first_rank(lambda: time.monotonic() - self._saved >= 60 * self.cadence.minutes)

    def recall(self, k: int, part: int, parents: Tensor) -> Fictitious | None:
        """What this part of round k holds, if an interrupted run had made it from these rows."""
        self._parts = part + 1
        return self.engine.on_first_rank(lambda: self.files.recall_part(k, part, parents) if self.files else None)

    def ascended(self, k: int, images: int, of: int) -> None:
        """``images`` more of round k are made."""
        self._ascended += images
        self.progress(Progress("maximize", self._ascended, of, k - 1))

    def made(self, k: int, part: int, made: Fictitious, parents: Tensor) -> None:
        """A part of round k is complete."""
        self._write(lambda files: files.keep_part(k, part, made, parents))

    def appended(self, state: State, starts: Tensor) -> None:
        """A round was added to the pool; ``starts`` are the rows its samples were made from."""
        self._ascended = 0
        self._write(lambda files: files.close_round(state.k, self._parts))
        sample = self._sample(state, len(starts))
        measured = asdict(self._measure(state, starts, sample))
        made = RoundRecord(step=state.t, round=state.k, fictitious=len(starts), measured=len(sample), **measured)
        line = self._add(made.asdict())
        if state.k == 1 and self.engine.rank == 0:
            self._remark_on(made, state)
        self._save(state)
        self._report(state, line)
        self.after_round()

    def _remark_on(self, made: RoundRecord, state: State) -> None:
        if (text := remark_on(made, state.pool.source[0].numel(), self.ada)) is not None:
            self.remark(text)

    def _sample(self, state: State, made: int) -> Tensor:
        """Which of a round's samples are measured: all, or some that are drawn; measuring them all would cost more."""
        if made <= MEASURED:
            return torch.arange(made)
        draw = state.draws.generator_for(f"measured {state.k}")
        return torch.randperm(made, generator=draw)[:MEASURED].sort().values

    def _measure(self, state: State, starts: Tensor, sample: Tensor) -> AscentRecord:
        """In parts, since all of the images measured may take more memory than the model."""
        engine, pool, first = self.engine, state.pool, state.pool.round(state.k).start
        mine, measured = engine.share(sample), []
        with engine.seeded(state.draws.seed_for(f"climb {state.k}")):  # the occasion's name decides bits: it stays
            for rows in torch.split(mine, evaluation_batch(pool.source[0])):
                x0, y = engine.put(*pool.take(starts[rows]))
                x, y_made = engine.put(*pool.take(first + rows))
                measured.append(measure_ascent(state.net, x0, x, y, self.ada, engine, y_made))
            return AscentRecord.mean(engine.gather(torch.cat(measured), len(sample)))

    def end(self, state: State) -> None:
        """Training is over: the last iterate is the result, or its average, or the best on the source's validation."""
        state.result.put_into(state.net.model)
        self._write(lambda files: files.save_weights(state.net.model.state_dict()))

    def _record_step(self, state: State) -> dict[str, Any]:
        steps = state.t % self.cadence.record or self.cadence.record
        line: dict[str, Any] = {"step": state.t, "round": state.k, "loss": float(state.losses) / steps}
        state.losses.zero_()
        if self.watch and (state.t % self.cadence.watch == 0 or state.t == self.ada.T):
            with state.result.inside(state.net.model):
                for name, domain in self.watch.items():
                    measure = "miou" if domain.segmented else "accuracy"
                    line.setdefault(measure, {})[name] = self._watched(state, domain)
                if self.ada.selects:
                    value = validated(line)
                    assert value is not None
                    state.result.consider(state.net.model, value, state.t)
        return self._add(line)

    def _watched(self, state: State, domain: Domain) -> float:
        rows = self.engine.share(torch.arange(len(domain)))
        images, labels = part_of(domain.images, rows), part_of(domain.labels, rows)
        with self.engine.seeded(state.draws.seed_for(f"watch {state.t} {domain.name}")):
            if not domain.segmented:
                return float(self.engine.gather(hits(state.net, images, labels[:]), len(domain)).double().mean())
            matrices = confusions(state.net, images, labels, len(domain.classes))
        return miou(self.engine.gather(matrices, len(domain)).sum(0))

    def _add(self, line: dict[str, Any]) -> dict[str, Any]:
        self.lines.append(line)
        self._write(lambda files: self._append(files, line))
        return line

    def _append(self, files: RunFolder, line: dict[str, Any]) -> None:
        assert self.events is not None
        files.add_metrics(line)
        with files.saving():
            self.events.add(line)

    def _report(self, state: State, line: Mapping[str, Any] | None = None) -> None:
        self.progress(Progress("minimize", state.t, self.ada.T, state.k, line))
