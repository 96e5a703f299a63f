"""The runs of a grid: one request for each combination of settings, each in a folder of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from unseen.errors import InputError, all_problems, did_you_mean
from unseen.method.settings import ERM, MINIMIZATION
from unseen.runs.request import (
    JOB,
    SETTINGS,
    Request,
    default_name,
    read_toml,
    request_problems,
    resolve,
    with_absolute_paths,
)

VARIED = SETTINGS | JOB | {"seed"}
HASH_DIGITS = 10


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
    given = [with_absolute_paths({"threads": 1} | settings | combination) for combination in combinations]
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
