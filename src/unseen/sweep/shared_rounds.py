"""Shared rounds: runs that differ only in K walk their rounds once and part for their final trainings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from unseen.base.files import fsync_folder, write_atomically, write_json
from unseen.runs.folder import SUBFOLDERS, RunFolder
from unseen.runs.recorder import Progress
from unseen.runs.request import Request, train
from unseen.sweep.tasks import Task, fail, failed


class _Walked(Exception):
    """Every run that wants a part of the walk has it."""


@dataclass(frozen=True)
class Walk(Task):
    """The rounds of a chain, in a folder of their own that is gone when they are done.

    A run with K = k is the same as one with more rounds until round k is made. So when round k of the walk is saved,
    the folder of the run with K = k is begun from it, and that run goes on by itself, as if it had been killed there.
    """

    request: Request
    """the chain's run with the greatest K, in the walk's folder"""
    wanted: tuple[Request, ...]
    """the runs that were not begun when the sweep was planned"""

    @property
    def home(self) -> Path:
        """The sweep's folder."""
        return self.folder.parent.parent

    @property
    def steps(self) -> int:
        """Those before the last round that is wanted."""
        return self._last * self.request.ada.T_min

    @property
    def done(self) -> bool:
        """Whether the walk is over, or failed and took the runs that still waited with it."""
        left = self._left
        return not self.folder.exists() or (bool(left) and all(map(failed, left)))

    @property
    def ready(self) -> bool:
        """Always."""
        return True

    def work(self, warn: Callable[[str], None]) -> None:
        """Walk, or go on walking; then remove the folder: the runs have links to what was in it."""
        if self._left:
            with suppress(_Walked):
                train(self.request, resume=RunFolder(self.folder).started, progress=self._part_ways, warn=warn)
        shutil.rmtree(self.folder)
        if not any(self.folder.parent.iterdir()):
            self.folder.parent.rmdir()

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

    def _part_ways(self, progress: Progress) -> None:
        """Told of every step: when a round was the last thing saved, the run that ends its rounds there begins."""
        if progress.phase == "minimize" and progress.done == progress.k * self.request.ada.T_min:
            for request in self._left:
                if progress.k == request.ada.K:
                    begin_from(self.folder, request, progress.done)
        if progress.k >= self._last:
            raise _Walked


def begin_from(walk: Path, request: Request, step: int) -> None:
    """Give the run the folder it would have had its rounds just been made: made aside, whole when it has its name."""
    K, out = request.ada.K, request.out
    if not RunFolder(out).usable:
        return  # the run itself will say what is wrong with its folder
    aside = out.with_name(f".{out.name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    for name in SUBFOLDERS:
        (aside / name).mkdir(parents=True)
    files = [part for k in range(1, K + 1) for part in (walk / "rounds" / str(k)).glob("*.safetensors")]
    for file in [*files, walk / "checkpoints" / f"{step:08d}-{K:03d}.safetensors"]:
        _link(file, aside / file.relative_to(walk))
    write_atomically(aside / "metrics.jsonl", (walk / "metrics.jsonl").read_bytes())
    config = RunFolder(walk).config()
    write_json(aside / "config.json", config | {"ada": config["ada"] | {"K": K}})
    for folder in (aside, *filter(Path.is_dir, aside.rglob("*"))):
        fsync_folder(folder)
    shutil.rmtree(out, ignore_errors=True)
    aside.rename(out)
    fsync_folder(out.parent)


def _link(source: Path, target: Path) -> None:
    """One file under two names, since neither run ever changes it; a copy where the file system has no links."""
    target.parent.mkdir(exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        write_atomically(target, source.read_bytes())


def walks(requests: Iterable[Request], to_do: Collection[Path]) -> list[Walk]:
    """The walks that serve the folders to do: of two or more that are not begun, or one that was interrupted."""
    return [walk for chain in _chains(requests) if (walk := _walk(chain, to_do))]


def _chains(requests: Iterable[Request]) -> list[list[Request]]:
    """Runs that are equal except for K, in the order they were given."""
    chains: dict[tuple[str, Path], list[Request]] = {}
    for request in requests:
        if request.ada.K > 0:
            alike = replace(request, ada=replace(request.ada, K=1))
            chains.setdefault((alike.identity, request.out.parent), []).append(request)
    return list(chains.values())


def _walk(chain: Sequence[Request], to_do: Collection[Path]) -> Walk | None:
    longest = max(chain, key=lambda request: request.ada.K)
    folder = longest.out.parent / "chains" / longest.out.name
    begun = [RunFolder(request.out).started for request in chain]
    wanted = tuple(r for r, has_begun in zip(chain, begun, strict=True) if r.out in to_do and not has_begun)
    left_over = folder.exists() and (bool(wanted) or all(begun))
    return Walk(replace(longest, out=folder), wanted) if len(wanted) > 1 or left_over else None
