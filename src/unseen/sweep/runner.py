"""Many runs: side by side on this machine's cores, or on a Ray cluster; what was finished is never done again."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from unseen.base.checks import is_whole
from unseen.errors import InputError, RunsFailed, all_problems, did_you_mean
from unseen.method.settings import ERM, MINIMIZATION
from unseen.runs.request import (
    JOB,
    SETTINGS,
    Request,
    default_name,
    hold_anywhere,
    read_toml,
    request_problems,
    resolve,
)
from unseen.sweep.progress import watching
from unseen.sweep.shared_rounds import Walk, walks
from unseen.sweep.tasks import Task, Training, error_file, failed, finished, forget_failure
from unseen.sweep.workers import crew

ENGINES = ("processes", "ray")
VARIED = SETTINGS | JOB | {"seed"}
HASH_DIGITS = 10

# The runs of a grid.


def grid(settings: Mapping[str, Any], /, *, out: str | Path, **lists: Iterable[Any]) -> list[Request]:
    """One request for each combination of the lists, each in a folder of its own under ``out``.

    ``settings`` are those that all runs share, by the names they have in a config file (docs/settings.md); the lists
    are settings of the method or the job, or ``seed``. A run has one thread unless the settings say otherwise.
    """
    return _requests(dict(settings), lists, Path(out), "grid")


def read_grid(file: Path, out: Path | None) -> list[Request]:
    """The same from a TOML file, where the lists are in a table called grid; ``out`` wins over the file's."""
    settings = read_toml(file)
    lists = settings.pop("grid", {})
    if not isinstance(lists, Mapping):
        raise InputError(f"{file}: grid={lists!r}: expected a table of lists, such as [grid] with seed = [0, 1, 2]")
    return _requests(settings, lists, out or Path(settings.get("out", Path("sweeps") / file.stem)), str(file))


def _requests(settings: dict[str, Any], lists: Mapping[str, Any], out: Path, what: str) -> list[Request]:
    all_problems(what, _list_problems(settings, lists))
    combinations = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    given = [hold_anywhere({"threads": 1} | settings | combination) for combination in combinations]
    found = [problem for each in given for problem in request_problems(each)]
    all_problems(what, list(dict.fromkeys(found)))
    return [_in_its_folder(_without_idle_settings(resolve(each)), out) for each in given]


def _list_problems(settings: Mapping[str, Any], lists: Mapping[str, Any]) -> list[str]:
    found = [f'unknown setting "grid.{name}"{did_you_mean(name, VARIED)}' for name in lists if name not in VARIED]
    for name, values in lists.items():
        if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
            found.append(f"grid.{name}={values!r}: expected a list of values, such as [{values!r}]")
        elif not list(values):
            found.append(f"grid.{name} is empty: expected a list of one value or more")
        if name in settings:
            found.append(f"{name} is given twice, by itself and in the grid: leave one out")
    return found


def _without_idle_settings(request: Request) -> Request:
    """With no rounds, gamma and the others of the rounds do nothing: runs that differ only in them are one run."""
    if request.ada.K:
        return request
    kept = {name: value for name, value in request.ada.asdict().items() if name in MINIMIZATION}
    return replace(request, ada=ERM(**kept))


def _in_its_folder(request: Request, out: Path) -> Request:
    name = default_name(request.ada, request.job, request.seed)
    return replace(request, out=out / f"{name}-{request.identity[:HASH_DIGITS]}")


# What there is to do.


@dataclass(frozen=True)
class Plan:
    """How the runs of a sweep stand, and what there is to do."""

    finished: list[Request]
    failed: list[Request]
    """failed before, and not to be tried again"""
    to_do: list[Request]
    walks: list[Walk]
    """rounds that runs to do share"""

    @property
    def runs(self) -> list[Request]:
        """All of them."""
        return [*self.finished, *self.failed, *self.to_do]

    @property
    def tasks(self) -> list[Task]:
        """What is to do, in the order it is best taken on: what others wait for comes first."""
        after = {request.out: walk.folder for walk in self.walks for request in walk.wanted}
        return [*self.walks, *(Training(request, after.get(request.out)) for request in self.to_do)]

    def __str__(self) -> str:
        """One line for people."""
        parts = [f"{len(self.finished)} finished before"] if self.finished else []
        parts += [f"{len(self.failed)} failed before and not tried again"] if self.failed else []
        parts += [f"{len(self.to_do)} to do"]
        shared = sum(len(walk.wanted) for walk in self.walks)
        chains = f"{len(self.walks)} chain{'s' * (len(self.walks) > 1)}"
        parts += [f"{shared} of them with rounds shared in {chains}"] if shared else []
        return f"{len(self.runs)} run{'s' * (len(self.runs) != 1)}: {', '.join(parts)}"


def plan(requests: Iterable[Request], *, retry: bool = False) -> Plan:
    """What ``run`` would do. Requests that are the same run count once."""
    runs = _once(requests)
    _check_folders(runs)
    over = [request for request in runs if finished(request)]
    given_up = [request for request in _without(runs, over) if failed(request) and not retry]
    to_do = _without(runs, over + given_up)
    return Plan(over, given_up, to_do, walks(runs, {request.out for request in to_do}))


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


# Doing it.


@dataclass(frozen=True)
class Outcome:
    """What came of a sweep."""

    finished: list[Path]
    """the folders of runs that came to their end, now or before"""
    failed: dict[Path, str]
    """the traceback of each run that didn't, by its folder"""

    def check(self, again: str) -> None:
        """Raise one error with every traceback, where there is one; ``again`` is the command that tries again."""
        told: dict[str, list[str]] = {}
        for folder, traceback in self.failed.items():
            told.setdefault(traceback.strip(), []).append(folder.name)
        if told:
            runs = len(self.failed) + len(self.finished)
            listed = "\n\n".join(f"{', '.join(names)}:\n{traceback}" for traceback, names in told.items())
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
) -> Outcome:
    """Train every run that is not finished, ``jobs`` at once; by default as many as there are cores.

    A run that was begun goes on from its last checkpoint. One that fails doesn't stop the others; it is tried again
    only with ``retry``. Runs that differ only in K share their rounds, with the bits they would have alone. The sweep
    itself can be stopped at any moment: the same call goes on. With ``engine="ray"`` the workers are those of the Ray
    cluster at ``address``, or of one started on this machine.
    """
    all_problems("sweep", _option_problems(jobs, engine, address))
    runs = _once(requests)
    planned = plan([replace(request, out=request.out.absolute()) for request in runs], retry=retry)
    if planned.tasks:
        console = Console() if progress is True else progress or None
        for message in _do(planned, jobs, engine, address, console):
            warn(message)
    whole = [request for request in runs if finished(request)]
    failures = {request.out: error_file(request).read_text() for request in _without(runs, whole)}
    return Outcome([request.out for request in whole], failures)


def _do(planned: Plan, jobs: int | None, engine: str, address: str | None, console: Console | None) -> list[str]:
    threads = max(request.engine.threads or 1 for request in planned.runs)
    gpu = any(request.engine.on_gpu for request in planned.runs)
    with crew(jobs, threads, gpu, engine, address) as workers:
        for request in planned.to_do:
            forget_failure(request)
        for walk in planned.walks:
            walk.folder.mkdir(parents=True, exist_ok=True)  # while it is there, the runs that want its rounds wait
        token = uuid.uuid4().hex
        with watching(planned.tasks, token, console) if console else nullcontext():
            return workers.do(planned.tasks, token)


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
