"""A folder of images with masks that is larger than what is kept in memory: memory, and time to the first step.

As in ``folder``, the net is small, the steps are few, and the files are copies of a few generated ones.
"""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

import unseen
from benchmarks import folder, measure
from benchmarks.folder import gib
from benchmarks.measure import Result
from unseen.base.extras import require
from unseen.base.randomness import generator

HEIGHT, WIDTH, CLASSES, PAIRS, BLOCK = 192, 320, 6, 16, 16
FEW = 64  # pairs of the run that shows what the model needs by itself


def run(quick: bool) -> list[Result]:
    pairs, made = (200, 20) if quick else (5_000, FEW)
    threads = measure.thread_counts(quick)[-1]
    with folder.temporary_place() as place:
        write_pairs(place / "many", pairs)
        write_pairs(place / "few", FEW)
        first = folder.first_reading(place / "many", read)
        many, few = (
            folder.once(partial(folder.whole_run, place / name, made, threads, read, net), threads)
            for name in ("many", "few")
        )
    floats = pairs * (3 * 4 + 1) * HEIGHT * WIDTH
    what = f"K=2 run on {pairs:,} pairs of {WIDTH}x{HEIGHT}, rounds of {made}"
    numbers = {"pairs": pairs, "threads": threads, "first_reading_seconds": first, "first_step_seconds": many.result,
               "peak_bytes": many.peak, "alone_bytes": few.peak}  # fmt: skip
    return [
        Result(
            what=f"{what}: memory over the model's own need",
            twin=f"images as floats and masks as bytes {gib(floats)}; the same run with {FEW} pairs {gib(few.peak)}",
            ours=gib(many.peak),
            reached=f"{(many.peak - few.peak) / 2**30:+.2f} GiB",
            bar="1.5 GiB more",
            met=many.peak - few.peak < 1.5 * 2**30,
            numbers=numbers,
        ),
        Result(
            what=f"{what}: time to the first step",
            twin=f"first reading {first:.0f} s, {pairs / first:.0f} pairs/s",
            ours=f"{many.result:.1f} s",
            reached=f"{many.result:.1f} s after the first reading",
            bar="60 s",
            met=many.result < 60,
            numbers=numbers,
        ),
    ]


def read(place: Path) -> unseen.Domain:
    return unseen.domain(f"masks:{place}")


def write_pairs(place: Path, count: int) -> None:
    """``count`` PNG images of 320x192, each with its mask."""
    draw = generator(0, "pairs")
    contents = [(_png(_image(draw)), _png(_mask(draw))) for _ in range(PAIRS)]
    for part in ("images", "masks"):
        (place / part).mkdir(parents=True)
    (place / "classes.txt").write_text("\n".join(f"class-{i}" for i in range(CLASSES)))
    for i in range(count):
        for part, content in zip(("images", "masks"), contents[i % PAIRS], strict=True):
            (place / part / f"{i:06d}.png").write_bytes(content)


def net() -> unseen.Split:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=4, padding=1), nn.ReLU(), nn.Conv2d(16, CLASSES, 1), nn.Upsample(scale_factor=4)
    )
    return unseen.split(model, head="2")


def _image(draw: torch.Generator) -> Tensor:
    coarse = torch.rand(1, 3, HEIGHT // 8, WIDTH // 8, generator=draw)
    smooth = nn.functional.interpolate(coarse, (HEIGHT, WIDTH), mode="bicubic")[0]
    noisy = smooth + 0.05 * torch.randn(smooth.shape, generator=draw)
    return (noisy.clamp(0, 1) * 255).byte().movedim(0, 2)


def _mask(draw: torch.Generator) -> Tensor:
    coarse = torch.randint(CLASSES, (HEIGHT // BLOCK, WIDTH // BLOCK), generator=draw)
    return coarse.byte().repeat_interleave(BLOCK, 0).repeat_interleave(BLOCK, 1)


def _png(values: Tensor) -> bytes:
    file = io.BytesIO()
    require("PIL.Image", "folder").fromarray(values.numpy()).save(file, "PNG")
    return file.getvalue()
