"""Kill a training with SIGKILL, let it resume, and compare every bit with a training that was never interrupted.

    python tests/kill_points.py [--points N] [--every-line]

prints a table: where it was killed, and whether what came in the end is bit-identical. A traced training lists every
line of the library that runs, each time it runs; the victim is a real process, killed just before it runs a chosen
one. The library knows nothing of it. A few more are killed by a timer from outside, and a few are killed twice.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import linecache
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

import numpy
import safetensors
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import Tensor, nn

import unseen
from unseen.engine import Engine
from unseen.runs.config import Cadence
from unseen.runs.progress import Progress

Outcome = dict[str, str]
"""what a training came to: a digest for everything that has to be the same"""
TRACED = {
    import_module(f"unseen.{name}").__file__: name
    for name in (
        "method.algorithm",
        "method.descent",
        "method.result",
        "method.ascent",
        "method.pool",
        "runs.training",
        "runs.recorder",
        "runs.folder",
        "runs.training_folder",
        "runs.checkpoint",
        "base.writing",
        "base.tensors",
    )
}
PRELOADED = ["lightning_fabric", "torch._dynamo", "torch.utils.tensorboard", "unseen", EventAccumulator.__module__]
PROCESSES = 2
PATIENCE = 120.0
TIMED = 6


# The training: small, and with everything that a checkpoint has to carry.

SETTINGS = unseen.ADA(K=2, T=42, T_min=8, T_max=3, batch=16, alpha=1e-2, eta=20.0)
TRANSFORMED = unseen.ADA(
    K=5,
    T=24,
    spread=True,
    keep=2,
    sampling="source",
    n=32,
    batch=12,
    alpha=1e-2,
    over="standard",
    T_max=2,
    entropy=0.5,
    augment=("affine", "noise"),
    consistency=1.0,
    confidence_penalty=0.1,
    contrast=0.1,
    schedule="cosine",
)
"""rounds over transformations that leave the pool again, and every term of the minimization"""


def fade(image: Tensor) -> Tensor:
    """A callable of a user's own, which draws from all three global generators."""
    return image * (0.7 + 0.1 * torch.rand(()) + 0.1 * random.random() + 0.1 * float(numpy.random.rand()))


PRACTISED = unseen.ADA(
    K=1,
    T=16,
    epochs=4,
    T_min=6,
    T_max=2,
    n=16,
    batch=12,
    alpha=5e-2,
    optimizer="sgd",
    weight_decay=1e-3,
    body_rate=0.5,
    clip_gradient=1.0,
    schedule="steps",
    warmup=4,
    label_smoothing=0.1,
    class_weights="balanced",
    average=0.8,
    freeze="0",
    freeze_norms=True,
    validation=0.2,
    select="source-validation",
    augment=("crop", "flip", fade),
)
"""training as people train: every setting of it that goes with the others"""


def make_net() -> nn.Module:
    """Batch normalization has buffers, dropout draws."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return nn.Sequential(
            *(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Dropout(0.3), nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 4)),
        )


def make_domain(name: str, n: int, seed: int) -> unseen.Domain:
    draws = torch.Generator().manual_seed(seed)
    labels = torch.randint(4, (n,), generator=draws)
    images = (torch.rand(n, 3, 8, 8, generator=draws) + labels.view(-1, 1, 1, 1) / 4) / 2
    return unseen.Domain(name, images, labels, tuple("abcd"))


def train(folder: Path | str | None, *, resume: bool = False, **changes: Any) -> unseen.Run:
    arguments = {
        "net": make_net(),
        "source": make_domain("source", 60, 2),
        "ada": SETTINGS,
        "seed": 3,
        "watch": {"target": make_domain("target", 20, 4)},
        "cadence": Cadence(record=5, watch=10, save=10),
        "engine": Engine("cpu", "float32", threads=1),
        "warn": lambda message: None,  # the table is what is read; tests that want the warnings pass their own
    }
    return unseen.fit(**{**arguments, **changes}, folder=folder, resume=resume)


def interrupted(train: Callable[..., unseen.Run], folder: Path, at: tuple[str, int, int], **changes: Any) -> Path:
    """A run that somebody stopped with Ctrl-C at a phase, so much of it done, so many rounds done."""

    def stop(progress: Progress) -> None:
        if (progress.phase, progress.done, progress.k) == at:
            raise KeyboardInterrupt

    try:
        train(folder, progress=stop, **changes)
    except KeyboardInterrupt:
        return folder
    raise AssertionError(f"the run never came to {at}")


def trainer(usual: unseen.ADA) -> tuple[Callable[..., unseen.Run], Callable[..., Path]]:
    """``train`` and ``interrupted`` with other settings than those of the table, unless a call says which."""

    def train_so(folder: Path | None, ada: unseen.ADA = usual, **changes: Any) -> unseen.Run:
        return train(folder, ada=ada, **changes)

    return train_so, functools.partial(interrupted, train_so)


@contextlib.contextmanager
def small_pieces() -> Iterator[None]:
    """A file is written in many chunks and a round is made in four parts, as in a training of real size."""
    with (
        mock.patch("unseen.base.writing.CHUNK", 1024),
        mock.patch("unseen.engine.PART_BYTES", 16 * 3 * 8 * 8 * 4),
        mock.patch("unseen.engine.ASCENT_VALUES", 16 * 3 * 8 * 8),
    ):
        yield


# What it came to.


def outcome(run: unseen.Run) -> Outcome:
    """Everything that must not depend on an interruption: in memory, and in the folder."""
    assert run.folder is not None
    pool = {f"pool: {name}": getattr(run.pool, name)[: len(run.pool)] for name in ("images", "labels", "parents")}
    net = {f"net: {name}": tensor for name, tensor in run.net.model.state_dict().items()}
    told = {name: digest(tensor) for name, tensor in (pool | net).items()}
    told["metrics"] = "".join(json.dumps(line) + "\n" for line in run.metrics)
    return told | outcome_on_disk(run.folder)


def outcome_on_disk(folder: Path) -> Outcome:
    """Weights, the last checkpoint, rounds, metrics and events, read without the library's own code."""
    last = max((folder / "checkpoints").glob("*.safetensors"))
    told = {"metrics.jsonl": (folder / "metrics.jsonl").read_text(), "events": json.dumps(scalars(folder / "events"))}
    for path in (folder / "weights.safetensors", last, *sorted((folder / "rounds").rglob("*.safetensors"))):
        told |= file_digests(path, str(path.relative_to(folder)))
    return told


def file_digests(path: Path, name: str) -> Outcome:
    with safetensors.safe_open(str(path), framework="pt") as file:
        tensors = {f"{name}: {key}": digest(file.get_tensor(key)) for key in file.keys()}  # noqa: SIM118 (not a dict)
        return tensors | {f"{name}: metadata": json.dumps(file.metadata(), sort_keys=True)}


def digest(tensor: Tensor) -> str:
    bits = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return f"{tensor.dtype} {tuple(tensor.shape)} {hashlib.sha256(bits).hexdigest()}"


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard shows, from the one events file a run has."""
    (file,) = folder.iterdir()
    events = EventAccumulator(str(file))
    events.Reload()
    return {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in sorted(events.Tags()["scalars"])}


def differences(expected: Outcome, got: Outcome) -> list[str]:
    return [name for name in sorted({**expected, **got}) if expected.get(name) != got.get(name)]


# Where it can be killed.


@dataclass(frozen=True)
class Place:
    """The nth time that a line is about to run."""

    phase: str
    file: str
    function: str
    line: int
    nth: int
    step: int
    """minimization steps done"""
    rounds: int
    """rounds done"""

    def __str__(self) -> str:
        text = self.text if len(self.text) <= 40 else f"{self.text[:37]}..."
        return f"{TRACED[self.file]}.py:{self.line} {self.function}: {text} (time {self.nth})"

    @property
    def text(self) -> str:
        return linecache.getline(self.file, self.line).strip()

    @property
    def spot(self) -> tuple[str, int]:
        return self.file, self.line


SAVES = {"create": "save config", "save": "save checkpoint", "keep_part": "save part", "save_weights": "save weights"}


def phase_of(functions: Sequence[str], frame: FrameType, ended: bool) -> str:
    """What a training is doing, by the functions it is in, innermost first."""
    saving = next((SAVES[name] for name in functions if name in SAVES), None)
    if saving or {"last_checkpoint", "restore_with_rounds"} & set(functions):
        return saving or "restore"
    if "maximize" in functions:
        here = frame.f_locals if functions[0] == "maximize" else {}
        closed = "size" in here and here["pool"].rounds >= here["k"]
        return "append to checkpoint" if closed or {"close", "appended"} & set(functions) else "maximization"
    if "augment_and_train" in functions:
        return "minimization"
    return "finish" if ended else "start"


def trace(visit: Callable[[FrameType], None], work: Callable[[], Any]) -> Any:
    """Do the work; ``visit`` is called with every line of the library before it runs."""

    def line(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        if event == "line":
            visit(frame)
        return line

    sys.settrace(lambda frame, event, _: line if frame.f_code.co_filename in TRACED else None)
    try:
        return work()
    finally:
        sys.settrace(None)


def list_places(folder: Path, resume: bool, ada: unseen.ADA = SETTINGS) -> tuple[list[Place], Outcome]:
    """Every line a training runs, each time it runs it, and what the training came to."""
    places: list[Place] = []
    seen: Counter[tuple[str, int]] = Counter()
    state: Any = None

    def visit(frame: FrameType) -> None:
        nonlocal state
        code, spot = frame.f_code, (frame.f_code.co_filename, frame.f_lineno)
        seen[spot] += 1
        if state is None and code.co_name in ("begin", "restore_with_rounds"):
            state = frame.f_locals["state"]
        step, rounds = (state.t, state.k) if state else (0, 0)
        phase = phase_of(functions_of(frame), frame, ended=step == ada.T)
        places.append(Place(phase, spot[0], code.co_name, spot[1], seen[spot], step, rounds))

    return places, outcome(trace(visit, lambda: train(folder, resume=resume, ada=ada)))


def functions_of(frame: FrameType | None) -> list[str]:
    names = []
    while frame is not None:
        if frame.f_code.co_filename in TRACED:
            names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


def die_at(place: Place, folder: Path, resume: bool, ada: unseen.ADA = SETTINGS) -> None:
    times = 0

    def visit(frame: FrameType) -> None:
        nonlocal times
        if (frame.f_code.co_filename, frame.f_lineno) == place.spot:
            times += 1
            if times == place.nth:
                os.kill(os.getpid(), signal.SIGKILL)

    trace(visit, lambda: train(folder, resume=resume, ada=ada))


def command(arguments: Sequence[str], die_at_step: int | None = None) -> int | str | None:
    """``unseen ARGUMENTS``, killed when it has made so many steps; its exit code."""

    def visit(frame: FrameType) -> None:
        if frame.f_code.co_name == "stepped" and frame.f_locals["state"].t == die_at_step:
            os.kill(os.getpid(), signal.SIGKILL)

    with mock.patch("sys.argv", ["unseen", *arguments]):
        try:
            trace(visit, import_module("unseen.cli").main)
        except SystemExit as ended:
            return ended.code
    return None


def train_with_little_room(folder: Path, phase: str, done: int, room: int) -> None:
    """Train; once that phase has done so much, the kernel lets no file grow beyond ``room`` bytes."""

    def limit(progress: Progress) -> None:
        if (progress.phase, progress.done) == (phase, done):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    train(folder, progress=limit)


def resume_with_no_room(folder: Path) -> None:
    """There is room for the lock's line; the first to find none is the one that writes the events anew."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (85, resource.RLIM_INFINITY))
    train(folder, resume=True)


def train_to_the_end(folder: Path, resume: bool, ada: unseen.ADA = SETTINGS) -> Outcome:
    return outcome(train(folder, resume=resume, ada=ada))


# Processes: one for each training, forked from a server that has the libraries loaded already.


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it had to say."""

    code: int
    seconds: float
    answer: Any = None
    problem: str | None = None

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


# Starting a process looks after all others, too; if another thread is just reading how one of them ended, one of the
# two finds nothing and multiprocessing calls it 255.
ONE_AT_A_TIME = threading.Lock()


def in_process(work: Callable[..., Any], *arguments: Any, kill_after: float | None = None) -> Ended:
    """Do the work in a process of its own; ``kill_after`` seconds of it, SIGKILL."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(there, work, arguments))
    with ONE_AT_A_TIME:
        process.start()
    there.close()
    try:
        assert _receive(here) == "ready"
        began = time.perf_counter()
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        answer, problem = _receive(here) or (None, None)
        with ONE_AT_A_TIME:
            process.join(PATIENCE)
        return Ended(process.exitcode or 0, time.perf_counter() - began, answer, problem)
    finally:
        with ONE_AT_A_TIME:
            process.kill()
            process.join()
            process.close()
        here.close()


def _receive(connection: Any) -> Any:
    try:
        if not connection.poll(PATIENCE):
            raise TimeoutError(f"nothing came from a training in {PATIENCE} s")
        return connection.recv()
    except EOFError:
        return None


def _serve(connection: Any, work: Callable[..., Any], arguments: Sequence[Any]) -> None:
    torch.set_num_threads(1)
    connection.send("ready")
    try:
        with small_pieces():
            connection.send((work(*arguments), None))
    except BaseException:
        connection.send((None, traceback.format_exc()))


# The table.


Kill = Place | float
"""at a place, or after so many seconds"""


@dataclass(frozen=True)
class Case:
    """One training, killed once or more, and how it went."""

    kills: tuple[Kill, ...]
    identical: bool = False
    note: str = ""
    """what differs, or what went wrong"""

    def cells(self) -> tuple[str, ...]:
        places = [kill for kill in self.kills if isinstance(kill, Place)]
        if not places:
            cells = ("any", f"SIGKILL from outside after {self.kills[0]:.3f} s", "")
        else:
            phases = ", killed again in ".join(p.phase for p in places)
            cells = (phases, str(places[-1]), "; ".join(f"{p.step}/{p.rounds}" for p in places))
        return (*cells, "yes" if self.identical else f"NO: {self.note}")


def undergo(kills: tuple[Kill, ...], folder: Path, reference: Outcome, ada: unseen.ADA = SETTINGS) -> Case:
    """Train, kill, resume, and see whether it came to the same."""
    for kill in kills:
        going_on = (folder / "config.json").exists()
        if isinstance(kill, Place):
            ended = in_process(die_at, kill, folder, going_on, ada)
        else:
            ended = in_process(train_to_the_end, folder, going_on, ada, kill_after=kill)
        if not ended.killed and isinstance(kill, float) and ended.problem is None:
            shutil.rmtree(folder)  # it was faster than the timer
            return undergo((kill * 0.7,), folder, reference, ada)
        if not ended.killed:
            return Case(kills, note=f"not killed but ended with {ended.code} {ended.problem or ''}")
    ended = in_process(train_to_the_end, folder, (folder / "config.json").exists(), ada)
    if ended.answer is None:
        return Case(kills, note=ended.problem or f"ended with {ended.code}")
    different = differences(reference, ended.answer)
    return Case(kills, identical=not different, note=", ".join(different))


ALWAYS = {
    "save config": (
        "create: make_folder(self.path / name)",
        "write_json(",
        "file.write(",
        ".replace(place)",
        "fsync_folder(self.path.parent)",
    ),
    "maximization": ("observer.recall(", "observer.made(", "pool.write(", "pool.close("),
    "save part": ("folder.mkdir(", "file.write(", ".replace(place)", "fsync_folder(path.parent.parent)"),
    "append to checkpoint": ("state.k = k", "observer.appended(", "json.dumps(line)", "files.save(state)"),
    "save checkpoint": (
        *(
            "synced_size(",
            "write_tensors(",
            "aside.open(",
            "file.write(",
            "file.flush()",
            "whole_file: os.fsync(",
        ),
        *(".replace(place)", "fsync_folder(place.parent)", "os.fsync(handle)", "for old in", "remove(old)"),
    ),
    "save weights": ("write_atomically(", "file.write(", ".replace(place)", "fsync_folder(place.parent)"),
    "finish": ("files.save_weights(state.net.model.state_dict())",),
}
"""lines to kill before, whatever the number of points"""
SHARES = {
    "start": 4,
    "save config": 1,
    "minimization": 8,
    "maximization": 5,
    "append to checkpoint": 4,
    "save checkpoint": 4,
    "save part": 2,
    "save weights": 1,
    "finish": 2,
}
"""how the other points are shared out"""
POINTS = sum(map(len, ALWAYS.values())) + sum(SHARES.values())


def choose(places: Sequence[Place], points: int | None) -> list[Place]:
    """Places spread over all phases, over the lines of a phase and over the times a line runs; None is every line."""
    dice = random.Random(0)
    chosen: set[Place] = set()
    more = max(points or 0, 44) - sum(map(len, ALWAYS.values()))
    for phase, share in SHARES.items():
        spots: dict[tuple[str, int], list[Place]] = {}
        for place in places:
            if place.phase == phase:
                spots.setdefault(place.spot, []).append(place)
        for text in ALWAYS.get(phase, ()):
            found = [place for times in spots.values() for place in times if text in f"{place.function}: {place.text}"]
            assert found, f'{phase}: no line has "{text}" any more; choose another for ALWAYS'
            chosen.add(dice.choice(found))
        others = [times for spot, times in spots.items() if spot not in {place.spot for place in chosen}]
        count = len(others) if points is None else round(more * share / sum(SHARES.values()))
        chosen |= {dice.choice(others[i * len(others) // count]) for i in range(count)}
    return [place for place in places if place in chosen]


def choose_second(places: Sequence[Place]) -> Iterator[Place]:
    """Where to kill what goes on after a kill: while it restores, and after that."""
    dice = random.Random(1)
    restoring = [place for place in places if place.phase == "restore"]
    yield restoring[len(restoring) // 2]
    yield restoring[-1]
    yield dice.choice(
        [place for place in places if place.phase in ("save part", "append to checkpoint", "minimization")]
    )


def choose_twice(places: Sequence[Place], folder: Path) -> Iterator[tuple[Place, Place]]:
    """Pairs of places: in a round and after one, then in the process that goes on from there."""
    in_a_round = [p for p in places if p.phase == "maximization" and p.rounds == 1 and p.function == "_ascend"]
    after_it = [p for p in places if p.phase == "minimization" and p.rounds == 2]
    for i, first in enumerate((in_a_round[2 * len(in_a_round) // 3], after_it[len(after_it) // 3])):
        here = folder / f"listing-{i}"
        assert in_process(die_at, first, here, False).killed
        listed = in_process(list_places, here, True)
        assert listed.problem is None, listed.problem
        for second in choose_second(listed.answer[0]):
            yield first, second


FEW = {
    "minimization": ("losses = minimization_losses(",),
    "maximization": ("observer.recall(", "pool.close("),
    "save part": (".replace(place)",),
    "append to checkpoint": ("files.save(state)",),
    "save checkpoint": ("self._drop_rounds()", "shutil.rmtree(path)"),
}
"""lines to kill before when rounds leave the pool, each once some have left it"""


FEW_OF_PRACTICE = {
    "minimization": ("mean.lerp_(", "self.best, self.value, self.step ="),
    "save checkpoint": ("write_tensors(",),
    "finish": ("state.result.put_into(",),
}
"""the same where the result is an average of weights, and the best of them, after the round"""


def choose_few(places: Sequence[Place], few: Mapping[str, Sequence[str]], rounds: int) -> Iterator[Place]:
    """One place for each of those lines, once there were so many rounds."""
    dice = random.Random(0)
    for phase, texts in few.items():
        for text in texts:
            found = [p for p in places if p.phase == phase and p.rounds >= rounds and text in p.text]
            assert found, f'{phase}: no line has "{text}" any more; choose another'
            yield dice.choice(found)


def table(points: int | None = POINTS, folder: Path | None = None) -> list[Case]:
    """Every case of rounds over pixels and how it went, in the order of the training."""

    def pick(places: Sequence[Place], home: Path, seconds: float) -> list[tuple[Kill, ...]]:
        kills: list[tuple[Kill, ...]] = [(place,) for place in choose(places, points)]
        kills += choose_twice(places, home)
        return kills + [(random.Random(i).uniform(0.05, 0.95) * seconds,) for i in range(TIMED)]

    return _table(SETTINGS, pick, folder)


def table_of_transformations(folder: Path | None = None) -> list[Case]:
    """The same for rounds over transformations, of which the last two are kept, at fewer places."""
    return _table(TRANSFORMED, lambda places, *_: [(place,) for place in choose_few(places, FEW, 3)], folder)


def table_of_practice(folder: Path | None = None) -> list[Case]:
    """The same for training as people train."""
    few = FEW_OF_PRACTICE
    return _table(PRACTISED, lambda places, *_: [(place,) for place in choose_few(places, few, 1)], folder)


def _table(
    ada: unseen.ADA, pick: Callable[[Sequence[Place], Path, float], list[tuple[Kill, ...]]], folder: Path | None
) -> list[Case]:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        home = Path(scratch)
        whole = in_process(train_to_the_end, home / "whole", False, ada)
        assert whole.problem is None, whole.problem
        listed = in_process(list_places, home / "listed", False, ada)
        assert listed.problem is None, listed.problem
        places, traced = listed.answer
        assert not differences(whole.answer, traced), differences(whole.answer, traced)
        kills = pick(places, home, whole.seconds)

        def go(number: int, each: tuple[Kill, ...]) -> Case:
            try:
                return undergo(each, home / str(number), whole.answer, ada)
            finally:
                shutil.rmtree(home / str(number), ignore_errors=True)

        with ThreadPoolExecutor(PROCESSES) as pool:
            return list(pool.map(go, range(len(kills)), kills))


def as_text(cases: Sequence[Case]) -> str:
    """The table and its summary."""
    rows = [("phase", "killed before it runs", "step/round", "bit-identical"), *(case.cells() for case in cases)]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [" | ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[3]]) for row in rows]
    lines.insert(1, "-|-".join("-" * w for w in [*widths, len(rows[0][3])]))
    same = sum(case.identical for case in cases)
    return "\n".join([*lines, f"{len(cases)} kill points, {same} bit-identical, {len(cases) - same} not"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=POINTS, help="places to kill at, spread over all phases")
    parser.add_argument("--every-line", action="store_true", help="instead, kill at every line that a training runs")
    options = parser.parse_args()
    cases = table(None if options.every_line else options.points)
    print(as_text(cases))
    cases += (others := table_of_transformations())
    print(f"\nRounds over transformations:\n{as_text(others)}")
    cases += (others := table_of_practice())
    print(f"\nTraining as people train:\n{as_text(others)}")
    return 0 if all(case.identical for case in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
