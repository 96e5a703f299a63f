"""Verbs that look: accuracy, the page, the domains there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from unseen.cli.app import Data, app, out, print_error
from unseen.data.catalogue import domains, targets
from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.evaluation import config_of, score_run
from unseen.job import HELD_OUT, job_of
from unseen.report.page import write_page

RunFolders = Annotated[list[Path], typer.Argument(help="Folders of finished runs, or of ensembles.", metavar="RUN...")]
Targets = Annotated[list[str] | None, typer.Option("--target", help="Domain or folder; may be repeated.")]


@app.command()
def evaluate(runs: RunFolders, target: Targets = None, data: Data = None) -> None:
    """Accuracy of finished runs on domains, mIoU for masks; on every target of their source when none is named."""
    tables: dict[tuple[str, ...], Table] = {}
    problems = []
    for run in runs:
        try:
            scores = score_run(run, targets_for(run, target))
        except InputError as error:
            problems.append(error)
            continue
        names = tuple(f"{s.domain} ({s.images:,})" for s in scores)
        measure = "mIoU" if scores[0].miou is not None else "Accuracy"
        table = Table(Column("run", overflow="fold"), *names, title=f"{measure} of the last iterate (images)")
        tables.setdefault(names, table).add_row(escape(run.name), *(f"{s.value:.1%}" for s in scores))
    for table in tables.values():
        out.print(table)
    for problem in problems[1:]:
        print_error(problem)
    if problems:
        raise problems[0]


@app.command()
def report(
    runs: RunFolders,
    target: Targets = None,
    page: Annotated[Path, typer.Option("--out", help="Where to write the page.")] = Path("report.html"),
    data: Data = None,
) -> None:
    """Write one self-contained HTML page about finished runs."""
    write_page(runs, page, targets=targets_for(runs[0], target))
    out.print(f"Wrote {escape(str(page))}", highlight=False, soft_wrap=True)


@app.command("domains")
def list_domains(data: Data = None) -> None:
    """List the domains there are, and what is missing with how to get it."""
    here, absent = Table("name", "role", "images", "from", "stands in for", title="Domains"), []
    for entry in domains():
        if entry.missing:
            absent.append(entry)
        else:
            here.add_row(entry.name, entry.role, f"{entry.count:,}", entry.origin, entry.stands_in_for or "")
    out.print(here)
    if absent:
        table = Table("name", "what", "how to get it", title="Missing")
        for entry in absent:
            table.add_row(entry.name, escape(entry.origin), escape(entry.missing or ""))
        out.print(table)


def targets_for(run: Path, names: Sequence[str] | None) -> list[Domain]:
    """The named domains, or the held-out digits and every target there is, prepared as the run's source was."""
    config = config_of(run)
    job = job_of(config, run)
    held_out = HELD_OUT.get(job.source.lower())
    wanted = names or [*([held_out] if held_out else []), *targets(job.source)]
    if not wanted:
        raise InputError(f"{run} was trained on {job.source}: name the domains to use, with --target FOLDER")
    return [job.load_target(name, tuple(config["source"]["classes"])) for name in wanted]
