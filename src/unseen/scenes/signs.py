"""Traffic signs: plates on posts, a street's name, and gantries over a highway."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from unseen.scenes.colours import Colour, pick, rgb
from unseen.scenes.furniture import STEEL, pole
from unseen.scenes.mesh import Anchor, Kind, Mesh
from unseen.scenes.shapes import disc, upright
from unseen.scenes.street import Street

GREEN, NAVY = rgb("#0b6b3f"), rgb("#14489c")
WHITE, RED, BLUE, YELLOW = rgb("#f0f0ee"), rgb("#c41e24"), rgb("#1a4fa0"), rgb("#f0bc1a")
_PLATES: tuple[tuple[int, Colour, Colour, float], ...] = (
    (12, RED, WHITE, 0.72), (12, RED, WHITE, 0.72), (3, RED, WHITE, 0.6), (12, BLUE, BLUE, 0.9),
    (4, BLUE, WHITE, 0.55), (8, RED, RED, 0.9), (4, YELLOW, YELLOW, 0.9), (4, WHITE, WHITE, 0.9),
)  # fmt: skip
"""corners, rim, middle, and how much of the plate the middle is"""
Range = tuple[float, float]


def road_sign(mesh: Mesh, street: Street, rng: Generator, lateral: float, along: float) -> None:
    """A round, triangular, square or eight-cornered plate on a post."""
    x, high, size = street.x(lateral, along), rng.uniform(2.1, 2.7), rng.uniform(0.32, 0.45)
    pole(mesh, x, along, 0, high + 0.3, 0.08, STEEL, (lateral, along))
    corners, rim, middle, share = pick(rng, _PLATES)
    instance = mesh.new_instance()
    for radius, colour, out in ((size, rim, 0.06), (size * share, middle, 0.08)):
        plate = disc(x, high, along - out, radius, corners)
        mesh.add(plate, Kind.PLAIN, "traffic sign", colour, instance=instance, casts=True, anchor=(lateral, along))
    if rng.random() < 0.5:
        bar = upright((x - size * 0.4, x + size * 0.4), (high - size * 0.12, high + size * 0.12), along - 0.1)
        mesh.add(bar, Kind.PLAIN, "traffic sign", rim if middle == WHITE else WHITE, instance=instance,
                 anchor=(lateral, along))  # fmt: skip


def name_sign(mesh: Mesh, street: Street, lateral: float, along: float, high: float) -> None:
    """A street's name on a post that is there already."""
    x, instance = street.x(lateral, along), mesh.new_instance()
    plate = upright((x - 0.65, x + 0.65), (high, high + 0.32), along - 0.1)
    mesh.add(plate, Kind.PLAIN, "traffic sign", GREEN, instance=instance, anchor=(lateral, along))
    letters = upright((x - 0.5, x + 0.5), (high + 0.11, high + 0.21), along - 0.12)
    mesh.add(letters, Kind.PLAIN, "traffic sign", WHITE, instance=instance, anchor=(lateral, along))


def gantry(mesh: Mesh, street: Street, rng: Generator, along: float) -> None:
    """A bridge of steel over the lanes ahead, with boards."""
    left, right = (street.x(side, along) for side in (street.inner - 0.6, street.kerbs[1] + 0.5))
    for x in (left, right):
        pole(mesh, x, along, 0, 7.6, 0.35, STEEL, None)
    for high in (6.3, 7.4):
        beam = upright((left, right), (high, high + 0.22), along)
        mesh.add(beam, Kind.PLAIN, "pole", STEEL, casts=True, anchor=(street.eye, along))
    colour = pick(rng, (GREEN, GREEN, NAVY))
    for lateral in street.lanes_ahead()[:: pick(rng, (1, 2))]:
        x, half, tall = street.x(lateral, along), rng.uniform(1.3, 1.65), rng.uniform(2.2, 2.9)
        board(mesh, rng, (x - half, x + half), (5.6, 5.6 + tall), along, colour, (street.eye, along))


def board(mesh: Mesh, rng: Generator, across: Range, up: Range, z: float, colour: Colour, anchor: Anchor) -> None:
    """A large sign with a white rim and lines of text."""
    instance, (low, high) = mesh.new_instance(), up
    inside = (across[0] + 0.08, across[1] - 0.08)
    mesh.add(
        upright(across, up, z - 0.2), Kind.PLAIN, "traffic sign", WHITE, instance=instance, casts=True, anchor=anchor
    )
    face = upright(inside, (low + 0.08, high - 0.08), z - 0.25)
    mesh.add(face, Kind.PLAIN, "traffic sign", colour, instance=instance, anchor=anchor)
    for line in np.arange(high - 0.6, low + 0.2, -0.62):
        start = inside[0] + rng.uniform(0.1, 0.4)
        text = upright((start, start + rng.uniform(0.9, inside[1] - start - 0.1)), (line, line + 0.28), z - 0.3)
        mesh.add(text, Kind.PLAIN, "traffic sign", WHITE, instance=instance, anchor=anchor)
