"""Verbs that read finished runs and list domains: accuracy, the page, the domains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from unseen.cli.app import Data, app, out, print_error
from unseen.errors import InputError, UnseenError

if TYPE_CHECKING:
    from unseen.data.domain import Domain
    from unseen.reporting.evaluation import Score, Selection

RunFolders = Annotated[list[Path], typer.Argument(help="Folders of finished runs, or of ensembles.", metavar="RUN...")]
Targets = Annotated[list[str] | None, typer.Option("--target", help="Domain or folder; may be repeated.")]

ACROSS = 4
"""columns of numbers that a table of 80 characters has room for"""


@app.command()
def evaluate(runs: RunFolders, target: Targets = None, data: Data = None) -> None:
    """Accuracy of finished runs on domains, mIoU for masks; on every target of their source when none is named."""
    from unseen.reporting.evaluation import score_run, selections_of

    found: dict[tuple[str, ...], dict[str, list[Score]]] = {}
    problems = []
    for run in runs:
        try:
            scores = score_run(run, targets_for(run, target))
        except UnseenError as error:
            problems.append(error)
            continue
        found.setdefault(tuple(f"{s.domain} ({s.images:,})" for s in scores), {})[run.name] = scores
    scored_runs = {name for scored in found.values() for name in scored}
    selections = {run.name: selections_of(run) for run in runs if run.name in scored_runs}
    for names, scored in found.items():
        for table in _tables(names, scored, selections):
            out.print(table)
        for line in _chosen({run: selections[run] for run in scored}):
            out.print(line, highlight=False, soft_wrap=True)
    for problem in problems[1:]:
        print_error(problem)
    if problems:
        raise problems[0]


def _tables(
    names: Sequence[str], scored: Mapping[str, Sequence[Score]], selections: Mapping[str, list[Selection]]
) -> Iterator[Table]:
    """Runs down and domains across; the other way round, a few runs at a time, where the domains are many."""
    first, *_ = scored.values()
    rules = {each.rule for run in scored for each in selections[run]}
    which = f" of the {rules.pop()}" if len(rules) == 1 else ""
    title = f"{'Accuracy' if first[0].miou is None else 'mIoU'}{which} (images)"
    if len(names) <= ACROSS:
        table = Table(Column("run", overflow="fold"), *names, title=title)
        for run, scores in scored.items():
            table.add_row(escape(run), *(f"{s.value:.1%}" for s in scores))
        yield table
        return
    for start in range(0, len(scored), ACROSS):
        some = dict(list(scored.items())[start : start + ACROSS])
        table = Table("domain", *(Column(escape(run), overflow="fold") for run in some), title=title)
        for row, name in enumerate(names):
            table.add_row(name, *(f"{scores[row].value:.1%}" for scores in some.values()))
        yield table


def _chosen(selections: Mapping[str, list[Selection]]) -> list[str]:
    """For each run which weights are its result, where a rule chose some of them; target data is no part of it."""
    from unseen.runs.selection import LAST_ITERATE

    if all(each.chosen == LAST_ITERATE for every in selections.values() for each in every):
        return []
    each_run = {run: "; ".join(dict.fromkeys(each.chosen for each in every)) for run, every in selections.items()}
    return [f"{escape(run)}: {chosen}" for run, chosen in each_run.items()]


@app.command()
def report(
    runs: RunFolders,
    target: Targets = None,
    page: Annotated[Path, typer.Option("--out", help="Where to write the page.")] = Path("report.html"),
    data: Data = None,
) -> None:
    """Write one self-contained HTML page about finished runs."""
    from unseen.reporting.runs.page import write_page

    write_page(runs, page, targets=targets_for(runs[0], target))
    out.print(f"Wrote {escape(str(page))}", highlight=False, soft_wrap=True)


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
            table.add_row(entry.name, escape(entry.origin), escape(entry.missing or ""))
        out.print(table)


def targets_for(run: Path, names: Sequence[str] | None) -> list[Domain]:
    """The named domains, or the held-out digits and every target there is, prepared as the run's source was."""
    from unseen.data.catalogue import targets
    from unseen.reporting.evaluation import network_of
    from unseen.runs.job import HELD_OUT
    from unseen.runs.loading import need_job

    network = network_of(run)
    job = need_job(network.job, run)
    held_out = HELD_OUT.get(job.source.lower())
    wanted = names or [*([held_out] if held_out else []), *targets(job.source)]
    if not wanted:
        raise InputError(f"{run} was trained on {job.source}: name the domains to use, with --target FOLDER")
    return [job.load_target(name, network.classes or ()) for name in wanted]
