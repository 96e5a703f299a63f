"""A bar for work that counts, with its rate, on standard error: in a terminal, or wherever it is asked for."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from unseen.base.terminal import Terminal, printable

LINE_EVERY = 10.0  # seconds between two plain lines


class Rate(ProgressColumn):
    """How many in a second, as measured lately."""

    def render(self, task: Task) -> Text:
        """``12.3 steps/s``, or nothing before there is a measurement."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.3g} {task.fields['unit']}/s" if speed else "", style="progress.data.speed")


def remark(text: str) -> None:
    """Say something that isn't a result."""
    print(printable(text), file=sys.stderr)


@contextmanager
def counting(words: str, total: int, unit: str, show: bool | None = None) -> Iterator[Callable[[int], None]]:
    """A callback that is told how many more are done; it shows them in a terminal, or elsewhere if ``show`` is True."""
    console = Terminal(stderr=True)
    if show is False or (show is None and not console.is_terminal):
        yield lambda more: None
    elif console.is_terminal:
        columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), MofNCompleteColumn()
        with Progress(*columns, Rate(), TimeRemainingColumn(), console=console, expand=True) as bars:
            task = bars.add_task(printable(words), total=total, unit=unit)
            yield lambda more: bars.advance(task, more)
    else:
        yield _Lines(words, total, unit)


class _Lines:
    """A line when it begins, every ten seconds and at the end."""

    def __init__(self, words: str, total: int, unit: str) -> None:
        self.words, self.total, self.unit = words, total, unit
        self.done, self.began = 0, time.monotonic()
        self.said = self.began
        remark(f"{words}: {total:,} {unit}")

    def __call__(self, more: int) -> None:
        self.done += more
        now = time.monotonic()
        if now - self.said >= LINE_EVERY or self.done == self.total:
            self.said = now
            rate = self.done / max(now - self.began, 1e-9)
            remark(f"{self.words}: {self.done:,} of {self.total:,} {self.unit}, {rate:,.0f} {self.unit}/s")
