"""One training step on a batch of 32 digits, early in training: ours against the plain twin."""

from __future__ import annotations

from functools import partial

import unseen
from benchmarks import measure, sides
from benchmarks.measure import Result, in_words


def run(quick: bool) -> list[Result]:
    steps, width, repeats = (3, 1 / 16, 1) if quick else (40, 1.0, 4)
    return [_compare(steps, width, repeats, threads) for threads in measure.thread_counts(quick)]


def _compare(steps: int, width: float, repeats: int, threads: int) -> Result:
    makes = {
        "plain": partial(sides.plain_steps, steps, width),
        "ours": partial(sides.our_steps, steps, width),
        "ours, float32": partial(sides.our_steps, steps, width, "float32"),
    }
    seconds = measure.best_seconds(makes, threads=threads, repeats=repeats)
    ms = {name: s / steps * 1e3 for name, s in seconds.items()}
    return Result(
        what=f"training step, {unseen.Engine('cpu').precision}, {in_words(threads)}",
        twin=f"{ms['plain']:.1f} ms",
        ours=f"{ms['ours']:.1f} ms (float32 {ms['ours, float32']:.1f})",
        reached=f"{ms['plain'] / ms['ours']:.1f}x (float32 {ms['plain'] / ms['ours, float32']:.1f}x)",
        bar="",
        met=None,
        numbers={"threads": threads, "steps": steps, "width": width, "best_of": repeats, "ms_per_step": ms},
    )
