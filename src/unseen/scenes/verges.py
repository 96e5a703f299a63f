"""Beside a highway: the barrier in its middle, guard rails, noise walls, trees, bushes and fields."""

from __future__ import annotations

import numpy as np

from unseen.scenes import fences, furniture, things
from unseen.scenes.colours import Colour, palette, pick, rgb, varied
from unseen.scenes.furniture import STEEL
from unseen.scenes.lamps import LampRow
from unseen.scenes.mesh import Kind, Layer
from unseen.scenes.plan import Plan
from unseen.scenes.street import steps

CONCRETE = rgb("#a9a69e")
NOISE_WALLS = palette("#7d8a78 #8a8478 #6f7d86 #9a8f7a")
_UNTIL = 220.0


def median(plan: Plan, tint: Colour) -> None:
    """Concrete or steel between the carriageways, and often lamps above it."""
    street, rng = plan.street, plan.rng
    if rng.random() < 0.6:
        fences.barrier(plan.mesh, street, 0.0, _UNTIL, varied(rng, CONCRETE))
    else:
        strip = street.ribbon(-street.inner + 0.6, street.inner - 0.6, steps(1.0, 300.0), 0.02)
        plan.mesh.add(strip, Kind.GRASS, "vegetation", plan.weather.grass, layer=Layer.GROUND)
        for lateral in (-0.5, 0.5):
            fences.guard_rail(plan.mesh, street, lateral, _UNTIL)
    apart, first, high = rng.uniform(35, 48), rng.uniform(8, 30), rng.uniform(9, 11)
    lateral = pick(rng, (0.0, street.kerbs[1] + 0.6))
    row = LampRow(lateral, high, first, apart, tint, 1.5)
    furniture.lamp_posts(plan.mesh, street, plan.lamps, row, STEEL, arm=2.0, until=200.0)


def to_device_of(plan: Plan) -> None:
    """Each side has a guard rail, and behind it woods, a noise wall, or open land."""
    for back in plan.street.backs:
        side = int(np.sign(back))
        look = pick(plan.rng, ("wood", "wood", "wall", "open", "open"))
        fences.guard_rail(plan.mesh, plan.street, back + side * 0.5, _UNTIL)
        _fields(plan, back, side)
        if look == "wall":
            near, far = plan.rng.uniform(3, 20), plan.rng.uniform(60, 160)
            high, colour = plan.rng.uniform(3, 4.5), pick(plan.rng, NOISE_WALLS)
            fences.boards(plan.mesh, plan.street, back + side * 2.5, near, far, high, colour)
        count, away = {"wood": (45, (6, 28)), "wall": (14, (7, 30)), "open": (12, (10, 70))}[look]
        _plants(plan, back, side, count, away)


def _plants(plan: Plan, back: float, side: int, count: int, away: tuple[float, float]) -> None:
    rng = plan.rng
    conifers = rng.random() < 0.4
    for _ in range(count):
        lateral, along = back + side * rng.uniform(*away), 8 + 200 * rng.random() ** 1.3
        things.tree(
            plan.mesh, plan.street, plan.weather, rng, lateral, along, rng.uniform(6, 13),
            conifer=rng.random() < (0.6 if conifers else 0.1), blossom=plan.weather.blooming * 0.5,
        )  # fmt: skip
    for _ in range(int(rng.integers(3, 14))):
        things.bush(plan.mesh, plan.street, plan.weather, rng, back + side * rng.uniform(1.5, 6), rng.uniform(6, 80))


def _fields(plan: Plan, back: float, side: int) -> None:
    """Farmed land beyond the verge, in strips of different crops."""
    rng = plan.rng
    for near, far in ((20.0, 90.0), (95.0, 200.0), (210.0, 400.0)):
        if rng.random() < 0.7:
            edges = sorted((back + side * rng.uniform(12, 20), back + side * 400))
            crop = varied(rng, pick(rng, plan.weather.fields))
            strip = plan.street.ribbon(edges[0], edges[1], steps(near, far))
            plan.mesh.add(strip, Kind.GRASS, "vegetation", crop, layer=Layer.GROUND)
