"""TensorBoard events: a view of ``metrics.jsonl``, made anew when a run resumes, so that it never has more."""

from __future__ import annotations

import importlib.util
import io
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from unseen.base.writing import append, make_folder, remove


class Events:
    """Writes metrics lines as TensorBoard scalars; does nothing where TensorBoard isn't installed.

    Each line is written before ``add`` returns, by this process and no thread of its own: a run that has stopped
    has stopped writing.
    """

    def __init__(self, folder: Path, past: Iterable[Mapping[str, Any]] = ()) -> None:
        make_folder(folder)  # a copy of the run may lack it: it was empty
        for old in folder.glob("events.out.tfevents.*"):
            remove(old)
        self._installed = importlib.util.find_spec("tensorboard") is not None
        self._path = folder / f"events.out.tfevents.{int(time.time())}.{os.getpid()}"
        if self._installed:
            from tensorboard.compat.proto.event_pb2 import Event

            self._write([Event(wall_time=time.time(), file_version="brain.Event:2"), *map(_event, past)])

    def add(self, line: Mapping[str, Any]) -> None:
        """Every number of a metrics line, at its step; nested names are joined by a slash."""
        if self._installed:
            self._write([_event(line)])

    def _write(self, events: Iterable[Any]) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        records = io.BytesIO()
        writer = RecordWriter(records)
        for event in events:
            writer.write(event.SerializeToString())
        make_folder(self._path.parent)  # somebody may have tidied up: events are only a view
        append(self._path, records.getvalue())


def _event(line: Mapping[str, Any]) -> Any:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    values = [Summary.Value(tag=tag, simple_value=value) for tag, value in _scalars(line)]
    return Event(wall_time=time.time(), step=line["step"], summary=Summary(value=values))


def _scalars(line: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, float]]:
    for name, value in line.items():
        if isinstance(value, Mapping):
            yield from _scalars(value, f"{prefix}{name}/")
        elif name != "step":
            yield prefix + name, value
