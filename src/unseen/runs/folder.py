"""The run folder: what every training has in its folder, and the rounds of Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from typing_extensions import override

from unseen.base.labels import VOID
from unseen.base.reading import entries, is_there, reading
from unseen.base.tensors import read_tensors, write_tensors
from unseen.base.writing import fsync_folder, make_folder, remove, writing
from unseen.engine import host_copies
from unseen.errors import RunFolderError
from unseen.method.moves import Fictitious, together
from unseen.method.state import Checkpointed
from unseen.runs.checkpoint import Checkpoint, Part
from unseen.runs.config import RunConfig
from unseen.runs.training_folder import TrainingFolder


class RunFolder(TrainingFolder[RunConfig]):
    """One run's folder. Besides what every training has, ``rounds/K/PART.safetensors``: fictitious images.

    Each part is written once. Rounds that left the pool are removed.
    """

    kind = RunConfig

    def keep_part(self, k: int, part: int, made: Fictitious, parents: Tensor) -> None:
        """Write a part of round k, once."""
        path = self._part(k, part)
        with self.saving():
            make_folder(path.parent)
            with writing(path):
                fsync_folder(path.parent.parent)
            tensors = host_copies(made.tensors() | {"parents": parents})
            write_tensors(path, tensors, self.signed({"round": k, "part": part}))

    def recall_part(self, k: int, part: int, parents: Tensor) -> Fictitious | None:
        """A part of round k made before an interruption; one that is damaged, or not its own, counts as not made."""
        try:
            made, made_from = self._read(k, part)
        except RunFolderError:
            return None
        return made if torch.equal(made_from, parents) else None

    def close_round(self, k: int, parts: int) -> None:
        """Round k is whole and has so many parts: whatever else an interruption left there would be taken for one."""
        own = {self._part(k, part) for part in range(parts)}
        with self.saving():
            for path in entries(self.path / "rounds" / str(k), RunFolderError):
                if path.suffix == ".safetensors" and path not in own:
                    remove(path)

    def _part(self, k: int, part: int) -> Path:
        return self.path / "rounds" / str(k) / f"{part:04d}.safetensors"

    def read_part(self, k: int, part: int) -> Part | None:
        """Some of the fictitious samples of round k, and the pool rows they were made from; None after the last."""
        return self._read(k, part) if part < self._parts(k) else None

    def _read(self, k: int, part: int) -> Part:
        """A part that is whole and says that it is this one, of this run."""
        path = self._part(k, part)
        tensors, meta = read_tensors(path)
        if (found := (meta.get("round"), meta.get("part"))) != (k, part):
            raise RunFolderError(
                f"{path} is part {found[1]} of round {found[0]}, expected part {part} of round {k}; put it back there, "
                "and restore the one that belongs here"
            )
        self.check_signed(path, meta)
        with reading(path, RunFolderError):
            check_part(tensors, k, self.config())
            return Fictitious.of(tensors), tensors["parents"]

    def _parts(self, k: int) -> int:
        """How many files round k has; a number that is missing is found when the part is read."""
        folder = self.path / "rounds" / str(k)
        names = entries(folder, RunFolderError) if is_there(folder, RunFolderError) else []
        count = sum(path.suffix == ".safetensors" for path in names)
        if not count:
            raise RunFolderError(f"{folder} is damaged: it has no images of round {k}; restore it")
        return count

    def read_round(self, k: int) -> Part:
        """All of them."""
        parts = [self._read(k, part) for part in range(self._parts(k))]
        return together([made for made, _ in parts]), torch.cat([parents for _, parents in parts])

    def kept_rounds(self, k: int) -> range:
        """Those of the first k rounds that stay in the pool."""
        return self.config().ada.kept_rounds(k)

    @override
    def save(self, state: Checkpointed) -> None:
        super().save(state)
        with self.saving():
            self._drop_rounds()

    @override
    def last_checkpoint(self) -> Checkpoint:
        self._drop_rounds()  # a run that was killed after its last save may have left some
        return super().last_checkpoint()

    def _drop_rounds(self) -> None:
        """Remove rounds that left the pool, once no checkpoint that is kept needs them."""
        saved = [path.stem.partition("-")[2] for path in self._saved()]
        needed = self.kept_rounds(min((int(k) for k in saved if k.isdecimal()), default=0))
        for folder in (self.path / "rounds").glob("*"):
            if folder.name.isdecimal() and int(folder.name) < needed.start:
                remove(folder)

    @override
    def _check_needs_of(self, meta: Mapping[str, Any]) -> None:
        """Its rounds."""
        config = self.config()
        if not (meta["t"] <= config.ada.T and meta["k"] <= config.ada.K):
            raise RunFolderError(
                f"{self.path}: a checkpoint of step {meta['t']} and round {meta['k']} is not this run's"
            )
        for k in self.kept_rounds(meta["k"]):
            found = sum(len(self._read(k, part)[1]) for part in range(self._parts(k)))
            if found != config.round_size:
                folder = self.path / "rounds" / str(k)
                raise RunFolderError(f"{folder} is damaged: {found} images, expected {config.round_size}")


def check_part(tensors: Mapping[str, Tensor], k: int, config: RunConfig) -> None:
    """Refuse samples that no round k of such a run can have; what is wrong with them is a ``ValueError``."""
    images, parents, labels = tensors["images"], tensors["parents"], tensors.get("labels")
    if config.source.shape is not None and tuple(images.shape[1:]) != config.source.shape:
        raise ValueError(f"its images have the shape {tuple(images.shape[1:])}, expected {config.source.shape}")
    if any(len(each) != len(images) for each in tensors.values()):
        raise ValueError(f"its tensors are of {sorted({len(each) for each in tensors.values()})} samples")
    before = config.source.labelled + len(config.ada.kept_rounds(k - 1)) * config.round_size
    if parents.dtype != torch.long or parents.ndim != 1 or _outside(parents, before):
        raise ValueError(f"its images are made from rows that the pool doesn't have; expected 0 to {before - 1}")
    if labels is not None and _outside(labels[labels != VOID], len(config.source.classes)):
        raise ValueError(
            f"it has labels that are no class; expected 0 to {len(config.source.classes) - 1}, or {VOID} for none"
        )


def _outside(numbers: Tensor, end: int) -> bool:
    return bool(((numbers < 0) | (numbers >= end)).any())
