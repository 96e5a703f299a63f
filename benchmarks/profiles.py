"""What the time of an ascent and of a training step is spent on, plain and ours: torch's profiler, one thread.

Layout changes that a convolution makes inside itself count as its arithmetic. The kernel's share (page faults, mostly)
is measured without the profiler and lies across the groups.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import contextmanager
from functools import partial

import torch
from torch.autograd.profiler_util import FunctionEvent

from benchmarks import measure, sides
from benchmarks.measure import Make, Result, Took

GROUPS = {
    "arithmetic": r"aten::(mkldnn_convolution|convolution_backward|mkldnn_linear|addmm|mm|bmm|linear|_slow_conv.*)$",
    "pooling": r"max_pool2d|MaxPool2D",
    "copies, casts, layout": r"aten::(copy_|_to_copy|to|clone|contiguous|cat|index|stack|pad|constant_pad_nd|"
    r"pixel_shuffle|flip|permute|select.*|slice.*|to_dense|to_mkldnn|fill_|zero_)$",
    "elementwise and sums": r"aten::(?!empty|resize|as_strided|detach|view|reshape|flatten|t$|_?convolution|conv2d)",
}
OPTIMIZER, OTHER = "optimizer", "Python, autograd, other"


def run(quick: bool) -> list[Result]:
    images, T_max, steps, width, repeats = (8, 2, 2, 1 / 16, 1) if quick else (128, 3, 10, 1.0, 3)
    works = {
        "ascent": (partial(sides.plain_ascent, images, T_max, width), partial(sides.our_ascent, images, T_max, width)),
        "training step": (partial(sides.plain_steps, steps, width), partial(sides.our_steps, steps, width)),
    }
    return [_compare(name, plain, ours, repeats) for name, (plain, ours) in works.items()]


def _compare(name: str, plain: Make, ours: Make, repeats: int) -> Result:
    makes = {"plain": plain, "ours": ours}
    watched = {f"{side}, profiled": partial(profiled, make) for side, make in makes.items()}
    tooks = measure.interleave(makes | watched, threads=1, repeats=repeats)
    best = {side: measure.best(of) for side, of in tooks.items()}
    shares = {side: best[f"{side}, profiled"].result | _kernel(best[side]) for side in makes}
    return Result(
        what=f"profile, {name}, 1 thread: share of arithmetic",
        twin=f"{shares['plain']['arithmetic']:.0%} of {best['plain'].seconds:.2f} s",
        ours=f"{shares['ours']['arithmetic']:.0%} of {best['ours'].seconds:.2f} s",
        reached="",
        bar="",
        met=None,
        numbers={"shares": shares, "seconds": {side: best[side].seconds for side in makes}},
    )


def _kernel(took: Took) -> dict[str, float]:
    return {"in the kernel": took.system / took.seconds, "page faults per second": took.faults / took.seconds}


@contextmanager
def profiled(make: Make) -> sides.Work:
    """The same work, giving the share of time that each group of operators has."""
    with make() as work:

        def watched() -> dict[str, float]:
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as watcher:
                start = time.perf_counter()
                work()
                seconds = time.perf_counter() - start
            return shares_of(watcher.events(), seconds)

        yield watched


def shares_of(events: list[FunctionEvent], seconds: float) -> dict[str, float]:
    """By group, the operators' own time as a share of the whole; what no operator had is Python and autograd."""
    micros: Counter[str] = Counter(dict.fromkeys([*GROUPS, OPTIMIZER], 0))
    for event in events:
        micros[_group(event)] += event.self_cpu_time_total
    del micros[OTHER]
    shares = {group: us / 1e6 / seconds for group, us in micros.items()}
    return shares | {OTHER: 1 - sum(shares.values())}


def _group(event: FunctionEvent) -> str:
    above = event
    while above is not None:
        if above.name.startswith("Optimizer.step"):
            return OPTIMIZER
        above = above.cpu_parent
    return next((group for group, names in GROUPS.items() if re.search(names, event.name)), OTHER)
