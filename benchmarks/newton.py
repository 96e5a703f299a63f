"""The Newton point of a batch of digits' features: an m x m solve for each sample against the dense p x p backsolve."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor

import unseen
from benchmarks import measure, twins
from benchmarks.measure import Result, in_words
from benchmarks.sides import Work
from unseen.base.randomness import generator
from unseen.theory import newton_point

GAMMA = 2.0
"""times L1"""
OVER = 400
"""Ours is done so many times over, so that both sides take about as long and what disturbs one disturbs the other."""


def run(quick: bool) -> list[Result]:
    batch, features, repeats = (4, 16, 1) if quick else (64, 1024, 5)
    return [_compare(batch, features, repeats, dtype) for dtype in (torch.float32, torch.float64)]


def problem(batch: int, features: int, dtype: torch.dtype) -> tuple[unseen.Split, Tensor, Tensor, float]:
    """The head of a new digit net, features as a ReLU leaves them, labels, and a gamma."""
    head = unseen.models.ConvNet(seed=0, width=features / 1024).head.to(dtype)
    draw = generator(0, "features")
    z0 = torch.randn(batch, features, generator=draw).relu().to(dtype)
    net = unseen.split(torch.nn.Sequential(torch.nn.Identity(), head))
    return net, z0, torch.randint(10, (batch,), generator=draw), GAMMA * unseen.theory.constants(net).L1


@contextmanager
def side(solve: Callable[..., Tensor], times: int, batch: int, features: int, dtype: torch.dtype) -> Work:
    net, z0, y, gamma = problem(batch, features, dtype)

    @torch.no_grad()
    def work() -> None:
        for _ in range(times):
            solve(net, z0, y, gamma)

    newton_point(net, z0, y, gamma)  # torch loads its solver at the first call
    yield work


def _compare(batch: int, features: int, repeats: int, dtype: torch.dtype) -> Result:
    makes = {
        "plain": partial(side, twins.newton_point, 1, batch, features, dtype),
        "ours": partial(side, newton_point, OVER, batch, features, dtype),
    }
    seconds = measure.best_seconds(makes, threads=1, repeats=repeats)
    ms = {"plain": seconds["plain"] * 1e3, "ours": seconds["ours"] / OVER * 1e3}
    name = str(dtype).removeprefix("torch.")
    return Result(
        what=f"Newton point, {features:,} features, 10 classes, {name}, {in_words(1)}, batch of {batch}",
        twin=f"{ms['plain']:,.0f} ms",
        ours=f"{ms['ours']:.2f} ms",
        reached=f"{ms['plain'] / ms['ours']:,.0f}x",
        bar="100x",
        met=ms["plain"] >= 100 * ms["ours"],
        numbers={
            "threads": 1, "batch": batch, "features": features, "classes": 10, "dtype": name, "best_of": repeats,
            "ms": ms,
        },
    )  # fmt: skip
