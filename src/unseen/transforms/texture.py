"""Transformations of texture: filters, noise and lossy coding."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from unseen.transforms.transform import Transform

SIDE = 5
LARGEST = 7
KERNELS = (1, 3, 5, 7)
BLOCK = 8
WAVES = 3
CYCLES = 6.0


def _filter(images: Tensor, w: Tensor) -> Tensor:
    """x + k * x for a 5x5 filter k whose mean is taken off, the same for every channel: what is even stays as it is.

    With its mean, the ascent would find the filter that turns every image black.
    """
    kernels = (w - w.mean(1, keepdim=True)).view(-1, SIDE, SIDE)
    padded = F.pad(images, (SIDE // 2,) * 4, mode="replicate")
    made: Tensor = _Filtered.apply(padded, kernels)  # type: ignore[no-untyped-call]
    return images + made


class _Filtered(torch.autograd.Function):
    """Each image through a kernel of its own: a convolution with as many groups as there are channels of images.

    torch's own gradient with respect to such kernels takes twice as long as a sum for each of their entries.
    """

    @staticmethod
    def forward(ctx: Any, padded: Tensor, kernels: Tensor) -> Tensor:
        ctx.save_for_backward(padded, kernels)
        return _each_alone(F.conv2d, padded, kernels)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor]:
        (padded, kernels), (gradient,) = ctx.saved_tensors, gradients
        height, width = gradient.shape[-2:]
        sums = [
            (padded[:, :, i : i + height, j : j + width] * gradient).sum((1, 2, 3))
            for i in range(SIDE)
            for j in range(SIDE)
        ]
        back = _each_alone(F.conv_transpose2d, gradient, kernels) if ctx.needs_input_grad[0] else None
        return back, torch.stack(sums, 1).view_as(kernels)


def _each_alone(convolve: Callable[..., Tensor], images: Tensor, kernels: Tensor) -> Tensor:
    """Every channel of every image as a group of its own, the fastest way on a CPU even where kernels are the same."""
    n, c, height, width = images.shape
    weights = kernels[:, None].repeat_interleave(c, 0)
    made = convolve(images.reshape(1, n * c, height, width), weights, groups=n * c)
    return made.view(n, c, *made.shape[-2:])


def _blur(images: Tensor, w: Tensor) -> Tensor:
    """x + a (x - G * x) for a Gaussian G: a < 0 blurs, a > 0 sharpens."""
    row = torch.tensor([1.0, 4, 6, 4, 1]).to(images) / 16
    padded = F.pad(images, (2, 2, 2, 2), mode="replicate")
    smooth = _each_alone(F.conv2d, padded, (row[:, None] * row).expand(len(images), -1, -1))
    return images + w[:, 0, None, None, None] * (images - smooth)


def _waves(images: Tensor, w: Tensor) -> Tensor:
    """x + sum_j a_j sin(2 pi (f_j . p) + phi_j): three plane waves over the places p, each with a colour a_j."""
    n, c, height, width = images.shape
    frequency, phase, amplitude = torch.split(w, [2 * WAVES, WAVES, 3 * WAVES], dim=1)
    down, across = (2 * math.pi * torch.linspace(-0.5, 0.5, side).to(images) for side in (height, width))
    along = frequency.view(n, WAVES, 2, 1, 1)
    waves = (along[:, :, 0] * down[:, None] + along[:, :, 1] * across + phase.view(n, WAVES, 1, 1)).sin()
    colours = amplitude.view(n, WAVES, 3)[..., :c].transpose(1, 2)
    return images + (colours @ waves.flatten(2)).view_as(images)


def _noise(images: Tensor, w: Tensor) -> Tensor:
    """x + s e: noise e of each pixel, uniform with variance 1, that follows from the second parameter alone."""
    pixel = torch.arange(images[0].numel()).to(w).double()
    uniform = ((pixel * 12.9898 + w[:, 1, None].double() * 1e4).sin() * 43758.5453) % 1  # a hash that shaders use
    noise = (uniform - 0.5) * math.sqrt(12)
    return images + w[:, 0, None, None, None] * noise.to(images).view_as(images)


def _jpeg(images: Tensor, w: Tensor) -> Tensor:
    """Each 8x8 block's cosine transform to the nearest multiple of a step that grows with frequency, and back."""
    height, width = images.shape[-2:]
    padded = F.pad(images, (0, -width % BLOCK, 0, -height % BLOCK), mode="replicate")
    blocks = padded.unfold(2, BLOCK, BLOCK).unfold(3, BLOCK, BLOCK)
    cosine = _cosine_transform().to(images)
    frequency = torch.arange(BLOCK).to(images)
    step = w[:, 0].view(-1, 1, 1, 1, 1, 1) * (1 + frequency[:, None] + frequency) / BLOCK
    values = cosine @ blocks @ cosine.T
    coded = torch.where(step > 0, (values / step.clamp_min(1e-6)).round() * step, values)
    made = (cosine.T @ coded @ cosine).permute(0, 1, 2, 4, 3, 5).reshape_as(padded)
    return made[..., :height, :width]


@lru_cache(maxsize=1)
def _cosine_transform() -> Tensor:
    """The orthonormal DCT-II of 8 values, as a matrix."""
    k, n = torch.arange(BLOCK)[:, None], torch.arange(BLOCK)
    matrix = torch.cos(math.pi / BLOCK * (n + 0.5) * k) * math.sqrt(2 / BLOCK)
    matrix[0] /= math.sqrt(2)
    return matrix


def _randconv(images: Tensor, w: Tensor) -> Tensor:
    """(1 - s) x + s (k * x) on values in -1..1, for a kernel k of 1, 3, 5 or 7 pixels with weights N(0, 1/fan-in).

    RandConv (Xu et al., ICLR 2021): texture is replaced, shape stays. Values may leave [0, 1], as they do there.
    """
    n, c, height, width = images.shape
    share, which = w[:, 0, None, None, None], (w[:, 1] * len(KERNELS)).long().clamp_max(len(KERNELS) - 1)
    sides = torch.tensor(KERNELS).to(w)[which]
    offset = (torch.arange(LARGEST).to(w) - LARGEST // 2).abs()
    inside = (torch.maximum(offset[:, None], offset) * 2 < sides[:, None, None]).to(w)
    kernels = w[:, 2:].view(n, 3, 3, LARGEST, LARGEST)[:, :c, :c] * inside[:, None, None]
    kernels = kernels / (c * sides.square()).sqrt().view(n, 1, 1, 1, 1)
    signed = 2 * images - 1
    made = F.conv2d(
        signed.reshape(1, n * c, height, width), kernels.reshape(n * c, c, LARGEST, LARGEST), padding=3, groups=n
    )
    return (1 + (1 - share) * signed + share * made.view_as(signed)) / 2


def _draw_randconv(n: int, generator: Generator) -> Tensor:
    share_and_side = torch.rand(n, 2, generator=generator)
    weights = torch.randn(n, 9 * LARGEST**2, generator=generator).clamp(-NORMAL, NORMAL)
    return torch.cat([share_and_side, weights], 1)


NORMAL = 4.0
"""standard deviations: where the normal weights are cut off"""

TEXTURES = (
    Transform(
        "waves",
        _waves,
        {
            "frequency": (-CYCLES, CYCLES, 2 * WAVES),
            "phase": (-math.pi, math.pi, WAVES),
            "amplitude": (-0.25, 0.25, 3 * WAVES),
        },
        kind="texture",
    ),
    Transform("filter", _filter, {"kernel": (-0.3, 0.3, SIDE**2)}, kind="texture"),
    Transform("blur", _blur, {"amount": (-1.0, 2.0)}, kind="texture"),
    Transform("noise", _noise, {"strength": (0.0, 0.3), "pattern": (0.0, 1.0)}, kind="texture", ascended=False),
    Transform("jpeg", _jpeg, {"step": (0.0, 1.0)}, kind="texture", ascended=False),
    Transform(
        "randconv",
        _randconv,
        {"share": (0.0, 1.0), "side": (0.0, 1.0), "kernel": (-NORMAL, NORMAL, 9 * LARGEST**2)},
        kind="texture",
        ascended=False,
        bounded=False,
        draw=_draw_randconv,
    ),
)
