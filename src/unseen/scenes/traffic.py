"""Who is on the road: vehicles in their lanes and parked at the kerb, cyclists."""

from __future__ import annotations

from dataclasses import dataclass

from unseen.scenes import things
from unseen.scenes.colours import Colour, palette, pick, rgb, varied
from unseen.scenes.plan import Plan
from unseen.scenes.vehicles import BUILDS, vehicle

PAINTS = palette(
    "#c9ccd0 #e8e8e6 #17181b #3c4046 #7d8288 #8e1b1f #1e3f78 #2d5c8a #24412f #6b4a2e #b03a2a #50565e #aab0b4"
)
CAB = rgb("#f0b310")
LARGE_PAINTS = palette("#1f4f8f #c8ccd0 #a8281e #d8d0b8 #e6e6e2")
LARGE = ("bus", "lorry")


@dataclass(frozen=True)
class Traffic:
    """Which vehicles, in which colours, and how far apart."""

    kinds: tuple[str, ...]
    paints: tuple[Colour, ...]
    gap: tuple[float, float]
    until: float


def drive(plan: Plan, traffic: Traffic) -> None:
    """Vehicles in every lane; the camera's own lane is free for some metres."""
    street, rng = plan.street, plan.rng
    busy = rng.uniform(0.7, 2.2)
    lanes = [(lane, False) for lane in street.lanes_ahead()] + [(lane, True) for lane in street.lanes_oncoming()]
    for lane, oncoming in lanes:
        own = abs(lane - street.eye) < 1.5
        along = rng.uniform(8, 30) if own else rng.uniform(3, 25)
        while along < traffic.until:
            kind = pick(rng, traffic.kinds)
            _place(plan, traffic, lane + rng.normal(0, 0.12), along, kind, oncoming=oncoming, moving=True)
            along += BUILDS[kind].length + busy * rng.uniform(*traffic.gap) * (1 + along / 60)


def park(plan: Plan, traffic: Traffic, share: float, until: float) -> None:
    """Cars along both kerbs, in the given share of the room, none at crossings."""
    street, rng = plan.street, plan.rng
    for side, kerb in zip((-1, 1), street.kerbs, strict=True):
        for near, far in street.between_crossings(4.0, until):
            along = near + 6 * (near > 4.5) + rng.uniform(0, 4)
            while along < far - 10:
                kind = pick(rng, ("saloon", "hatchback", "estate", "saloon", "van"))
                if rng.random() < share:
                    _place(plan, traffic, kerb - side * 1.1, along, kind, oncoming=side < 0, moving=False)
                along += BUILDS[kind].length + rng.uniform(0.8, 1.8)


def _place(
    plan: Plan, traffic: Traffic, lateral: float, along: float, kind: str, *, oncoming: bool, moving: bool
) -> None:
    rng = plan.rng
    paint = varied(rng, pick(rng, LARGE_PAINTS if kind in LARGE else traffic.paints), 0.1)
    vehicle(
        plan.mesh, plan.street, plan.lamps, lateral, along, kind=kind, paint=paint, oncoming=oncoming,
        lights=moving and rng.random() < plan.weather.headlights,
    )  # fmt: skip


def ride(plan: Plan, count: int) -> None:
    """Cyclists near the right kerb."""
    street, rng = plan.street, plan.rng
    for _ in range(count):
        lateral = street.kerbs[1] - max(street.margin, 0.9) - rng.uniform(0.1, 0.5)
        things.cyclist(plan.mesh, street, rng, lateral, rng.uniform(6, 35))
