"""The demo: plain training against ours on the built-in digits, several seeds, side by side on this machine's cores."""

from __future__ import annotations

import os
import queue
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.console import Console

from unseen.console import showing_many
from unseen.data.catalogue import targets
from unseen.engine import Engine
from unseen.job import HELD_OUT, Job
from unseen.recorder import Cadence, Progress
from unseen.request import Request, train
from unseen.run import RunFolder
from unseen.settings import ADA, ERM

STEPS, FICTITIOUS = 800, 800  # what fits into five minutes on two cores; the paper has 10,000 of each
CADENCE = Cadence(record=50, watch=100, save=200)
JOB = Job(watch=(HELD_OUT[Job().source], *targets()), watch_images=200)


def demo_requests(folder: Path, seeds: int) -> list[Request]:
    """ERM and ADA (K=2, gamma=1, the paper's) for each seed, one thread each."""
    methods = {"erm": ERM(T=STEPS), "ada": ADA(T=STEPS, n=FICTITIOUS)}
    return [
        Request(ada, JOB, seed, folder / f"{name}-seed{seed}", Engine("cpu", 1), CADENCE)
        for seed in range(seeds)
        for name, ada in methods.items()
    ]


def train_all(requests: Sequence[Request], console: Console) -> None:
    """Train every request, as many at once as there are cores; what an earlier demo began or finished goes on."""
    context = get_context("spawn")
    workers = min(len(requests), len(os.sched_getaffinity(0)))
    with (
        context.Manager() as manager,
        ProcessPoolExecutor(workers, mp_context=context) as executor,
        showing_many(console) as show,
    ):
        heard: Any = manager.Queue()
        futures = [executor.submit(_train_one, request, heard) for request in requests]
        try:
            _listen(heard, futures, show)
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _listen(heard: Any, futures: Sequence[Future[None]], show: Any) -> None:
    while not all(future.done() for future in futures) or not heard.empty():
        for future in futures:
            if future.done():
                future.result()
        try:
            show(*heard.get(timeout=0.5))
        except queue.Empty:
            continue


def _train_one(request: Request, heard: Any) -> None:
    def tell(progress: Progress) -> None:
        if progress.line is not None or progress.done % 10 == 0 or progress.phase == "maximize":
            heard.put((request.out.name, progress))

    train(request, resume=RunFolder(request.out).started, progress=tell)
