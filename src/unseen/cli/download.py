"""The verb that fetches published data sets."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.progress import Progress as Bars
from rich.table import Column, Table

from unseen.cli.app import app, interruptible, out, print_warning
from unseen.data.download.obtain import TERMS, files_of, folder_to_fill, found, obtain, published_sets
from unseen.data.download.transfer import Progress
from unseen.data.official import OfficialFile
from unseen.data.root import VARIABLE
from unseen.errors import InputError, SaveFailed, all_problems
from unseen.runs.console import LINE_EVERY


@app.command()
def download(
    names: Annotated[
        list[str] | None, typer.Argument(help="Sets (svhn) or parts of them (svhn-test).", metavar="NAME...")
    ] = None,
    data: Annotated[Path | None, typer.Option(help=f"Folder to put them in ({VARIABLE}).")] = None,
    list_: Annotated[bool, typer.Option("--list", help="What there is: sizes, terms, what to get by hand.")] = False,
) -> None:
    """Fetch published data sets, check them, and put them where unseen looks for them."""
    if list_:
        _list()
        return
    if not names:
        raise InputError("name what to fetch, for instance: unseen download mnist; unseen download --list has all")
    files, root = files_of(names), folder_to_fill(data)
    with interruptible(shlex.join(["unseen", "download", *names, "--data", str(root)])):
        _obtain_all(files, root)
    _say(f"Done: {root}. Next: unseen domains --data {shlex.quote(str(root))}")


def _obtain_all(files: list[OfficialFile], root: Path) -> None:
    """What can be had is had; what can't be is told together at the end."""
    problems = []
    with showing_bytes(out) as show:
        for file in files:
            there = found(file, root)
            if there is not None:
                _say(f"{file.name}: there already, {there} (to have it fetched again, delete it)")
                continue
            try:
                _say(f"{file.name}: {obtain(file, root, progress=show(file.name), warn=print_warning)}")
            except SaveFailed:
                raise
            except InputError as error:
                problems.append(str(error))
    all_problems("download", problems)


def _say(text: str) -> None:
    out.print(escape(text), highlight=False, soft_wrap=True)


def _list() -> None:
    title = "Published sets, for: unseen download NAME... --data FOLDER"
    table = Table("name", Column("files", overflow="fold"), Column("size", justify="right"), "terms", title=title)
    for name, files in published_sets().items():
        sizes = [decimal(file.size) if file.size is not None else "unknown" for file in files]
        table.add_row(name, escape("\n".join(file.name for file in files)), "\n".join(sizes), TERMS[name])
    out.print(table)
    for file in dict.fromkeys(file for files in published_sets().values() for file in files if file.how is not None):
        _say(f"{file.name} {'or ' if file.url is not None else ''}by hand: {file.how}")


@contextmanager
def showing_bytes(console: Console) -> Iterator[Callable[[str], Progress]]:
    """Call it with a file's name: a callback that shows how much of it has come, as a bar or in lines."""
    if not console.is_terminal:
        yield lambda name: _lines(console, name)
        return
    columns = (
        TextColumn("{task.description}", style="bold"), BarColumn(bar_width=None), DownloadColumn(),
        TransferSpeedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Bars(*columns, console=console, expand=True) as bars:
        yield lambda name: _bar(bars, name)


def _bar(bars: Bars, name: str) -> Progress:
    task = bars.add_task(escape(name), total=None)
    return lambda done, total: bars.update(task, completed=done, total=total)


def _lines(console: Console, name: str) -> Progress:
    last = time.monotonic()

    def show(done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            of = f" of {decimal(total)}" if total is not None else ""
            console.print(f"{escape(name)}: {decimal(done)}{of}", highlight=False, soft_wrap=True)

    return show
