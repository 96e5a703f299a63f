"""The verb that fetches published data sets."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal
from rich.table import Column, Table

from unseen.cli.app import app, interruptible, out, print_warning
from unseen.data.root import VARIABLE
from unseen.errors import InputError, SaveFailed, all_problems

if TYPE_CHECKING:
    from unseen.data.official import OfficialFile


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
    elif names:
        _fetch(names, data)
    else:
        raise InputError("name what to fetch, for instance: unseen download mnist; unseen download --list has all")


def _fetch(names: list[str], data: Path | None) -> None:
    from unseen.data.download.obtain import download_folder, files_of

    files, root = files_of(names), download_folder(data)
    with interruptible(shlex.join(["unseen", "download", *names, "--data", str(root)])):
        _obtain_all(files, root)
    _say(f"Done: {root}. Next: unseen domains --data {shlex.quote(str(root))}")


def _obtain_all(files: list[OfficialFile], root: Path) -> None:
    """Fetch whatever can be fetched; report all that couldn't be together, at the end."""
    from unseen.cli.byte_bars import showing_bytes
    from unseen.data.download.obtain import found, obtain

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
    out.print(text, highlight=False, soft_wrap=True)


def _list() -> None:
    from unseen.data.download.obtain import TERMS, published_sets

    title = "Published sets, for: unseen download NAME... --data FOLDER"
    table = Table("name", Column("files", overflow="fold"), Column("size", justify="right"), "terms", title=title)
    for name, files in published_sets().items():
        sizes = [decimal(file.size) if file.size is not None else "unknown" for file in files]
        table.add_row(name, "\n".join(file.name for file in files), "\n".join(sizes), TERMS[name])
    out.print(table)
    for file in dict.fromkeys(file for files in published_sets().values() for file in files if file.how is not None):
        _say(f"{file.name} {'or ' if file.url is not None else ''}by hand: {file.how}")
