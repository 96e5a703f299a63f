"""What each kind of surface looks like in plain light: leaves, tiles, paint, glass; roads.py has the ground's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unseen.scenes import facades, roads
from unseen.scenes.canvas import SIDE, Part
from unseen.scenes.colours import mix, rgb
from unseen.scenes.mesh import Faces, Kind
from unseen.scenes.noise import cell, cloudy, hashed
from unseen.scenes.spots import SNOW, Spots, on_face, snow
from unseen.scenes.sprites import atlas
from unseen.scenes.street import Street
from unseen.scenes.synthia_classes import SYNTHIA_IDS
from unseen.scenes.weather import Air

_PARTS = {Part.SKIN: rgb("#c8936f"), Part.DARK: rgb("#1a1716"), Part.METAL: rgb("#8a8d90")}

Rule = Callable[[Spots, slice, Faces, Street, Air], None]


def paint(spots: Spots, faces: Faces, street: Street, air: Air) -> None:
    """Fill in albedo and emission, kind by kind, and lay the snow."""
    for kind, rule in _RULES.items():
        rows = spots.kinds[kind]
        if rows.start < rows.stop:
            rule(spots, rows, faces, street, air)


def _plain(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    grain = cloudy(spots.x[rows] / 7 + spots.y[rows] / 5, spots.z[rows] / 9)
    spots.albedo[rows] *= (0.88 + 0.24 * grain)[:, None]
    snow(spots, rows, air, 0.9)


def _paintwork(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """A car's: it mirrors a little of the sky, more so where it looks up."""
    up = np.clip(spots.normal[rows, 1], 0, 1)
    sky = np.array(air.weather.horizon, np.float32) * 0.9
    spots.emission[rows] += sky * (0.05 + 0.14 * up)[:, None]
    snow(spots, rows, air, 0.8)


def _glass(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    up = 0.12 + 0.5 * np.clip(spots.normal[rows, 1] + 0.1, 0, 1)
    streak = cloudy(spots.x[rows] / 11 + spots.z[rows] / 13, spots.y[rows] / 6)
    spots.emission[rows] += np.array(air.weather.horizon, np.float32) * (up * (0.6 + 0.7 * streak))[:, None]


def _light(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """A lamp; the second parameter marks those that are lit by day too."""
    shine, always = faces.parameters[spots.face[rows], :2].T
    on = np.where(always > 0, shine * 0.35, shine * (1.0 if air.weather.headlights else 0.0) * 0.4)
    spots.emission[rows] += spots.albedo[rows] * on[:, None]


def _facade(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    face = spots.face[rows]
    u, v = on_face(spots, rows, faces)
    style, seed, width, top = faces.parameters[face].T
    steep = np.abs(spots.normal[rows, 0] * spots.x[rows] / spots.z[rows] + spots.normal[rows, 2])
    pixel = spots.pixel[rows]
    walls = facades.Walls(
        u=u, v=v, style=style.astype(np.int64), seed=seed, width=width, top=top,
        pixel_u=pixel / np.maximum(steep, 0.02), pixel_v=pixel, wall=spots.albedo[rows], accent=faces.second[face],
    )  # fmt: skip
    weather = air.weather
    spots.albedo[rows], spots.emission[rows] = facades.paint(
        walls, lit=weather.lit, sky=weather.horizon, night=weather.night
    )


def _roof(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """Tiles in courses."""
    u, v = on_face(spots, rows, faces)
    clear = np.clip(0.25 / spots.pixel[rows], 0, 1)
    tile = hashed(cell(np.floor(u / 0.5), np.floor(v / 0.35)))
    light = 0.85 + 0.3 * cloudy(u / 13, v / 9) + clear * (0.35 * (tile - 0.5) - 0.25 * (v / 0.35 % 1 < 0.25))
    spots.albedo[rows] *= light[:, None]
    snow(spots, rows, air, 0.98)


def _sprite(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """A picture's tones and colours; the side towards the sun is lighter."""
    face = spots.face[rows]
    number, wide, tall = faces.parameters[face, :3].T
    u, v = on_face(spots, rows, faces)
    column = np.clip(u / wide * SIDE, 0, SIDE - 1).astype(np.int64)
    row = np.clip((1 - v / tall) * SIDE, 0, SIDE - 1).astype(np.int64)
    pictures, picture = atlas(), number.astype(np.int64)
    part, tone = pictures.part[picture, row, column], pictures.tone[picture, row, column]
    colour = spots.albedo[rows]
    colour[part == Part.SECOND] = faces.second[face[part == Part.SECOND]]
    for which, fixed in _PARTS.items():
        colour[part == which] = fixed
    side = 1 + 0.5 * air.sun[0] * (u / wide - 0.5) * (max(air.weather.sun) > 0.5)
    colour *= (tone * side)[:, None]
    if air.weather.snow:
        plant = faces.label[face] == SYNTHIA_IDS["vegetation"]
        mix(colour, SNOW, np.clip((tone - 0.78) * 2.2, 0, 0.85) * plant)


def _hill(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """Woods and meadows, far away."""
    wood = cloudy(spots.x[rows] / 900, spots.y[rows] / 160)
    fine = cloudy(spots.x[rows] / 350, spots.y[rows] / 90)
    spots.albedo[rows] *= (0.5 + 0.6 * wood + 0.45 * fine)[:, None]
    if air.weather.snow:
        mix(spots.albedo[rows], SNOW, np.clip(1.4 * fine - 0.25, 0, 0.85))


def _hedge(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    u, v = on_face(spots, rows, faces)
    leaves = cloudy(u / 2.1, v / 2.1 + u / 31)
    spots.albedo[rows] *= (0.45 + 0.9 * leaves)[:, None]
    snow(spots, rows, air, 0.95)


def _planks(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    u, _ = on_face(spots, rows, faces)
    clear = np.clip(0.08 / spots.pixel[rows], 0, 1)
    board = hashed(cell(np.floor(u / 0.24), faces.parameters[spots.face[rows], 0] * 100))
    light = 0.9 + clear * (0.4 * (board - 0.5) - 0.4 * (u / 0.24 % 1 < 0.12)) - 0.1 * (u / 2.4 % 1 < 0.06)
    spots.albedo[rows] *= light[:, None]
    snow(spots, rows, air, 0.9)


_RULES: dict[Kind, Rule] = {
    Kind.PLAIN: _plain, Kind.ROAD: roads.road, Kind.COBBLES: roads.cobbles, Kind.PAVEMENT: roads.pavement,
    Kind.GRASS: roads.grass, Kind.MARKING: roads.marking, Kind.FACADE: _facade, Kind.ROOF: _roof, Kind.SPRITE: _sprite,
    Kind.GLASS: _glass, Kind.PAINT: _paintwork, Kind.LIGHT: _light, Kind.HILL: _hill, Kind.HEDGE: _hedge,
    Kind.PLANKS: _planks,
}  # fmt: skip
