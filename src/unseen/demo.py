"""The demo: plain training against ours on the built-in digits, several seeds, side by side on this machine's cores."""

from __future__ import annotations

import json
import os
import queue
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from unseen.console import clock, showing_many
from unseen.data.catalogue import domain, targets
from unseen.data.domain import Domain
from unseen.engine import Engine
from unseen.evaluation import result_line, score_run
from unseen.job import HELD_OUT, Job
from unseen.recorder import Cadence, Progress
from unseen.report.page import write_page
from unseen.report.statistics import mean
from unseen.report.verdicts import compare, counted, signed, span
from unseen.request import Request, train
from unseen.run import RunFolder
from unseen.settings import ADA, ERM
from unseen.storage import write_atomically

# A quarter of the paper's width, so that training goes on well past fitting the source, as it does in the paper, and
# four seeds of each method still take less than five minutes on two cores. K=2 and gamma=1 are the paper's.
STEPS = 5500
METHODS = {"ada": ADA(K=2, gamma=1.0, T=STEPS), "erm": ERM(T=STEPS)}
CADENCE = Cadence(record=100, watch=500, save=1500)
JOB = Job(width=0.25, watch=(HELD_OUT[Job().source], *targets()), watch_images=200)


def demo_requests(folder: Path, seeds: int) -> list[Request]:
    """ADA and ERM for each seed, one thread each; the longer trainings first, so that no core waits at the end."""
    return [
        Request(ada, JOB, seed, folder / f"{name}-seed{seed}", Engine("cpu", 1), CADENCE)
        for name, ada in METHODS.items()
        for seed in range(seeds)
    ]


def run_demo(folder: Path, seeds: int, console: Console) -> Path:
    """Train, score every built-in target, print the table and write the page, whose path is returned."""
    start = time.monotonic()
    requests = demo_requests(folder, seeds)
    console.print(
        f"Plain training (ERM) and adversarial data augmentation (ADA) on {JOB.source}: {len(requests)} trainings of "
        f"{requests[0].ada.T} steps, {_workers(requests)} at once.",
        highlight=False,
    )
    train_all(requests, console)
    unseen = [domain(name) for name in targets()]
    console.print(_table(requests, [domain(HELD_OUT[JOB.source]), *unseen]))
    lines = [json.dumps(result_line(request.out)) for request in requests]
    write_atomically(folder / "results.jsonl", "".join(f"{line}\n" for line in lines).encode())
    page = write_page([request.out for request in requests], folder / "report.html", targets=unseen)
    console.print(
        f"\nThe page: {page.resolve()}  ({clock(time.monotonic() - start)} min)", highlight=False, soft_wrap=True
    )
    return page


def _table(requests: Sequence[Request], domains: Sequence[Domain]) -> Table:
    """Mean accuracy over the seeds, and the difference seed by seed with its interval."""
    table = Table("domain", "images", "ERM", "ADA", "difference in points", "95 % interval over seeds")
    for scored in domains:
        accuracy: dict[bool, dict[int, float]] = {False: {}, True: {}}
        for request in requests:
            accuracy[request.ada.K > 0][request.seed] = score_run(request.out, [scored])[0].accuracy
        ours, theirs = accuracy[True], accuracy[False]
        found = compare(scored.name, "ADA", "ERM", ours, theirs)
        interval = span(found.interval) if found.interval else "none"
        means = [f"{mean(list(values.values())):.1%}" for values in (theirs, ours)]
        name = f"{scored.name} (source)" if scored.name in HELD_OUT.values() else scored.name
        table.add_row(name, f"{len(scored):,}", *means, signed(found.gap), interval)
    table.caption = f"Last iterate; {counted(len(requests) // 2, 'seed')}; target data selected nothing"
    return table


def train_all(requests: Sequence[Request], console: Console) -> None:
    """Train every request, as many at once as there are cores; what an earlier demo began or finished goes on."""
    context = get_context("spawn")
    heard: Any = context.Queue()
    with (
        ProcessPoolExecutor(_workers(requests), context, initializer=_tell_through, initargs=(heard,)) as executor,
        showing_many(console) as show,
    ):
        futures = [executor.submit(_train_one, request) for request in requests]
        try:
            _listen(heard, futures, show)
        except BaseException:
            for process in active_children():  # their runs can go on from their folders
                process.terminate()
            raise


def _workers(requests: Sequence[Request]) -> int:
    return min(len(requests), len(os.sched_getaffinity(0)))


def _listen(heard: Any, futures: Sequence[Future[None]], show: Callable[[str, Progress], None]) -> None:
    while not all(future.done() for future in futures) or not heard.empty():
        for future in futures:
            if future.done():
                future.result()
        try:
            show(*heard.get(timeout=0.5))
        except queue.Empty:
            continue


_heard: Any = None  # in a worker: where to tell the progress


def _tell_through(heard: Any) -> None:
    global _heard
    _heard = heard
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business: it ends the workers


def _train_one(request: Request) -> None:
    def tell(progress: Progress) -> None:
        if progress.line is not None or progress.done % 10 == 0 or progress.phase == "maximize":
            _heard.put((request.out.name, progress))

    train(request, resume=RunFolder(request.out).started, progress=tell)
