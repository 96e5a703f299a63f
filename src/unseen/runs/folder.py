"""The run folder: what every training has in its folder, and the rounds of Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from unseen.base.files import fsync_folder, read_tensors, write_tensors
from unseen.engine import host_copies
from unseen.errors import RunFolderError
from unseen.runs.config import RunConfig
from unseen.runs.training_folder import TrainingFolder


class RunFolder(TrainingFolder[RunConfig]):
    """One run's folder. Besides what every training has, ``rounds/K/PART.safetensors``: fictitious images.

    Each part is written once.
    """

    kind = RunConfig

    def keep_part(self, k: int, part: int, images: Tensor, parents: Tensor) -> None:
        """Write a part of round k, once."""
        path = self._part(k, part)
        with self.saving():
            path.parent.mkdir(parents=True, exist_ok=True)
            fsync_folder(path.parent.parent)
            write_tensors(path, host_copies({"images": images, "parents": parents}), {"round": k, "part": part})

    def recall_part(self, k: int, part: int) -> Tensor | None:
        """A part of round k made before an interruption; a damaged one counts as not made."""
        path = self._part(k, part)
        if not path.exists():
            return None
        try:
            return read_tensors(path)[0]["images"]
        except RunFolderError:
            return None

    def _part(self, k: int, part: int) -> Path:
        return self.path / "rounds" / str(k) / f"{part:04d}.safetensors"

    def read_round(self, k: int) -> tuple[Tensor, Tensor]:
        """The fictitious images of round k, and the pool rows they were made from."""
        parts = [read_tensors(path)[0] for path in sorted((self.path / "rounds" / str(k)).glob("*.safetensors"))]
        if not parts:
            raise RunFolderError(f"{self.path}: round {k} has no images")
        return torch.cat([p["images"] for p in parts]), torch.cat([p["parents"] for p in parts])

    def _check_needs_of(self, meta: Mapping[str, Any]) -> None:
        """Its rounds."""
        expected = self.config().round_size
        for k in range(1, meta["k"] + 1):
            found = len(self.read_round(k)[0])
            if found != expected:
                raise RunFolderError(f"{self.path / 'rounds' / str(k)} is damaged: {found} images, expected {expected}")
