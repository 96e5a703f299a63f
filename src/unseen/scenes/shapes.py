"""Corners of simple shapes: blocks, rectangles, regular polygons."""

from __future__ import annotations

import numpy as np

from unseen.scenes.colours import Floats

_SIDES = np.array([[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]])
NEAR, RIGHT, FAR, LEFT, TOP = range(5)


def block(low: Floats, high: Floats) -> Floats:
    """The sides near, right, far, left and top (5, 4, 3) of a block between two rectangles of corners (4, 3).

    Each rectangle goes near left, near right, far right, far left.
    """
    sides: Floats = np.concatenate([low, high])[_SIDES]
    return sides


def rectangle(x: tuple[float, float], y: float, z: tuple[float, float]) -> Floats:
    """A level rectangle's corners: near left, near right, far right, far left."""
    return np.array([[x[0], y, z[0]], [x[1], y, z[0]], [x[1], y, z[1]], [x[0], y, z[1]]])


def box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Floats:
    """An upright block's sides."""
    return block(rectangle(x, y[0], z), rectangle(x, y[1], z))


def upright(x: tuple[float, float], y: tuple[float, float], z: float) -> Floats:
    """One face that looks at the camera, (1, 4, 3)."""
    return np.array([[[x[0], y[0], z], [x[1], y[0], z], [x[1], y[1], z], [x[0], y[1], z]]])


def disc(x: float, y: float, z: float, radius: float, corners: int) -> Floats:
    """A regular polygon that looks at the camera, (1, corners, 3), with a flat lower edge."""
    turn = 2 * np.pi * (np.arange(corners) - 0.5) / corners - np.pi / 2
    return np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn), np.full(corners, z)], 1)[None]
