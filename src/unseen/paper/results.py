"""The results file: one line for everything that was measured, found again by what it was."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from unseen.base.files import write_atomically
from unseen.errors import InputError
from unseen.method.settings import ADA
from unseen.runs.job import Job
from unseen.runs.request import Request

ONLY_WATCHED = ("watch", "watch_images")  # they change what is written down of a run, not the run
Line = dict[str, Any]


def run_key(request: Request) -> str:
    """What a training is known by in results: its settings and seed, whatever machine and precision it ran with."""
    return key(ada=_unusual(ADA, request.ada.asdict()), job=_unusual(Job, request.job.asdict()), seed=request.seed)


def _unusual(kind: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Those that have not their default: a setting that is invented later changes no key."""
    usual = {f.name: f.default for f in fields(kind)}
    return {n: v for n, v in settings.items() if n not in ONLY_WATCHED and v != usual[n]}


def key(**parts: Any) -> str:
    """A short name for these JSON values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


class Results:
    """What is known, by key; each line is on the disk before the next is measured."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = self._read()

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines.values())

    def find(self, key: str) -> Line | None:
        """The line, if it was measured."""
        return self._lines.get(key)

    def accuracy(self, key: str, domain: str, **also: str) -> float | None:
        """The accuracy or mIoU on a domain in the line of that key; ``also`` are other properties of the score."""
        for score in (self.find(key) or {"scores": []})["scores"]:
            if score["domain"] == domain and all(score.get(name) == value for name, value in also.items()):
                return float(score["miou"] if "miou" in score else score["accuracy"])
        return None

    def add(self, line: Line) -> None:
        """Write a line down, in the place of one with the same key; what another process added meanwhile stays."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_name(f".{self.path.name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._lines = self._read() | {line["key"]: line}
            text = "".join(f"{json.dumps(each)}\n" for each in self)
            write_atomically(self.path, text.encode())

    def _read(self) -> dict[str, Line]:
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return {line["key"]: line for number, text in enumerate(lines, 1) for line in [self._parse(number, text)]}

    def _parse(self, number: int, text: str) -> Line:
        try:
            line: Line = json.loads(text)
            if isinstance(line["key"], str) and isinstance(line["scores"], list):
                return line
        except (ValueError, KeyError, TypeError):
            pass
        raise InputError(
            f"{self.path}, line {number}: expected a JSON object with key and scores, got {text[:60]!r}; take the line "
            "out, and what it was will be measured again"
        )
