"""Peak memory of a K=4 run in a run folder, imports and all, against the bytes of its pool.

The net is the paper's, so the activations are; one ascent step and few training steps, which need as much memory at
a time as many do.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory

import unseen
from benchmarks import measure, sides
from benchmarks.measure import Result

K = 4


def run(quick: bool) -> list[Result]:
    images = 64 if quick else 10_000
    threads = measure.thread_counts(quick)[0]
    took = measure.interleave({"ours": partial(ours, images)}, threads=threads, repeats=1)["ours"][0]
    pool, bound = took.result, 1.3 * took.result + 2**30
    result = Result(
        what=f"peak memory of a K={K} run on {images:,} digits",
        twin=f"pool {_gib(pool)}",
        ours=_gib(took.peak),
        reached=f"1.3x the pool is {_gib(int(1.3 * pool))}, and {_gib(took.peak - int(1.3 * pool))} more",
        bar=f"1.3x the pool + 1 GiB = {_gib(int(bound))}",
        met=took.peak <= bound,
        numbers={"images": images, "pool_bytes": pool, "peak_bytes": took.peak, "threads": threads},
    )
    return [result]


def _gib(count: int) -> str:
    return f"{count / 2**30:.2f} GiB"


@contextmanager
def ours(images: int) -> sides.Work:
    def work() -> int:
        ada = unseen.ADA(K=K, T_min=1, T_max=1, T=2 * K)
        with TemporaryDirectory() as folder:
            run = unseen.fit(sides.convnet(), sides.digits(images), ada, folder=folder, engine=unseen.Engine("cpu"))
        return len(run.pool) * run.pool.source[0].nbytes

    yield work
