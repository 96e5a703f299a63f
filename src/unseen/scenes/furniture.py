"""What stands beside the road: lamp posts, traffic lights, bins and hydrants."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from unseen.scenes.colours import Colour, pick, rgb
from unseen.scenes.lamps import LampRow, Lamps
from unseen.scenes.mesh import Anchor, Kind, Mesh
from unseen.scenes.shapes import box, disc, upright
from unseen.scenes.street import Street

STEEL, DARK, GREEN_PAINT = rgb("#8a8f94"), rgb("#2a2d30"), rgb("#2f4a3c")
SIGNAL_RED, SIGNAL_AMBER, SIGNAL_GREEN = rgb("#ff2a1a"), rgb("#ffb020"), rgb("#25e07a")
HOUSING = rgb("#20221f")


def pole(
    mesh: Mesh, x: float, z: float, low: float, high: float, width: float, colour: Colour, anchor: Anchor | None
) -> None:
    """An upright post that looks the same from everywhere."""
    face = upright((x - width / 2, x + width / 2), (low, high), z)
    mesh.add(face, Kind.PLAIN, "pole", colour, casts=True, anchor=anchor)


def lamp_posts(
    mesh: Mesh, street: Street, lamps: Lamps, row: LampRow, colour: Colour, *, arm: float, until: float
) -> None:
    """A row of street lamps; ``arm`` reaches over the road, 0 is a lantern on top."""
    along = row.first
    while along < until:
        _lamp_post(mesh, street, lamps, row, along, colour, arm)
        along += row.spacing
    lamps.rows.append(row)


def _lamp_post(
    mesh: Mesh, street: Street, lamps: Lamps, row: LampRow, along: float, colour: Colour, arm: float
) -> None:
    x = street.x(row.lateral, along)
    head = x - np.sign(row.lateral - street.eye) * arm
    anchor = (row.lateral, along)
    pole(mesh, x, along, 0, row.height, 0.17 if arm else 0.13, colour, anchor)
    if arm:
        left, right = sorted((x, head))
        mesh.add(
            upright((left, right), (row.height - 0.1, row.height + 0.04), along),
            Kind.PLAIN,
            "pole",
            colour,
            anchor=anchor,
        )
        housing = box((head - 0.5, head + 0.5), (row.height - 0.14, row.height + 0.06), (along - 0.16, along + 0.16))
        mesh.add(housing, Kind.PLAIN, "pole", colour, anchor=anchor)
        glass = upright((head - 0.4, head + 0.4), (row.height - 0.24, row.height - 0.1), along - 0.17)
    else:
        glass = upright((head - 0.2, head + 0.2), (row.height, row.height + 0.5), along - 0.02)
        cap = upright((head - 0.26, head + 0.26), (row.height + 0.5, row.height + 0.6), along - 0.02)
        mesh.add(cap, Kind.PLAIN, "pole", colour, anchor=anchor)
    mesh.add(glass, Kind.LIGHT, "pole", row.tint, parameters=(6.0,), anchor=anchor)
    lamps.add(np.array([head, row.height, along - 0.2]), row.tint, row.strength)


def traffic_light(
    mesh: Mesh, street: Street, lamps: Lamps, rng: Generator, lateral: float, along: float, *, reach: float, high: float
) -> None:
    """A post with a signal, and with ``reach`` an arm that holds two more over the road."""
    x = street.x(lateral, along)
    lit, anchor = int(rng.integers(3)), (lateral, along)
    pole(mesh, x, along, 0, high if reach else 3.4, 0.16, DARK, anchor)
    _signal(mesh, lamps, x, 2.5, along - 0.15, lit, anchor)
    if not reach:
        return
    inwards = -np.sign(lateral - street.eye)
    tip = x + inwards * reach
    left, right = sorted((x, tip))
    mesh.add(upright((left, right), (high - 0.2, high - 0.08), along), Kind.PLAIN, "pole", DARK, anchor=anchor)
    for share in (0.62, 0.98):
        _signal(mesh, lamps, x + inwards * reach * share, high - 1.05, along - 0.15, lit, anchor)


def _signal(mesh: Mesh, lamps: Lamps, x: float, low: float, z: float, lit: int, anchor: Anchor) -> None:
    """Three lights in a housing; ``lit`` counts from the lowest."""
    instance = mesh.new_instance()
    mesh.add(
        box((x - 0.2, x + 0.2), (low, low + 1.05), (z, z + 0.3)), Kind.PLAIN, "traffic light", HOUSING, anchor=anchor,
        instance=instance,
    )  # fmt: skip
    for place, tint in enumerate((SIGNAL_GREEN, SIGNAL_AMBER, SIGNAL_RED)):
        shine = 5.0 if place == lit else 0.0
        colour = tint if place == lit else (tint[0] * 0.06, tint[1] * 0.06, tint[2] * 0.06)
        spot = disc(x, low + 0.2 + 0.33 * place, z - 0.02, 0.14, 8)
        mesh.add(spot, Kind.LIGHT, "traffic light", colour, parameters=(shine, 1.0), anchor=anchor, instance=instance)
        if shine:
            lamps.add(spot[0].mean(0), tint, 0.14)


def bin_or_hydrant(mesh: Mesh, street: Street, rng: Generator, lateral: float, along: float) -> None:
    """Something that has no class of its own: void."""
    x = street.x(lateral, along)
    half, high = rng.uniform(0.15, 0.3), rng.uniform(0.6, 1.1)
    colour = pick(rng, (rgb("#a3231d"), DARK, GREEN_PAINT, STEEL))
    mesh.add(box((x - half, x + half), (0, high), (along - half, along + half)), Kind.PLAIN, None, colour, casts=True)
