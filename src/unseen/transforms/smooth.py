"""Smooth fields over an image, from a few numbers: what light and lenses do is smooth."""

from __future__ import annotations

from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor


def field(knots: Tensor, height: int, width: int) -> Tensor:
    """Knots (N, C, k, k) as a field (N, C, height, width): bicubic interpolation, as two products of matrices."""
    down, across = (_bicubic(knots.shape[-1], side).to(knots) for side in (height, width))
    return down @ knots @ across.T


@lru_cache(maxsize=32)
def _bicubic(knots: int, side: int) -> Tensor:
    """(side, knots): what interpolation makes of each knot alone."""
    basis = torch.eye(knots).reshape(knots, 1, knots, 1)
    made = F.interpolate(basis, size=(side, 1), mode="bicubic", align_corners=True)
    return made.reshape(knots, side).T.contiguous()
