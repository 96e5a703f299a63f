"""Buildings: blocks with flat roofs, and houses with gables, in rows along the street."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from unseen.scenes.colours import Colour, Floats, palette, pick, rgb, varied
from unseen.scenes.facades import STYLES
from unseen.scenes.mesh import Anchor, Kind, Layer, Mesh
from unseen.scenes.shapes import box
from unseen.scenes.street import Street

TILES = palette("#8a3f2a #9c4b30 #7a3526 #a65a3a #6e4a3c #5b5f66")
STONE, GUTTER = rgb("#9a9184"), rgb("#d8d2c4")
AWNINGS = palette("#7a1f22 #1f4d3a #22406b #b8862b #2d2d30 #8c4a1e #d8d2c4")
SHUTTERS = palette("#2f5d50 #3c5a78 #6b3a2a #55623a #7a7468 #8b2f2f")


@dataclass(frozen=True)
class Building:
    """One building of a row: what shadows need to know of it."""

    near: float
    far: float
    height: float


@dataclass(frozen=True)
class Lot:
    """The ground a building stands on: which side of the street, from where to where."""

    street: Street
    front: float
    """lateral of its front wall"""
    near: float
    far: float

    def __post_init__(self) -> None:
        assert self.near < self.far

    @property
    def side(self) -> int:
        """1 to the right of the street, -1 to its left."""
        return 1 if self.front > self.street.eye else -1

    @property
    def anchor(self) -> Anchor:
        """Where the building counts as standing: at its front."""
        return self.front, self.far

    def at(self, back: float, height: float, along: float) -> Floats:
        """A point so far behind the front wall."""
        return self.street.point(self.front + self.side * back, height, along)

    def ordered(self, corners: list[Floats]) -> Floats:
        """Corners given as seen on the right side of the street; on the left they go the other way round."""
        return np.stack(corners if self.side > 0 else [corners[1], corners[0], *corners[:1:-1]])[None]

    def front_wall(self, low: float, high: float, back: float = 0.0) -> Floats:
        """The wall along the street."""
        spots = ((low, self.far), (low, self.near), (high, self.near), (high, self.far))
        return self.ordered([self.at(back, height, along) for height, along in spots])

    def side_wall(self, low: float, high: float, deep: float, back: float = 0.0) -> Floats:
        """The wall that looks at the camera."""
        spots = ((back, low), (deep, low), (deep, high), (back, high))
        return self.ordered([self.at(behind, height, self.near) for behind, height in spots])


def _wall(
    mesh: Mesh, lot: Lot, face: Floats, style: str, colours: tuple[Colour, Colour], seed: int, top: float
) -> None:
    """A wall of the building on that lot, its windows ending at ``top``; the colours are its own and its accents'."""
    wide = float(np.linalg.norm(face[0, 1] - face[0, 0]))
    mesh.add(
        face, Kind.FACADE, "building", colours[0], second=colours[1], anchor=lot.anchor,
        parameters=(STYLES[style].number, seed, wide, top),
    )  # fmt: skip


def tower(mesh: Mesh, lot: Lot, rng: Generator, height: float, style: str, wall: Colour) -> Building:
    """A block with a flat roof, sometimes with a narrower one on top, sometimes with a water tank."""
    deep, seed, colours = rng.uniform(14, 24), int(rng.integers(1000)), (wall, pick(rng, AWNINGS))
    if rng.random() < 0.45 and height > 25:
        more, inset = height * rng.uniform(1.2, 1.6), rng.uniform(2.5, 5)
        upper = Lot(lot.street, lot.front, lot.near + inset, max(lot.far - inset, lot.near + inset + 4))
        for face in (upper.side_wall(height, more, deep, inset), upper.front_wall(height, more, inset)):
            _wall(mesh, lot, face, style, colours, seed, 0.0)
    elif rng.random() < 0.3:
        _tank(mesh, lot, rng, height)
    _wall(mesh, lot, lot.side_wall(0, height, deep), style, colours, seed + 1, height)
    _wall(mesh, lot, lot.front_wall(0, height), style, colours, seed, height)
    cornice = (wall[0] * 1.25, wall[1] * 1.25, wall[2] * 1.25)
    ledge = 0.25 if style in ("brick", "stone") else 0.1
    mesh.add(lot.front_wall(height - 0.9, height, -ledge), Kind.PLAIN, "building", cornice, anchor=lot.anchor)
    return Building(lot.near, lot.far, height)


def _tank(mesh: Mesh, lot: Lot, rng: Generator, height: float) -> None:
    x, _, z = lot.at(rng.uniform(3, 6), 0, lot.near + 3)
    wood = varied(rng, rgb("#5a4636"))
    sides = box((x - 1.6, x + 1.6), (height + 2, height + 5.5), (z - 1.6, z + 1.6))
    mesh.add(sides, Kind.PLANKS, "building", wood, anchor=lot.anchor, parameters=(4.0,))
    for leg in (-1.3, 1.3):
        stand = box((x + leg - 0.1, x + leg + 0.1), (height, height + 2), (z, z + 0.2))
        mesh.add(stand, Kind.PLAIN, "building", wood, anchor=lot.anchor)


def gable_house(mesh: Mesh, lot: Lot, rng: Generator, eaves: float, style: str, wall: Colour) -> Building:
    """A house whose gable looks at the street."""
    middle, ridge = (lot.near + lot.far) / 2, eaves + (lot.far - lot.near) * rng.uniform(0.4, 0.62)
    deep, tiles, seed = rng.uniform(9, 14), varied(rng, pick(rng, TILES), 0.25), int(rng.integers(1000))
    colours = (wall, pick(rng, SHUTTERS))
    _wall(mesh, lot, lot.side_wall(0, eaves, deep), style, colours, seed, 0.0)
    rim, top = (eaves - 0.15, lot.near - 0.25), (ridge, middle)
    slope = [lot.at(-0.3, *rim), lot.at(deep, *rim), lot.at(deep, *top), lot.at(-0.3, *top)]
    mesh.add(lot.ordered(slope), Kind.ROOF, "building", tiles, anchor=lot.anchor)
    spots = ((0, lot.far), (0, lot.near), (eaves, lot.near), (ridge, middle), (eaves, lot.far))
    front = lot.ordered([lot.at(0, height, along) for height, along in spots])
    _wall(mesh, lot, front, style, colours, seed, eaves + 1)
    for end in (lot.near, lot.far):
        low, high = ((eaves - 0.1, end), (eaves + 0.25, end)), ((ridge + 0.3, middle), (ridge - 0.05, middle))
        verge = np.stack([lot.at(-0.05, height, along) for height, along in (*low, *high)])[None]
        mesh.add(verge, Kind.PLAIN, "building", tiles, anchor=lot.anchor, both_sides=True)
    return Building(lot.near, lot.far, (eaves + ridge) / 2)


def eaves_house(mesh: Mesh, lot: Lot, rng: Generator, eaves: float, style: str, wall: Colour) -> Building:
    """A house whose roof slopes towards the street; its gable looks at the camera."""
    deep = rng.uniform(8, 12)
    ridge = eaves + deep / 2 * rng.uniform(0.85, 1.25)
    tiles, seed, colours = varied(rng, pick(rng, TILES), 0.25), int(rng.integers(1000)), (wall, pick(rng, SHUTTERS))
    _chimney(mesh, lot, rng, deep / 2, ridge)
    spots = ((0, 0), (deep, 0), (deep, eaves), (deep / 2, ridge), (0, eaves))
    gable = lot.ordered([lot.at(back, height, lot.near) for back, height in spots])
    _wall(mesh, lot, gable, style, colours, seed, eaves)
    _wall(mesh, lot, lot.front_wall(0, eaves), style, colours, seed, eaves)
    low, high = (-0.4, eaves - 0.2), (deep / 2, ridge)
    slope = [lot.at(*low, lot.far), lot.at(*low, lot.near), lot.at(*high, lot.near), lot.at(*high, lot.far)]
    mesh.add(lot.ordered(slope), Kind.ROOF, "building", tiles, anchor=lot.anchor)
    mesh.add(lot.front_wall(eaves - 0.3, eaves + 0.05, -0.08), Kind.PLAIN, "building", GUTTER, anchor=lot.anchor)
    return Building(lot.near, lot.far, eaves + (ridge - eaves) * 0.4)


def _chimney(mesh: Mesh, lot: Lot, rng: Generator, back: float, ridge: float) -> None:
    along = rng.uniform(lot.near + 1, max(lot.far - 1, lot.near + 1.1))
    x, _, z = lot.at(back, 0, along)
    stack = box((x - 0.4, x + 0.4), (ridge - 1.0, ridge + 1.1), (z - 0.35, z + 0.35))
    mesh.add(stack, Kind.PLAIN, "building", rgb("#7d4a3a"), anchor=lot.anchor)


def church(mesh: Mesh, street: Street, rng: Generator, lateral: float, along: float) -> None:
    """A tower with a pointed roof and a nave behind it, above the houses in the distance."""
    x, half, high = street.x(lateral, along), rng.uniform(3, 4.5), rng.uniform(24, 34)
    stone = varied(rng, STONE)
    style = (float(STYLES["church"].number), float(rng.integers(1000)), 2 * half, 0.0)
    sides = box((x - half, x + half), (0, high), (along, along + 2 * half))
    mesh.add(sides, Kind.FACADE, "building", stone, layer=Layer.BACKDROP, parameters=style)
    roof, point = varied(rng, pick(rng, TILES[3:])), np.array([x, high + rng.uniform(10, 18), along + half])
    rim = sides[4] + (sides[4] - sides[4].mean(0)) * 0.12
    for i in range(4):
        spire = np.stack([rim[i], rim[(i + 1) % 4], point])[None]
        mesh.add(spire, Kind.ROOF, "building", roof, layer=Layer.BACKDROP)


def divide(
    street: Street, front: float, rng: Generator, begin: float, end: float, wide: tuple[float, float]
) -> list[Lot]:
    """Lots of random widths that fill a side of the street between its crossings."""
    lots = []
    for near, far in street.between_crossings(begin, end):
        start = near
        while far - start > wide[0] / 2:
            stop = start + rng.uniform(*wide)
            stop = far if far - stop < wide[0] else stop
            lots.append(Lot(street, front, start, stop))
            start = stop
    return lots
