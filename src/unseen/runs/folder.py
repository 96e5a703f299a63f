"""The run folder: what every training has in its folder, and the rounds of Algorithm 1."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from typing_extensions import override

from unseen.base.files import fsync_folder, read_tensors, write_tensors
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
            path.parent.mkdir(parents=True, exist_ok=True)
            fsync_folder(path.parent.parent)
            tensors = host_copies(made.tensors() | {"parents": parents})
            write_tensors(path, tensors, {"round": k, "part": part})

    def recall_part(self, k: int, part: int) -> Fictitious | None:
        """A part of round k made before an interruption; a damaged one counts as not made."""
        path = self._part(k, part)
        if not path.exists():
            return None
        try:
            return Fictitious.of(read_tensors(path)[0])
        except RunFolderError:
            return None

    def _part(self, k: int, part: int) -> Path:
        return self.path / "rounds" / str(k) / f"{part:04d}.safetensors"

    def read_part(self, k: int, part: int) -> Part | None:
        """Some of the fictitious samples of round k, and the pool rows they were made from; None after the last."""
        paths = self._parts(k)
        if part >= len(paths):
            return None
        tensors, _ = read_tensors(paths[part])
        return Fictitious.of(tensors), tensors["parents"]

    def _parts(self, k: int) -> list[Path]:
        paths = sorted((self.path / "rounds" / str(k)).glob("*.safetensors"))
        if not paths:
            raise RunFolderError(f"{self.path}: round {k} has no images")
        return paths

    def read_round(self, k: int) -> Part:
        """All of them."""
        parts = [read_tensors(path)[0] for path in self._parts(k)]
        return together([Fictitious.of(part) for part in parts]), torch.cat([part["parents"] for part in parts])

    def kept_rounds(self, k: int) -> range:
        """Those of the first k rounds that stay in the pool."""
        return self.config().ada.kept_rounds(k)

    @override
    def save(self, state: Checkpointed) -> None:
        super().save(state)
        self._drop_rounds()

    @override
    def last_checkpoint(self) -> Checkpoint:
        self._drop_rounds()  # a run that was killed after its last save may have left some
        return super().last_checkpoint()

    def _drop_rounds(self) -> None:
        """Remove rounds that left the pool, once no checkpoint that is kept needs them."""
        saved = [int(path.stem.partition("-")[2]) for path in self._checkpoints.glob("*.safetensors")]
        needed = self.kept_rounds(min(saved, default=0))
        for folder in (self.path / "rounds").glob("*"):
            if folder.name.isdecimal() and int(folder.name) < needed.start:
                shutil.rmtree(folder)

    def _check_needs_of(self, meta: Mapping[str, Any]) -> None:
        """Its rounds."""
        expected = self.config().round_size
        for k in self.kept_rounds(meta["k"]):
            found = sum(len(read_tensors(path)[0]["parents"]) for path in self._parts(k))
            if found != expected:
                raise RunFolderError(f"{self.path / 'rounds' / str(k)} is damaged: {found} images, expected {expected}")
