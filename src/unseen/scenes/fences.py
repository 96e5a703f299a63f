"""Fences: guard rails, barriers of concrete, boards, railings, hedges beside them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from unseen.scenes.colours import Colour, Floats, rgb
from unseen.scenes.mesh import Kind, Mesh
from unseen.scenes.street import Street

RAIL, RAIL_SHADE, POST = rgb("#a3a8ab"), rgb("#6d7276"), rgb("#7b8084")


def guard_rail(mesh: Mesh, street: Street, lateral: float, until: float) -> None:
    """Posts with a band of steel."""
    for near, far in pieces(2.0, until):
        for low, high, colour in ((0.42, 0.76, RAIL), (0.55, 0.62, RAIL_SHADE)):
            face = street.wall(lateral, near, far, low, high)
            mesh.add(face, Kind.PLAIN, "fence", colour, both_sides=True, casts=True, anchor=(lateral, far))
        if near < 50:
            posts = _bars(street, lateral, np.arange(near + 1, far, 4.0), 0.07, 0.5)
            mesh.add(posts, Kind.PLAIN, "fence", POST, anchor=(lateral, far))


def barrier(mesh: Mesh, street: Street, lateral: float, until: float, colour: Colour) -> None:
    """A wall of concrete, wider at its foot."""
    side = np.sign(street.eye - lateral)
    for near, far in pieces(2.0, until):
        for foot, top, low, high, tone in ((0.32, 0.16, 0.0, 0.33, 1.15), (0.16, 0.09, 0.33, 0.85, 1.0)):
            face = street.wall(lateral + side * foot, near, far, low, high)
            face[0, 2:, 0] += side * (top - foot)
            tint = (colour[0] * tone, colour[1] * tone, colour[2] * tone)
            mesh.add(face, Kind.PLAIN, "fence", tint, both_sides=True, casts=True, anchor=(lateral, far))
        cap = street.ribbon(lateral - 0.09, lateral + 0.09, np.array([near, far]), 0.85)
        mesh.add(cap, Kind.PLAIN, "fence", colour, anchor=(lateral, far))


def boards(mesh: Mesh, street: Street, lateral: float, near: float, far: float, high: float, colour: Colour) -> None:
    """A garden fence, a hoarding, or a noise wall."""
    for begin, end in pieces(near, far):
        face = street.wall(lateral, begin, end, 0, high)
        mesh.add(face, Kind.PLANKS, "fence", colour, parameters=(high,), both_sides=True, casts=True)


def railing(mesh: Mesh, street: Street, lateral: float, near: float, far: float, colour: Colour) -> None:
    """A fence one looks through: two rails and bars."""
    for begin, end in pieces(near, far):
        for low in (0.3, 1.0):
            face = street.wall(lateral, begin, end, low, low + 0.08)
            mesh.add(face, Kind.PLAIN, "fence", colour, both_sides=True, anchor=(lateral, end))
        if begin < 45:
            bars = _bars(street, lateral, np.arange(begin, end, 0.45), 0.025, 1.1)
            mesh.add(bars, Kind.PLAIN, "fence", colour, anchor=(lateral, end))


def _bars(street: Street, lateral: float, along: Floats, half: float, high: float) -> Floats:
    """Upright bars that look at the camera, (bars, 4, 3)."""
    x = street.x(np.asarray(lateral), along)
    corners = ((-half, 0.0), (half, 0.0), (half, high), (-half, high))
    return np.stack([np.stack([x + sideways, np.full_like(x, y), along], 1) for sideways, y in corners], 1)


def hedge(mesh: Mesh, street: Street, lateral: float, near: float, far: float, high: float, leaf: Colour) -> None:
    """A clipped hedge."""
    side = 1 if lateral > street.eye else -1
    for begin, end in pieces(near, far):
        wall = street.wall(lateral, begin, end, 0, high)
        mesh.add(wall, Kind.HEDGE, "vegetation", leaf, both_sides=True, anchor=(lateral, end))
        edges = sorted((lateral, lateral + side * 0.8))
        mesh.add(street.ribbon(edges[0], edges[1], np.array([begin, end]), high), Kind.HEDGE, "vegetation", leaf,
                 anchor=(lateral, end))  # fmt: skip


def pieces(near: float, far: float) -> list[tuple[float, float]]:
    """Short ones close by, so that each is drawn in the right order among other things."""
    ends = [near]
    while ends[-1] < far:
        ends.append(min(ends[-1] + max(4.0, ends[-1] * 0.35), far))
    return list(pairwise(ends))
