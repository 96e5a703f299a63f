"""Denormals: does a plain training step get slower as weights die and Adam's moments of them go denormal?

A narrow net is really trained, by the plain twin with denormals left alone and by the same with denormals flushed,
turn about; each burst of steps goes on from the one before. A tenth of a run would end before there are any.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

import torch

from benchmarks import measure, sides
from benchmarks.measure import Result

WIDTH = 0.25


def run(quick: bool) -> list[Result]:
    steps, bursts = (2, 2) if quick else (500, 6)
    threads = measure.thread_counts(quick)[0]
    makes = {
        "left alone": partial(burst, steps, flush=False),
        "flushed": partial(burst, steps, flush=True),
    }
    tooks = measure.interleave(makes, threads=threads, repeats=bursts)
    ms = {name: [took.seconds / steps * 1e3 for took in of] for name, of in tooks.items()}
    last = {name: min(times[-2:]) for name, times in ms.items()}  # of the last two bursts the less disturbed
    share = tooks["left alone"][-1].result
    result = Result(
        what=f"denormals, training step after {steps * bursts:,} steps, net of quarter width",
        twin=f"{last['left alone']:.2f} ms left alone",
        ours=f"{last['flushed']:.2f} ms flushed",
        reached=f"{last['left alone'] / last['flushed']:.2f}x; {share:.1%} of Adam's first moments are denormal",
        bar="",
        met=None,
        numbers={
            "ms_per_step": ms, "denormal_share": [took.result for took in tooks["left alone"]],
            "steps_per_burst": steps, "width": WIDTH, "threads": threads,
        },
    )  # fmt: skip
    return [result]


@contextmanager
def burst(steps: int, flush: bool) -> sides.Work:
    """Trains on by ``steps`` steps; the share of Adam's first moments that is denormal after them."""
    torch.set_flush_denormal(flush)
    train, optimizer = sides.plain_training(WIDTH)

    def work() -> float:
        train(steps)
        return denormal_share([slots["exp_avg"] for slots in optimizer.state.values()])

    yield work


def denormal_share(tensors: list[torch.Tensor]) -> float:
    """Counted in the bits: a comparison of floats would see zeros where denormals are flushed."""
    bits = torch.cat([tensor.flatten() for tensor in tensors]).view(torch.int32) & 0x7FFFFFFF
    return float(((bits > 0) & (bits < 0x00800000)).double().mean())
