"""How speed is measured: each side in a process of its own, turn about, several times; and on what machine."""

from __future__ import annotations

import datetime
import json
import multiprocessing
import platform
import resource
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from unseen.engine import cpu

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
SPAWN = multiprocessing.get_context("spawn")

Make = Callable[[], AbstractContextManager[Callable[[], Any]]]
"""Prepares a side in its own process and gives the work that is timed."""


@dataclass(frozen=True)
class Took:
    """What one call of a side's work cost, and what it returned."""

    seconds: float
    system: float
    """seconds of it in the kernel: page faults, mostly"""
    faults: int
    peak: int
    """bytes of memory the process has had at most"""
    result: Any
    processor: float = 0.0
    """seconds of its threads on a core; what other processes take doesn't count"""


@dataclass(frozen=True)
class Result:
    """One row of the table: what was compared, what came out, and the bar it is held to, if any."""

    what: str
    twin: str
    ours: str
    reached: str
    bar: str
    met: bool | None
    numbers: Mapping[str, Any]


class Side:
    """A work in a process of its own: no allocator, thread pool or denormal flag is shared with what it is compared to.

    Between ``begin`` and ``end`` it works; otherwise it sleeps.
    """

    def __init__(self, make: Make, threads: int) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=_serve, args=(theirs, make, threads), daemon=True)
        self._process.start()
        theirs.close()  # so that a side that failed is heard of

    def ready(self) -> None:
        self._pipe.recv()

    def begin(self) -> None:
        self._pipe.send(True)

    def end(self) -> Took:
        took: Took = self._pipe.recv()
        return took

    def close(self) -> None:
        self._pipe.close()
        self._process.join()


def _serve(pipe: Connection, make: Make, threads: int) -> None:
    torch.set_num_threads(threads)
    with make() as work:
        pipe.send("ready")
        while True:
            try:
                pipe.recv()
            except EOFError:
                return
            pipe.send(_timed(work))


def _timed(work: Callable[[], Any]) -> Took:
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    system, faults = after.ru_stime - before.ru_stime, after.ru_minflt - before.ru_minflt
    return Took(seconds, system, faults, _peak(), result, processor=after.ru_utime - before.ru_utime + system)


def _peak() -> int:
    """Not ru_maxrss: after a fork that is the parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 2**10 for line in status if line.startswith("VmHWM"))


@contextmanager
def _open(makes: Mapping[str, Make], threads: int) -> Iterator[dict[str, Side]]:
    sides = {name: Side(make, threads) for name, make in makes.items()}
    try:
        for side in sides.values():
            side.ready()  # all of them, before the first is timed
        yield sides
    finally:
        for side in sides.values():
            side.close()


def interleave(makes: Mapping[str, Make], *, threads: int, repeats: int) -> dict[str, list[Took]]:
    """Every side in turn, ``repeats`` times over: what disturbs the machine disturbs them all."""
    tooks: dict[str, list[Took]] = {name: [] for name in makes}
    with _open(makes, threads) as sides:
        for _ in range(repeats):
            for name, side in sides.items():
                side.begin()
                tooks[name].append(side.end())
    return tooks


def best(tooks: list[Took]) -> Took:
    """The least disturbed."""
    return min(tooks, key=lambda took: took.seconds)


def best_seconds(makes: Mapping[str, Make], *, threads: int, repeats: int) -> dict[str, float]:
    """``interleave``, and of each side its best time."""
    tooks = interleave(makes, threads=threads, repeats=repeats)
    return {name: best(tooks[name]).seconds for name in makes}


def best_processor_seconds(makes: Mapping[str, Make], *, repeats: int) -> dict[str, float]:
    """The same on one thread, in seconds on its core: what other processes take doesn't count."""
    tooks = interleave(makes, threads=1, repeats=repeats)
    return {name: min(took.processor for took in tooks[name]) for name in makes}


def together(make: Make, *, copies: int, repeats: int) -> float:
    """The seconds until all copies of one work are done, each in a process of one thread, all at once."""
    with _open({str(i): make for i in range(copies)}, threads=1) as sides:
        return min(_all_at_once(sides) for _ in range(repeats))


def _all_at_once(sides: Mapping[str, Side]) -> float:
    for side in sides.values():
        side.begin()
    return max(side.end().seconds for side in sides.values())


@contextmanager
def _gemm(size: int, dtype: torch.dtype) -> Iterator[Callable[[], float]]:
    a, b = torch.ones(size, size, dtype=dtype), torch.ones(size, size, dtype=dtype)
    yield lambda: float((a @ b)[0, 0])


def gemm(size: int, dtype: torch.dtype = torch.float32) -> Make:
    """One square matrix product of ``gemm_operations(size)``: the rate that convolutions can at best have."""
    return partial(_gemm, size, dtype)


def gemm_operations(size: int) -> int:
    """Multiplications and additions of that product."""
    return 2 * size**3


def machine() -> dict[str, Any]:
    """What a number means nothing without."""
    able = torch.cpu.get_capabilities()
    return {
        "cpu": _cpu_name(),
        "cores": cores(),
        "flags": [flag for flag in ("amx_bf16", "avx512_bf16", "avx512_f", "avx2") if able.get(flag)],
        "memory_gib": round(cpu.memory() / 2**30, 1),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "commit": commit(),
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _cpu_name() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), platform.processor())


def commit() -> str | None:
    """The project's, with a mark where files differ from it; None in an archive without its history."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def append(name: str, results: list[Result], folder: Path = RESULTS) -> None:
    """One line for each result, with the machine; those of one call share its ``at``."""
    here = machine()
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.jsonl").open("a") as file:
        file.writelines(json.dumps(asdict(result) | {"machine": here}) + "\n" for result in results)


def newest(name: str, folder: Path = RESULTS) -> list[dict[str, Any]]:
    """The lines of a benchmark's last run."""
    path = folder / f"{name}.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line for line in lines if line["machine"]["at"] == lines[-1]["machine"]["at"]]


def cores() -> int:
    """As many threads as the bars are judged at."""
    return multiprocessing.cpu_count()


def thread_counts(quick: bool) -> list[int]:
    """All cores, where the bars are judged, and one; when it has to be quick, one."""
    return [1] if quick else sorted({cores(), 1}, reverse=True)


def in_words(threads: int) -> str:
    return f"{threads} thread{'s' * (threads > 1)}"
