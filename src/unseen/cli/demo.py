"""The demo: ERM against ADA on the built-in digits, several seeds, side by side on this machine's cores."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from unseen import sweep
from unseen.base.files import write_atomically
from unseen.data.catalogue import domain, targets
from unseen.data.domain import Domain
from unseen.engine import Engine
from unseen.method.settings import ADA, ERM
from unseen.reporting.evaluation import result_line, score_run
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.wording import compare, counted, signed, span
from unseen.reporting.runs.page import write_page
from unseen.runs.config import Cadence
from unseen.runs.console import clock
from unseen.runs.job import HELD_OUT, Job
from unseen.runs.request import Request
from unseen.sweep.workers import default_jobs

# A quarter of the paper's width, so that training continues well past fitting the source, as it does in the paper, and
# four seeds of each method still take less than five minutes on two cores. K=2 and gamma=1 are the paper's.
STEPS = 5500
METHODS = {"ada": ADA(K=2, gamma=1.0, T=STEPS), "erm": ERM(T=STEPS)}
CADENCE = Cadence(record=100, watch=500, save=1500)
JOB = Job(width=0.25, watch=(HELD_OUT[Job().source], *targets()), watch_images=200)


def demo_requests(folder: Path, seeds: int) -> list[Request]:
    """ADA and ERM for each seed, one thread each; the longer trainings first, so that no core waits at the end.

    In float32 everywhere, so that the numbers depend on the machine as little as they can.
    """
    return [
        Request(ada, JOB, seed, folder / f"{name}-seed{seed}", Engine("cpu", "float32", threads=1), CADENCE)
        for name, ada in METHODS.items()
        for seed in range(seeds)
    ]


def command(folder: Path, seeds: int) -> str:
    """What to type to run this demo, or to resume it."""
    return f"unseen demo --seeds {seeds} --out {shlex.quote(str(folder))}"


def run_demo(folder: Path, seeds: int, console: Console) -> Path:
    """Train, score every built-in target, print the table and write the page, whose path is returned."""
    start = time.monotonic()
    requests = demo_requests(folder, seeds)
    console.print(
        f"ERM and adversarial data augmentation (ADA) on {JOB.source}: {len(requests)} trainings of "
        f"{requests[0].ada.T} steps, {min(len(requests), default_jobs(1))} at once.",
        highlight=False,
    )
    sweep.run(requests, retry=True, progress=console).check(command(folder, seeds))
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
            accuracy[request.ada.K > 0][request.seed] = score_run(request.out, [scored])[0].value
        ada, erm = accuracy[True], accuracy[False]
        found = compare(scored.name, "ADA", "ERM", ada, erm)
        interval = span(found.interval) if found.interval else "none"
        means = [f"{mean(list(values.values())):.1%}" for values in (erm, ada)]
        name = f"{scored.name} (source)" if scored.name in HELD_OUT.values() else scored.name
        table.add_row(name, f"{len(scored):,}", *means, signed(found.gap), interval)
    table.caption = f"Last iterate; {counted(len(requests) // 2, 'seed')}; target data selected nothing"
    return table
