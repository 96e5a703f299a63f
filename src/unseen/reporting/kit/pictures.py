"""Image tensors as PNG inside the page itself."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from unseen.base.extras import require

LONGEST_SIDE = 160  # pixels kept of a large image: sharp at the size shown, also on a dense screen
GREY = 0.5


@dataclass(frozen=True)
class Picture:
    """An image that needs no file: a data URI, and whether its pixels should stay visible squares."""

    uri: str
    width: int
    height: int

    @property
    def pixelated(self) -> bool:
        """Whether it is so small that it is shown enlarged."""
        return max(self.width, self.height) <= 64


def picture(image: Tensor, longest: int = LONGEST_SIDE) -> Picture:
    """An image (C, H, W) for display: cut to [0, 1], grey or RGB, reduced when large."""
    pillow = require("PIL.Image", "report")
    shown = image if image.shape[0] in (1, 3) else image.mean(0, keepdim=True)
    pixels = (shown.float().clamp(0, 1) * 255).round().to(torch.uint8).movedim(0, 2)
    drawn = pillow.fromarray(pixels.squeeze(2).contiguous().numpy())
    drawn.thumbnail((longest, longest), pillow.Resampling.BOX)
    return _embedded(drawn)


def map_picture(numbers: Tensor, colours: Sequence[str], longest: int = LONGEST_SIDE) -> Picture:
    """A map (H, W) of numbers into ``colours``, ``#rrggbb``; the number after the last is transparent."""
    pillow = require("PIL.Image", "report")
    drawn = pillow.fromarray(numbers.to(torch.uint8).contiguous().numpy()).convert("P")
    drawn.putpalette(bytes.fromhex("".join(colour[1:] for colour in colours) + "808080"))
    drawn.thumbnail((longest, longest), pillow.Resampling.NEAREST)
    return _embedded(drawn, transparency=len(colours))


def _embedded(drawn: Any, **options: int) -> Picture:
    file = io.BytesIO()
    drawn.save(file, "PNG", optimize=True, **options)
    return Picture(f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}", *drawn.size)


def difference_picture(difference: Tensor, factor: int, longest: int = LONGEST_SIDE) -> Picture:
    """A signed change (C, H, W), amplified: grey where nothing changed, lighter for more, darker for less."""
    return picture(GREY + factor * difference, longest)


def amplification(differences: list[Tensor]) -> int:
    """One round factor for all ``differences`` that makes their greater changes span most of the grey scale."""
    values = torch.cat([d.abs().flatten() for d in differences]) if differences else torch.zeros(1)
    large = float(values.kthvalue(max(1, round(0.995 * len(values)))).values)
    if large <= 0:
        return 1
    return max((f for f in _ROUND_FACTORS if f * large <= GREY), default=1)


_ROUND_FACTORS = [digit * 10**power for power in range(5) for digit in (1, 2, 5)]
