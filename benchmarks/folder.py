"""A folder of JPEGs that doesn't fit into memory as floats: memory, time to the first step, and steps per second.

The net is small and the steps are few, so that memory and loading are what is measured. The files are copies of a few
generated pictures: what a picture shows doesn't change what it costs to decode.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import nn

import unseen
from benchmarks import measure
from benchmarks.measure import Make, Result
from unseen.base.extras import require
from unseen.base.randomness import Draws, generator
from unseen.method.algorithm import minimize
from unseen.method.descent import optimizer_for
from unseen.method.pool import Pool
from unseen.method.state import State
from unseen.runs.progress import Progress

Reader = Callable[[Path], unseen.Domain]

SIDE, CLASSES, PICTURES = 224, 10, 32
FEW = 64  # images of the run that shows what the model needs by itself
BATCH, STEPS = 32, 5


def run(quick: bool) -> list[Result]:
    images, photographs, made = (5_000, 167, 100) if quick else (50_000, 1_670, 2_000)
    threads = measure.thread_counts(quick)[-1]
    with temporary_place() as place:
        write_pictures(place / "many", images)
        write_pictures(place / "some", photographs)
        write_pictures(place / "few", FEW)
        return [
            *_large(place / "many", made, threads),
            _throughput(place / "many", min(images, 2_000), threads),
            _small(place / "some", place / "few", threads),
        ]


@contextmanager
def temporary_place() -> Iterator[Path]:
    """Inside: a folder that goes with it, which has the cache of decoded images, too."""
    with TemporaryDirectory(prefix="unseen-folder-") as temporary:
        before = os.environ.get("UNSEEN_CACHE")
        os.environ["UNSEEN_CACHE"] = str(Path(temporary) / "cache")
        try:
            yield Path(temporary)
        finally:
            os.environ.pop("UNSEEN_CACHE")
            if before is not None:
                os.environ["UNSEEN_CACHE"] = before


def write_pictures(folder: Path, count: int) -> None:
    """``count`` JPEGs of 224x224 in ten classes."""
    pillow, draw = require("PIL.Image", "folder"), generator(0, "pictures")
    contents = []
    for _ in range(PICTURES):
        coarse = torch.rand(1, 3, 28, 28, generator=draw)
        smooth = nn.functional.interpolate(coarse, (SIDE, SIDE), mode="bicubic").clamp(0, 1)
        noisy = (smooth + 0.05 * torch.randn(smooth.shape, generator=draw)).clamp(0, 1)[0]
        file = io.BytesIO()
        pillow.fromarray((noisy * 255).byte().movedim(0, 2).numpy()).save(file, "JPEG", quality=90)
        contents.append(file.getvalue())
    for label in range(CLASSES):
        (folder / f"class-{label}").mkdir(parents=True)
    for i in range(count):
        (folder / f"class-{i % CLASSES}" / f"{i:06d}.jpg").write_bytes(contents[i % PICTURES])


def net() -> unseen.Split:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 32, 7, stride=4, padding=3), nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(64, 128, 3, stride=2, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, CLASSES),
    )  # fmt: skip
    return unseen.split(model)


def read(folder: Path) -> unseen.Domain:
    return unseen.folder(folder, SIDE)


def first_reading(folder: Path, read: Reader = read) -> float:
    """The seconds of it; here, because a side's process may start no others."""
    start = time.perf_counter()
    read(folder)
    return time.perf_counter() - start


@contextmanager
def whole_run(
    folder: Path, made: int | None, threads: int, read: Reader = read, net: Callable[[], unseen.Split] = net
) -> Iterator[Callable[[], object]]:
    """A K=2 run in a run folder; it gives the seconds from the first look at the folder to the first step's end."""

    def work() -> float:
        start, first = time.perf_counter(), []

        def note(progress: Progress) -> None:
            if progress.phase == "minimize" and progress.done == 1 and not first:
                first.append(time.perf_counter() - start)

        source = read(folder)
        ada = unseen.ADA(K=2, n=made, T_min=5, T_max=1, T=15, batch=BATCH)
        with TemporaryDirectory(dir=folder.parent) as runs:
            unseen.fit(net(), source, ada, folder=runs, engine=unseen.Engine("cpu", threads=threads), progress=note)
        return first[0]

    yield work


@contextmanager
def steps(folder: Path, in_memory: int | None, threads: int, count: int = STEPS) -> Iterator[Callable[[], object]]:
    """Training steps on the whole folder from its cache; or on its first images, as floats in memory."""
    source = read(folder)
    if in_memory is not None:
        source = unseen.Domain("memory", source.images[:in_memory], source.labels[:in_memory], source.classes)
    ada, engine, model = unseen.ERM(T=count, batch=BATCH), unseen.Engine("cpu", threads=threads), net()
    with engine.running():
        engine.place(model, source.images[:1])
        model.train()
        pool = Pool(source.images, source.labels)
        state = State(model, engine.prepare(model), optimizer_for(model, ada), pool, Draws(0))

        def work() -> None:
            for _ in range(count):
                minimize(state, engine, ada)

        yield work


def _large(folder: Path, made: int, threads: int) -> list[Result]:
    images = sum(1 for _ in folder.rglob("*.jpg"))
    first = first_reading(folder)
    run = once(partial(whole_run, folder, made, threads), threads)
    floats = images * 3 * SIDE * SIDE * 4
    what = f"K=2 run on {images:,} JPEGs of {SIDE} px, rounds of {made:,}"
    numbers = {
        "images": images, "round": made, "threads": threads, "first_reading_seconds": first,
        "first_step_seconds": run.result, "peak_bytes": run.peak, "run_seconds": run.seconds,
    }  # fmt: skip
    return [
        Result(
            what=f"{what}: peak memory",
            twin=f"the source as floats {gib(floats)}",
            ours=gib(run.peak),
            reached=f"{floats / run.peak:.0f}x less than the source as floats",
            bar="4 GiB",
            met=run.peak < 4 * 2**30,
            numbers=numbers,
        ),
        Result(
            what=f"{what}: time to the first step",
            twin=f"first reading {first:.0f} s, {images / first:.0f} images/s",
            ours=f"{run.result:.1f} s",
            reached=f"{run.result:.1f} s after the first reading",
            bar="60 s",
            met=run.result < 60,
            numbers=numbers,
        ),
    ]


def _throughput(folder: Path, in_memory: int, threads: int) -> Result:
    makes: dict[str, Make] = {
        "memory": partial(steps, folder, in_memory, threads),
        "folder": partial(steps, folder, None, threads),
    }
    tooks = measure.interleave(makes, threads=threads, repeats=5)
    seconds = {name: sorted(took.processor for took in each)[0] for name, each in tooks.items()}
    slower = seconds["folder"] / seconds["memory"] - 1
    return Result(
        what=f"training steps from the decoded cache, batch {BATCH}, processor time",
        twin=f"{in_memory:,} images as floats in memory {seconds['memory'] / STEPS * 1000:.0f} ms",
        ours=f"{seconds['folder'] / STEPS * 1000:.0f} ms",
        reached=f"{slower:+.1%}",
        bar="10 %",
        met=slower < 0.1,
        numbers={"processor_seconds": seconds, "steps": STEPS, "threads": threads},
    )


def _small(folder: Path, few: Path, threads: int) -> Result:
    photographs = sum(1 for _ in folder.rglob("*.jpg"))
    first_reading(folder)
    run, alone = (once(partial(whole_run, each, None, threads), threads) for each in (folder, few))
    more = run.peak - alone.peak
    return Result(
        what=f"K=2 run on {photographs:,} photographs of {SIDE} px: memory over the model's own need",
        twin=f"the same with {FEW} images {gib(alone.peak)}",
        ours=gib(run.peak),
        reached=f"{more / 2**30:.2f} GiB more",
        bar="1.5 GiB more",
        met=more < 1.5 * 2**30,
        numbers={"photographs": photographs, "peak_bytes": run.peak, "alone_bytes": alone.peak, "threads": threads},
    )


def once(make: Make, threads: int) -> measure.Took:
    """What it took, in a process of its own."""
    return measure.interleave({"ours": make}, threads=threads, repeats=1)["ours"][0]


def gib(count: int) -> str:
    """That many bytes, in GiB."""
    return f"{count / 2**30:.2f} GiB"
