"""The camera: a pinhole that looks along the street, with verticals upright.

Axes: x to the right, y up, z ahead, in metres, the origin on the ground below the camera. Pitch only moves the horizon
up or down in the picture, as a shift lens does, so that walls and poles stay vertical.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from unseen.scenes.colours import Floats

NEAREST = 0.5
"""metres in front of the camera where the world begins"""


@dataclass(frozen=True)
class Camera:
    """Where the camera is and what it sees, in shares of the picture's size: the same scene at every size."""

    focal: float
    """focal length as a share of the picture's width"""
    height: float
    """metres above the ground"""
    horizon: float
    """the horizon's row as a share of the picture's height"""

    @staticmethod
    def draw(rng: Generator) -> Camera:
        """A camera on a car's roof or behind its windscreen."""
        return Camera(rng.uniform(0.52, 0.66), rng.uniform(1.3, 2.0), rng.uniform(0.46, 0.60))


@dataclass(frozen=True)
class View:
    """A camera's picture of so many rows and columns of pixels."""

    camera: Camera
    rows: int
    columns: int

    @property
    def focal(self) -> float:
        """The focal length in pixels."""
        return self.camera.focal * self.columns

    @property
    def pixels(self) -> int:
        """How many there are."""
        return self.rows * self.columns

    def project(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Column, row and depth of points (n, 3): u = c + f x / z, v = h + f (e - y) / z."""
        z = np.maximum(points[:, 2], NEAREST)
        scale = self.focal / z
        column = self.columns / 2 + points[:, 0] * scale
        row = self.camera.horizon * self.rows + (self.camera.height - points[:, 1]) * scale
        return column, row, z

    def rays(self, column: Floats, row: Floats) -> Floats:
        """The direction in which each pixel looks, (3, n), one metre ahead: the point it sees is z times it."""
        x = (column - self.columns / 2) / self.focal
        y = (self.camera.horizon * self.rows - row) / self.focal
        return np.stack([x, y, np.ones_like(x)]).astype(np.float32)
