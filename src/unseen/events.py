"""TensorBoard events: a view of ``metrics.jsonl``, made anew when a run goes on, so that it never tells more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


class Events:
    """Writes metrics lines as TensorBoard scalars; does nothing where TensorBoard isn't installed."""

    def __init__(self, folder: Path, past: Iterable[Mapping[str, Any]] = ()) -> None:
        for old in folder.glob("events.out.tfevents.*"):
            old.unlink()
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            self._writer = None
        else:
            self._writer = SummaryWriter(str(folder))
        for line in past:
            self.add(line)

    def add(self, line: Mapping[str, Any]) -> None:
        """Every number of a metrics line, at its step; nested names are joined by a slash."""
        if self._writer is not None:
            for tag, value in _scalars(line):
                self._writer.add_scalar(tag, value, line["step"])

    def close(self) -> None:
        """Write what is still in memory."""
        if self._writer is not None:
            self._writer.close()


def _scalars(line: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, float]]:
    for name, value in line.items():
        if isinstance(value, Mapping):
            yield from _scalars(value, f"{prefix}{name}/")
        elif name != "step":
            yield prefix + name, value
