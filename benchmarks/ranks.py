"""One round's maximization by two torchrun processes of one thread, against one process of one thread.

``python -m benchmarks.ranks IMAGES WIDTH`` is what each of them runs; rank 0 prints the seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys

import unseen
from benchmarks import measure, sides
from benchmarks.measure import ROOT, Result

ALONE = [sys.executable]
TWO = [*ALONE, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def run(quick: bool) -> list[Result]:
    images, width, repeats = (64, 1 / 16, 1) if quick else (1_536, 1.0, 3)
    seconds: dict[str, list[float]] = {"one": [], "two": []}
    for _ in range(repeats):
        seconds["one"].append(_seconds(ALONE, images, width))
        seconds["two"].append(_seconds(TWO, images, width))
    one, two = (min(times) for times in seconds.values())
    result = Result(
        what=f"maximization of {images:,} images, 2 torchrun processes of 1 thread against 1",
        twin=f"{one:.1f} s alone",
        ours=f"{two:.1f} s together",
        reached=f"{one / two:.2f}x",
        bar="1.7x",
        met=one / two >= 1.7,
        numbers={"seconds": seconds, "images": images, "width": width, "cores": measure.cores()},
    )
    return [result]


def _seconds(launcher: list[str], images: int, width: float) -> float:
    command = [*launcher, "-m", "benchmarks.ranks", str(images), str(width)]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}  # torchrun would set it too, and say so
    done = subprocess.run(command, cwd=ROOT, env=one_thread, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def maximize(images: int, width: float) -> None:
    """A run whose one round is timed."""
    clock, engine = sides.MaximizeClock(), unseen.Engine("cpu", threads=1)
    ada = unseen.ADA(K=1, T_min=1, T=2)
    unseen.fit(sides.convnet(width), sides.digits(images), ada, engine=engine, progress=clock)
    if engine.rank == 0:
        print(clock.seconds)


if __name__ == "__main__":
    maximize(int(sys.argv[1]), float(sys.argv[2]))
