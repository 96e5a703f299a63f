"""The demo: ERM, ADA as published and ADA over transformations on the built-in digits, several seeds of each."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Column, Table

from unseen import sweep
from unseen.base.writing import write_atomically
from unseen.data.catalogue import domain, targets
from unseen.engine import Engine
from unseen.method.settings import ADA, ERM
from unseen.reporting.evaluation import result_line
from unseen.reporting.finished.methods import Method, read_methods
from unseen.reporting.kit.scores import DomainScores
from unseen.reporting.kit.wording import counted, headline, signed, span
from unseen.reporting.runs.comparison import Compared, against_baseline, domain_scores, on_unseen, score_methods
from unseen.reporting.runs.page import write_page
from unseen.runs.config import Cadence
from unseen.runs.console import clock
from unseen.runs.job import HELD_OUT, Job
from unseen.runs.request import Request
from unseen.sweep.workers import default_jobs

# K=2 and gamma=1 are the paper's; those of the ascent over transformations were given, and nothing was tuned on the
# built-in targets. Only sizes follow from the time: three seeds of each method in less than five minutes on two cores.
# Hence a quarter of the paper's width, a quarter of its steps, and fewer fictitious images in a round than the source
# has: as many as give either method about half of its pool and as many steps of ascent (60,000 and 50,000 in all).
STEPS = 2500
METHODS = {
    "transformations": ADA(
        over="standard", gamma=1.0, K=10, T_max=5, n=1000, spread=True, keep=5, sampling="source", T=STEPS
    ),
    "ada": ADA(K=2, gamma=1.0, n=2000, T=STEPS),
    "erm": ERM(T=STEPS),
}
CADENCE = Cadence(record=100, watch=500, save=1500)
JOB = Job(width=0.25, watch=(HELD_OUT[Job().source], *targets()), watch_images=200)


def demo_requests(folder: Path, seeds: int) -> list[Request]:
    """Each method with each seed, one thread each; the longer trainings first, so that no core waits at the end.

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
        f"ERM, adversarial data augmentation (ADA), and ADA over transformations, on {JOB.source}: {len(requests)} "
        f"trainings of {requests[0].ada.T:,} steps, {min(len(requests), default_jobs(1))} at once. While they train, "
        f"an accuracy is of {JOB.watch_images} images; the table at the end has them all.",
        highlight=False,
    )
    sweep.run(requests, retry=True, progress=console).check(command(folder, seeds))
    folders = [request.out for request in requests]
    unseen, held_out = [domain(name) for name in targets()], [domain(HELD_OUT[JOB.source])]
    methods = read_methods(folders)
    scored = domain_scores(score_methods(methods, [*unseen, *held_out], None), unseen, held_out)
    compared = against_baseline(methods, scored)
    console.print(_table(methods, scored, compared))
    console.print(f"{headline(on_unseen(scored, compared))}.", highlight=False)
    lines = [json.dumps(result_line(run)) for run in folders]
    write_atomically(folder / "results.jsonl", "".join(f"{line}\n" for line in lines).encode())
    page = write_page(folders, folder / "report.html", targets=unseen)
    console.print(
        f"\nThe page: {page.resolve()}  ({clock(time.monotonic() - start)} min)", highlight=False, soft_wrap=True
    )
    return page


def _table(methods: Sequence[Method], scored: Sequence[DomainScores], compared: Compared) -> Table:
    """Each method's mean accuracy over the seeds, and its difference from ERM seed by seed with the interval."""
    names, *numbers = (Column(name, no_wrap=True) for name in ("domain", "accuracy", "over ERM", "95 % interval"))
    table = Table(names, "method", *numbers, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for each in scored:
        about = iter([each.name, f"{each.images:,} images", "held-out source" * each.source])
        for method in methods:
            found = compared.get((each.name, method.label))
            interval = "" if found is None else span(found.interval) if found.interval else "none"
            accuracy, gap = f"{each.mean(method.label):.1%}", signed(found.gap) if found else ""
            table.add_row(next(about, ""), method.name, accuracy, gap, interval)
        table.add_section()
    seeds = counted(len(methods[0].runs), "seed")
    table.caption = f"Last iterate, mean over {seeds}; points over ERM, t-interval over seeds; no target chose anything"
    return table
