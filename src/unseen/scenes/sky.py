"""The sky: a gradient, the sun's glow, and clouds on a ceiling far above the street."""

from __future__ import annotations

import numpy as np

from unseen.scenes.colours import Floats, mix
from unseen.scenes.noise import cloudy
from unseen.scenes.weather import Air


def paint(rays: Floats, air: Air) -> Floats:
    """What each ray (3, n) meets in the sky, (n, 3)."""
    weather = air.weather
    x, y, z = rays / np.linalg.norm(rays, axis=0)
    up = np.maximum(y, 0)
    low: Floats = (1 - up) ** (5 if weather.snow or not any(weather.sun) else 3.5)
    zenith, horizon, sun, cloud = np.array([weather.zenith, weather.horizon, weather.sun, weather.cloud], np.float32)
    colours: Floats = zenith + (horizon - zenith) * low[:, None]
    towards = np.maximum(x * air.sun[0] + y * air.sun[1] + z * air.sun[2], 0)
    if not weather.night:
        disc = 6 * (towards > 0.9994) * (not weather.snow)  # clouds hide it when it snows
        glow = 0.25 * towards**5 + 0.5 * towards**40 + disc
        colours += sun * (0.35 * air.strength * glow)[:, None]
    if air.clouds:
        mix(colours, cloud, _cover(x, up, z, air))
    return colours


def _cover(x: Floats, up: Floats, z: Floats, air: Air) -> Floats:
    """How dense the clouds are, 0..1: streaks near the horizon, as a ceiling looks from below."""
    away = 0.05 / (up + 0.09)
    dense = cloudy(x * away * 1.1 + air.drift[0], z * away * 1.6 + air.drift[1])
    share: Floats = np.clip((dense - (1 - air.clouds)) * 3.2, 0, 1) * np.clip(up * 9, 0, 1) * 0.85
    return share
