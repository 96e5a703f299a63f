"""Transformations of light and colour: no pixel moves."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from unseen.transforms.smooth import field
from unseen.transforms.transform import Transform

DARKEST = 1e-4  # x^a has no useful gradient in a at 0
LUMA = (0.299, 0.587, 0.114)
KNOTS = 4


def _each(w: Tensor, i: int) -> Tensor:
    return w[:, i, None, None, None]


def _mix_channels(matrix: Tensor, images: Tensor) -> Tensor:
    return (matrix @ images.flatten(2)).view_as(images)


def _colour(images: Tensor, w: Tensor) -> Tensor:
    """(I + A)(x - 1/2) + 1/2 + b; then 1 - x in each channel whose v is above 1/2. A grey image has one channel.

    A row of A sums to 0.6 at most, so a grey contrast keeps 0.4 of itself: the ascent can't erase what there is to see.
    """
    c = images.shape[1]
    matrix = torch.eye(c).to(images) + w[:, :9].view(-1, 3, 3)[:, :c, :c]
    made = _mix_channels(matrix, images - 0.5) + 0.5 + w[:, 9 : 9 + c, None, None]
    return torch.where(w[:, 12 : 12 + c, None, None] > 0.5, 1 - made, made)


def _tone(images: Tensor, w: Tensor) -> Tensor:
    """p + e^c (x^(2^a) - p), with the pivot p = 1/2 + w."""
    pivot = 0.5 + _each(w, 2)
    return pivot + _each(w, 1).exp() * (_power(images, w) - pivot)


def _power(images: Tensor, w: Tensor) -> Tensor:
    """x^(2^a) for the first parameter a; as e^(2^a log x), whose gradient torch computes in half the time."""
    lifted = F.threshold(images, DARKEST, DARKEST)
    return (lifted.log() * _each(w, 0).exp2()).exp() - (lifted - images)


def _exposure(images: Tensor, w: Tensor) -> Tensor:
    """2^g x^(2^a) (1 + t), a gain t for each channel."""
    tint = 1 + w[:, 2 : 2 + images.shape[1], None, None]
    return _power(images, w) * _each(w, 1).exp2() * tint


def _shade(images: Tensor, w: Tensor) -> Tensor:
    """x + a smooth field for each channel, from 4x4 knots."""
    knots = w.view(len(w), 3, KNOTS, KNOTS)[:, : images.shape[1]]
    return images + field(knots, *images.shape[-2:])


def _hue(images: Tensor, w: Tensor) -> Tensor:
    """Colours turned about the grey axis by an angle, and pushed from it by e^s; grey stays grey."""
    if images.shape[1] != 3:
        return images + 0 * w.sum(1).view(-1, 1, 1, 1)
    cos, sin = w[:, 0].cos(), w[:, 0].sin()
    third, root = torch.full((3, 3), 1 / 3).to(images), math.sqrt(1 / 3)
    cross = root * torch.tensor([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]]).to(images)
    turn = cos[:, None, None] * (torch.eye(3).to(images) - third) + sin[:, None, None] * cross
    grey = torch.tensor(LUMA).to(images).expand(3, 3)
    push = w[:, 1].exp()[:, None, None]
    rest = torch.eye(3).to(images) - grey
    return _mix_channels(grey + push * (turn + third) @ rest, images)


def _solarize(images: Tensor, w: Tensor) -> Tensor:
    """1 - x where x > 1 - w."""
    return torch.where(images > 1 - _each(w, 0), 1 - images, images)


def _posterize(images: Tensor, w: Tensor) -> Tensor:
    """x to the nearest multiple of w."""
    step = _each(w, 0)
    return torch.where(step > 0, (images / step.clamp_min(1e-6)).round() * step, images)


COLOURS = (
    Transform(
        "colour", _colour, {"matrix": (-0.2, 0.2, 9), "shift": (-0.3, 0.3, 3), "invert": (0.0, 1.0, 3)}, kind="colour"
    ),
    Transform("tone", _tone, {"exponent": (-1.0, 1.0), "contrast": (-0.7, 0.7), "pivot": (-0.3, 0.3)}, kind="light"),
    Transform(
        "exposure", _exposure, {"exponent": (-1.0, 1.0), "gain": (-1.0, 1.0), "tint": (-0.1, 0.1, 3)}, kind="light"
    ),
    Transform("shade", _shade, {"field": (-0.5, 0.5, 3 * KNOTS**2)}, kind="light"),
    Transform("hue", _hue, {"angle": (-math.pi, math.pi), "saturation": (-1.0, 1.0)}, kind="colour"),
    Transform("solarize", _solarize, {"share": (0.0, 1.0)}, kind="colour", ascended=False),
    Transform("posterize", _posterize, {"step": (0.0, 0.5)}, kind="colour", ascended=False),
)
