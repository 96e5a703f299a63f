"""The built-in street scenes: images rendered per second of one core's time, at the paper's 192x320."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial

from benchmarks import measure, sides
from benchmarks.measure import Result
from unseen import scenes
from unseen.data.streets.classes import CONDITIONS, PLACES, SIZE

LEAST = 20
"""images per second and core"""


def run(quick: bool) -> list[Result]:
    images, size, repeats = (1, (48, 80), 1) if quick else (8, SIZE, 3)
    return [_measure(place, images, size, repeats) for place in PLACES]


def _measure(place: str, images: int, size: tuple[int, int], repeats: int) -> Result:
    tooks = measure.interleave({place: partial(rendering, place, images, size)}, threads=1, repeats=repeats)
    rates = [took.result for took in tooks[place]]
    return Result(
        what=f"built-in scenes, {place}, {size[0]}x{size[1]}, all conditions, one core",
        twin="",
        ours=f"{max(rates):.0f} images/s",
        reached=f"{max(rates):.0f} images/s",
        bar=f"{LEAST} images/s",
        met=max(rates) >= LEAST,
        numbers={"images": images * len(CONDITIONS), "size": size, "best_of": repeats, "images_per_second": rates},
    )


@contextmanager
def rendering(place: str, images: int, size: tuple[int, int]) -> sides.Work:
    """Processor time, not the clock's: other processes may be at work. What scenes share is made before."""
    scenes.render(place, CONDITIONS[0], index=0, size=size)

    def work() -> float:
        start = time.process_time()
        for condition in CONDITIONS:
            for index in range(images):
                scenes.render(place, condition, index=index, size=size)
        return images * len(CONDITIONS) / (time.process_time() - start)

    yield work
