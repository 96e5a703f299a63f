"""Digits of any set as a domain of 32x32 RGB images in [0, 1] with ten classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from unseen.base.extras import require
from unseen.data.domain import Domain
from unseen.data.images import Labels, Pixels

SIDE = 32
CLASSES = tuple("0123456789")
_AT_ONCE = 500  # images resized at once, so that the work stays in the processor's cache


def digit_domain(
    name: str, pixels: NDArray[Any], labels: Labels, origin: str, white: int = 255, resize: str = "bilinear"
) -> Domain:
    """Grey (N, H, W) or RGB (N, H, W, 3) pixels of 0..white as a domain of 32x32 RGB in [0, 1].

    Grey is repeated in three channels, no mean and no deviation is taken off, and 32x32 pixels stay as they are.
    Others are resized: "bilinear" as later work does, or in whole grey levels "lanczos", as the authors' code did, or
    "bicubic".
    """
    if resize != "bilinear" and pixels.shape[1:3] != (SIDE, SIDE):
        levels = pixels if white == 255 else np.rint(pixels * (255 / white)).astype(np.uint8)
        pixels, white = _resized(levels, resize), 255
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


def _resized(pixels: Pixels, resize: str) -> Pixels:
    image = require("PIL.Image", "digits")
    kernel = image.Resampling[resize.upper()]
    return np.stack([np.asarray(image.fromarray(one).resize((SIDE, SIDE), kernel)) for one in pixels])
