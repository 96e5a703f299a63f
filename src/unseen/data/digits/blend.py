"""photo-blend: held-out digits blended with photographs, by the recipe of MNIST-M."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.random import Generator

from unseen.base.extras import carried, require
from unseen.base.reading import reading
from unseen.data.digits.built_in_digits import REINSTALL, heldout_digits
from unseen.data.digits.digit_domain import SIDE, digit_domain
from unseen.data.domain import Domain
from unseen.data.formats.image_file import read_image
from unseen.data.images import Pixels

SEED = 180512018
PHOTOGRAPHS = ("china.jpg", "flower.jpg")


@cache
def photo_blend() -> Domain:
    """1,000 images: each held-out digit blended once with a patch of one of scikit-learn's two photographs."""
    digits, labels = heldout_digits()
    blended = blend(digits, patches(len(digits)))
    return digit_domain("photo-blend", blended, labels, "held-out MNIST digits over scikit-learn's photographs")


def blend(digits: Pixels, patches: Pixels) -> Pixels:
    """MNIST-M's recipe (Ganin et al., 2016): |patch - digit| in every channel, so that a stroke inverts the photograph.

    As in the published set, the 28x28 digit lies in the middle of a 32x32 patch and any ink at all counts as full ink.
    """
    margin = (SIDE - digits.shape[1]) // 2
    ink = np.pad(digits > 0, ((0, 0), (margin, margin), (margin, margin)))
    return np.where(ink[..., None], 255 - patches, patches)


def patches(count: int) -> Pixels:
    """``count`` random 32x32 crops of scikit-learn's photographs, the same ones at every call."""
    require("PIL", "digits")
    return crops([_photograph(name) for name in PHOTOGRAPHS], count, np.random.default_rng(SEED))


def crops(photographs: Sequence[Pixels], count: int, rng: Generator) -> Pixels:
    """``count`` random 32x32 crops of the photographs, uint8 (count, 32, 32, 3)."""
    cut = np.empty((count, SIDE, SIDE, 3), np.uint8)
    for i in range(count):
        photograph = photographs[int(rng.integers(len(photographs)))]
        top, left = (rng.integers(extent - SIDE + 1) for extent in photograph.shape[:2])
        cut[i] = photograph[top : top + SIDE, left : left + SIDE]
    return cut


def _photograph(name: str) -> Pixels:
    """scikit-learn's, as uint8 (H, W, 3); the package itself takes two seconds to import."""
    path = carried("sklearn", f"datasets/images/{name}", "digits")
    with reading(path, fix=REINSTALL):
        return np.asarray(read_image(path))
