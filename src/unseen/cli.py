"""The command line: it parses, calls, and turns what goes wrong into one message and an exit code."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from unseen.console import showing
from unseen.data.catalogue import DEFAULT_SOURCE, domains, targets
from unseen.data.domain import Domain
from unseen.demo import command, run_demo
from unseen.engine.ranks import leads
from unseen.errors import InputError, RankLost
from unseen.evaluation import score_run
from unseen.job import HELD_OUT, job_of
from unseen.report.page import write_page
from unseen.request import Request, read_request, request_of
from unseen.request import train as run_training
from unseen.run import RunFolder
from unseen.sweep import plan, read_grid
from unseen.sweep import run as run_sweep

EXIT_CODES = (
    "Exit codes: 0 done, 1 a bug, 2 bad input, 3 a run folder that can't be used, 4 training diverged, "
    "5 a save failed, 6 a process of the training was lost, 7 runs of a sweep failed, 130 interrupted."
)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
    help="Train on one domain, hold up on domains nobody has seen (adversarial data augmentation).",
    epilog=EXIT_CODES,
)
out = Console(quiet=not leads())

RunFolders = Annotated[list[Path], typer.Argument(help="Folders of finished runs.", metavar="RUN...")]
Targets = Annotated[list[str] | None, typer.Option("--target", help="Domain or folder; may be repeated.")]


def main() -> None:
    """The entry point of the ``unseen`` command."""
    try:
        app()
    except InputError as error:
        if leads() or isinstance(error, RankLost):  # what else goes wrong, rank 0 knows and tells
            _print_error(error)
        raise SystemExit(error.exit_code) from None


def _print_error(error: InputError) -> None:
    Console(stderr=True).print(f"[bold red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)


def _print_warning(message: str) -> None:
    out.print(f"[yellow]warning:[/] {escape(message)}", soft_wrap=True)


@contextmanager
def _interruptible(go_on: str) -> Iterator[None]:
    """Inside: Ctrl-C ends with the command that goes on."""
    try:
        yield
    except KeyboardInterrupt:
        out.print(f"\nInterrupted. Go on with: {escape(go_on)}", soft_wrap=True)
        raise typer.Exit(130) from None


@app.command()
def train(
    config: Annotated[Path | None, typer.Option(help="TOML file with any settings; flags win over it.")] = None,
    source: Annotated[
        str | None, typer.Option(help=f"Source: a name or a folder of classes ({DEFAULT_SOURCE}).")
    ] = None,
    size: Annotated[int | None, typer.Option(help="Resize a folder's images to this side (32).")] = None,
    model: Annotated[str | None, typer.Option(help="convnet (default), or FILE.py:FUNCTION.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Penalty: greater stays closer to the originals (1).")] = None,
    K: Annotated[int | None, typer.Option("--K", help="Rounds; 0 is plain training (2).")] = None,
    T: Annotated[int | None, typer.Option("--T", help="Training steps in all (10000).")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every random draw (0).")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads (as torch chooses).")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1 (a GPU if there is one).")] = None,
    precision: Annotated[str | None, typer.Option(help="float32 or bf16 (bf16 where the hardware has it).")] = None,
    out_: Annotated[Path | None, typer.Option("--out", help="Run folder (runs/NAME).")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on in this run folder; takes no other option.")] = None,
) -> None:
    """Train on one source domain. With no options: ADA (K=2, gamma=1) on the built-in digits."""
    flags = {
        "source": source, "size": size, "model": model, "gamma": gamma, "K": K, "T": T, "seed": seed,
        "threads": threads, "device": device, "precision": precision, "out": out_,
    }  # fmt: skip
    if resume is not None:
        given = [name for name, value in (flags | {"config": config}).items() if value is not None]
        if given:
            raise InputError(
                f"--resume takes its settings from the folder; leave out {', '.join('--' + g for g in given)}"
            )
        request = request_of(resume)
    else:
        request = read_request(config, flags)
    _train(request, resume=resume is not None)


def _train(request: Request, *, resume: bool) -> None:
    out.print(
        f"{'Resuming' if resume else 'Training on'} {escape(request.job.source)}: {escape(str(request.out))}",
        soft_wrap=True,
    )
    out.print(f"Engine: {request.engine}", highlight=False)
    with _interruptible(RunFolder(request.out).resume_command), showing(out) as progress:
        run_training(request, resume=resume, progress=progress, warn=_print_warning)
    target = "" if request.job.source in HELD_OUT else " --target FOLDER"
    next_step = f"unseen evaluate {shlex.quote(str(request.out))}{target}"
    out.print(f"Done: {escape(str(request.out))}. Next: {escape(next_step)}", highlight=False, soft_wrap=True)


@app.command()
def sweep(
    file: Annotated[
        Path, typer.Argument(help="TOML file of settings, with lists in its table \\[grid].", metavar="FILE")
    ],
    jobs: Annotated[int | None, typer.Option(help="Runs at once (as many as there are cores).")] = None,
    engine: Annotated[str, typer.Option(help="processes (on this machine) or ray.")] = "processes",
    address: Annotated[str | None, typer.Option(help="Ray cluster: auto, HOST:PORT, ray://HOST:PORT.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try runs that failed before again.")] = False,
    folder: Annotated[Path | None, typer.Option("--out", help="Where the run folders go (sweeps/FILE).")] = None,
) -> None:
    """Train every combination of settings; what an earlier sweep finished is not done again."""
    requests = read_grid(file, folder)
    given = {"--out": folder, "--jobs": jobs, "--engine": engine if engine == "ray" else None, "--address": address}
    options = [word for name, value in given.items() if value is not None for word in (name, str(value))]
    again = shlex.join(["unseen", "sweep", str(file), *options])
    out.print(str(plan(requests, retry=retry)), highlight=False, soft_wrap=True)
    with _interruptible(again):
        outcome = run_sweep(
            requests, jobs=jobs, engine=engine, address=address, retry=retry, progress=out, warn=_print_warning
        )
    outcome.check(f"{again} --retry")
    runs = f"{shlex.quote(str(requests[0].out.parent))}/*-seed*"
    out.print(f"Done. Next: unseen evaluate {escape(runs)}", highlight=False, soft_wrap=True)


@app.command()
def evaluate(runs: RunFolders, target: Targets = None) -> None:
    """Accuracy of finished runs on domains; on every built-in target when none is named."""
    tables: dict[tuple[str, ...], Table] = {}
    problems = []
    for run in runs:
        try:
            scores = score_run(run, _targets_for(run, target))
        except InputError as error:
            problems.append(error)
            continue
        names = tuple(f"{s.domain} ({s.images:,})" for s in scores)
        table = Table(Column("run", overflow="fold"), *names, title="Accuracy of the last iterate (images)")
        tables.setdefault(names, table).add_row(escape(run.name), *(f"{s.accuracy:.1%}" for s in scores))
    for table in tables.values():
        out.print(table)
    for problem in problems[1:]:
        _print_error(problem)
    if problems:
        raise problems[0]


@app.command()
def report(
    runs: RunFolders,
    target: Targets = None,
    page: Annotated[Path, typer.Option("--out", help="Where to write the page.")] = Path("report.html"),
) -> None:
    """Write one self-contained HTML page about finished runs."""
    write_page(runs, page, targets=_targets_for(runs[0], target))
    out.print(f"Wrote {escape(str(page))}", highlight=False, soft_wrap=True)


@app.command("domains")
def list_domains() -> None:
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


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where the runs and the page go.")] = Path("demo"),
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds for each method.")] = 4,
) -> None:
    """Plain training against ours on the built-in digits: a table and a page, in a few minutes."""
    with _interruptible(command(folder, seeds)):
        run_demo(folder, seeds, out)


def _targets_for(run: Path, names: Sequence[str] | None) -> list[Domain]:
    """The named domains, or every built-in target and the held-out digits, prepared as the run's source was."""
    config = RunFolder(run).finished_config()
    job = job_of(config, run)
    if not names and job.source not in HELD_OUT:
        raise InputError(f"{run} was trained on {job.source}: name the domains to use, with --target FOLDER")
    return [
        job.load_target(name, tuple(config["source"]["classes"]))
        for name in names or (HELD_OUT[job.source], *targets())
    ]
