"""The ground's faces: verges, roads, pavements, and the paint on the road."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from unseen.scenes.camera import NEAREST
from unseen.scenes.colours import Colour, Floats, rgb
from unseen.scenes.mesh import Kind, Layer, Mesh
from unseen.scenes.street import END, Street, steps

KERB = 0.14
WHITE, YELLOW = rgb("#e6e6e0"), rgb("#d9a521")
_CLOSE = 1.0
_ACROSS = np.array([-1, 1, 1, -1])  # the corners of a piece of road, left and right of its middle
_CLEAR = 5.0  # of a crossing's edge: room for the crosswalk
_PAINTED = 120.0  # metres ahead where paint on the road is too thin to be drawn


def lay(mesh: Mesh, street: Street, *, road: Kind, asphalt: Colour, flags: Colour, base: Kind, earth: Colour) -> None:
    """Everything below the horizon, without the paint."""
    base_label = "vegetation" if base == Kind.GRASS else "sidewalk"
    far = np.array([[-3000, 0, NEAREST], [3000, 0, NEAREST], [3000, 0, 3000], [-3000, 0, 3000]])
    mesh.add(far[None], base, base_label, earth, layer=Layer.GROUND)
    for near, end in street.crossings:
        mesh.add(street.ribbon(-90, 90, steps(near, end)), road, "road", asphalt, layer=Layer.GROUND)
    left, right = street.kerbs
    mesh.add(street.ribbon(left, right, steps(_CLOSE, END)), road, "road", asphalt, layer=Layer.GROUND)
    if street.pavement:
        for near, end in street.between_crossings(_CLOSE, END):
            _pavements(mesh, street, flags, steps(near, end))


def _pavements(mesh: Mesh, street: Street, flags: Colour, along: Floats) -> None:
    kerbstone = (flags[0] * 1.35, flags[1] * 1.35, flags[2] * 1.35)
    side_stone = (flags[0] * 0.55, flags[1] * 0.55, flags[2] * 0.55)
    for kerb, back in zip(street.kerbs, street.backs, strict=True):
        outwards = np.sign(back - kerb)
        edges = sorted((kerb, kerb + 0.18 * outwards))
        surface = street.ribbon(min(kerb, back), max(kerb, back), along, KERB)
        mesh.add(surface, Kind.PAVEMENT, "sidewalk", flags, layer=Layer.GROUND)
        mesh.add(
            street.ribbon(edges[0], edges[1], along, KERB), Kind.PLAIN, "sidewalk", kerbstone, layer=Layer.GROUND
        )  # fmt: skip
        mesh.add(street.walls(kerb, along, 0, KERB), Kind.PLAIN, "sidewalk", side_stone, layer=Layer.GROUND)


def paint(mesh: Mesh, street: Street, rng: Generator, *, centre: str, edges: bool, worn: float) -> None:
    """Lane markings. ``centre`` is "double" (yellow), "dashed", "none", or "edge": the inner edges of a highway."""
    period, dash, width = rng.uniform(6, 10), rng.uniform(2.5, 4), rng.uniform(0.12, 0.18)
    dashes = np.arange(-rng.uniform(0, period), _PAINTED, period)
    between = [street.inner + i * street.lane for i in range(1, street.ahead)]
    between += [-street.inner - i * street.lane for i in range(1, street.oncoming)]
    if centre == "dashed":
        between.append(0.0)
    spans = np.stack([dashes, dashes + dash], 1)
    for lateral in between:
        _line(mesh, street, lateral, width, spans[~_crossed(street, spans)], WHITE, worn)
    solid = np.concatenate([np.stack([z[:-1], z[1:]], 1) for z in _stretches(street)])
    if centre == "double":
        for lateral in (-0.16, 0.16):
            _line(mesh, street, lateral, 0.14, solid, YELLOW, worn)
    if centre == "edge":
        for lateral in (-street.inner + 0.25, street.inner - 0.25):
            _line(mesh, street, lateral, 0.18, solid, YELLOW if rng.random() < 0.5 else WHITE, worn)
    if edges:
        for outer in street.kerbs:
            _line(mesh, street, outer - np.sign(outer) * (street.margin - 0.15), 0.16, solid, WHITE, worn)
    for near, far in street.crossings:
        if far < _PAINTED / 1.5:
            _crosswalks(mesh, street, near, far, worn)


def _stretches(street: Street) -> list[Floats]:
    """Where solid lines are painted: they stop before a crosswalk."""
    free = street.between_crossings(_CLOSE - _CLEAR, _PAINTED)
    return [steps(near + _CLEAR, far - _CLEAR) for near, far in free if far - near > 2 * _CLEAR + 1]


def _line(mesh: Mesh, street: Street, lateral: float, width: float, spans: Floats, colour: Colour, worn: float) -> None:
    near, far = np.maximum(spans[:, 0], _CLOSE), np.minimum(spans[:, 1], _PAINTED)
    near, far = near[near < far], far[near < far]
    if len(near) == 0:
        return
    corners = street.strips(lateral + width / 2 * _ACROSS, 0.0, near, far)
    mesh.add(corners, Kind.MARKING, "lane marking", colour, parameters=(worn,), layer=Layer.GROUND)


def _crossed(street: Street, spans: Floats) -> NDArray[np.bool_]:
    """Which dashes reach into a crossing or its crosswalks."""
    hit = np.zeros(len(spans), bool)
    for near, far in street.crossings:
        hit |= (spans[:, 1] > near - _CLEAR) & (spans[:, 0] < far + _CLEAR)
    return hit


def _crosswalks(mesh: Mesh, street: Street, near: float, far: float, worn: float) -> None:
    """Stripes before and behind a crossing, and the line where the traffic ahead stops."""
    left, right = street.kerbs
    stripes = np.arange(left + 0.5, right - 0.5, 1.1)
    for begin in (near - 3.5, far + 0.6):
        if begin > _CLOSE:
            start = np.full(len(stripes), begin)
            _white(mesh, street.strips(stripes[:, None] + 0.28 * _ACROSS, 0.0, start, start + 2.9), worn)
    if near > 6:
        _white(mesh, street.ribbon(street.inner, right - street.margin, np.array([near - 4.9, near - 4.4])), worn)


def _white(mesh: Mesh, corners: Floats, worn: float) -> None:
    mesh.add(corners, Kind.MARKING, "lane marking", WHITE, parameters=(worn,), layer=Layer.GROUND)
