"""Many runs: side by side on this machine's cores, or on a Ray cluster; what was finished is never done again."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from unseen.base.checks import is_whole
from unseen.base.reading import read_text
from unseen.base.terminal import Terminal
from unseen.base.writing import make_folder
from unseen.errors import InputError, RunFolderError, RunsFailed, all_problems, did_you_mean
from unseen.runs.request import Request
from unseen.sweep.progress import watching
from unseen.sweep.shared_rounds import SharedRounds, shared_rounds
from unseen.sweep.tasks import RunTask, Task, error_file, failed, finished, forget_failure
from unseen.sweep.workers import crew

ENGINES = ("processes", "ray")


@dataclass(frozen=True)
class Plan:
    """How the runs of a sweep stand, and what there is to do."""

    finished: list[Request]
    failed: list[Request]
    """failed before, and not to be tried again"""
    to_do: list[Request]
    shared: list[SharedRounds]
    """rounds that runs to do share"""

    @property
    def runs(self) -> list[Request]:
        """All of them."""
        return [*self.finished, *self.failed, *self.to_do]

    @property
    def tasks(self) -> list[Task]:
        """What is to do, in the order it is best taken on: what others wait for comes first."""
        after = {request.out: rounds.folder for rounds in self.shared for request in rounds.wanted}
        return [*self.shared, *(RunTask(request, after.get(request.out)) for request in self.to_do)]

    def __str__(self) -> str:
        """One line for people."""
        parts = [f"{len(self.finished)} finished before"] if self.finished else []
        parts += [f"{len(self.failed)} failed before and not tried again"] if self.failed else []
        parts += [f"{len(self.to_do)} to do"]
        shared = sum(len(rounds.wanted) for rounds in self.shared)
        chains = f"{len(self.shared)} chain{'s' * (len(self.shared) > 1)}"
        parts += [f"{shared} of them with rounds shared in {chains}"] if shared else []
        return f"{len(self.runs)} run{'s' * (len(self.runs) != 1)}: {', '.join(parts)}"


def plan(requests: Iterable[Request], *, retry: bool = False) -> Plan:
    """What ``run`` would do. Requests that are the same run count once."""
    runs = _once(requests)
    _check_folders(runs)
    over = [request for request in runs if finished(request)]
    given_up = [request for request in _without(runs, over) if failed(request) and not retry]
    to_do = _without(runs, over + given_up)
    return Plan(over, given_up, to_do, shared_rounds(runs, {request.out for request in to_do}))


def _without(runs: Iterable[Request], some: Iterable[Request]) -> list[Request]:
    folders = {request.out for request in some}
    return [request for request in runs if request.out not in folders]


def _once(requests: Iterable[Request]) -> list[Request]:
    runs: dict[str, Request] = {}
    for request in requests:
        runs.setdefault(request.identity, request)
    return list(runs.values())


def _check_folders(runs: Sequence[Request]) -> None:
    folders: dict[Path, Request] = {}
    for request in runs:
        other = folders.setdefault(request.out.absolute(), request)
        if other is not request:
            raise InputError(f"{request.out} is wanted by two runs with different settings: give each its own folder")


@dataclass(frozen=True)
class Outcome:
    """What came of a sweep."""

    finished: list[Path]
    """the folders of runs that came to their end, now or before"""
    failed: dict[Path, str]
    """the traceback of each run that didn't, by its folder"""

    def check(self, again: str) -> None:
        """Raise one error with every traceback, where there is one; ``again`` is the command that tries again."""
        names_of: dict[str, list[str]] = {}
        for folder, traceback in self.failed.items():
            names_of.setdefault(traceback.strip(), []).append(folder.name)
        if names_of:
            runs = len(self.failed) + len(self.finished)
            listed = "\n\n".join(f"{', '.join(names)}:\n{traceback}" for traceback, names in names_of.items())
            raise RunsFailed(
                f"{len(self.failed)} of {runs} runs failed, the others are finished\n\n{listed}\n\n"
                f"put it right, then try again with: {again}"
            )


def run(
    requests: Iterable[Request],
    *,
    jobs: int | None = None,
    engine: str = "processes",
    address: str | None = None,
    retry: bool = False,
    progress: Console | bool = False,
    warn: Callable[[str], None] = print,
    afterwards: Callable[[Request], object] | None = None,
) -> Outcome:
    """Train every run that is not finished, ``jobs`` at once; by default as many as there are cores.

    A run that was begun resumes from its last checkpoint. One that fails doesn't stop the others; it is tried again
    only with ``retry``. Runs that differ only in K share their rounds, with the bits they would have alone. The sweep
    can be stopped at any moment: the same call resumes it. With ``engine="ray"`` the workers are those of the Ray
    cluster at ``address``, or of one started on this machine.

    ``afterwards`` is called by the worker with each run that it has trained, as soon as the run is whole. What it
    raises is dropped: look whether what it should have done is there.
    """
    all_problems("sweep", _option_problems(jobs, engine, address))
    runs = _once(requests)
    planned = plan([replace(request, out=request.out.absolute()) for request in runs], retry=retry)
    if planned.tasks:
        console = Terminal() if progress is True else progress or None
        for message in _do(planned, jobs, engine, address, console, afterwards):
            warn(message)
    whole = [request for request in runs if finished(request)]
    failures = {request.out: read_text(error_file(request), RunFolderError) for request in _without(runs, whole)}
    return Outcome([request.out for request in whole], failures)


def _do(
    planned: Plan,
    jobs: int | None,
    engine: str,
    address: str | None,
    console: Console | None,
    afterwards: Callable[[Request], object] | None,
) -> list[str]:
    threads = max(request.engine.threads or 1 for request in planned.runs)
    gpu = any(request.engine.on_gpu for request in planned.runs)
    with crew(jobs, threads, gpu, engine, address) as workers:
        for request in planned.to_do:
            forget_failure(request)
        for rounds in planned.shared:
            make_folder(rounds.folder)  # while it is there, the runs that want its rounds wait
        token = uuid.uuid4().hex
        tasks = [replace(task, afterwards=afterwards) if isinstance(task, RunTask) else task for task in planned.tasks]
        with watching(tasks, token, console) if console else nullcontext():
            return workers.do(tasks, token)


def _option_problems(jobs: int | None, engine: str, address: str | None) -> list[str]:
    found = []
    if jobs is not None and (not is_whole(jobs) or jobs < 1):
        found.append(f"jobs={jobs!r}: expected a whole number, 1 or more")
    if engine not in ENGINES:
        found.append(
            f'engine="{engine}": expected "processes" or "ray"{did_you_mean(str(engine), ENGINES, listed=True)}'
        )
    elif address is not None and engine != "ray":
        found.append(f'address="{address}": only engine="ray" has one; leave it out, or add engine="ray"')
    return found
