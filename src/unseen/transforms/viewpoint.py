"""Transformations of viewpoint: pixels move, and masks move with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from unseen.base.labels import VOID
from unseen.transforms.smooth import field
from unseen.transforms.transform import Transform

KNOTS = 5
Places = Callable[[Tensor, int, int], Tensor]
"""(w, height, width) -> (N, height, width, 2): from where each pixel of the result comes, x and y in -1..1"""


def _affine(w: Tensor, height: int, width: int) -> Tensor:
    """Turned by an angle, sheared, scaled by e^s and shifted, about the middle and without distortion of angles."""
    angle, shear, scale = w[:, 0], w[:, 1], w[:, 2].exp()
    cos, sin = angle.cos() / scale, angle.sin() / scale
    aspect = height / width
    rows = [
        torch.stack([cos, (shear * cos - sin) * aspect, w[:, 3]], 1),
        torch.stack([sin / aspect, shear * sin + cos, w[:, 4]], 1),
    ]
    return _grid(torch.stack(rows, 1), height, width)


def _warp(w: Tensor, height: int, width: int) -> Tensor:
    """Every pixel displaced by a smooth field, from 5x5 knots."""
    moved = field(w.view(len(w), 2, KNOTS, KNOTS), height, width)
    return _places(height, width)[..., :2].to(w) + moved.permute(0, 2, 3, 1)


def _crop(w: Tensor, height: int, width: int) -> Tensor:
    """A part of the image, resized to all of it: a share of each side is cut off or, below 0, added around it.

    The part is wider than high by e^a. Where in the image it is, or the image in it, is up to the last two.
    """
    side = (1 - w[:, :1]) * torch.stack([w[:, 1] / 2, -w[:, 1] / 2], 1).exp()
    shift = w[:, 2:4] * (1 - side)
    rows = torch.cat([torch.diag_embed(side), shift[:, :, None]], 2)
    return _grid(rows, height, width)


def _grid(rows: Tensor, height: int, width: int) -> Tensor:
    """The places that affine maps (N, 2, 3) send each pixel's own to: F.affine_grid, from places made once."""
    return (_places(height, width).to(rows).flatten(0, 1) @ rows.transpose(1, 2)).view(-1, height, width, 2)


@lru_cache(maxsize=32)
def _places(height: int, width: int) -> Tensor:
    """(height, width, 3): the place of each pixel, x and y in -1..1, and 1."""
    down, across = ((2 * torch.arange(side, dtype=torch.float64) + 1) / side - 1 for side in (height, width))
    y, x = torch.meshgrid(down, across, indexing="ij")
    return torch.stack([x, y, torch.ones_like(x)], 2)


def _flip(axis: int, pixels: Tensor, w: Tensor) -> Tensor:
    """Mirrored where w isn't 0; of images and of masks."""
    flipped = (w[:, 0] != 0).view(-1, *[1] * (pixels.ndim - 1)).to(pixels.device)
    return torch.where(flipped, pixels.flip(axis), pixels)


def _sometimes(n: int, generator: Generator) -> Tensor:
    """1 for about half of them, and 0."""
    return torch.randint(2, (n, 1), generator=generator).float()


def _flipping(name: str, axis: int) -> Transform:
    flip = partial(_flip, axis)
    return Transform(
        name, flip, {"flipped": (0.0, 1.0)}, "viewpoint", moves=True, masks=flip, ascended=False, draw=_sometimes
    )


def _sample(places: Places, images: Tensor, w: Tensor) -> Tensor:
    """Bilinear; what comes from outside is what is at the border."""
    return F.grid_sample(images, places(w, *images.shape[-2:]), padding_mode="border", align_corners=False)


def _sample_masks(places: Places, masks: Tensor, w: Tensor) -> Tensor:
    """The nearest pixel's label; what comes from outside is void."""
    height, width = masks.shape[-2:]
    x, y = places(w.float(), height, width).unbind(-1)
    column, row = ((x + 1) * width / 2).floor().long(), ((y + 1) * height / 2).floor().long()
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    nearest = row.clamp(0, height - 1) * width + column.clamp(0, width - 1)
    return torch.where(inside, masks.flatten(1).gather(1, nearest.flatten(1)).view_as(masks), VOID)


def _moving(name: str, places: Places, **ranges: tuple[float, float] | tuple[float, float, int]) -> Transform:
    return Transform(
        name, partial(_sample, places), ranges, kind="viewpoint", moves=True, masks=partial(_sample_masks, places)
    )


def _cutout(images: Tensor, w: Tensor) -> Tensor:
    """A square of one colour over the image: its side is a share of the image's, its middle anywhere."""
    height, width = images.shape[-2:]
    down, across = (torch.linspace(-0.5, 0.5, side).to(images) for side in (height, width))
    reach = w[:, 0, None] / 2
    rows, columns = (down - w[:, 1, None]).abs() < reach, (across - w[:, 2, None]).abs() < reach
    hidden = rows[:, None, :, None] & columns[:, None, None, :]
    return torch.where(hidden, 0.5 + w[:, 3 : 3 + images.shape[1], None, None], images)


VIEWPOINTS = (
    _moving("affine", _affine, angle=(-0.5, 0.5), shear=(-0.3, 0.3), log_scale=(-0.4, 0.4), shift=(-0.2, 0.2, 2)),
    _moving("warp", _warp, field=(-0.15, 0.15, 2 * KNOTS**2)),
    _moving("crop", _crop, side=(-0.2, 0.5), log_aspect=(-0.3, 0.3), place=(-1.0, 1.0, 2)),
    _flipping("flip", -1),
    _flipping("flip-vertical", -2),
    Transform(
        "cutout",
        _cutout,
        {"side": (0.0, 0.5), "middle": (-0.5, 0.5, 2), "colour": (-0.5, 0.5, 3)},
        kind="viewpoint",
        moves=False,
        ascended=False,
    ),
)
