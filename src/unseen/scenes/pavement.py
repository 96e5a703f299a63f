"""Who and what is on the pavements: people, bicycles, trees, signs, lamps, signals, bins, fences."""

from __future__ import annotations

import numpy as np

from unseen.scenes import fences, furniture, signs, things
from unseen.scenes.colours import Colour, pick
from unseen.scenes.ground import KERB
from unseen.scenes.lamps import LampRow
from unseen.scenes.plan import Plan

Range = tuple[float, float]


def people(plan: Plan, count: Range) -> None:
    """On both pavements, more of them far away because there is more room; some cross the road."""
    street, rng = plan.street, plan.rng
    for _ in range(int(rng.integers(int(count[0]), int(count[1]) + 1))):
        kerb, back = pick(rng, tuple(zip(street.kerbs, street.backs, strict=True)))
        lateral = kerb + (back - kerb) * rng.uniform(0.3, 0.95)
        things.pedestrian(plan.mesh, street, rng, lateral, 5 + 55 * rng.random() ** 1.4, KERB)
    for near, far in street.crossings[:1]:
        for _ in range(int(rng.integers(0, 4))):
            along = near - 2 if rng.random() < 0.7 else far + 2
            if 6 < along < 60:
                things.pedestrian(plan.mesh, street, rng, rng.uniform(*street.kerbs), along, 0.0)


def bicycles(plan: Plan, count: Range) -> None:
    """Parked near the kerb or at the wall, often several together."""
    street, rng = plan.street, plan.rng
    for _ in range(int(rng.integers(int(count[0]), int(count[1]) + 1))):
        kerb, back = pick(rng, tuple(zip(street.kerbs, street.backs, strict=True)))
        lateral = kerb + (back - kerb) * pick(rng, (0.3, 0.75))
        along = rng.uniform(6, 26)
        for i in range(int(rng.integers(1, 4))):
            things.bicycle(plan.mesh, street, rng, lateral + rng.normal(0, 0.1), along + 0.9 * i, KERB)


def trees(plan: Plan, share: float, tall: Range, *, spacing: Range = (7, 12)) -> None:
    """A row near each kerb, with gaps."""
    street, rng = plan.street, plan.rng
    for kerb in street.kerbs:
        if rng.random() > 0.85:
            continue
        along = rng.uniform(6, 14)
        while along < 130:
            if rng.random() < share and not crossed(plan, along):
                lateral = kerb + np.sign(kerb) * rng.uniform(0.7, 1.0)
                things.tree(
                    plan.mesh, street, plan.weather, rng, lateral, along, rng.uniform(*tall),
                    blossom=plan.weather.blooming,
                )  # fmt: skip
            along += rng.uniform(*spacing)


def crossed(plan: Plan, along: float) -> bool:
    """Whether another street is there."""
    return any(near - 2 < along < far + 2 for near, far in plan.street.crossings)


def lamps(plan: Plan, *, high: Range, spacing: Range, arm: float, tint: Colour, colour: Colour) -> None:
    """Street lamps near both kerbs, those on the left half a space further."""
    street, rng = plan.street, plan.rng
    height, apart, first = rng.uniform(*high), rng.uniform(*spacing), rng.uniform(5, 16)
    for kerb, shift in zip(street.kerbs, (0.5, 0.0), strict=True):
        lateral = kerb + np.sign(kerb) * 0.45
        row = LampRow(lateral, height, first + shift * apart, apart, tint, (height / 8.5) ** 1.8)
        furniture.lamp_posts(plan.mesh, street, plan.lamps, row, colour, arm=arm, until=150.0)


def signals(plan: Plan, *, reach: Range, high: float) -> None:
    """Traffic lights at the nearer crossings, with a street's name beside."""
    street, rng = plan.street, plan.rng
    for near, far in street.crossings[:2]:
        for lateral, along in ((street.kerbs[1] + 0.6, near - 1.0), (street.kerbs[0] - 0.6, far + 1.0)):
            if along > 5:
                arm = rng.uniform(*reach) if reach[1] else 0.0
                furniture.traffic_light(plan.mesh, street, plan.lamps, rng, lateral, along, reach=arm, high=high)
                signs.name_sign(plan.mesh, street, lateral, along, 3.6 if arm else 2.0)


def posts(plan: Plan, count: Range, void: Range) -> None:
    """Road signs, bins and hydrants near the kerbs."""
    street, rng = plan.street, plan.rng
    for _ in range(int(rng.integers(int(count[0]), int(count[1]) + 1))):
        kerb = pick(rng, street.kerbs)
        signs.road_sign(plan.mesh, street, rng, kerb + np.sign(kerb) * 0.4, rng.uniform(5, 45))
    for _ in range(int(rng.integers(int(void[0]), int(void[1]) + 1))):
        kerb = pick(rng, street.kerbs)
        furniture.bin_or_hydrant(
            plan.mesh, street, rng, kerb + np.sign(kerb) * rng.uniform(0.5, 1.2), rng.uniform(5, 40)
        )


def rails(plan: Plan, colour: Colour, share: float) -> None:
    """Railings that keep people off the road, on part of a side."""
    street, rng = plan.street, plan.rng
    for kerb in street.kerbs:
        if rng.random() < share:
            near = rng.uniform(4, 18)
            far = min([near + rng.uniform(8, 25), *(c[0] - 1 for c in street.crossings if c[0] > near)])
            if far > near + 2:
                fences.railing(plan.mesh, street, kerb + np.sign(kerb) * 0.25, near, far, colour)
