"""Points that shine: street lamps, headlights, tail lights, traffic lights."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unseen.scenes.colours import Colour, Floats


@dataclass
class Lamps:
    """The scene's lights: those that glow in the picture, and the rows of street lamps that light the street."""

    spots: list[Floats] = field(default_factory=list)
    tints: list[Colour] = field(default_factory=list)
    strengths: list[float] = field(default_factory=list)
    rows: list[LampRow] = field(default_factory=list)

    def add(self, spot: Floats, tint: Colour, strength: float) -> None:
        """A light at a place in the world."""
        self.spots.append(np.asarray(spot))
        self.tints.append(tint)
        self.strengths.append(strength)


@dataclass(frozen=True)
class LampRow:
    """Street lamps at even spaces along one side."""

    lateral: float
    height: float
    first: float
    """metres ahead of one of them"""
    spacing: float
    tint: Colour
    strength: float
