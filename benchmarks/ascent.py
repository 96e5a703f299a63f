"""The ascent on the paper's digit net, default precision and float32, against the plain twin: on all cores, on one."""

from __future__ import annotations

from functools import partial

import torch
from torch.utils.flop_counter import FlopCounterMode

import unseen
from benchmarks import measure, sides
from benchmarks.measure import Result, in_words

T_MAX = 15


def run(quick: bool) -> list[Result]:
    images, width, gemm, repeats = (8, 1 / 16, 128, 1) if quick else (128, 1.0, 2048, 3)
    return [
        result for threads in measure.thread_counts(quick) for result in _compare(images, width, gemm, repeats, threads)
    ]


def _compare(images: int, width: float, gemm: int, repeats: int, threads: int) -> list[Result]:
    makes = {
        "plain": partial(sides.plain_ascent, images, T_MAX, width),
        "plain, reference detached": partial(sides.plain_ascent, images, T_MAX, width, detached=True),
        "ours": partial(sides.our_ascent, images, T_MAX, width),
        "ours, float32": partial(sides.our_ascent, images, T_MAX, width, "float32"),
        "gemm": measure.gemm(gemm),
    }
    tooks = measure.interleave(makes, threads=threads, repeats=repeats)
    seconds = {name: measure.best(of).seconds for name, of in tooks.items()}
    rate = measure.gemm_operations(gemm) / seconds.pop("gemm")
    micros = {name: s / images / T_MAX * 1e6 for name, s in seconds.items()}
    reached = operations(sides.convnet(width), torch.zeros(1, 3, 32, 32)) / micros["ours, float32"] * 1e6
    start, moved = sides.digits(images).images.numpy(), {name: of[-1].result for name, of in tooks.items()}
    apart = {name: sides.apart(moved[name], moved["plain"], start) for name in ("ours", "ours, float32")}
    numbers = {
        "threads": threads, "images": images, "T_max": T_MAX, "width": width, "best_of": repeats,
        "us_per_image_step": micros, "gemm_gflops": rate / 1e9, "float32_gflops": reached / 1e9, "apart": apart,
    }  # fmt: skip
    return [_default(micros, numbers), _float32(micros, numbers, reached / rate)]


def operations(net: unseen.Split, x: torch.Tensor) -> int:
    """What one ascent step has to multiply and add: a forward pass and the gradient for the input."""
    with net.frozen(), FlopCounterMode(display=False) as counted:
        net(x.requires_grad_()).sum().backward()
    return counted.get_total_flops()


def _default(micros: dict[str, float], numbers: dict) -> Result:
    ratio = micros["plain"] / micros["ours"]
    fairer = micros["plain, reference detached"] / micros["ours"]
    return Result(
        what=f"ascent, ConvNet, {unseen.Engine('cpu').precision}, {in_words(numbers['threads'])}, per image and step",
        twin=f"{micros['plain']:,.0f} us",
        ours=f"{micros['ours']:,.0f} us",
        reached=f"{ratio:.1f}x ({fairer:.1f}x a twin that detaches its reference features)",
        bar="6x",
        met=ratio >= 6,
        numbers=numbers,
    )


def _float32(micros: dict[str, float], numbers: dict, share: float) -> Result:
    ratio = micros["plain"] / micros["ours, float32"]
    return Result(
        what=f"ascent, ConvNet, float32, {in_words(numbers['threads'])}, per image and step",
        twin=f"{micros['plain']:,.0f} us",
        ours=f"{micros['ours, float32']:,.0f} us",
        reached=f"{ratio:.1f}x, {share:.0%} of the GEMM rate ({numbers['gemm_gflops']:.0f} GFLOP/s)",
        bar="1.5x and 60 % of the float32 GEMM rate",
        met=ratio >= 1.5 and share >= 0.6,
        numbers=numbers,
    )
