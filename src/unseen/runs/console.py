"""How a training looks in a terminal: bars with rates and time left there, plain lines elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Column
from rich.text import Text

from unseen.base.bars import LINE_EVERY
from unseen.base.terminal import Terminal, plain, printable
from unseen.runs.progress import Progress
from unseen.runs.rounds import RoundRecord

PACE_OVER = 60.0  # seconds after which what was measured counts half
RUNS = "runs"
ROUNDS_SHOWN = 2  # bars of rounds, the last ones


class _Pace:
    """How many in a second: what was measured lately counts most, so that one slow step hardly moves the time left.

    Runs, which take minutes and end several at once, all count the same.
    """

    def __init__(self, unit: str) -> None:
        self.half_life = math.inf if unit == RUNS else PACE_OVER
        self.count = self.seconds = 0.0
        self.last: tuple[float, int] | None = None

    def see(self, now: float, done: int) -> float:
        """The pace, after a look; 0 before there are two."""
        if self.last is not None and now > self.last[0]:
            seconds = now - self.last[0]
            kept = 0.5 ** (seconds / self.half_life)
            self.count = kept * self.count + done - self.last[1]
            self.seconds = kept * self.seconds + seconds
        self.last = now, done
        return self.count / self.seconds if self.seconds else 0.0

    def pause(self) -> None:
        """Something else goes on until the next look."""
        self.last = None


class _Rate(ProgressColumn):
    """Steps or images per second, as measured lately."""

    def render(self, task: Task) -> Text:
        """``12.3 steps/s``, or nothing before there is a measurement; of runs nothing, since they take minutes."""
        rate = task.fields["rate"] if task.fields["unit"] != RUNS else 0.0
        return Text(f"{rate:.3g} {task.fields['unit']}/s" if rate else "", style="progress.data.speed")


class _Left(TimeRemainingColumn):
    """The time left, by the pace."""

    def render(self, task: Task) -> Text:
        """A clock, or dashes before there is a measurement."""
        rate = task.fields["rate"]
        if not rate or task.finished:
            return super().render(task)
        return Text(clock((task.remaining or 0.0) / rate), style="progress.remaining")


def describe(progress: Progress) -> tuple[str, str]:
    """The phase in words, and the unit it counts in."""
    if progress.phase == "sweep":
        return "runs done", RUNS
    if progress.phase == "adapt":
        return "adapting", "steps"
    if progress.phase == "evaluate":
        return "evaluating", "images"
    if progress.phase == "maximize":
        return f"round {progress.k + 1}: making fictitious images", "images"
    return f"training (rounds done: {progress.k})", "steps"


@contextmanager
def showing_if(progress: Callable[[Progress], None] | bool) -> Iterator[Callable[[Progress], None]]:
    """The callback that was given; for True one that shows the progress here, for False one that doesn't."""
    if callable(progress):
        yield progress
    elif progress:
        with showing(Terminal()) as show:
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
def evaluating(console: Console) -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """What is called when an evaluation begins, with its name and its images; it gives what counts their batches."""
    with _showing(console, name_width=24) as show:

        def begin(name: str, of: int) -> Callable[[int], None]:
            done = 0

            def count(images: int) -> None:
                nonlocal done
                done += images
                show(name, Progress("evaluate", done, of, 0))
                if done >= of:
                    show(name, None)

            show(name, Progress("evaluate", 0, of, 0))
            return count

        yield begin


@contextmanager
def _showing(console: Console, *, name_width: int) -> Iterator[Callable[[str, Progress | None], None]]:
    if not console.is_terminal:
        yield _Lines(console)
        return
    named = TextColumn(
        "{task.fields[name]}", style="bold", markup=False, table_column=Column(overflow="fold", min_width=name_width)
    )
    columns = (
        *([named] if name_width else []),
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=None),
        MofNCompleteColumn(table_column=Column(no_wrap=True)), _Rate(Column(no_wrap=True)),
        _Left(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[note]}", style="dim", markup=False, table_column=Column(no_wrap=True)),
    )  # fmt: skip
    with Bars(*columns, console=console, expand=True) as bars:
        yield _Bars(bars)


_Key = tuple[str, str, int]
"""a training, its phase, and its round where that is the phase"""


def _key(name: str, progress: Progress) -> _Key:
    return name, progress.phase, progress.k if progress.phase == "maximize" else 0


class _Bars:
    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.tasks: dict[_Key, Any] = {}
        self.paces = _Paces()
        self.watched: dict[str, str] = {}

    def __call__(self, name: str, progress: Progress | None) -> None:
        if progress is None:
            for key in [key for key in self.tasks if key[0] == name]:
                self.bars.remove_task(self.tasks.pop(key))
            return
        words, unit = describe(progress)
        key = _key(name, progress)
        rate = self.paces.see(key, unit, self.bars.get_time(), progress.done)
        if key not in self.tasks:
            self._take_off_rounds_before(key)
            fields: dict[str, Any] = {"name": printable(name), "unit": unit, "note": "", "rate": 0.0}
            self.tasks[key] = self.bars.add_task(words, total=progress.of, **fields)
        self.bars.update(self.tasks[key], completed=progress.done, description=words, rate=rate)
        if progress.line is not None and "loss" in progress.line:
            self.watched[name] = watched(progress.line) or self.watched.get(name, "")
            self.bars.update(self.tasks[key], note=f"loss {progress.line['loss']:.3f}{self.watched[name]}")

    def _take_off_rounds_before(self, key: _Key) -> None:
        """Of many rounds only the last ones have bars: a screen has room for no more."""
        name, phase, k = key
        for old in [each for each in self.tasks if each[:2] == (name, "maximize") and phase == "maximize"]:
            if old[2] <= k - ROUNDS_SHOWN:
                self.bars.remove_task(self.tasks.pop(old))


class _Paces:
    """The pace of each phase of each training; while one goes on, the others of its training pause."""

    def __init__(self) -> None:
        self.known: dict[_Key, _Pace] = {}
        self.current: dict[str, _Key] = {}

    def see(self, key: _Key, unit: str, now: float, done: int) -> float:
        before = self.current.setdefault(key[0], key)
        if before != key:
            self.known[before].pause()
            self.current[key[0]] = key
        return self.known.setdefault(key, _Pace(unit)).see(now, done)


class _Lines:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.last: dict[str, tuple[str, float]] = {}
        self.paces = _Paces()

    def __call__(self, name: str, progress: Progress | None) -> None:
        if progress is None:
            return
        words, unit = describe(progress)
        now = time.monotonic()
        rate = self.paces.see(_key(name, progress), unit, now, progress.done)
        if not self._due(name, progress, words, now):
            return
        parts = [f"{words}: {progress.done} of {progress.of} {unit}"]
        if rate > 0 and progress.done < progress.of:
            speed = "" if unit == RUNS else f"{rate:.1f} {unit}/s, "
            parts.append(f"{speed}{clock((progress.of - progress.done) / rate)} left")
        if progress.line is not None:
            parts.append(note(progress.line))
        self.console.print(plain(f"{name}  {', '.join(parts)}".strip()), soft_wrap=True)
        self.last[name] = words, now

    def _due(self, name: str, progress: Progress, words: str, now: float) -> bool:
        """Where a phase begins and ends, where a watched domain was measured, and every ten seconds.

        Of an evaluation, whose table follows, only these.
        """
        if progress.phase == "evaluate":
            _, shown = self.last.setdefault(name, (words, now))
            return now - shown >= LINE_EVERY
        phase, shown = self.last.get(name, ("", now))
        measured = progress.line is not None and bool(watched(progress.line))
        return words != phase or progress.done >= progress.of or measured or now - shown >= LINE_EVERY


def note(line: Mapping[str, Any]) -> str:
    """A record of the metrics, in short."""
    if "fictitious" in line:
        (made,) = RoundRecord.read([line])
        change = f"{made.loss_before:.3f} -> {made.loss_after:.3f}"
        return f"loss of the images {change}, moved by {made.moved:.3f} (L2 in pixels){made.sample}"
    return f"loss {line['loss']:.3f}{watched(line)}"


def watched(line: Mapping[str, Any]) -> str:
    """What a record has of the watched domains, each by its own name or its folder's; nothing where it has none."""
    accuracy = "".join(f", {_last_part(name)} {value:.1%}" for name, value in line.get("accuracy", {}).items())
    miou = "".join(f", {_last_part(name)} mIoU {value:.1%}" for name, value in line.get("miou", {}).items())
    return accuracy + miou


def _last_part(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2] or name


def clock(seconds: float) -> str:
    """``1:05`` for 65 seconds, ``2:00:00`` for two hours."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
