"""Transformations: a round over them against one over pixels, a training step with them, each against kornia's own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

import torch
from torch import Tensor

import unseen
from benchmarks import measure, sides
from benchmarks.measure import Make, Result, in_words
from benchmarks.sides import Work
from unseen.base.randomness import generator
from unseen.transforms import named

T_MAX = 5
OF_ROUND = 512
"""A round has thousands of images; they are transformed as many at once."""
ROUND_BAR, STEP_BAR = 1.3, 1.15
KORNIAS = ("affine", "hue", "solarize", "posterize", "blur", "warp")
"""Those of our transformations that kornia has one like."""
SMOOTHING = 15
"""Pixels: the side of the Gaussian that makes kornia's displacement as smooth as 5x5 knots do on 32x32 images."""


def run(quick: bool) -> list[Result]:
    images, steps, calls, width, repeats = (8, 2, 1, 1 / 16, 1) if quick else (128, 10, 5, 1.0, 10)
    of_round = images if quick else OF_ROUND
    counts = measure.thread_counts(quick)
    precisions = sorted({"float32", unseen.Engine("cpu").precision})  # bf16 only where the hardware multiplies it
    load = os.getloadavg()[0]
    made = [_rounds(of_round, width, repeats, p, threads) for threads in counts for p in precisions]
    made += [_steps(steps, width, repeats, p, threads) for threads in counts for p in precisions]
    if find_spec("kornia"):
        made += _against_kornia(images, calls, repeats)
    busy = {"load_before": round(load, 1), "busy": load > 0.5}
    return [replace(result, numbers={**result.numbers, **busy}) for result in made]


def _rounds(images: int, width: float, repeats: int, precision: str, threads: int) -> Result:
    makes = {over: partial(ascent, over, images, width, precision) for over in ("pixels", "standard")}
    micros = {over: s / images / T_MAX * 1e6 for over, s in _best_seconds(makes, threads, repeats).items()}
    ratio = micros["standard"] / micros["pixels"]
    return Result(
        what=f"ascent over transformations, ConvNet, {precision}, {_timed(threads)}, per image and step",
        twin=f"{micros['pixels']:,.0f} us over pixels",
        ours=f"{micros['standard']:,.0f} us",
        reached=f"{ratio:.2f}x",
        bar=f"at most {ROUND_BAR}x",
        met=ratio <= ROUND_BAR,
        numbers={
            "threads": threads, "precision": precision, "images": images, "T_max": T_MAX, "width": width,
            "best_of": repeats, "us_per_image_step": micros,
        },
    )  # fmt: skip


def _best_seconds(makes: Mapping[str, Make], threads: int, repeats: int) -> dict[str, float]:
    """On one thread seconds on its core, so that a busy machine doesn't matter much; on several, seconds."""
    if threads == 1:
        return measure.best_processor_seconds(makes, repeats=repeats)
    return measure.best_seconds(makes, threads=threads, repeats=repeats)


def _timed(threads: int) -> str:
    return in_words(threads) + ", processor time" * (threads == 1)


@contextmanager
def ascent(over: str, images: int, width: float, precision: str) -> Work:
    """A round's ascent, from drawn transformations or from the images as they are."""
    source, net, ada = sides.digits(images), sides.convnet(width), unseen.ADA(over=over, T_max=T_MAX)
    engine = unseen.Engine("cpu", precision)
    with engine.running():
        engine.place(net)
        x, y = engine.put(source.images, source.labels)
        yield lambda: unseen.fictitious(net, x, y, ada, engine=engine).images.numpy()


def _steps(steps: int, width: float, repeats: int, precision: str, threads: int) -> Result:
    makes = {
        "without": partial(sides.our_steps, steps, width, precision),
        "with": partial(sides.our_steps, steps, width, precision, unseen.ERM(augment="standard")),
    }
    ms = {name: s / steps * 1e3 for name, s in _best_seconds(makes, threads, repeats).items()}
    ratio = ms["with"] / ms["without"]
    return Result(
        what=f'training step with augment="standard", {precision}, {_timed(threads)}',
        twin=f"{ms['without']:.1f} ms without",
        ours=f"{ms['with']:.1f} ms",
        reached=f"{ratio:.2f}x",
        bar=f"at most {STEP_BAR}x",
        met=ratio <= STEP_BAR,
        numbers={
            "threads": threads, "precision": precision, "steps": steps, "width": width, "best_of": repeats,
            "ms_per_step": ms,
        },
    )  # fmt: skip


def _against_kornia(images: int, calls: int, repeats: int) -> list[Result]:
    makes = {"kornia": partial(each_alone, "kornia", images, calls), "ours": partial(each_alone, "ours", images, calls)}
    tooks = measure.interleave(makes, threads=1, repeats=repeats)
    results = []
    for name in KORNIAS:
        ms = {side: min(took.result[name] for took in of) * 1e3 for side, of in tooks.items()}
        result = Result(
            what=f"{name}, forward and backward, {images} digits, float32, {_timed(1)}",
            twin=f"{ms['kornia']:.1f} ms kornia",
            ours=f"{ms['ours']:.1f} ms",
            reached=f"{ms['kornia'] / ms['ours']:.1f}x",
            bar="",
            met=None,
            numbers={"threads": 1, "images": images, "calls": calls, "best_of": repeats, "ms": ms},
        )
        results.append(result)
    return results


@contextmanager
def each_alone(whose: str, images: int, calls: int) -> Work:
    """Each transformation by itself, every image with parameters of its own: the seconds of the quickest call."""
    x, works = sides.digits(images).images, {}
    for name in KORNIAS:
        (transform,) = named(name)
        w = transform.drawn(images, generator(0, name))
        if whose == "kornia" and name == "warp":  # it takes a number for each pixel
            w = torch.rand(images, 2 * x[0, 0].numel(), generator=generator(0, name))
        works[name] = partial(there_and_back, transform if whose == "ours" else kornias(name), x, w)
    yield lambda: {name: min(_processor_seconds(work) for _ in range(calls)) for name, work in works.items()}


def _processor_seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def there_and_back(act: Callable[[Tensor, Tensor], Tensor], x: Tensor, w: Tensor) -> None:
    """Forward, then gradients for the images and the parameters, as far as there are any."""
    free = [x.detach().requires_grad_(), w.detach().requires_grad_()]
    made = act(*free)
    if made.requires_grad:
        torch.autograd.grad(made.sum(), free, allow_unused=True)


def kornias(name: str) -> Callable[[Tensor, Tensor], Tensor]:
    """Kornia's own way to do what ours does, with the same parameters, and kept in [0, 1] as ours is."""
    from kornia import color, enhance, filters
    from kornia.geometry import transform

    def affine(x: Tensor, w: Tensor) -> Tensor:
        size = x.shape[-2:]
        center = torch.tensor(size).to(x).expand(len(x), 2) / 2
        scale = w[:, 2:3].exp().expand(-1, 2)
        matrix = transform.get_affine_matrix2d(w[:, 3:] * 16, center, scale, w[:, 0].rad2deg(), sx=w[:, 1])
        return transform.warp_affine(x, matrix[:, :2], tuple(size), padding_mode="border")

    def hue(x: Tensor, w: Tensor) -> Tensor:
        turned = enhance.adjust_hue_raw(color.rgb_to_hsv(x), w[:, 0])
        return color.hsv_to_rgb(enhance.adjust_saturation_raw(turned, w[:, 1].exp()))

    def posterize(x: Tensor, w: Tensor) -> Tensor:
        return enhance.posterize(x, (8 - w[:, 0].detach() * 14).int())

    def blur(x: Tensor, w: Tensor) -> Tensor:
        return filters.gaussian_blur2d(x, (5, 5), (w[:, :1].abs() + 0.1).expand(-1, 2))

    def warp(x: Tensor, w: Tensor) -> Tensor:
        noise = w.view(len(w), 2, *x.shape[-2:])
        return transform.elastic_transform2d(x, noise, (SMOOTHING,) * 2, (4.0, 4.0), padding_mode="border")

    acts: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "affine": affine, "hue": hue, "posterize": posterize, "blur": blur, "warp": warp,
        "solarize": lambda x, w: enhance.solarize(x, 1 - w[:, 0]),
    }  # fmt: skip
    return lambda x, w: acts[name](x, w).clamp(0, 1)
