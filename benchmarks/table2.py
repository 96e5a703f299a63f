"""The paper's full-scale street experiment, a few steps of each phase: seconds, peak memory, what Table 2 would take.

FCN with a ResNet-50 body, 192x320, batches of 8, on built-in scenes, on all cores. Table 2 is 10 sources, each trained
with ERM and with ADA (K=1, T_max=50, 900 fictitious images), one seed, with the recipe's T; scoring is not counted.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import unseen
from benchmarks import measure, sides
from benchmarks.measure import Result
from unseen.paper.lab import Scale
from unseen.paper.streets.lab import PAPER
from unseen.paper.streets.names import TABLE2

TINY = replace(PAPER, name="tiny", model="fcn-resnet18", size=(32, 48), images=2, T=2, T_max=1, batch=2)


def run(quick: bool) -> list[Result]:
    scale, steps = (TINY, 1) if quick else (PAPER, 3)
    threads = measure.thread_counts(quick)[0]
    phases = {"training": partial(training, scale, steps), "ascent": partial(ascent, scale, steps)}
    tooks = {
        name: measure.interleave({name: make}, threads=threads, repeats=1)[name][0] for name, make in phases.items()
    }
    seconds = {name: took.result for name, took in tooks.items()}
    peak = max(took.peak for took in tooks.values()) / 2**30
    hours = _hours(scale, seconds)
    return [
        Result(
            what=f"Table 2 at the {scale}, {unseen.Engine('cpu').precision}, {measure.in_words(threads)}",
            twin="",
            ours=f"a training step {seconds['training']:.1f} s, an ascent step of a batch {seconds['ascent']:.1f} s, "
            f"peak memory {peak:.1f} GiB",
            reached=f"{hours:,.0f} h for one seed, extrapolated",
            bar="",
            met=None,
            numbers={"threads": threads, "steps": steps, "seconds": seconds, "peak_gib": peak, "hours_one_seed": hours},
        )
    ]


def _hours(scale: Scale, seconds: dict[str, float]) -> float:
    assert scale.images is not None
    batches = -(-scale.images // scale.batch)
    each = 2 * scale.T * seconds["training"] + batches * scale.T_max * seconds["ascent"]
    return len(TABLE2) * each / 3600


def _problem(scale: Scale) -> tuple[unseen.Split, unseen.Domain]:
    domain = unseen.domain("highway-dawn", scale.size, images=scale.batch)
    body = scale.model.removeprefix("fcn-")
    return unseen.split(unseen.models.FCN(len(domain.classes), body=body)), domain


@contextmanager
def training(scale: Scale, steps: int) -> sides.Work:
    """Seconds of a minimization step; the first one, which warms up, isn't counted."""
    net, domain = _problem(scale)
    ends: list[float] = []

    def work() -> float:
        ada = unseen.ERM(T=steps + 1, batch=scale.batch)
        unseen.fit(net, domain, ada, engine=unseen.Engine("cpu"), progress=lambda _: ends.append(time.perf_counter()))
        return (ends[-1] - ends[1]) / steps

    yield work


@contextmanager
def ascent(scale: Scale, steps: int) -> sides.Work:
    """Seconds of one ascent step of a batch."""
    net, domain = _problem(scale)
    engine = unseen.Engine("cpu")
    ada = unseen.ADA(K=1, eta=scale.eta, T_max=steps, batch=scale.batch)
    with engine.running():
        engine.place(net, domain.images[:1])
        x, y = engine.put(domain.images, domain.labels)

        def work() -> float:
            start = time.perf_counter()
            unseen.ascend(net, x, y, ada, engine=engine)
            return (time.perf_counter() - start) / steps

        yield work
