"""How a training looks in a terminal: bars with rates and time left there, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Column
from rich.text import Text

from unseen.base.bars import LINE_EVERY, Rate
from unseen.runs.progress import Progress
from unseen.runs.rounds import RoundRecord

RUNS = "runs"
ROUNDS_SHOWN = 2  # bars of rounds, the last ones


class _Rate(Rate):
    """Steps or images per second, as measured lately; of runs nothing, since they take minutes."""

    def render(self, task: Task) -> Text:
        """``12.3 steps/s``."""
        return super().render(task) if task.fields["unit"] != RUNS else Text("")


class _Left(TimeRemainingColumn):
    """The time left: of steps and images by their rate lately, of runs by all that are done."""

    def render(self, task: Task) -> Text:
        """A clock, or dashes before there is a measurement."""
        if task.fields["unit"] != RUNS or not task.completed or task.finished:
            return super().render(task)
        left = (task.elapsed or 0.0) * (task.remaining or 0.0) / task.completed
        return Text(clock(left), style="progress.remaining")


def describe(progress: Progress) -> tuple[str, str]:
    """The phase in words, and the unit it counts in."""
    if progress.phase == "sweep":
        return "runs done", RUNS
    if progress.phase == "adapt":
        return "adapting", "steps"
    if progress.phase == "maximize":
        return f"round {progress.k + 1}: making fictitious images", "images"
    return f"training (rounds done: {progress.k})", "steps"


@contextmanager
def showing_if(progress: Callable[[Progress], None] | bool) -> Iterator[Callable[[Progress], None]]:
    """The callback that was given; for True one that shows the progress here, for False one that doesn't."""
    if callable(progress):
        yield progress
    elif progress:
        with showing(Console()) as show:
            yield show
    else:
        yield lambda _: None


@contextmanager
def showing(console: Console, name: str = "") -> Iterator[Callable[[Progress], None]]:
    """A callback that shows the progress of one training."""
    with _showing(console, name_width=len(name)) as show:
        yield lambda progress: show(name, progress)


@contextmanager
def showing_many(console: Console) -> Iterator[Callable[[str, Progress | None], None]]:
    """A callback that shows the progress of several trainings at once, each by its name; None takes one off."""
    with _showing(console, name_width=24) as show:
        yield show


@contextmanager
def _showing(console: Console, *, name_width: int) -> Iterator[Callable[[str, Progress | None], None]]:
    if not console.is_terminal:
        yield _Lines(console)
        return
    named = TextColumn("{task.fields[name]}", style="bold", table_column=Column(overflow="fold", min_width=name_width))
    columns = (
        *([named] if name_width else []),
        TextColumn("{task.description}"), BarColumn(bar_width=None),
        MofNCompleteColumn(table_column=Column(no_wrap=True)), _Rate(Column(no_wrap=True)),
        _Left(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[note]}", style="dim", table_column=Column(no_wrap=True)),
    )  # fmt: skip
    with Bars(*columns, console=console, expand=True) as bars:
        yield _Bars(bars)


class _Bars:
    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.tasks: dict[tuple[str, str, int], Any] = {}

    def __call__(self, name: str, progress: Progress | None) -> None:
        if progress is None:
            for key in [key for key in self.tasks if key[0] == name]:
                self.bars.remove_task(self.tasks.pop(key))
            return
        words, unit = describe(progress)
        key = (name, progress.phase, progress.k if progress.phase == "maximize" else 0)
        if key not in self.tasks:
            self._take_off_rounds_before(key)
            self.tasks[key] = self.bars.add_task(words, total=progress.of, name=name, unit=unit, note="")
        self.bars.update(self.tasks[key], completed=progress.done, description=words)
        if progress.line is not None and "loss" in progress.line:
            self.bars.update(self.tasks[key], note=f"loss {progress.line['loss']:.3f}")

    def _take_off_rounds_before(self, key: tuple[str, str, int]) -> None:
        """Of many rounds only the last ones have bars: a screen has room for no more."""
        name, phase, k = key
        for old in [each for each in self.tasks if each[:2] == (name, "maximize") and phase == "maximize"]:
            if old[2] <= k - ROUNDS_SHOWN:
                self.bars.remove_task(self.tasks.pop(old))


class _Lines:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.last: dict[str, tuple[str, float, int]] = {}
        self.first: dict[str, tuple[str, float, int]] = {}

    def __call__(self, name: str, progress: Progress | None) -> None:
        if progress is None:
            return
        words, unit = describe(progress)
        now = time.monotonic()
        seen = (words, now, progress.done)
        phase, shown, _ = self.last.get(name, ("", now, 0))
        if words == phase and progress.done < progress.of and now - shown < LINE_EVERY:
            return
        parts = [f"{words}: {progress.done} of {progress.of} {unit}"]
        # steps by their rate lately; runs, which take minutes and end several at once, by all that are done
        rate = _rate(self.first.setdefault(name, seen) if unit == RUNS else self.last.get(name, seen), seen)
        if rate > 0:
            speed = "" if unit == RUNS else f"{rate:.1f} {unit}/s, "
            parts.append(f"{speed}{clock((progress.of - progress.done) / rate)} left")
        if progress.line is not None:
            parts.append(note(progress.line))
        self.console.print(f"{name}  {', '.join(parts)}".strip(), highlight=False, soft_wrap=True)
        self.last[name] = seen


def _rate(before: tuple[str, float, int], now: tuple[str, float, int]) -> float:
    """How many in a second between two looks at one phase; 0 where that can't be said."""
    return (now[2] - before[2]) / (now[1] - before[1]) if before[0] == now[0] and now[1] > before[1] else 0.0


def note(line: Mapping[str, Any]) -> str:
    """A record of the metrics, in short."""
    if "fictitious" in line:
        (made,) = RoundRecord.read([line])
        change = f"{made.loss_before:.3f} -> {made.loss_after:.3f}"
        return f"their loss {change}, moved by {made.moved:.3f} (L2 in pixels){made.sample}"
    accuracy = "".join(f", {name} {value:.1%}" for name, value in line.get("accuracy", {}).items())
    miou = "".join(f", {name} mIoU {value:.1%}" for name, value in line.get("miou", {}).items())
    return f"loss {line['loss']:.3f}{accuracy}{miou}"


def clock(seconds: float) -> str:
    """``1:05`` for 65 seconds, ``2:00:00`` for two hours."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
