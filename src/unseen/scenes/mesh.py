"""What a scene is made of: planar faces, gathered object by object, and at the end stored as arrays.

A face's corners go counter-clockwise as seen from outside and start at its lower left. The first edge is the texture's
horizontal axis. Labels hang on faces, so that a pixel's class comes from the polygon that gave it its colour.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unseen.scenes.colours import Colour, Floats
from unseen.scenes.street import Street
from unseen.scenes.synthia_classes import SYNTHIA_IDS, SYNTHIA_VOID

Kind = IntEnum(
    "Kind",
    "SKY PLAIN ROAD COBBLES PAVEMENT GRASS MARKING FACADE ROOF SPRITE GLASS PAINT LIGHT HILL HEDGE PLANKS",
    start=0,
)
"""How a face is coloured: surfaces.py has one rule for each."""

THINGS = 256
"""what an instance's number is multiplied by to share a number with its label"""

Layer = IntEnum("Layer", "BACKDROP GROUND STREET", start=0)
"""Drawn one after the other: the backdrop from far to near, the ground as it was added, then the street."""

Anchor = tuple[float, float]
"""(lateral, along)"""


@dataclass(frozen=True)
class Faces:
    """The columns: row i is face i; face 0 is the sky, which has no corners."""

    corners: Floats
    """(corners, 3), those of one face after those of another"""
    first: NDArray[np.int64]
    count: NDArray[np.int64]
    normal: Floats
    along: Floats
    """unit vector of the first edge"""
    origin: Floats
    """the first corner"""
    depths: Floats
    """nearest and farthest corner"""
    drawn: NDArray[np.int64]
    """the visible faces, in the order they are drawn"""
    kind: NDArray[np.uint8]
    label: NDArray[np.uint8]
    thing: NDArray[np.uint32]
    """label + THINGS x instance"""
    colour: Floats
    second: Floats
    parameters: Floats
    casts: NDArray[np.bool_]
    """whether it throws a shadow onto the ground"""
    footprints: tuple[Floats, ...]
    """the ground below vehicles, (4, 3) each"""


class Mesh:
    """Takes faces, object by object."""

    def __init__(self, street: Street) -> None:
        self._street = street
        self._corners: list[Floats] = []
        self._counts: list[tuple[int, int]] = []
        self._rows: list[tuple[object, ...]] = []
        self._instances = 0
        self._footprints: list[Floats] = []
        nowhere = np.zeros((1, 3, 3))
        self.add(nowhere, Kind.SKY, "sky", (0, 0, 0), layer=Layer.BACKDROP)

    def new_instance(self) -> int:
        """The number of one more thing that can be counted: a car, a person."""
        self._instances += 1
        return self._instances

    def stands_on(self, footprint: Floats) -> None:
        """A rectangle of ground (4, 3) that something keeps the light from."""
        self._footprints.append(footprint)

    def add(
        self,
        corners: ArrayLike,
        kind: Kind,
        label: str | None,
        colour: Colour,
        *,
        second: Colour = (0.0, 0.0, 0.0),
        parameters: tuple[float, ...] = (),
        layer: Layer = Layer.STREET,
        anchor: Anchor | None = None,
        instance: int = 0,
        both_sides: bool = False,
        casts: bool = False,
    ) -> None:
        """Faces of one make, corners (faces, corners, 3).

        ``label`` None is void. ``anchor`` is where on the street the whole object counts as standing when it is decided
        what hides what; by default the first face's middle and farthest end. ``both_sides`` faces are seen from behind
        too.
        """
        array = np.asarray(corners, np.float32)
        lateral, along = self._anchor(array) if anchor is None else anchor
        place = (layer, *_ORDER[layer](abs(lateral - self._street.eye), along))
        given = (*parameters, 0.0, 0.0, 0.0, 0.0)[:4]
        code = SYNTHIA_VOID if label is None else SYNTHIA_IDS[label]
        self._corners.append(array.reshape(-1, 3))
        self._counts.append((array.shape[0], array.shape[1]))
        self._rows.append((kind, code, instance, both_sides, casts, *place, *colour, *second, *given))

    def _anchor(self, corners: Floats) -> Anchor:
        (x0, _, z0), (x2, _, z2) = corners[0, 0].tolist(), corners[0, 2].tolist()
        return self._street.lateral((x0 + x2) / 2, (z0 + z2) / 2), max(z0, z2)

    def faces(self, eye: float) -> Faces:
        """Everything that was added, as a camera at that height sees it: faces that look away are left out."""
        faces, sizes = np.array(self._counts).T
        count = np.repeat(sizes, faces)
        first = np.concatenate([[0], np.cumsum(count)[:-1]])
        rows = np.repeat(np.array(self._rows, np.float32), faces, axis=0)
        corners = np.concatenate(self._corners)
        origin, edge = corners[first], corners[first + 1] - corners[first]
        outward = np.cross(corners[first + 2] - origin, edge)
        outward /= np.linalg.norm(outward, axis=1, keepdims=True) + 1e-12
        towards = np.einsum("ij,ij->i", outward, np.array([0, eye, 0], np.float32) - origin)
        outward[(towards < 0) & (rows[:, 3] > 0)] *= -1
        visible = (towards > 1e-4) | (rows[:, 3] > 0)
        visible[0] = False
        layer, stretch, lateral, along = rows[:, 5:9].T
        order = np.lexsort((-along, -lateral, -stretch, layer))
        depths = np.stack([np.minimum.reduceat(corners[:, 2], first), np.maximum.reduceat(corners[:, 2], first)], 1)
        return Faces(
            corners=corners, first=first, count=count, normal=outward.astype(np.float32), origin=origin, depths=depths,
            along=(edge / (np.linalg.norm(edge, axis=1, keepdims=True) + 1e-12)).astype(np.float32),
            drawn=order[visible[order]], kind=rows[:, 0].astype(np.uint8), label=rows[:, 1].astype(np.uint8),
            thing=(rows[:, 1] + THINGS * rows[:, 2]).astype(np.uint32), colour=rows[:, 9:12], second=rows[:, 12:15],
            parameters=rows[:, 15:19], casts=rows[:, 4] > 0,
            footprints=tuple(self._footprints),
        )  # fmt: skip


_STRETCHES = (25.0, 50.0, 90.0, 150.0, 240.0)


_ORDER: dict[Layer, Callable[[float, float], tuple[float, float, float]]] = {
    Layer.BACKDROP: lambda lateral, along: (0, 0, along),
    Layer.GROUND: lambda lateral, along: (0, 0, 0),
    Layer.STREET: lambda lateral, along: (_stretch(along), lateral, along),
}
"""What is drawn first: by stretch, then lateral, then along, each from its greatest; equals as they were added."""


def _stretch(along: float) -> int:
    """Which stretch of the street, counted from the camera.

    Where a street is straight, what stands farther from its middle never hides what stands nearer to it, at any
    distance. So within a stretch, which is short enough to be straight, things are drawn from the outside in.
    """
    return bisect(_STRETCHES, along)
