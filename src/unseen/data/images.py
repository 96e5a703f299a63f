"""Images in memory: their array types, the sizes and kernels a caller may ask for, and resizing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from unseen.base.checks import is_whole, shown
from unseen.base.images import StoredImages
from unseen.engine import cpu
from unseen.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]
Labels = NDArray[np.int64]
Size = int | tuple[int, int] | None
MOST_SIDE = 65_500
"""what the formats of pictures can have"""
KERNELS = ("bilinear", "bicubic", "lanczos")


def checked_size(size: Size) -> tuple[int, int] | None:
    """A side or (height, width) as (height, width)."""
    if size is None:
        return None
    sides = [size, size] if isinstance(size, int) else list(size) if isinstance(size, tuple | list) else []
    if len(sides) != 2 or not all(isinstance(side, int) and is_whole(side) and side > 0 for side in sides):
        raise InputError(f"size is {shown(size)}, expected a side in pixels or (height, width), for instance 32")
    height, width = sides
    if max(sides) > MOST_SIDE:
        raise InputError(f"size is {shown(size)}, expected sides of at most {MOST_SIDE:,} pixels, for instance 32")
    cpu.check_memory(3 * 4 * height * width, f"one image of {height}x{width}", "give a smaller size")
    return height, width


def kernel_problems(resize: object) -> list[str]:
    """What is wrong with the name of a kernel, if anything."""
    if resize in KERNELS:
        return []
    given = shown(resize)
    return [f"resize={given}: expected one of {', '.join(KERNELS)}{did_you_mean(given, KERNELS, listed=True)}"]


def pixels_of(image: Image, size: tuple[int, int] | None, resize: str = "bilinear") -> NDArray[np.uint8]:
    """The image as uint8 (H, W, channels), resized to (height, width) if given; Pillow smooths what it shrinks."""
    from PIL import Image

    if size is not None:
        image = image.resize((size[1], size[0]), Image.Resampling[resize.upper()])
    return np.asarray(image).reshape(image.height, image.width, -1)


def as_images(pixels: Sequence[NDArray[np.uint8]]) -> StoredImages:
    """Images (H, W, channels) of one size as bytes (N, channels, H, W)."""
    height, width, channels = pixels[0].shape
    images = np.empty((len(pixels), channels, height, width), np.uint8)
    for image, given in zip(images, pixels, strict=True):
        image[:] = given.transpose(2, 0, 1)
    return StoredImages(torch.from_numpy(images))
