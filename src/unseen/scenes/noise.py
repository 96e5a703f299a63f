"""Noise that is the same everywhere: one cloudy texture that tiles, and a hash that gives each cell its number."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from unseen.scenes.colours import Floats

SIDE = 1024
_GRAINS = 256
_SEED = 20180528
_PRIME, _OTHER_PRIME = np.uint32(0x9E3779B1), np.uint32(0xC2B2AE35)


@cache
def _clouds() -> NDArray[np.float32]:
    """Noise of eight octaves, each half as strong as the one before, spread over 0..1; tiles without a seam."""
    rng = np.random.default_rng(_SEED)
    octaves = [_octave(rng.random((2**level, 2**level)), SIDE) / 2**level for level in range(2, 10)]
    total = np.sum(octaves, axis=0)
    ranks = total.ravel().argsort().argsort().reshape(SIDE, SIDE)
    texture: NDArray[np.float32] = (ranks / (SIDE * SIDE - 1)).astype(np.float32)
    return texture


def _octave(grid: Floats, side: int) -> Floats:
    """The grid, interpolated smoothly and periodically up to ``side``."""
    place = np.arange(side) * len(grid) / side
    first, share = place.astype(int), place % 1
    share = share * share * (3 - 2 * share)
    second = (first + 1) % len(grid)
    rows = grid[first] * (1 - share)[:, None] + grid[second] * share[:, None]
    smooth: Floats = rows[:, first] * (1 - share) + rows[:, second] * share
    return smooth


@cache
def _grains() -> NDArray[np.float32]:
    return np.random.default_rng(_SEED + 1).random((_GRAINS, _GRAINS), np.float32)


def grain(u: Floats, v: Floats) -> Floats:
    """White noise, -0.5..0.5: one value for each unit square, repeated at every 256."""
    value: Floats = _grains()[np.floor(v).astype(np.int32) & 255, np.floor(u).astype(np.int32) & 255] - np.float32(0.5)
    return value


def cloudy(u: Floats, v: Floats) -> Floats:
    """The texture at (u, v), the nearest value; it repeats at every 1."""
    column, row = (u * SIDE).astype(np.int32) & (SIDE - 1), (v * SIDE).astype(np.int32) & (SIDE - 1)
    value: Floats = _clouds().ravel()[row * SIDE + column]
    return value


def cell(column: Floats, row: Floats) -> NDArray[np.uint32]:
    """One number for each cell of a grid of whole numbers."""
    return column.astype(np.int32).view(np.uint32) * _PRIME ^ row.astype(np.int32).view(np.uint32) * _OTHER_PRIME


def hashed(cells: NDArray[np.uint32], salt: int = 0) -> Floats:
    """A number in 0..1 for each cell, without any pattern that an eye would see; another salt, another number."""
    mixed = cells + np.uint32(salt * 7919)
    mixed ^= mixed >> np.uint32(16)
    mixed *= np.uint32(0x7FEB352D)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0x846CA68B)
    value: Floats = (mixed >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)
    return value
