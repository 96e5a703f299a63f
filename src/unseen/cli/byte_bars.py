"""How a download looks: a bar for each file in a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.progress import Progress as Bars

from unseen.base.bars import LINE_EVERY
from unseen.base.terminal import plain, printable
from unseen.data.download.transfer import Progress


@contextmanager
def showing_bytes(console: Console) -> Iterator[Callable[[str], Progress]]:
    """Call it with a file's name: a callback that shows how much of it has come, as a bar or in lines."""
    if not console.is_terminal:
        yield lambda name: _lines(console, name)
        return
    columns = (
        TextColumn("{task.description}", style="bold", markup=False), BarColumn(bar_width=None), DownloadColumn(),
        TransferSpeedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    with Bars(*columns, console=console, expand=True) as bars:
        yield lambda name: _bar(bars, name)


def _bar(bars: Bars, name: str) -> Progress:
    task = bars.add_task(printable(name), total=None)
    return lambda done, total: bars.update(task, completed=done, total=total)


def _lines(console: Console, name: str) -> Progress:
    last = time.monotonic()

    def show(done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            of = f" of {decimal(total)}" if total is not None else ""
            console.print(plain(f"{name}: {decimal(done)}{of}"), soft_wrap=True)

    return show
