"""Seven of the paper's digit nets answering as one: ours against a plain twin, and against stacked weights and vmap."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor
from torch.func import functional_call, stack_module_state

import unseen
from benchmarks import measure, sides, twins
from benchmarks.measure import Result, in_words
from benchmarks.sides import Work

MEMBERS = 7
STACKED_BATCH = 32  # the best of 8 to 128: all members' activations at once leave the cache sooner


def run(quick: bool) -> list[Result]:
    images, width, repeats = (8, 1 / 16, 1) if quick else (512, 1.0, 4)
    return [_compare(images, width, repeats, threads) for threads in measure.thread_counts(quick)]


@torch.no_grad()
def plain(nets: Sequence[unseen.Split], images: Tensor) -> list[tuple[int, int, float]]:
    """Class, member and confidence of each image: one member after the other, then one image after the other."""
    shares = [torch.cat([net(x).softmax(1) for x in images.split(twins.BATCH)]) for net in nets]
    answers = []
    for i in range(len(images)):
        sure = [float(share[i].max()) for share in shares]
        member = sure.index(max(sure))
        answers.append((int(shares[member][i].argmax()), member, sure[member]))
    return answers


@torch.no_grad()
def stacked(nets: Sequence[unseen.Split], images: Tensor) -> Tensor:
    """The raw scores of all members from one pass of networks whose weights are stacked, a batch at a time."""
    weights = stack_module_state([net.model for net in nets])
    pass_one = torch.vmap(lambda w, x: functional_call(nets[0].model, w, (x,)), in_dims=(0, None))
    return torch.cat([pass_one(weights, x) for x in images.split(STACKED_BATCH)], dim=1)


def nets(width: float) -> list[unseen.Split]:
    return [unseen.split(unseen.models.ConvNet(width=width, seed=seed)).eval() for seed in range(MEMBERS)]


@contextmanager
def plain_side(images: int, width: float) -> Work:
    members, x = nets(width), sides.digits(images).images
    yield lambda: plain(members, x)


@contextmanager
def stacked_side(images: int, width: float) -> Work:
    members, x = nets(width), sides.digits(images).images
    yield lambda: unseen.rules.GreatestSoftmax()(stacked(members, x)).classes.tolist()


@contextmanager
def our_side(images: int, width: float) -> Work:
    members, x = nets(width), sides.digits(images).images
    for net in members:
        unseen.Engine("cpu").place(net)  # as a loaded run is
    ensemble = unseen.Ensemble(members)
    yield lambda: ensemble.predict(x).classes.tolist()


def _compare(images: int, width: float, repeats: int, threads: int) -> Result:
    makes = {
        "plain": partial(plain_side, images, width),
        "stacked": partial(stacked_side, images, width),
        "ours": partial(our_side, images, width),
    }
    seconds = measure.best_seconds(makes, threads=threads, repeats=repeats)
    micros = {name: s / images * 1e6 for name, s in seconds.items()}
    ratios = {name: micros[name] / micros["ours"] for name in ("plain", "stacked")}
    return Result(
        what=f"ensemble of {MEMBERS}, ConvNet, float32, {in_words(threads)}, per image",
        twin=f"{micros['plain']:,.0f} us",
        ours=f"{micros['ours']:,.0f} us",
        reached=f"{ratios['plain']:.1f}x ({ratios['stacked']:.1f}x stacked weights and vmap)",
        bar="",
        met=None,
        numbers={
            "threads": threads, "images": images, "width": width, "members": MEMBERS, "best_of": repeats,
            "us_per_image": micros,
        },
    )  # fmt: skip
