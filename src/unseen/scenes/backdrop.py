"""What closes the view: hills, towers or roofs beyond the end of the street."""

from __future__ import annotations

import numpy as np

from unseen.scenes.buildings import TILES
from unseen.scenes.colours import Colour, pick
from unseen.scenes.facades import STYLES
from unseen.scenes.mesh import Kind, Layer
from unseen.scenes.plan import Plan
from unseen.scenes.shapes import box


def hills(plan: Plan, along: float, high: float) -> None:
    """A wavy line of woods and meadows on the horizon."""
    rng = plan.rng
    x = np.linspace(-1.4 * along, 1.4 * along, 48)
    waves = sum(
        rng.uniform(0.4, 1) * np.sin(x / along * frequency + rng.uniform(0, 6)) / frequency**0.8
        for frequency in (2.3, 5.1, 11, 27)
    )
    y = np.maximum(high * (0.6 + 0.5 * np.asarray(waves)), 1.0)
    foot = np.zeros_like(x)
    z = np.full_like(x, along)
    low, top = np.stack([x, foot, z], 1), np.stack([x, y, z], 1)
    strips = np.stack([low[:-1], low[1:], top[1:], top[:-1]], 1)
    leaf = pick(rng, plan.weather.leaves)
    plan.mesh.add(strips, Kind.HILL, "vegetation", leaf, layer=Layer.BACKDROP)


def towers(plan: Plan, looks: tuple[tuple[str, tuple[Colour, ...]], ...]) -> None:
    """High-rises above the end of the street, each look a style and its colours."""
    rng = plan.rng
    for _ in range(14):
        along, half = rng.uniform(270, 420), rng.uniform(7, 14)
        style, walls = pick(rng, looks)
        _block(plan, style, pick(rng, walls), rng.uniform(-110, 110), along, half, rng.uniform(25, 120))


def roofs(plan: Plan, walls: tuple[Colour, ...]) -> None:
    """Low houses beyond the end of the street."""
    rng = plan.rng
    for _ in range(16):
        along, lateral, half, eaves = rng.uniform(155, 240), rng.uniform(-90, 90), rng.uniform(4, 7), rng.uniform(5, 9)
        x = _block(plan, "plain", pick(rng, walls), lateral, along, half, eaves)
        ridge = eaves + rng.uniform(3, 5)
        back = along + 5
        slope = [(x - half, eaves, along), (x + half, eaves, along), (x + half, ridge, back), (x - half, ridge, back)]
        plan.mesh.add([slope], Kind.ROOF, "building", pick(rng, TILES), layer=Layer.BACKDROP)


def sheds(plan: Plan, walls: tuple[Colour, ...]) -> None:
    """Warehouses and a few taller blocks beside a highway, from near to far."""
    rng = plan.rng
    for _ in range(int(rng.integers(5, 14))):
        along, side = rng.uniform(60, 300), pick(rng, (-1, 1))
        style, high = pick(rng, (("shed", (6, 12)), ("shed", (6, 12)), ("ribbon", (14, 34)), ("plain", (7, 16))))
        edge = plan.street.fronts[1] if side > 0 else plan.street.fronts[0]
        half = rng.uniform(8, 22)
        lateral = edge + side * (half + rng.uniform(0, 60))
        _block(plan, style, pick(rng, walls), lateral, along, half, rng.uniform(*high))


def _block(plan: Plan, style: str, wall: Colour, lateral: float, along: float, half: float, high: float) -> float:
    x = plan.street.x(lateral, along)
    look = (float(STYLES[style].number), float(plan.rng.integers(1000)), 2 * half, 0.0)
    sides = box((x - half, x + half), (0, high), (along, along + 2 * half))
    plan.mesh.add(sides, Kind.FACADE, "building", wall, layer=Layer.BACKDROP, parameters=look)
    return x
