"""ADDA: adapt a trained model to a target's unlabelled images, in memory or in a folder that survives."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn

from unseen.adda.duel import Duel, Health, begin, look, step
from unseen.adda.settings import ADDA as ADDA
from unseen.base.images import Images
from unseen.base.reading import reading
from unseen.data.domain import Domain, Source, as_domain
from unseen.engine import Engine, host_copies
from unseen.errors import InputError, RunFolderError, all_problems
from unseen.models.split import Split, count_classes, split
from unseen.runs.config import Cadence, ModelRecord, SourceRecord, TrainingConfig, identity_of, made_now
from unseen.runs.console import showing_if
from unseen.runs.loading import load
from unseen.runs.opening import check_folder, open_folder
from unseen.runs.progress import Progress
from unseen.runs.training_folder import TrainingFolder


@dataclass(frozen=True, kw_only=True)
class TargetRecord:
    """The target whose images were seen, as it was found."""

    name: str
    images: int
    used: int
    """how many of them the adaptation draws from"""
    sha256: str


@dataclass(frozen=True, kw_only=True)
class AdaptationConfig(TrainingConfig):
    """The config of an adaptation: what every training's has, its target and the weights it started from."""

    adda: ADDA
    target: TargetRecord
    source_weights: str
    """SHA-256 of them"""


@dataclass(frozen=True)
class Adapted:
    """One adaptation and what came of it. ``folder`` is None when none was asked for."""

    net: Split
    """the target's encoder under the source's head"""
    config: AdaptationConfig
    metrics: list[dict[str, Any]]
    folder: Path | None

    def __repr__(self) -> str:
        where = f"in {self.folder}" if self.folder else "in memory"
        return f"Adapted({self.config.adda.steps} steps, {self.config.target.used} target images, {where})"


class AdaptationFolder(TrainingFolder[AdaptationConfig]):
    """The folder of an adaptation."""

    kind = AdaptationConfig

    @property
    def resume_command(self) -> str:
        """What to type to resume: what started it."""
        return f"unseen.adapt(..., folder={str(self.path)!r})"


def adapt(
    net: Split | nn.Module,
    source: Source,
    target: Source | Tensor,
    adda: ADDA,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    cadence: Cadence | None = None,
    engine: Engine | None = None,
    progress: Callable[[Progress], None] | bool = False,
    warn: Callable[[str], None] = print,
) -> Adapted:
    """ADDA: adapt ``net``, trained on ``source``, to the images of ``target``; the last iterate is the result.

    ``net`` is not changed: a copy of its encoder is trained, and a copy of its head kept. The target's labels, where it
    has some, are not looked at. With ``folder``, the adaptation is recorded there as a training is; called again, an
    interrupted one resumes to the same bits, and a finished one is read instead of repeated. Of ``cadence``, ``record``
    and ``save`` hold. ``warn`` is called on a collapse.
    """
    if not isinstance(adda, ADDA):
        raise InputError(f"adapt: expected settings such as unseen.ADDA(), got {adda!r}")
    net, source, target = split(net), as_domain(source), _unlabelled(target)
    engine, cadence = engine or Engine(), cadence or Cadence()
    all_problems("adapt", _problems(source, target, adda, engine))
    with engine.seeded(seed):
        count_classes(net, source.images)  # refuses images the model can't take
    config = _make_config(net, source, target, adda, seed, engine, cadence)
    files = AdaptationFolder(folder) if folder is not None else None
    adapted = split(copy.deepcopy(net.model), net.head_name)
    if files and files.finished:
        check_folder(files, config, resume=True)
        adapted = load(files.path, adapted)
        log = Log(files, adda, cadence)
    else:
        with engine.running(), ExitStack() as held, showing_if(progress) as report:
            saved = open_folder(files, config, None, held, warn) if files else None
            duel = begin(adapted, source.images, target.images, adda, seed, engine)
            if saved:
                saved.restore(duel)
            log = Log(files, adda, cadence)
            _play(duel, engine, log, report)
            log.end(adapted)
    log.warn_of_collapse(warn)
    return Adapted(adapted, config, log.lines, files.path if files else None)


def _play(duel: Duel, engine: Engine, log: Log, report: Callable[[Progress], None]) -> None:
    """ADDA from ``duel`` to its end."""
    if duel.t == 0:
        log.add({"step": 0, **asdict(look(duel, engine))})
    report(Progress("adapt", duel.t, log.adda.steps, 0))
    while duel.t < log.adda.steps:
        step(duel, log.adda, engine)
        log.stepped(duel, engine)
        report(Progress("adapt", duel.t, log.adda.steps, 0))


class Log:
    """What is written down of an adaptation: in memory, and in its folder if there is one."""

    def __init__(self, files: AdaptationFolder | None, adda: ADDA, cadence: Cadence) -> None:
        self.files, self.adda, self.cadence = files, adda, cadence
        self.lines = files.metrics() if files else []

    def add(self, line: dict[str, Any]) -> None:
        """One record."""
        self.lines.append(line)
        if self.files:
            self.files.add_metrics(line)

    def stepped(self, duel: Duel, engine: Engine) -> None:
        """One step was made."""
        last = duel.t == self.adda.steps
        if last or duel.t % self.cadence.record == 0:
            self.add(self._means(duel) | (asdict(look(duel, engine)) if last else {}))
        if self.files and not last and duel.t % self.cadence.save == 0:
            self.files.save(duel)

    def _means(self, duel: Duel) -> dict[str, Any]:
        steps = duel.t % self.cadence.record or self.cadence.record
        discriminator, right, encoder = (duel.losses / steps).tolist()
        duel.losses.zero_()
        return {
            "step": duel.t,
            "discriminator_loss": discriminator,
            "discriminator_accuracy": right,
            "encoder_loss": encoder,
        }

    def end(self, adapted: Split) -> None:
        """The last iterate is the result; what only an unfinished adaptation needs is let go of."""
        if self.files:
            self.files.save_weights(adapted.model.state_dict())
            self.files.trim()

    def warn_of_collapse(self, warn: Callable[[str], None]) -> None:
        """One warning when the target's images can be told apart much less than before."""
        before, after = self._healths()
        if after.collapsed_from(before):
            warn(
                f"ADDA collapsed: on the target, the spread of the features went from {before.spread:.2f} to "
                f"{after.spread:.2f} and the number of classes predicted from {before.classes:.1f} to "
                f"{after.classes:.1f}, so the adapted model is likely worse than the one it came from; lower alpha "
                f"(now {self.adda.alpha:g}), or raise batch (now {self.adda.batch})"
            )

    def _healths(self) -> tuple[Health, Health]:
        """At the beginning and at the end; lines that a file has lost are the file's fault."""
        with reading(self.files.metrics_file, RunFolderError) if self.files else nullcontext():
            first, last = (Health(line["spread"], line["classes"]) for line in (self.lines[0], self.lines[-1]))
        return first, last


def _unlabelled(target: Source | Tensor) -> Domain:
    """The target's images, checked, as a domain of one class: nothing after this can see a label."""
    name = target.name if isinstance(target, Domain) else "target"
    images: Images = target if isinstance(target, Tensor) else as_domain(target, name).images
    return Domain(name, images, torch.zeros(images.shape[:1], dtype=torch.long), ("unlabelled",))


def _problems(source: Domain, target: Domain, adda: ADDA, engine: Engine) -> list[str]:
    found = []
    there, here = tuple(source.images.shape[1:]), tuple(target.images.shape[1:])
    if there != here:
        found.append(f"target images have shape {here}, expected the source's {there}: resize or convert them")
    if adda.target_images is not None and adda.target_images > len(target):
        found.append(
            f"target_images={adda.target_images}: {target.name} has {len(target)}; lower it, or leave it out for all"
        )
    if engine.ranks > 1:
        found.append(f"{engine.ranks} ranks: expected one process; start it without torchrun")
    return found


def _make_config(
    net: Split, source: Domain, target: Domain, adda: ADDA, seed: int, engine: Engine, cadence: Cadence
) -> AdaptationConfig:
    """Everything that decides the bits of an adaptation, and when and with what it was made."""
    weights = safetensors.torch.save(host_copies(net.model.state_dict()))
    used = adda.target_images or len(target)
    source_record, engine_record = SourceRecord.of(source), engine.record()
    decisive = {"source": source_record.sha256, "target": target.fingerprint, "precision": engine_record.precision}
    return AdaptationConfig(
        adda=adda,
        target=TargetRecord(name=target.name, images=len(target), used=used, sha256=target.fingerprint),
        source_weights=hashlib.sha256(weights).hexdigest(),
        seed=seed,
        source=source_record,
        model=ModelRecord.of(net),
        cadence=cadence,
        engine=engine_record,
        identity=identity_of(net, adda=adda.asdict(), seed=seed, **decisive),
        **made_now(),
    )
