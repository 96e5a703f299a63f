"""The three places: what stands in each, and how much of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from unseen.scenes import backdrop, buildings, fences, ground, pavement, signs, street, things, traffic, verges
from unseen.scenes.buildings import Lot
from unseen.scenes.colours import palette, pick, rgb, varied
from unseen.scenes.furniture import DARK, GREEN_PAINT, STEEL
from unseen.scenes.mesh import Kind, Mesh
from unseen.scenes.plan import Plan
from unseen.scenes.street import Street
from unseen.scenes.traffic import CAB, PAINTS, Traffic
from unseen.scenes.weather import Weather

SODIUM, WARM, WHITE = (1.0, 0.60, 0.26), (1.0, 0.74, 0.42), (0.95, 0.92, 0.82)
GLASS = palette("#5f7a8c #4c6470 #7c909a #3f5560 #8a9499")
BRICK = palette("#8a4a36 #7a3e30 #9a5a40 #6e4438 #a56a4c")
LIMESTONE = palette("#c2b49a #b0a690 #cfc6b2 #a39a8a")
PLASTER = palette("#e2c98c #ecdcb8 #d9a07a #e8e2d2 #c9cfb4 #b8c8d2 #e0b8a0 #d6b25e #c98a62 #f0ece0")
SHEDS = palette("#b8bcc0 #8a9098 #c8c0b0 #7a8894 #a89a88")
WOOD = palette("#6b4f38 #7d6a52 #8a8478 #5a4636")
HOARDINGS = palette("#31506b #3e6b52 #7a6a4c #8b3f34")
CARS = ("saloon", "saloon", "hatchback", "estate", "van")


def new_york(rng: Generator, weather: Weather) -> Plan:
    """A canyon of towers in glass, brick and limestone, shops at their feet, yellow cabs, signals on arms."""
    plan = _plan(street.draw_city(rng), rng, weather)
    flags = varied(rng, rgb("#9a978f"))
    asphalt = varied(rng, rgb("#56575b"))
    ground.lay(plan.mesh, plan.street, road=Kind.ROAD, asphalt=asphalt, flags=flags, base=Kind.PAVEMENT, earth=flags)
    ground.paint(plan.mesh, plan.street, rng, centre="double", edges=rng.random() < 0.3, worn=rng.uniform(0.2, 0.8))
    backdrop.towers(plan, (("curtain", GLASS), ("brick", BRICK), ("stone", LIMESTONE)))
    _towers(plan)
    pavement.lamps(plan, high=(7.5, 9), spacing=(24, 34), arm=2.2, tint=pick(rng, (SODIUM, WHITE)), colour=STEEL)
    pavement.signals(plan, reach=(3.5, 6.5), high=5.6)
    cars = Traffic((*CARS, *CARS, "bus"), (CAB,) * 5 + PAINTS, (5, 26), 120)
    traffic.drive(plan, cars)
    traffic.park(plan, cars, rng.uniform(0.3, 0.8), 90)
    traffic.ride(plan, int(rng.integers(0, 3)))
    _hoarding(plan)
    pavement.rails(plan, STEEL, 0.3)
    pavement.people(plan, (6, 22))
    pavement.bicycles(plan, (0, 2))
    pavement.posts(plan, (1, 4), (0, 3))
    pavement.trees(plan, rng.uniform(0.1, 0.7), (5, 8.5))
    return plan


def _plan(road: Street, rng: Generator, weather: Weather) -> Plan:
    return Plan(road, weather, rng, Mesh(road))


def _towers(plan: Plan) -> None:
    rng = plan.rng
    usual = rng.uniform(20, 42)
    walls = {"curtain": GLASS, "ribbon": GLASS, "brick": BRICK, "stone": LIMESTONE}
    for front, row in zip(plan.street.fronts, (plan.left, plan.right), strict=True):
        for lot in buildings.divide(plan.street, front, rng, 3.0, 260.0, (12, 30)):
            height = float(np.clip(rng.lognormal(np.log(usual), 0.45), 11, 120))
            style = pick(rng, ("curtain", "ribbon", "brick", "brick", "stone", "stone"))
            row.append(buildings.tower(plan.mesh, lot, rng, height, style, varied(rng, pick(rng, walls[style]))))


def _hoarding(plan: Plan) -> None:
    """A building site behind boards."""
    rng = plan.rng
    if rng.random() < 0.3:
        back, near = pick(rng, plan.street.backs), rng.uniform(6, 20)
        lateral, far = back - np.sign(back) * 0.4, near + rng.uniform(10, 22)
        fences.boards(plan.mesh, plan.street, lateral, near, far, 2.4, pick(rng, HOARDINGS))


def old_town(rng: Generator, weather: Weather) -> Plan:
    """Narrow and bent: plastered and timbered houses with gables and red tiles, a church above them, cobbles."""
    plan = _plan(street.draw_town(rng), rng, weather)
    road, asphalt = pick(rng, ((Kind.COBBLES, rgb("#716a62")), (Kind.ROAD, rgb("#5e5d5e"))))
    flags = varied(rng, rgb("#a39a8a"))
    ground.lay(
        plan.mesh, plan.street, road=road, asphalt=varied(rng, asphalt), flags=flags, base=Kind.PAVEMENT, earth=flags
    )
    centre = pick(rng, ("dashed", "dashed", "none"))
    ground.paint(plan.mesh, plan.street, rng, centre=centre, edges=rng.random() < 0.2, worn=rng.uniform(0.4, 1.0))
    backdrop.hills(plan, 350, 40)
    backdrop.roofs(plan, PLASTER)
    if rng.random() < 0.75:
        buildings.church(plan.mesh, plan.street, rng, rng.normal(0, 22), rng.uniform(135, 190))
    _houses(plan)
    pavement.lamps(plan, high=(3.6, 4.6), spacing=(15, 22), arm=0.0, tint=WARM, colour=DARK)
    if rng.random() < 0.75:
        pavement.signals(plan, reach=(0, 0), high=3.4)
    cars = Traffic(CARS, PAINTS, (12, 45), 80)
    traffic.drive(plan, cars)
    if plan.street.margin > 2:
        traffic.park(plan, cars, rng.uniform(0.3, 0.7), 60)
    traffic.ride(plan, int(rng.integers(0, 4)))
    pavement.people(plan, (3, 14))
    pavement.bicycles(plan, (1, 4))
    pavement.posts(plan, (1, 4), (0, 2))
    pavement.rails(plan, pick(rng, (DARK, GREEN_PAINT)), 0.25)
    pavement.trees(plan, rng.uniform(0.1, 0.5), (4.5, 7.5))
    return plan


def _houses(plan: Plan) -> None:
    """Rows of houses, here and there a garden behind a fence."""
    rng = plan.rng
    usual = rng.uniform(5.5, 9)
    for front, row in zip(plan.street.fronts, (plan.left, plan.right), strict=True):
        for lot in buildings.divide(plan.street, front, rng, 3.0, 150.0, (6.5, 12)):
            if rng.random() < 0.1:
                _garden(plan, lot)
                continue
            style = pick(rng, ("plaster", "plaster", "plain", "plain", "timber", "shop"))
            wall = rgb("#ece4d2") if style == "timber" else varied(rng, pick(rng, PLASTER))
            house = buildings.gable_house if rng.random() < 0.5 else buildings.eaves_house
            row.append(house(plan.mesh, lot, rng, usual * rng.uniform(0.75, 1.35), style, wall))


def _garden(plan: Plan, lot: Lot) -> None:
    rng, weather = plan.rng, plan.weather
    if rng.random() < 0.6:
        fences.boards(plan.mesh, plan.street, lot.front, lot.near, lot.far, rng.uniform(1.1, 1.8), pick(rng, WOOD))
    else:
        leaf = pick(rng, weather.needles if weather.bare else weather.leaves)
        fences.hedge(plan.mesh, plan.street, lot.front, lot.near, lot.far, rng.uniform(1.2, 2.0), leaf)
    for _ in range(int(rng.integers(1, 4))):
        lateral = lot.front + lot.side * rng.uniform(2, 7)
        things.tree(
            plan.mesh, plan.street, weather, rng, lateral, rng.uniform(lot.near + 1, lot.far + 2), rng.uniform(4, 9),
            blossom=weather.blooming, conifer=rng.random() < 0.2,
        )  # fmt: skip


def highway(rng: Generator, weather: Weather) -> Plan:
    """Two carriageways with a barrier between, guard rails, gantries, trees, fields and hills, few buildings."""
    plan = _plan(street.draw_highway(rng), rng, weather)
    asphalt, flags = varied(rng, rgb("#5a5a5c")), varied(rng, rgb("#8f8d86"))
    ground.lay(
        plan.mesh, plan.street, road=Kind.ROAD, asphalt=asphalt, flags=flags, base=Kind.GRASS, earth=weather.grass
    )
    ground.paint(plan.mesh, plan.street, rng, centre="edge", edges=True, worn=rng.uniform(0.0, 0.5))
    backdrop.hills(plan, 900, rng.uniform(20, 90))
    backdrop.hills(plan, 500, rng.uniform(5, 22))
    backdrop.sheds(plan, SHEDS)
    verges.median(plan, SODIUM)
    verges.to_device_of(plan)
    if rng.random() < 0.65:
        signs.gantry(plan.mesh, plan.street, rng, rng.uniform(22, 90))
    for _ in range(int(rng.integers(0, 3))):
        signs.road_sign(plan.mesh, plan.street, rng, plan.street.kerbs[1] + 0.5, rng.uniform(12, 50))
    traffic.drive(plan, Traffic((*CARS, *CARS, "lorry", "lorry", "bus"), PAINTS, (14, 50), 180))
    return plan


PLACES: dict[str, Callable[[Generator, Weather], Plan]] = {
    "highway": highway,
    "new-york": new_york,
    "old-town": old_town,
}
