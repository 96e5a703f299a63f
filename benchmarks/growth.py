"""Does the cost of an image stay what it is as there are more of them (n), and more rounds (K)?"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory

import unseen
from benchmarks import measure, sides
from benchmarks.measure import Result

BOUND = 1.15  # the dearest image against the cheapest


def run(quick: bool) -> list[Result]:
    threads = measure.thread_counts(quick)[0]
    return [_by_images(quick, threads), _by_rounds(quick, threads)]


def _by_images(quick: bool, threads: int) -> Result:
    """The ascent of n images, one step."""
    counts, width, repeats = ((128, 256), 1 / 16, 1) if quick else ((1_000, 5_000, 20_000, 50_000), 1.0, 3)
    makes = {str(n): partial(sides.our_ascent, n, 1, width) for n in counts}
    seconds = measure.best_seconds(makes, threads=threads, repeats=repeats)
    micros = {n: s / int(n) * 1e6 for n, s in seconds.items()}
    return _result(f"ascent of {counts[0]:,} to {counts[-1]:,} images, time per image", micros, repeats, threads)


def _by_rounds(quick: bool, threads: int) -> Result:
    """K rounds of a run in a run folder, saving included."""
    images, width, repeats = (64, 1 / 16, 1) if quick else (2_000, 1.0, 3)
    makes = {str(K): partial(rounds, K, images, width) for K in (1, 2, 4, 8)}
    tooks = measure.interleave(makes, threads=threads, repeats=repeats)
    micros = {K: min(took.result for took in of) / int(K) / images * 1e6 for K, of in tooks.items()}
    return _result(f"rounds of {images:,} images, K = 1 to 8, time per fictitious image", micros, repeats, threads)


def _result(what: str, micros: dict[str, float], repeats: int, threads: int) -> Result:
    spread = max(micros.values()) / min(micros.values())
    return Result(
        what=what,
        twin="",
        ours=", ".join(f"{m:,.0f}" for m in micros.values()) + " us",
        reached=f"{spread - 1:.1%} between the dearest and the cheapest",
        bar=f"{BOUND - 1:.0%}",
        met=spread <= BOUND,
        numbers={"us_per_image": micros, "spread": spread, "best_of": repeats, "threads": threads},
    )


@contextmanager
def rounds(K: int, images: int, width: float) -> sides.Work:
    source = sides.digits(images)

    def work() -> float:
        clock, ada = sides.MaximizeClock(), unseen.ADA(K=K, T_min=1, T_max=2, T=K + 1)
        with TemporaryDirectory() as folder:
            net, engine = sides.convnet(width), unseen.Engine("cpu")
            unseen.fit(net, source, ada, folder=folder, engine=engine, progress=clock)
        return clock.seconds

    yield work
