"""The ascent on an FCN with a ResNet-50 body, 192x320 street scenes of 14 classes, in the paper's setting."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor, nn

import unseen
from benchmarks import measure, sides, twins
from benchmarks.measure import Result, in_words

CLASSES = 14


class Scores(nn.Module):
    """torchvision's FCN, with the scores alone as its output."""

    def __init__(self) -> None:
        super().__init__()
        from torchvision.models.segmentation import fcn_resnet50

        self.model = fcn_resnet50(weights=None, weights_backbone=None, aux_loss=False, num_classes=CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        scores: Tensor = self.model(x)["out"]
        return scores


def run(quick: bool) -> list[Result]:
    images, height, T_max, repeats = (1, 32, 1, 1) if quick else (4, 192, 2, 2)
    return [_compare(images, height, T_max, repeats, threads) for threads in measure.thread_counts(quick)]


def _compare(images: int, height: int, T_max: int, repeats: int, threads: int) -> Result:
    makes = {
        "plain": partial(plain, images, height, T_max),
        "ours": partial(ours, images, height, T_max, "auto"),
        "ours, float32": partial(ours, images, height, T_max, "float32"),
    }
    tooks = measure.interleave(makes, threads=threads, repeats=repeats)
    seconds = {name: measure.best(of).seconds / images / T_max for name, of in tooks.items()}
    start, moved = scenes(images, height)[0].numpy(), {name: of[-1].result for name, of in tooks.items()}
    ratio = seconds["plain"] / seconds["ours"]
    return Result(
        what=f"ascent, FCN with ResNet-50 body, {height}x320, {unseen.Engine('cpu').precision}, "
        f"{in_words(threads)}, per image and step",
        twin=f"{seconds['plain']:.2f} s",
        ours=f"{seconds['ours']:.2f} s (float32 {seconds['ours, float32']:.2f})",
        reached=f"{ratio:.1f}x (float32 {seconds['plain'] / seconds['ours, float32']:.1f}x)",
        bar="2x",
        met=ratio >= 2,
        numbers={
            "threads": threads, "images": images, "T_max": T_max, "best_of": repeats, "s_per_image_step": seconds,
            "apart": {name: sides.apart(moved[name], moved["plain"], start) for name in ("ours", "ours, float32")},
        },
    )  # fmt: skip


def network() -> unseen.Split:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return unseen.split(Scores(), head="model.classifier.4")


def scenes(images: int, height: int) -> tuple[Tensor, Tensor]:
    """Noise of a street scene's shape, each pixel with a class."""
    draw = torch.Generator().manual_seed(0)
    x = torch.rand(images, 3, height, 320, generator=draw)
    return x, torch.randint(CLASSES, (images, height, 320), generator=draw)


def _ada(T_max: int) -> unseen.ADA:
    return unseen.ADA(K=1, gamma=1.0, eta=2.0, T_max=T_max)


@contextmanager
def plain(images: int, height: int, T_max: int) -> sides.Work:
    net, (x, y) = network(), scenes(images, height)
    yield lambda: twins.ascend(net, x, y, _ada(T_max)).numpy()


@contextmanager
def ours(images: int, height: int, T_max: int, precision: str) -> sides.Work:
    net, engine = network(), unseen.Engine("cpu", precision)
    with engine.running():
        engine.place(net)
        x, y = engine.put(*scenes(images, height))
        yield lambda: unseen.ascend(net, x, y, _ada(T_max), engine=engine).numpy()
