"""Walls with windows: a grid of bays and storeys in metres on the wall, so that perspective comes with the wall.

Every edge is as soft as the pixel is wide there; far away the grid fades to its mean instead of to stripes.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.scenes.colours import Colour, Floats, mix, palette, rgb
from unseen.scenes.noise import cell, cloudy, grain, hashed


@dataclass(frozen=True)
class Style:
    """How a wall is divided; shares are of a bay or a storey."""

    number: int
    bay: float
    storey: float
    wide: float
    tall: float
    sill: float
    ground: float
    """height of the ground floor; 0 where it is like the others"""
    shops: float
    """1 where the ground floor has shop windows"""
    shutters: float
    mirror: float
    """how much of the sky its glass shows"""
    bands: float
    """how much lighter the wall is between storeys"""
    courses: float
    """how rough the wall is: brick, stone"""
    beams: float = 0.0
    """1 for timber framing"""


STYLES = {
    "curtain": Style(0, 1.6, 3.7, 0.93, 0.80, 0.12, 5.0, 1, 0, 1.0, 0.0, 0.05),
    "ribbon": Style(1, 3.6, 3.6, 0.97, 0.48, 0.32, 5.0, 1, 0, 0.8, 0.0, 0.08),
    "brick": Style(2, 2.7, 3.3, 0.42, 0.56, 0.24, 4.4, 1, 0, 0.35, 0.12, 0.35),
    "stone": Style(3, 2.4, 3.7, 0.44, 0.62, 0.20, 5.0, 1, 0, 0.35, 0.22, 0.18),
    "plaster": Style(4, 2.5, 3.0, 0.36, 0.50, 0.28, 3.3, 0, 1, 0.3, 0.0, 0.12),
    "plain": Style(5, 2.2, 2.9, 0.40, 0.55, 0.26, 3.3, 0, 0, 0.3, 0.18, 0.12),
    "timber": Style(6, 2.0, 2.6, 0.42, 0.48, 0.30, 3.0, 0, 0, 0.3, 0.0, 0.12, 1.0),
    "shop": Style(7, 3.0, 3.0, 0.36, 0.52, 0.28, 3.5, 1, 0, 0.3, 0.1, 0.12),
    "shed": Style(8, 9.0, 6.0, 0.7, 0.14, 0.6, 0.0, 0, 0, 0.3, 0.1, 0.1),
    "church": Style(9, 4.0, 9.0, 0.2, 0.34, 0.4, 0.0, 0, 0, 0.2, 0.12, 0.3),
}
_TABLE = np.array([astuple(style) for style in STYLES.values()], np.float32)
_LIGHTS = np.array(palette("#ffcf8a #ffdca8 #ffc070 #fff0d0 #e8f0ff"), np.float32)
_TIMBER, _FRAME, _INSIDE = (np.array(rgb(code), np.float32) for code in ("#4a3526", "#d8d4c8", "#2a3138"))


@dataclass(frozen=True)
class Walls:
    """Spots on walls, (n,) each: where on the wall, in what style, and how wide a pixel is there."""

    u: Floats
    v: Floats
    style: NDArray[np.int64]
    seed: Floats
    width: Floats
    """of the whole wall"""
    top: Floats
    """where the windows end; 0 for no end"""
    pixel_u: Floats
    pixel_v: Floats
    wall: Floats
    """(n, 3)"""
    accent: Floats
    """(n, 3): awnings, shutters"""


class _Grid:
    """The cell each spot is in, and where in the cell, 0..1 in both directions."""

    def __init__(self, walls: Walls, style: Floats) -> None:
        _, bay, storey, self.wide, self.tall, self.sill, ground, shops, *_ = style.T
        bays = np.maximum(np.rint(walls.width / bay), 1)
        self.bay = walls.width / bays
        across = walls.u / self.bay
        self.column = np.floor(across)
        self.low = walls.v < ground
        self.shop = self.low & (shops > 0)
        up = np.where(self.low, walls.v / np.maximum(ground, 0.1), (walls.v - ground) / storey)
        self.row = np.where(self.low, -1, np.floor(up))
        self.x, self.y = across - self.column, np.where(self.low, up, up - self.row)
        self.pixel_x = walls.pixel_u / self.bay
        self.pixel_y = walls.pixel_v / np.where(self.low, np.maximum(ground, 0.1), storey)
        self.cell = cell(self.column, self.row + 64 * walls.seed)
        self.chance = hashed(self.cell)
        self.capped = (walls.top > 0) & (walls.v > walls.top - 1.0)

    def region(self, x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Floats:
        """How much of each spot's pixel is within a part of its cell; the mean where pixels are larger than cells."""
        across = _soft(self.x, *x, self.pixel_x)
        return across * _soft(self.y, *y, self.pixel_y)


def _soft(place: Floats, low: Floats | float, high: Floats | float, pixel: Floats) -> Floats:
    sharp = np.clip((place - low) / pixel + 0.5, 0, 1) * np.clip((high - place) / pixel + 0.5, 0, 1)
    share: Floats = (high - low) + (sharp - (high - low)) * np.clip(2.2 - 2 * pixel, 0, 1)
    return share


def paint(walls: Walls, *, lit: float, sky: Colour, night: bool) -> tuple[Floats, Floats]:
    """What the walls reflect of the light and what they send out themselves, (n, 3) each."""
    style = _TABLE[walls.style]
    grid = _Grid(walls, style)
    albedo = _masonry(walls, grid, style)
    window, margin = _windows(grid)
    _shutters(albedo, walls, grid, style[:, 8])
    _awnings(albedo, walls, grid)
    framed = np.where(style[:, 9] < 0.5, margin - window, 0)
    mix(albedo, _FRAME * 0.8, np.clip(framed, 0, 1) * ~grid.shop)
    glass, shine = _panes(walls, grid, style[:, 9], lit, np.array(sky, np.float32), night)
    mix(albedo, glass, window)
    return albedo, shine * window[:, None]


def _masonry(walls: Walls, grid: _Grid, style: Floats) -> Floats:
    """Plaster, brick or stone, stained, with bands between storeys and beams in timber frames."""
    bands, courses, beams = style[:, 10], style[:, 11], style[:, 12]
    stain = cloudy(walls.u / 19 + walls.seed * 0.13, walls.v / 37)
    near = np.clip(0.12 / walls.pixel_u, 0, 1)
    fine = grain(walls.u / 0.24 + 0.5 * (np.floor(walls.v / 0.09) % 2), walls.v / 0.09)
    light = 0.9 + 0.16 * (stain - 0.5) + courses * fine * near - 0.2 * (walls.v < 0.7)
    light += bands * _soft(grid.y, 0.0, 0.09, grid.pixel_y)
    albedo: Floats = walls.wall * light[:, None]
    timber = (beams > 0) & ~grid.low
    if timber.any():
        edge = np.minimum(np.minimum(grid.x, 1 - grid.x), np.minimum(grid.y, 1 - grid.y) * 1.3)
        brace = np.abs(grid.x - grid.y) + np.where(grid.chance < 0.3, 0, 1)
        beam = np.minimum(edge, brace)
        mix(albedo, _TIMBER, np.clip((0.06 - beam) / (grid.pixel_x + 0.02) + 0.5, 0, 1) * timber)
    return albedo


def _windows(grid: _Grid) -> tuple[Floats, Floats]:
    """How much of each pixel is glass, and how much glass and frame together."""
    wide, tall, sill = grid.wide, grid.tall, grid.sill
    wide = np.where(grid.shop, 0.9, wide)
    door = grid.low & ~grid.shop & (grid.chance < 0.3)
    low = np.where(grid.shop, 0.1, np.where(door, 0.0, np.where(grid.low, 0.3, sill)))
    high = np.where(grid.shop, 0.68, np.where(door, 0.72, np.where(grid.low, 0.74, sill + tall)))
    left, right = (1 - wide) / 2, (1 + wide) / 2
    rim_x, rim_y = 0.035, 0.03
    outer = grid.region((left - rim_x, right + rim_x), (low - rim_y * 1.6, high + rim_y))
    inner = grid.region((left, right), (low, high))
    bar = np.where(grid.shop | (wide > 0.6), 0, _soft(grid.x, 0.485, 0.515, grid.pixel_x))
    blank = grid.capped
    return np.where(blank, 0, inner * (1 - bar)), np.where(blank, 0, outer)


def _shutters(albedo: Floats, walls: Walls, grid: _Grid, shutters: Floats) -> None:
    where = (shutters > 0) & ~grid.low & ~grid.capped
    if not where.any():
        return
    left, right, rows = (1 - grid.wide) / 2, (1 + grid.wide) / 2, (grid.sill - 0.02, grid.sill + grid.tall)
    share = grid.region((left - 0.2, left - 0.04), rows) + grid.region((right + 0.04, right + 0.2), rows)
    mix(albedo, walls.accent, np.clip(share, 0, 1) * where)


def _awnings(albedo: Floats, walls: Walls, grid: _Grid) -> None:
    """Above shop windows: one for a few bays, each shop in its own colour, some without."""
    rows = np.flatnonzero(grid.shop)
    shop = cell(np.floor(grid.column[rows] / 3), walls.seed[rows])
    own, other = hashed(shop, 1), hashed(shop, 2)
    band = _soft(grid.y[rows], 0.69, 0.86, grid.pixel_y[rows]) * (own > 0.2)
    tint = walls.accent[rows] * (0.5 + own[:, None]) + 0.25 * np.stack([own, other, 1 - own], 1) ** 2
    under = albedo[rows]
    mix(under, tint, band)
    albedo[rows] = under


def _panes(walls: Walls, grid: _Grid, mirror: Floats, lit: float, sky: Floats, night: bool) -> tuple[Floats, Floats]:
    """The glass: dark rooms and the sky's mirror image; behind some of it a light is on."""
    tone = hashed(grid.cell, 3)
    share = np.where(grid.shop, np.minimum(3 * lit, 0.85), lit * (1.35 - mirror * 0.6))
    on = hashed(grid.cell, 4) < share
    glass = _INSIDE * (0.5 + tone[:, None])
    wavy = cloudy(walls.u / 60 + walls.seed * 0.31, walls.v / 45)
    shine = sky * (mirror * (0.25 + 0.5 * wavy + 0.3 * tone))[:, None]
    lamp = _LIGHTS[(tone * 4.99).astype(np.int64)] * (0.35 + 0.9 * grid.chance)[:, None]
    curtain = 1 - 0.5 * (np.abs(grid.x - 0.5) > 0.12) * (tone > 0.5)
    glow = lamp * curtain[:, None] * (0.55 if night else 0.9)
    return glass, np.where(on[:, None], glow + 0.3 * shine, shine)
