"""The runs of a grid: one request for each combination of settings, each in a folder of its own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from unseen.base.checks import is_name, shown
from unseen.base.reading import read_toml
from unseen.errors import InputError, all_problems, did_you_mean
from unseen.method.settings import ERM, MINIMIZATION
from unseen.runs.request import (
    JOB,
    SETTINGS,
    Request,
    default_name,
    request_problems,
    resolve,
    with_absolute_paths,
)

VARIED = SETTINGS | JOB | {"seed"}
HASH_DIGITS = 10
MOST_RUNS = 100_000


def grid(settings: Mapping[str, Any], /, *, out: str | Path, **lists: Iterable[Any]) -> list[Request]:
    """One request for each combination of the lists, each in a folder of its own under ``out``.

    ``settings`` are those that all runs share, by the names they have in a config file (docs/settings.md); the lists
    are settings of the method or the job, or ``seed``. A run has one thread unless the settings say otherwise.
    """
    return _requests(dict(settings), lists, _folder(out, "grid"), "grid")


def read_grid(file: Path, out: Path | None) -> list[Request]:
    """The same from a TOML file, where the lists are in a table called grid; ``out`` wins over the file's."""
    settings = read_toml(file)
    lists = settings.pop("grid", {})
    if not isinstance(lists, Mapping):
        raise InputError(
            f"{file}: grid={shown(lists)}: expected a table of lists, such as [grid] with seed = [0, 1, 2]"
        )
    named = settings.get("out", f"sweeps/{file.stem}")
    return _requests(settings, lists, out or _folder(named, str(file)), str(file))


def _folder(given: object, what: str) -> Path:
    if not isinstance(given, Path) and not is_name(given):
        raise InputError(f"{what}: out={shown(given)}: expected a folder's path")
    return Path(str(given))


def _requests(settings: dict[str, Any], given: Mapping[str, Any], out: Path, what: str) -> list[Request]:
    lists = {name: _values(values) for name, values in given.items()}
    all_problems(what, _list_problems(settings, lists))
    combinations = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    each_given = [with_absolute_paths({"threads": 1} | settings | combination) for combination in combinations]
    found = [problem for each in each_given for problem in request_problems(each)]
    all_problems(what, list(dict.fromkeys(found)))
    return [_in_its_folder(_without_idle_settings(resolve(each)), out) for each in each_given]


def _values(given: Any) -> Any:
    """What may be gone through once only, as a list; anything else as it is."""
    return given if isinstance(given, str | Mapping) or not isinstance(given, Iterable) else list(given)


def _list_problems(settings: Mapping[str, Any], lists: Mapping[str, Any]) -> list[str]:
    found = [f'unknown setting "grid.{name}"{did_you_mean(name, VARIED)}' for name in lists if name not in VARIED]
    for name, values in lists.items():
        if not isinstance(values, list):
            found.append(f"grid.{name}={shown(values)}: expected a list of values, such as [{shown(values)}]")
        elif not values:
            found.append(f"grid.{name} is empty: expected a list of one value or more")
        if name in settings:
            found.append(f"{name} is given twice, by itself and in the grid: leave one out")
    runs = math.prod(len(values) for values in lists.values() if isinstance(values, list))
    if runs > MOST_RUNS:
        found.append(f"the lists have {shown(runs)} combinations, expected {MOST_RUNS:,} or fewer: shorten them")
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
