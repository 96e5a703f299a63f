"""What `unseen train` was asked for: a TOML file, overridden by flags, checked as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from unseen.base.checks import is_name, seed_problems, shown
from unseen.base.imports import absolute as absolute_place
from unseen.base.imports import give
from unseen.base.paths import expanded, names_file, names_folder, resolved
from unseen.base.reading import read_toml
from unseen.base.records import digest_of_json, to_json
from unseen.data.catalogue import names
from unseen.data.domain_names import prefix_and_path
from unseen.engine import Engine
from unseen.errors import InputError, all_problems, did_you_mean
from unseen.method.settings import ADA, WEIGHTS, problems
from unseen.models.libraries import library_of
from unseen.models.names import absolute, check_model
from unseen.runs.config import Cadence, RunConfig
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job, as_the_model_expects, job_problems
from unseen.runs.loading import need_job
from unseen.runs.places import names_model_code, resume_command
from unseen.runs.progress import Progress
from unseen.runs.training import Run, Training

SETTINGS = frozenset(f.name for f in fields(ADA))
JOB = frozenset(f.name for f in fields(Job))
ENGINE = frozenset(f.name for f in fields(Engine) if f.init)
OTHERS = frozenset({"seed", "out", "cadence"}) | ENGINE
TRANSFORMATIONS = ("over", "augment")
LISTS = ("size", "drops", "class_weights", "freeze")
"""settings, besides names and paths, that a TOML file may have as lists"""
LENGTHS = frozenset({"T", "epochs"})
"""settings of which one says how long"""
CADENCE = frozenset(f.name for f in fields(Cadence))
MOST_NAME = 200
"""characters of a folder's name, before the seed; file systems take 255 bytes"""
KNOWN = SETTINGS | JOB | OTHERS
"""every name that a file of settings may have"""


@dataclass(frozen=True)
class Request:
    """A training, resolved: every setting has its value."""

    ada: ADA
    job: Job
    seed: int
    out: Path
    engine: Engine
    cadence: Cadence

    @property
    def identity(self) -> str:
        """SHA-256 over every setting that makes it this run and no other; where its folder is, is none of them."""
        settings = {
            "ada": self.ada.asdict(),
            "job": self.job.asdict(),
            "seed": self.seed,
            "cadence": {name: every for name, every in to_json(self.cadence).items() if name != "minutes"},
            "engine": to_json(self.engine.record()),
        }
        return digest_of_json(_one_spelling(settings))

    def asks_for(self, config: RunConfig) -> bool:
        """Whether the config is of this very run, whatever machine it was begun on."""
        there = config.ada, config.job, config.seed, config.cadence
        return there == (self.ada.for_source(config.source.labelled), self.job, self.seed, self.cadence)

    def give_names(self) -> None:
        """Say that the user gave the model it names, in a process that the request was sent to."""
        give(self.job.model)

    @property
    def resume_command(self) -> str:
        """What to type to resume it."""
        return resume_command(self._named, self.out)

    @property
    def names_model_code(self) -> bool:
        """Whether its model is code of the user's, which later commands on its folder run only where that is said."""
        return names_model_code(self._named)

    @property
    def _named(self) -> dict[str, Any]:
        return {"job": self.job.asdict(), "ada": self.ada.asdict()}

    def training(self, warn: Callable[[str], None] = print) -> Training:
        """The request with its model and its source built; a model that isn't there is found before the source is."""
        self.job.check_model()
        source = self.job.load_source()
        return Training.on(
            source,
            self.ada,
            self.job.watched(source),
            net=self.job.build_model_for(source, self.seed, warn),
            seed=self.seed,
            folder=self.out,
            cadence=self.cadence,
            engine=self.engine,
            job=self.job,
        )


def _one_spelling(value: Any) -> Any:
    """The same with 1.0 as 1: a file may have either, and they are one setting."""
    if isinstance(value, dict):
        return {name: _one_spelling(inner) for name, inner in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def train(
    request: Request,
    *,
    resume: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
    warn: Callable[[str], None] = print,
    remark: Callable[[str], None] | None = None,
) -> Run:
    """Build the request's model and source, and train in its folder; ``remark`` is as in ``Training.run``."""
    return request.training(warn).run(resume=resume, progress=progress, warn=warn, remark=remark)


def read_request(file: Path | None, flags: Mapping[str, Any]) -> Request:
    """The training that ``file`` (TOML) and ``flags`` describe; a flag wins over the file, a default over nothing."""
    flags = {name: value for name, value in flags.items() if value is not None}
    of_file = read_toml(file) if file is not None else {}
    if flags.keys() & LENGTHS:  # a flag wins, by whichever name
        of_file = {name: value for name, value in of_file.items() if name not in LENGTHS}
    given = with_absolute_paths(of_file | flags)
    where = f"{file} and the flags" if file is not None and flags else str(file or "settings")
    all_problems(where, request_problems(given))
    return resolve(given)


def request_problems(given: Mapping[str, Any]) -> list[str]:
    """Everything wrong with these settings, whosever they are; those not given have their defaults."""
    ada, job = _pick(given, SETTINGS), _pick(given, JOB)
    return _other_problems(given) + problems(ada) + job_problems(job) + _library_problems(given)


def _library_problems(given: Mapping[str, Any]) -> list[str]:
    """What is wrong with the name of a library's model: its size is one of the settings."""
    name = given.get("model")
    try:
        if isinstance(name, str) and library_of(name):
            check_model(name)
    except InputError as error:
        return [str(error)]
    return []


def resolve(given: Mapping[str, Any]) -> Request:
    """The training that these settings describe, with the defaults of those not given."""
    ada, job = ADA(**_pick(given, SETTINGS)), Job(**as_the_model_expects(_pick(given, JOB)))
    seed = given.get("seed", 0)
    return Request(
        ada=ada,
        job=job,
        seed=seed,
        out=Path(given.get("out") or Path("runs") / default_name(ada, job, seed)),
        engine=Engine(**_pick(given, ENGINE)),
        cadence=Cadence(**given.get("cadence", {})),
    )


def _pick(given: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


def request_of(folder: Path) -> Request:
    """The request behind a run folder, as its config has it."""
    config = RunFolder(folder).config()
    job = need_job(config.job, folder)
    return Request(config.ada, job, config.seed, folder, config.engine.engine(), config.cadence)


def default_name(ada: ADA, job: Job, seed: int) -> str:
    """A folder name by which runs differ in what people vary."""
    method = f"ada-K{ada.K}-gamma{ada.gamma:g}" if ada.K else "erm"
    extras = [f"dropout{job.dropout:g}"] * bool(job.dropout) + [f"ridge{ada.ridge:g}"] * bool(ada.ridge)
    extras += [f"over-{_short(ada.over)}"] * (ada.over != "pixels") + [f"augment-{_short(ada.augment)}"] * bool(
        ada.augment
    )
    extras += [f"{name.replace('_', '-')}{getattr(ada, name):g}" for name in WEIGHTS if getattr(ada, name)]
    return "-".join([Path(job.source).name or "source", method, *extras])[:MOST_NAME] + f"-seed{seed}"


def _short(names: str | tuple[str, ...] | None) -> str:
    """Names of transformations as part of a folder's name."""
    return "-".join(name.rpartition(":")[2] for name in ([names] if isinstance(names, str) else names or ()))


def with_absolute_paths(given: dict[str, Any]) -> dict[str, Any]:
    """The same with absolute paths, so that the run can resume from another folder, and names in one spelling.

    They are the user's settings: the code that they name may be run.
    """
    if isinstance(given.get("watch"), list):
        given = given | {"watch": tuple(map(_absolute_folder, given["watch"]))}
    for name in LISTS:
        if isinstance(given.get(name), list):
            given = given | {name: tuple(given[name])}
    for name in TRANSFORMATIONS:
        if isinstance(given.get(name), list | tuple):
            given = given | {
                name: tuple(absolute_place(each) if isinstance(each, str) else each for each in given[name])
            }
        elif isinstance(given.get(name), str):
            given = given | {name: absolute_place(given[name])}
    if "source" in given:
        given = given | {"source": _absolute_folder(given["source"])}
    if isinstance(given.get("model"), str):
        given = given | {"model": absolute(given["model"])}
    if isinstance(given.get("weights"), str) and names_file(expanded(given["weights"])):
        given = given | {"weights": str(resolved(expanded(given["weights"])))}
    give(given.get("model"))
    return given


def _absolute_folder(name: Any) -> Any:
    if not isinstance(name, str):
        return name
    spelled = {known.lower(): known for known in names()}
    if name.lower() in spelled:
        return spelled[name.lower()]
    prefix, text = prefix_and_path(name)
    path = expanded(text)
    return prefix + str(resolved(path)) if names_folder(path) else name


def line_of(name: str) -> str:
    """A line of a settings file that sets it, to its default where there is one."""
    default = next((f.default for kind in (ADA, Job) for f in fields(kind) if f.name == name), None)
    return f"{name} = {json.dumps(default) if isinstance(default, str | int | float) else '...'}"


def _other_problems(given: Mapping[str, Any]) -> list[str]:
    """Unknown names, and what is wrong with the settings that are neither the method's nor the job's."""
    found = [f'unknown setting "{name}"{did_you_mean(name, KNOWN)}' for name in given if name not in KNOWN]
    if given.keys() >= LENGTHS:
        T, epochs = shown(given["T"]), shown(given["epochs"])
        found.append(f"T={T} and epochs={epochs}: both say how long; leave one out")
    seed, out, cadence = given.get("seed", 0), given.get("out"), given.get("cadence", {})
    found += seed_problems(seed)
    if out is not None and not is_name(str(out) if isinstance(out, Path) else out):
        found.append(f"out={shown(out)}: expected a folder's path")
    if isinstance(cadence, Mapping):
        found += [f'unknown setting "cadence.{c}"{did_you_mean(c, CADENCE)}' for c in cadence if c not in CADENCE]
    else:
        found.append(f"cadence={shown(cadence)}: expected a table with {', '.join(sorted(CADENCE))}")
    return found
