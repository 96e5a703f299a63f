"""The ground's surfaces: asphalt, cobbles, slabs, grass, paint, and the snow on them."""

from __future__ import annotations

import numpy as np

from unseen.scenes.colours import Floats, mix, rgb
from unseen.scenes.mesh import Faces
from unseen.scenes.noise import cell, cloudy, grain, hashed
from unseen.scenes.spots import SNOW, Spots, snow
from unseen.scenes.street import Street
from unseen.scenes.weather import Air

_SLUSH = np.array(rgb("#8f9398"), np.float32)


def road(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """Asphalt: coarse, patched, darker where oil drips, lighter where wheels have polished it."""
    x, z, pixel = spots.x[rows], spots.z[rows], spots.pixel[rows]
    lateral = street.lateral(x, z)
    near = np.clip(0.05 / pixel, 0, 1)
    fine = grain(x / 0.04, z / 0.06) * near
    broad = cloudy(lateral / 40 + 0.3, z / 210)
    tracks = _tracks(lateral, street)
    patch = hashed(cell(np.floor(lateral / 1.7), np.floor(z / 6.5))) < 0.05
    crack = (np.abs(cloudy(x / 21, z / 34) - 0.5) < 0.004) * near
    spots.albedo[rows] *= (0.92 + 0.16 * broad + 0.5 * fine + 0.1 * tracks - 0.2 * patch - 0.35 * crack)[:, None]
    if air.weather.snow:
        _slush(spots, rows, lateral, tracks, street, air)


def _tracks(lateral: Floats, street: Street) -> Floats:
    """1 where wheels roll, two tracks in each lane."""
    lane = (np.abs(lateral) - street.inner) / street.lane
    share: Floats = np.exp(-(((np.abs(lane % 1 - 0.5) - 0.23) / 0.085) ** 2))
    return share * (lane < max(street.ahead, street.oncoming))


def _slush(spots: Spots, rows: slice, lateral: Floats, tracks: Floats, street: Street, air: Air) -> None:
    """Snow on the road: driven to slush in the tracks, deep at the kerbs, some days more of it than on others."""
    x, z = spots.x[rows], spots.z[rows]
    uneven = cloudy(lateral / 13 + air.drift[0], z / 55)
    deep = 0.35 + 0.5 * air.drift[1] + 0.7 * (uneven - 0.5) - tracks * (0.25 + 0.6 * cloudy(x / 9, z / 40))
    deep += np.clip(1.3 - np.minimum(lateral - street.kerbs[0], street.kerbs[1] - lateral), 0, 1)
    deep = np.clip(deep + 0.25 * grain(x / 0.07, z / 0.1) * np.clip(0.06 / spots.pixel[rows], 0, 1), 0, 1)
    mix(spots.albedo[rows], _SLUSH + (SNOW - _SLUSH) * deep[:, None], 0.3 + 0.65 * deep)


def cobbles(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """Stones of 20 to 30 cm in staggered courses across the road."""
    x, z, pixel = spots.x[rows], spots.z[rows], spots.pixel[rows]
    course = np.floor(z / 0.34)
    across = street.lateral(x, z) / 0.28 + 0.5 * (course % 2)
    stone = hashed(cell(np.floor(across), course))
    joint = np.minimum(0.5 - np.abs(across % 1 - 0.5), 0.5 - np.abs(z / 0.34 % 1 - 0.5))
    clear = np.clip(0.16 / (pixel * (1 + 0.35 * z)) * 0.9, 0, 1)
    light = 1 + clear * (0.55 * (stone - 0.5) - 0.5 * (joint < 0.1))
    spots.albedo[rows] *= (light * (0.8 + 0.4 * cloudy(x / 31, z / 53)))[:, None]
    if air.weather.snow:
        lateral = street.lateral(x, z)
        _slush(spots, rows, lateral, _tracks(lateral, street), street, air)


def pavement(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """Slabs."""
    x, z, pixel = spots.x[rows], spots.z[rows], spots.pixel[rows]
    across = street.lateral(x, z) / 1.2
    slab = hashed(cell(np.floor(across), np.floor(z / 1.2)))
    joint = np.minimum(0.5 - np.abs(across % 1 - 0.5), (0.5 - np.abs(z / 1.2 % 1 - 0.5)) * 1.0)
    clear = np.clip(0.3 / (pixel * (1 + 0.3 * z)), 0, 1)
    light = 0.85 + 0.25 * cloudy(x / 21, z / 33) + clear * (0.18 * (slab - 0.5) - 0.35 * (joint < 0.035))
    spots.albedo[rows] *= light[:, None]
    snow(spots, rows, air, 0.97)


def grass(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """Verges, meadows and crops."""
    x, z, pixel = spots.x[rows], spots.z[rows], spots.pixel[rows]
    blades = grain(x / 0.06, z / 0.15) * np.clip(0.1 / pixel, 0, 1) + grain(x / 0.5, z / 1.6) * 0.35
    broad = cloudy(x / 63, z / 140)
    spots.albedo[rows] *= (0.6 + 0.75 * broad + 0.7 * blades)[:, None]
    spots.albedo[rows, 0] *= 0.8 + 0.5 * cloudy(x / 150 + 0.5, z / 260)
    snow(spots, rows, air, 0.97)


def marking(spots: Spots, rows: slice, faces: Faces, street: Street, air: Air) -> None:
    """Paint on the road, worn off in places; snow lets it show through."""
    x, z = spots.x[rows], spots.z[rows]
    worn = faces.parameters[spots.face[rows], 0]
    keep = 1 - worn * np.clip(2.2 * cloudy(x / 3.1, z / 4.7) - 0.9, 0, 1)
    spots.albedo[rows] *= (0.35 + 0.65 * keep)[:, None]
    if air.weather.snow:
        snow(spots, rows, air, 0.45)
