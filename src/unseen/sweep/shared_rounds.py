"""Shared rounds: runs that differ only in K make their rounds once and fork for their final trainings."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from typing_extensions import override

from unseen.base.writing import copy, fsync_folder, make_folder, remove, remove_empty, write_json, writing
from unseen.runs.config import sealed
from unseen.runs.folder import RunFolder
from unseen.runs.places import with_places
from unseen.runs.request import Request
from unseen.runs.training_folder import SUBFOLDERS
from unseen.sweep.tasks import Task, fail, failed


@dataclass(frozen=True)
class SharedRounds(Task):
    """The rounds of runs that differ only in K, in a folder of their own that is gone when they are made.

    A run with K = k is the same as one with more rounds until round k is made. So when round k is saved here, the
    folder of the run with K = k is forked from it, and that run resumes by itself, as if it had been killed there.
    """

    request: Request
    """the run with the greatest K, in the folder of the shared rounds"""
    wanted: tuple[Request, ...]
    """the runs that were not begun when the sweep was planned"""

    @property
    @override
    def home(self) -> Path:
        return self.folder.parent.parent

    @property
    def steps(self) -> int:
        """Those before the last round that is wanted."""
        return self.request.ada.steps_before(self._last)

    @property
    def done(self) -> bool:
        """Whether every run was forked, or the rounds failed and took the runs that still waited with them."""
        left = self._left
        return not self.folder.exists() or (bool(left) and all(map(failed, left)))

    @property
    @override
    def ready(self) -> bool:
        return True

    def work(self, warn: Callable[[str], None]) -> None:
        """Make the rounds, or resume making them; then remove the folder: the runs have links to what was in it."""
        self._fork()  # an interrupted sweep may have saved a round and not forked its run
        if self._left:
            started = RunFolder(self.folder).started
            self.request.training().make_rounds(self._last, resume=started, after_round=self._fork, warn=warn)
        remove(self.folder)
        remove_empty(self.folder.parent)

    def fail(self, traceback: str) -> None:
        """The runs that still waited would fail in the same round."""
        for request in self._left:
            fail(request, traceback)

    @property
    def _left(self) -> list[Request]:
        return [request for request in self.wanted if not RunFolder(request.out).started]

    @property
    def _last(self) -> int:
        return max((request.ada.K for request in self.wanted), default=0)

    def _fork(self) -> None:
        """Begin every run whose last round has a checkpoint here."""
        for request in self._left:
            if _checkpoint_after_rounds(self.folder, request).exists():
                fork(self.folder, request)


def _checkpoint_after_rounds(shared: Path, request: Request) -> Path:
    K = request.ada.K
    return shared / "checkpoints" / f"{request.ada.steps_before(K):08d}-{K:03d}.safetensors"


def fork(shared: Path, request: Request) -> None:
    """Give the run the folder it would have had its rounds just been made: made aside, whole when it has its name."""
    K, out = request.ada.K, request.out
    if not RunFolder(out).usable:
        return  # the run itself will say what is wrong with its folder
    aside = out.with_name(f".{out.name}.part")
    remove(aside)
    for name in SUBFOLDERS:
        make_folder(aside / name)
    parts = [part for k in request.ada.kept_rounds(K) for part in (shared / "rounds" / str(k)).glob("*.safetensors")]
    for file in [*parts, _checkpoint_after_rounds(shared, request)]:
        _link(file, aside / file.relative_to(shared))
    copy(shared / "metrics.jsonl", aside / "metrics.jsonl")
    config = RunFolder(shared).config()
    forked = replace(config, ada=replace(config.ada, K=K)).asdict()
    write_json(aside / "config.json", sealed(with_places(forked, out)))
    with writing(out):
        for folder in (aside, *filter(Path.is_dir, aside.rglob("*"))):
            fsync_folder(folder)
        remove(out)
        aside.rename(out)
        fsync_folder(out.parent)


def _link(source: Path, target: Path) -> None:
    """One file under two names, since neither run ever changes it; a copy where the file system has no links."""
    make_folder(target.parent)
    try:
        os.link(source, target)
    except OSError:
        copy(source, target)


def shared_rounds(requests: Iterable[Request], to_do: Collection[Path]) -> list[SharedRounds]:
    """Those that serve the folders to do: of two runs or more that are not begun, or of an interrupted sweep."""
    return [shared for alike in _differing_in_K(requests) if (shared := _shared(alike, to_do))]


def _differing_in_K(requests: Iterable[Request]) -> list[list[Request]]:
    """Runs that are equal except for K, in the order they were given; spread rounds depend on K themselves."""
    groups: dict[tuple[str, Path], list[Request]] = {}
    for request in requests:
        if request.ada.K > 0 and not request.ada.spread:
            alike = replace(request, ada=replace(request.ada, K=1))
            groups.setdefault((alike.identity, request.out.parent), []).append(request)
    return list(groups.values())


def _shared(alike: Sequence[Request], to_do: Collection[Path]) -> SharedRounds | None:
    longest = max(alike, key=lambda request: request.ada.K)
    folder = longest.out.parent / "chains" / longest.out.name
    begun = [RunFolder(request.out).started for request in alike]
    wanted = tuple(r for r, has_begun in zip(alike, begun, strict=True) if r.out in to_do and not has_begun)
    left_over = folder.exists() and (bool(wanted) or all(begun))
    return SharedRounds(replace(longest, out=folder), wanted) if len(wanted) > 1 or left_over else None
