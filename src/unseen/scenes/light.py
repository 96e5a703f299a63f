"""Light: the sun, the sky, street lamps and headlights on every spot, and the air between it and the camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.scenes import shadows
from unseen.scenes.camera import View
from unseen.scenes.colours import Floats
from unseen.scenes.lamps import LampRow
from unseen.scenes.mesh import Faces, Kind
from unseen.scenes.shadows import Skyline
from unseen.scenes.spots import Spots
from unseen.scenes.street import Street
from unseen.scenes.weather import Air

_GROUND = (Kind.ROAD, Kind.COBBLES, Kind.PAVEMENT, Kind.GRASS, Kind.MARKING)
assert [kind + 1 for kind in _GROUND[:-1]] == list(_GROUND[1:])  # one slice of the spots has them all
Pixels = tuple[NDArray[np.int64], NDArray[np.int64]]
_HEADLIGHT = np.array([1.0, 0.93, 0.8], np.float32)


@dataclass(frozen=True)
class Surroundings:
    """All that light depends on besides the spot itself."""

    faces: Faces
    street: Street
    air: Air
    skyline: Skyline
    rows: list[LampRow]
    view: View


def illuminate(spots: Spots, around: Surroundings) -> Floats:
    """The light that leaves each spot towards the camera, (n, 3)."""
    weather = around.air.weather
    ground = slice(spots.kinds[_GROUND[0]].start, spots.kinds[_GROUND[-1]].stop)
    pixel = (spots.row[ground].astype(np.int64), spots.column[ground].astype(np.int64))
    sky = 0.72 + 0.28 * spots.normal[:, 1]
    sky *= np.clip(0.72 + spots.y * 0.12, 0, 1)
    sky[ground] = 1 - 0.8 * shadows.below_vehicles(around.faces, around.view)[pixel]
    light = np.array(weather.ambient, np.float32) * sky[:, None]
    if max(weather.sun) > 0.1:
        light += np.array(weather.sun, np.float32) * _sunshine(spots, around, ground, pixel)[:, None]
    if weather.night:
        for row in around.rows:
            light += np.array(row.tint, np.float32) * _lamplight(spots, around.street, row)[:, None]
        light += _HEADLIGHT * _own_headlights(spots)[:, None]
    return spots.albedo * light + spots.emission


def _sunshine(spots: Spots, around: Surroundings, ground: slice, pixel: Pixels) -> Floats:
    """How much of the sun reaches each spot: it looks that way, and nothing is between."""
    sun = around.air.sun
    facing = np.clip(spots.normal @ sun, 0, 1)
    facing[spots.kinds[Kind.SPRITE]] = 0.55
    facing *= around.air.strength * around.skyline.sunlit(around.street, sun, spots.x, spots.y, spots.z)
    facing[ground] *= 1 - shadows.on_ground(around.faces, sun, around.view)[pixel]
    return facing


def _lamplight(spots: Spots, street: Street, row: LampRow) -> Floats:
    """From the nearest lamp of a row: strength x cosine / distance squared."""
    along = (spots.z - row.first + row.spacing / 2) % row.spacing - row.spacing / 2
    across, up = street.lateral(spots.x, spots.z) - row.lateral, row.height - spots.y
    squared = across**2 + up**2 + along**2 + 1.0
    facing = -spots.normal[:, 0] * across + spots.normal[:, 1] * up - spots.normal[:, 2] * along
    cosine = np.clip(facing / np.sqrt(squared), 0.06, 1)
    below = np.clip(1.2 + up, 0, 1)  # the shade above the lamp
    share: Floats = 26 * row.strength * cosine * below / squared
    return share


def _own_headlights(spots: Spots) -> Floats:
    """Two beams ahead, dipped: a pool on the road, less above it."""
    sideways, up = spots.x / spots.z, (spots.y - 0.65) / spots.z
    beam = np.exp(-((sideways / 0.42) ** 2)) * np.clip(1 - up * 9, 0.03, 1)
    towards = np.clip(-spots.normal[:, 2] + 0.9 * spots.normal[:, 1], 0.1, 1)
    share: Floats = 38 * beam * towards / (spots.z + 6) ** 2
    return share


def through_air(colours: Floats, distance: Floats, air: Air) -> Floats:
    """Haze takes over with distance: colour exp(-d / visibility) + haze (1 - exp(-d / visibility))."""
    clear = np.exp(-distance / air.visibility)[:, None]
    haze = np.array(air.weather.haze, np.float32)
    seen: Floats = haze + (colours - haze) * clear
    return seen
