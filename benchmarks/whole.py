"""A whole K=2 run, from the first step to the targets' accuracies, every count a tenth of the paper's.

Ours is ``unseen.fit`` with a run folder and a watched domain, then ``unseen.evaluate``; the twin is a plain loop that
evaluates as often and saves nothing. The checkpoints' cadence stays: each is as large as in a full run.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory

import unseen
from benchmarks import measure, sides, twins
from benchmarks.measure import Result

EVERY = 50  # steps between two looks at the watched domain: a tenth of the default
TARGETS = {"SVHN": 26_032, "MNIST-M": 9_001, "SYN": 9_553, "USPS": 2_007}  # the paper's, by their test sets' sizes


def run(quick: bool) -> list[Result]:
    part, width, repeats = (1000, 1 / 16, 1) if quick else (10, 1.0, 2)
    threads = measure.thread_counts(quick)[0]
    makes = {"plain": partial(plain, part, width), "ours": partial(ours, part, width)}
    tooks = measure.interleave(makes, threads=threads, repeats=repeats)
    seconds = {name: [took.seconds for took in of] for name, of in tooks.items()}
    ratio = min(seconds["plain"]) / min(seconds["ours"])
    result = Result(
        what=f"whole K=2 run, evaluation included, every count 1/{part} ({_ada(part).T:,} steps)",
        twin=f"{min(seconds['plain']):.0f} s",
        ours=f"{min(seconds['ours']):.0f} s",
        reached=f"{ratio:.1f}x",
        bar="3x",
        met=ratio >= 3,
        numbers={"seconds": seconds, "part": part, "width": width, "threads": threads},
    )
    return [result]


def _ada(part: int) -> unseen.ADA:
    return unseen.ADA(K=2, T_min=max(100 // part, 1), T=10_000 // part)


def _domains(part: int) -> tuple[unseen.Domain, dict[str, unseen.Domain], list[unseen.Domain]]:
    """The source, what is watched and the targets: built-in digits, as many as a part of the paper's."""
    source, held_out = sides.digits(10_000 // part), sides.digits(1000 // part, "mnist5k-heldout")
    targets = [sides.digits(count // part, "mnist5k-heldout") for count in TARGETS.values()]
    return source, {"held-out": held_out}, targets


@contextmanager
def plain(part: int, width: float) -> sides.Work:
    source, watch, targets = _domains(part)

    def work() -> list[float]:
        net = sides.convnet(width)
        twins.run(net, source, _ada(part), seed=0, watch=watch, every=EVERY)
        return [twins.accuracy(net, target) for target in targets]

    yield work


@contextmanager
def ours(part: int, width: float) -> sides.Work:
    source, watch, targets = _domains(part)
    cadence = unseen.Cadence(watch=EVERY)

    def work() -> list[float]:
        net, engine = sides.convnet(width), unseen.Engine("cpu")
        with TemporaryDirectory() as folder:
            unseen.fit(net, source, _ada(part), folder=folder, watch=watch, cadence=cadence, engine=engine)
        return [unseen.evaluate(net, target) for target in targets]

    yield work
