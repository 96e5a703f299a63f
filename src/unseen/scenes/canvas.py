"""A small flat picture being drawn: where it is solid, how light each spot is, which colour the spot has."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from unseen.scenes.colours import Floats
from unseen.scenes.noise import cloudy

SIDE = 160

Part = IntEnum("Part", "FIRST SECOND SKIN DARK METAL", start=0)
"""Which colour a spot has: the object's first or second, skin, nearly black, or bare metal."""


@dataclass(frozen=True)
class Picture:
    """One picture: arrays (SIDE, SIDE), the first row the top."""

    solid: NDArray[np.bool_]
    tone: Floats
    part: NDArray[np.uint8]


class Canvas:
    """A picture being drawn; coordinates are shares of its side, y downwards."""

    def __init__(self) -> None:
        self.solid = np.zeros((SIDE, SIDE), bool)
        self.tone = np.ones((SIDE, SIDE))
        self.part = np.zeros((SIDE, SIDE), np.uint8)
        self.y, self.x = (np.mgrid[:SIDE, :SIDE] + 0.5) / SIDE
        self.ragged = cloudy(4 * self.x, 4 * self.y)

    def around(self, x: float, y: float, reach: float) -> Canvas:
        """The part within ``reach`` of a spot: what is drawn there is drawn on the whole."""
        rows, columns = (slice(max(int((at - reach) * SIDE), 0), int((at + reach) * SIDE) + 1) for at in (y, x))
        part = copy(self)
        for name in ("solid", "tone", "part", "x", "y", "ragged"):
            setattr(part, name, getattr(self, name)[rows, columns])
        return part

    def stroke(self, x: Floats | tuple[float, ...], y: Floats | tuple[float, ...], width: float, part: Part) -> None:
        """A line through points, round at its ends."""
        for i in range(len(x) - 1):
            across, down = x[i + 1] - x[i], y[i + 1] - y[i]
            share = ((self.x - x[i]) * across + (self.y - y[i]) * down) / (across**2 + down**2 + 1e-9)
            share = np.clip(share, 0, 1)
            distance = np.hypot(self.x - x[i] - share * across, self.y - y[i] - share * down)
            self.fill(distance < width / 2, part)

    def ellipse(self, x: float, y: float, wide: float, tall: float, part: Part) -> None:
        """A full one; ``wide`` and ``tall`` are its half axes."""
        self.fill(np.hypot((self.x - x) / wide, (self.y - y) / tall) < 1, part)

    def fill(self, where: NDArray[np.bool_], part: Part, tone: Floats | float = 1.0) -> None:
        """Make these spots solid."""
        self.solid |= where
        self.part[where] = part
        self.tone[where] = tone[where] if isinstance(tone, np.ndarray) else tone

    def picture(self) -> Picture:
        """What has been drawn."""
        return Picture(self.solid, self.tone, self.part)
