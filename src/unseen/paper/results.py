"""The results file: one line for everything that was measured, found again by what it was."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from unseen.base.locking import locked_file
from unseen.base.reading import is_there, read_text
from unseen.base.records import digest_of_json, from_json
from unseen.base.writing import make_folder, write_atomically
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
    return digest_of_json(parts)[:16]


class Results:
    """What is known, by key; each line is on the disk before the next is measured."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = self._read()

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines.values())

    def until(self, moment: str) -> Results:
        """What was known then (ISO, UTC, as lines have it); a line without a date was there from the beginning."""
        earlier = copy.copy(self)
        earlier._lines = {name: line for name, line in self._lines.items() if line.get("created", "") <= moment}
        return earlier

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
        make_folder(self.path.parent)
        with locked_file(self.path.with_name(f".{self.path.name}.lock"), wait=True):
            self._lines = self._read() | {line["key"]: line}
            text = "".join(f"{json.dumps(each)}\n" for each in self)
            write_atomically(self.path, text.encode())

    def need(self, needed: Mapping[str, Sequence[str]]) -> None:
        """Refuse lines that lack one of these names, which lines of each kind have, or of those below them (a.b)."""
        for line in self:
            lacking = [name for name in ("kind", *needed.get(line.get("kind", ""), ())) if not _has(line, name)]
            if lacking:
                raise InputError(
                    f"{self.path}: the line with key {line['key']!r} has no {', '.join(lacking)}; take it out, and "
                    "what it was will be measured again"
                )

    def _read(self) -> dict[str, Line]:
        lines = read_text(self.path).splitlines() if is_there(self.path) else []
        return {line["key"]: line for number, text in enumerate(lines, 1) for line in [self._parse(number, text)]}

    def _parse(self, number: int, text: str) -> Line:
        try:
            line: Line = json.loads(text)
            foreign = number == 1 and "key" not in line
            if not foreign:
                _check(line)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"{self.path}, line {number}: expected a JSON object with key and scores, as unseen reproduce writes "
                f"it, got {text[:60]!r} ({error!r:.80}); take the line out, and what it was will be measured again"
            ) from error
        if foreign:
            raise InputError(
                f"{self.path}: its first line has no key, so that it is no file of unseen reproduce (the demo and "
                "unseen choose write others); give one that is, such as digits.jsonl or streets.jsonl"
            )
        return line


def _has(line: Mapping[str, Any], name: str) -> bool:
    first, _, rest = name.partition(".")
    return first in line and (not rest or (isinstance(line[first], Mapping) and _has(line[first], rest)))


def _check(line: Line) -> None:
    """Refuse a line whose parts are of another kind than those that pages read out of it."""
    from_json(_Measured, {name: line[name] for name in ("key", "scores")})
    named = {each.name for each in fields(_About)}
    from_json(_About, {name: value for name, value in line.items() if name in named})


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """What every line has."""

    key: str
    scores: tuple[Mapping[str, Any], ...]

    def __post_init__(self) -> None:
        for score in self.scores:
            from_json(_Value, {"domain": score["domain"], "value": score["miou" if "miou" in score else "accuracy"]})


@dataclass(frozen=True, kw_only=True)
class _Value:
    """What every score has."""

    domain: str
    value: float


@dataclass(frozen=True, kw_only=True)
class _About:
    """What a line may have besides."""

    kind: str = "run"
    seed: int = 0
    ada: Mapping[str, Any] = field(default_factory=dict)
    job: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    engine: Mapping[str, Any] = field(default_factory=dict)
    created: str = ""
