"""Verbs that read finished runs and list domains: accuracy, the page, the domains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from unseen.base.terminal import Terminal
from unseen.cli.app import Data, RunModelCode, app, out, print_error, print_remark, print_warning
from unseen.errors import InputError, UnseenError

if TYPE_CHECKING:
    from unseen.data.domain import Domain
    from unseen.ensembles.ensemble import Ensemble
    from unseen.models.split import Split
    from unseen.runs.job import Job

RunFolders = Annotated[list[Path], typer.Argument(help="Folders of finished runs, or of ensembles.", metavar="RUN...")]
Targets = Annotated[list[str] | None, typer.Option("--target", help="Domain or folder; may be repeated.")]

Model = Annotated[
    str | None,
    typer.Option("--model", help="Makes the model where RUN may not: FILE.py:FUNCTION.", metavar="PLACE"),
]
Source = Annotated[str | None, typer.Option("--source", help="What runs from Python were trained on.")]
Size = Annotated[str | None, typer.Option("--size", help="Resize images of runs from Python (as in training).")]

SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out files that can't be read.")]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads (as torch chooses).")]


@app.command()
def evaluate(
    runs: RunFolders,
    target: Targets = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="Each class too, and what is taken for what most often.")
    ] = False,
    model: Model = None,
    size: Size = None,
    skip_bad: SkipBad = False,
    run_model_code: RunModelCode = False,
    threads: Threads = None,
    data: Data = None,
) -> None:
    """Accuracy of finished runs on domains, mIoU for masks; on every target of their source when none is named."""
    from unseen.cli.scores import Scored
    from unseen.deploy.seal import check as check_seal
    from unseen.engine import using_threads
    from unseen.runs.console import evaluating

    given, scored = stand_in(model, size), Scored(per_class)
    problems = []
    with using_threads(threads) as busy, evaluating(Terminal(stderr=True, quiet=out.quiet)) as begin:
        if busy:
            print_remark(busy)
        for run in runs:
            try:
                check_seal(run)
                scored.add(run, targets_for(run, target, given, skip_bad), network_with(run, given), begin)
            except UnseenError as error:
                problems.append(error)
    for shown in scored.shown():
        out.print(shown, highlight=False)
    for remark in scored.remarks():
        print_warning(remark)
    for problem in problems[1:]:
        print_error(problem)
    if problems:
        raise problems[0]


@app.command()
def report(
    runs: RunFolders,
    target: Targets = None,
    page: Annotated[Path, typer.Option("--out", help="Where to write the page.")] = Path("report.html"),
    model: Model = None,
    source: Source = None,
    size: Size = None,
    skip_bad: SkipBad = False,
    run_model_code: RunModelCode = False,
    data: Data = None,
) -> None:
    """Write one self-contained HTML page about finished runs."""
    from unseen.reporting.runs.page import write_page
    from unseen.runs.loading import loader

    given = stand_in(model, size)
    targets = targets_for(runs[0], target, given, skip_bad)
    warnings: dict[str, None] = {}
    write_page(
        runs,
        page,
        targets=targets,
        source=source_given(runs[0], source, given, skip_bad),
        load_net=loader(given),
        warn=lambda message: warnings.update({message: None}),
    )
    for message in warnings:
        print_warning(message)
    out.print(f"Wrote {page}", highlight=False, soft_wrap=True)


@app.command("domains")
def list_domains(data: Data = None) -> None:
    """List the domains there are, and what is missing with how to get it."""
    from unseen.data.catalogue import domains

    named = Column("name", no_wrap=True)
    here, absent = Table(named, "role", "images", "from", "stands in for", title="Domains"), []
    for entry in domains():
        if entry.missing:
            absent.append(entry)
        else:
            here.add_row(entry.name, entry.role, f"{entry.count:,}", entry.origin, entry.stands_in_for or "")
    out.print(here)
    if absent:
        table = Table(Column("name", no_wrap=True), "what", Column("how to get it", overflow="fold"), title="Missing")
        for entry in absent:
            table.add_row(entry.name, entry.origin, entry.missing or "")
        out.print(table)


def stand_in(model: str | None, size: str | None = None) -> Job | None:
    """What a run from Python lacks, as it was given: how its model is built, and the size of its images."""
    if model is None:
        if size is not None:
            raise InputError("--size is for runs that were started from Python: give --model as well, or leave it out")
        return None
    from unseen.base.imports import give
    from unseen.cli.train import size_of
    from unseen.models.names import absolute
    from unseen.runs.job import Job

    give(absolute(model))
    return Job(model=absolute(model), size=size_of(size))


def network_with(run: Path, given: Job | None) -> Split | Ensemble | None:
    """A run's trained network, or ensemble, whose model ``given`` makes; None where the folder is enough."""
    from unseen.reporting.finished.ensembles import load_network
    from unseen.runs.loading import loader

    return None if given is None else load_network(run, loader(given))


def source_given(run: Path, name: str | None, given: Job | None, skip_bad: bool = False) -> Domain | None:
    """What a run from Python was trained on: as named, or by the name its folder has; None where its job says it."""
    from unseen.data.catalogue import names
    from unseen.reporting.evaluation import network_of

    network = network_of(run)
    if network.job is not None:
        if name is not None:
            raise InputError(f"--source is for runs that were started from Python; {run} says what it was trained on")
        return None
    recorded = network.config.get("source", {}).get("name", "")
    if name is None and recorded not in names():
        raise InputError(f"{run} was started from Python, on {recorded}: say where that is, with --source FOLDER")
    return _job(run, given, skip_bad).load_target(name or recorded, network.classes or ())


def _job(run: Path, given: Job | None, skip_bad: bool) -> Job:
    from unseen.reporting.evaluation import job_of

    job = job_of(run, given)
    return replace(job, leave_out_unreadable=True) if skip_bad else job


def targets_for(
    run: Path, names: Sequence[str] | None, given: Job | None = None, skip_bad: bool = False
) -> list[Domain]:
    """The named domains, or the held-out digits and every target there is, prepared as the run's source was."""
    from unseen.data.catalogue import targets
    from unseen.reporting.evaluation import network_of
    from unseen.runs.job import HELD_OUT

    network, job = network_of(run), _job(run, given, skip_bad)
    trained_on = job.source if network.job is not None else network.config.get("source", {}).get("name", "")
    held_out = HELD_OUT.get(trained_on.lower())
    wanted = names or [*([held_out] if held_out else []), *targets(trained_on)]
    if not wanted:
        raise InputError(f"{run} was trained on {trained_on}: name the domains to use, with --target FOLDER")
    return _told_apart({name: job.load_target(name, network.classes or ()) for name in dict.fromkeys(wanted)})


def _told_apart(found: Mapping[str, Domain]) -> list[Domain]:
    """The domains, each once; where folders of the same name hold other images, by the paths as they were given."""
    names = Counter(domain.name for domain in found.values())
    kept: dict[tuple[str, str], tuple[str, Domain]] = {}
    for given, each in found.items():
        kept.setdefault((each.name, each.fingerprint if names[each.name] > 1 else ""), (given, each))
    alike = Counter(name for name, _ in kept)
    return [replace(each, name=given) if alike[each.name] > 1 else each for given, each in kept.values()]
