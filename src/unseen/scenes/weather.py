"""The five conditions: what the light, the air, the ground and the plants are like in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from unseen.scenes.colours import Colour, Floats, palette, pick, rgb

Range = tuple[float, float]

_GREENS = palette("#4f7a2e #5b8536 #456f2f #6a8f3c #3f6630")
_FRESH = palette("#7fb53a #8fc24a #6faa35 #9acb55 #63a038")
_BLOSSOM = palette("#f2b6cb #f6cfdb #f7eef0 #e99bb8")
_GRASS, _CROPS = rgb("#5a7434"), palette("#8a8a4c #6d7c3c #9c8f55")
_EVERGREENS = palette("#2f5236 #3a5c3a #28492f")


@dataclass(frozen=True)
class Weather:
    """One condition. Colours are linear light; a range is drawn from for each image."""

    zenith: Colour
    horizon: Colour
    haze: Colour
    """what the air adds to what is far away"""
    visibility: Range
    """metres at which the air hides 63 % of what is behind it"""
    sun: Colour
    """strength included; black where there is none"""
    elevation: Range
    """the sun's, in degrees"""
    ambient: Colour
    clouds: Range
    """the share of the sky they cover"""
    cloud: Colour
    azimuth: Range = (15, 120)
    """degrees between the way ahead and the sun, to either side"""
    exposure: Range = (0.9, 1.15)
    noise: float = 0.012
    night: bool = False
    lit: float = 0.02
    """the share of windows with a light on"""
    headlights: float = 0.0
    """the share of cars with lights on"""
    snow: float = 0.0
    flakes: int = 0
    bare: bool = False
    leaves: tuple[Colour, ...] = _GREENS
    needles: tuple[Colour, ...] = _EVERGREENS
    blossom: tuple[Colour, ...] = _BLOSSOM
    blooming: float = 0.0
    grass: Colour = _GRASS
    fields: tuple[Colour, ...] = _CROPS


@dataclass(frozen=True)
class Air:
    """A condition on one occasion: where the sun stands, how far one sees."""

    weather: Weather
    sun: Floats
    """unit vector towards the sun"""
    visibility: float
    clouds: float
    drift: Floats
    """where in the noise the clouds are, (2,)"""
    exposure: float
    strength: float
    """of the sun, about 1"""


CONDITIONS = {
    "dawn": Weather(
        zenith=rgb("#52689c"), horizon=rgb("#f7b07a"), haze=rgb("#e6a98a"), visibility=(350, 900),
        sun=(2.9, 1.45, 0.62), elevation=(6, 15), azimuth=(8, 75), ambient=(0.36, 0.36, 0.48), clouds=(0.2, 0.55),
        cloud=rgb("#f08a76"),
        exposure=(0.95, 1.2), noise=0.014, lit=0.12, headlights=0.5,
    ),
    "fog": Weather(
        zenith=rgb("#b9bec2"), horizon=rgb("#c6cacc"), haze=rgb("#c3c8ca"), visibility=(22, 48), sun=(0, 0, 0),
        elevation=(40, 50), ambient=(0.62, 0.64, 0.66), clouds=(0, 0), cloud=rgb("#c0c4c6"), exposure=(0.9, 1.15),
        noise=0.012, lit=0.08, headlights=0.7, leaves=palette("#566f3c #60764a #4c6438"), grass=rgb("#5c6b40"),
    ),
    "night": Weather(
        zenith=(0.0035, 0.0048, 0.011), horizon=(0.020, 0.018, 0.022), haze=(0.012, 0.011, 0.015),
        visibility=(250, 600), sun=(0.012, 0.016, 0.03), elevation=(35, 60), ambient=(0.010, 0.013, 0.025),
        clouds=(0.1, 0.6), cloud=(0.016, 0.014, 0.018), exposure=(1.0, 1.4), noise=0.016, night=True, lit=0.32,
        headlights=1.0,
    ),
    "spring": Weather(
        zenith=rgb("#3a78c8"), horizon=rgb("#b4d6f0"), haze=rgb("#b9d3e8"), visibility=(900, 2500),
        sun=(2.25, 2.05, 1.7), elevation=(32, 58), ambient=(0.42, 0.50, 0.62), clouds=(0.05, 0.5), cloud=rgb("#ffffff"),
        exposure=(0.8, 1.0), noise=0.008, leaves=_FRESH, blooming=0.4, grass=rgb("#6fa63a"),
        fields=palette("#86b34a #c9bf3e #78a83f"),
    ),
    "winter": Weather(
        zenith=rgb("#a9b3bf"), horizon=rgb("#d4d9de"), haze=rgb("#ccd2d8"), visibility=(160, 420),
        sun=(0.30, 0.29, 0.28), elevation=(18, 30), ambient=(0.60, 0.64, 0.71), clouds=(0.5, 0.9), cloud=rgb("#bcc3cb"),
        exposure=(0.85, 1.05), noise=0.011, lit=0.1, headlights=0.4, snow=1.0, flakes=260, bare=True,
        leaves=palette("#6b6248 #5a5544"), grass=rgb("#7d7a58"), fields=palette("#8a8468"),
    ),
}  # fmt: skip


def occasion(weather: Weather, rng: Generator) -> Air:
    """One occasion: the sun stands somewhere, rather to a side than behind the camera."""
    elevation = np.deg2rad(rng.uniform(*weather.elevation))
    azimuth = pick(rng, (-1, 1)) * np.deg2rad(rng.uniform(*weather.azimuth))
    level = np.cos(elevation)
    sun = np.array([np.sin(azimuth) * level, np.sin(elevation), np.cos(azimuth) * level], np.float32)
    return Air(
        weather=weather, sun=sun, visibility=rng.uniform(*weather.visibility), clouds=rng.uniform(*weather.clouds),
        drift=rng.random(2, np.float32), exposure=rng.uniform(*weather.exposure), strength=rng.uniform(0.8, 1.15),
    )  # fmt: skip
