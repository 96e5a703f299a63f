"""From light to a picture: the glow of lamps, exposure, the film's curve, flakes in the air and the sensor's noise."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from unseen.scenes.camera import View
from unseen.scenes.colours import Floats
from unseen.scenes.lamps import Lamps
from unseen.scenes.weather import Air

_STEPS, _BRIGHTEST = 4096, 4.0


def develop(light: Floats, depth: Floats, lamps: Lamps, air: Air, view: View, rng: Generator) -> NDArray[np.uint8]:
    """Light (rows, columns, 3) and depth (rows, columns) as an 8-bit picture."""
    weather = air.weather
    if weather.headlights:
        _glow(light, depth, lamps, view, 1.0 if weather.night else 0.12)
    levels = np.clip(light * (air.exposure * _STEPS / _BRIGHTEST), 0, _STEPS - 1).astype(np.int32)
    picture = _curve()[levels]
    if weather.flakes and rng.random() < 0.6:
        _snowfall(picture, weather.flakes, rng)
    cast = 1 + 0.012 * rng.standard_normal(3).astype(np.float32)
    picture *= (255 * cast) * _vignette(view.rows, view.columns)[..., None]
    picture += rng.standard_normal(picture.shape, np.float32) * np.float32(255 * weather.noise)
    developed: NDArray[np.uint8] = np.clip(np.rint(picture), 0, 255).astype(np.uint8)
    return developed


@cache
def _curve() -> NDArray[np.float32]:
    """Film: straight in the shadows, soft in the highlights; then the display's gamma."""
    light = (np.arange(_STEPS) + 0.5) / _STEPS * _BRIGHTEST
    return ((1 - np.exp(-1.5 * light)) ** (1 / 2.2)).astype(np.float32)


@cache
def _vignette(rows: int, columns: int) -> NDArray[np.float32]:
    """A lens gives its corners a little less."""
    y, x = np.linspace(-1, 1, rows)[:, None], np.linspace(-1, 1, columns)
    return (1 - 0.07 * (x**2 + y**2)).astype(np.float32)


def _glow(light: Floats, depth: Floats, lamps: Lamps, view: View, share: float) -> None:
    """Each lamp that isn't hidden shines into the pixels around it."""
    if not lamps.spots:
        return
    column, row, z = view.project(np.stack(lamps.spots))
    for x, y, far, tint, strength in zip(column, row, z, lamps.tints, lamps.strengths, strict=True):
        i, j = int(y), int(x)
        if 0 <= i < view.rows and 0 <= j < view.columns and depth[i, j] > far - 1.0:
            size = np.clip(0.16 * view.focal / far, 0.008 * view.columns, 0.02 * view.columns)
            _add_spot(light, x, y, size, np.array(tint) * (strength * share))


def _add_spot(light: Floats, x: float, y: float, size: float, tint: Floats) -> None:
    """A bright middle and a wide halo."""
    reach = int(6 * size) + 1
    top, left = max(int(y) - reach, 0), max(int(x) - reach, 0)
    window = light[top : int(y) + reach + 1, left : int(x) + reach + 1]
    down = (np.arange(top, top + window.shape[0]) + 0.5 - y) / size
    across = (np.arange(left, left + window.shape[1]) + 0.5 - x) / size
    squared = down[:, None] ** 2 + across**2
    window += (1.6 * np.exp(-squared) + 0.10 * np.exp(-squared / 9))[..., None] * tint


def _snowfall(picture: Floats, flakes: int, rng: Generator) -> None:
    """Flakes in the air, near ones larger."""
    rows, columns = picture.shape[:2]
    count = int(flakes * rng.uniform(0.3, 1) * rows * columns / (192 * 320))
    y, x = (rng.random((2, count)) * [[rows - 1], [columns - 1]]).astype(np.int64)
    white = rng.uniform(0.3, 0.85, count)[:, None]
    for across, weight in ((0, 1.0), (1, 0.5)):
        spot = (y, np.minimum(x + across, columns - 1))
        picture[spot] += (0.95 - picture[spot]) * white * weight
