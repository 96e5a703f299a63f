"""Cars, vans and buses: blocks with glass, lamps and wheels, turned the way the street goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from unseen.scenes.colours import Colour, Floats, rgb
from unseen.scenes.lamps import Lamps
from unseen.scenes.mesh import Kind, Mesh
from unseen.scenes.shapes import FAR, LEFT, NEAR, RIGHT, block, rectangle
from unseen.scenes.street import Street

RUBBER, GLASS, TRIM, PLATE, HUB = rgb("#141414"), rgb("#1b232b"), rgb("#1d1f22"), rgb("#d8d8cc"), rgb("#777b80")
RED, WHITE, CAB = rgb("#b8160e"), rgb("#f4f2e6"), rgb("#a23a2c")
HEADLIGHT, TAILLIGHT = (1.0, 0.92, 0.76), (0.9, 0.06, 0.03)
_SILL, _TYRE_CORNERS = 0.26, 10


@dataclass(frozen=True)
class Build:
    """A vehicle's measures in metres; pairs are shares of its length, counted from the rear."""

    length: float
    width: float
    belt: float
    """the height where the glass begins"""
    roof: float
    cabin: tuple[float, float]
    """where the cabin stands on the body"""
    top: tuple[float, float]
    """where its roof is"""
    wheel: float = 0.33
    inset: float = 0.2
    """how far the roof stands back from the body on each side"""
    blank: bool = False
    """no windows but the driver's"""


BUILDS = {
    "saloon": Build(4.6, 1.8, 0.92, 1.45, (0.08, 0.74), (0.22, 0.58)),
    "hatchback": Build(4.0, 1.75, 0.95, 1.5, (0.01, 0.74), (0.08, 0.56)),
    "estate": Build(4.8, 1.87, 1.0, 1.72, (0.01, 0.76), (0.05, 0.6), 0.37),
    "van": Build(5.3, 2.0, 1.15, 2.25, (0.0, 0.93), (0.01, 0.76), 0.36, 0.12, True),
    "bus": Build(11.5, 2.5, 1.25, 3.1, (0.0, 1.0), (0.0, 0.995), 0.48, 0.05),
    "lorry": Build(9.0, 2.5, 1.1, 3.5, (0.0, 0.76), (0.0, 0.76), 0.5, 0.02, True),
}


@dataclass(frozen=True)
class Parts:
    """Faces of one make in a vehicle's own axes: right, up, and the way it drives."""

    corners: Floats
    kind: Kind
    colour: Colour | None
    """None is the paint"""
    lamp: float = 0.0
    """how bright it is when the lights are on"""
    casts: bool = False


def vehicle(
    mesh: Mesh, street: Street, lamps: Lamps, lateral: float, along: float, *, kind: str, paint: Colour,
    oncoming: bool, lights: bool,
) -> None:  # fmt: skip
    """One vehicle whose nearer end is at ``along``."""
    build, instance = BUILDS[kind], mesh.new_instance()
    middle = along + build.length / 2
    axes, centre = _axes(street.heading(middle), oncoming), street.point(lateral, 0, middle)
    reach = (build.width / 2, build.length / 2)
    mesh.stands_on(rectangle((-reach[0], reach[0]), 0, (-reach[1], reach[1])) @ axes + centre)
    for part in _parts(kind, oncoming):
        mesh.add(
            part.corners @ axes + centre, part.kind, "car", part.colour or paint, anchor=(lateral, along),
            instance=instance, casts=part.casts, parameters=(part.lamp if lights else 0.0,),
        )  # fmt: skip
    if lights:
        _shine(lamps, build, axes, centre, oncoming)


def _axes(heading: float, oncoming: bool) -> Floats:
    """The vehicle's right, up and ahead, in the world's axes."""
    ahead = np.array([heading, 0, 1]) / np.hypot(heading, 1) * (-1 if oncoming else 1)
    return np.stack([[ahead[2], 0, -ahead[0]], [0, 1, 0], ahead])


def _shine(lamps: Lamps, build: Build, axes: Floats, centre: Floats, oncoming: bool) -> None:
    end = build.length / 2 if oncoming else -build.length / 2
    for side in (-1, 1):
        spot = np.array([side * (build.width / 2 - 0.25), build.belt - 0.2, end * 1.02]) @ axes + centre
        lamps.add(spot, HEADLIGHT if oncoming else TAILLIGHT, 1.0 if oncoming else 0.4)


@cache
def _parts(kind: str, oncoming: bool) -> tuple[Parts, ...]:
    """The faces in the order they are drawn: the body, what is on it, the cabin, what is on that."""
    build = BUILDS[kind]
    cab = _driver(build) if kind == "lorry" else ()
    half, end = build.width / 2, build.length / 2
    floor = rectangle((-half, half), _SILL, (-end, end))
    body = block(floor, rectangle((-half + 0.04, half - 0.04), build.belt, (-end + 0.05, end - 0.1)))
    sills = block(floor, rectangle((-half, half), _SILL + 0.17, (-end, end)))[:4]
    tyres = _tyres(build)
    hubs = (tyres - tyres.mean(1, keepdims=True)) * 0.55 + tyres.mean(1, keepdims=True)
    cabin = _cabin(build)
    windows, pillars = _glass(build, cabin)
    rear, front = _lamps(build)
    return (
        Parts(body, Kind.PAINT, None, casts=True),
        Parts(_treads(build), Kind.PLAIN, RUBBER),
        Parts(sills, Kind.PLAIN, TRIM),
        Parts(tyres, Kind.PLAIN, RUBBER),
        Parts(hubs, Kind.PLAIN, HUB),
        Parts(_ends(build, (-half, half), (_SILL, _SILL + 0.22)), Kind.PLAIN, TRIM),
        Parts(_ends(build, (-half * 0.55, half * 0.55), (0.6, build.belt - 0.12))[1:], Kind.PLAIN, TRIM),
        Parts(_ends(build, (-0.26, 0.26), (0.47, 0.59)), Kind.PLAIN, PLATE),
        Parts(rear, Kind.LIGHT, RED, lamp=1.2),
        Parts(front, Kind.LIGHT, WHITE, lamp=4.0),
        *(() if oncoming else cab),
        Parts(cabin, Kind.PAINT, None, casts=True),
        Parts(windows, Kind.GLASS, GLASS),
        *([] if build.blank else [Parts(pillars, Kind.PLAIN, TRIM)]),
        *(cab if oncoming else ()),
    )


def _cabin(build: Build) -> Floats:
    half, rear = build.width / 2, -build.length / 2
    low, high = ([rear + build.length * share for share in pair] for pair in (build.cabin, build.top))
    return block(
        rectangle((-half + 0.04, half - 0.04), build.belt, (low[0], low[1])),
        rectangle((-half + build.inset, half - build.inset), build.roof, (high[0], high[1])),
    )


def _driver(build: Build) -> tuple[Parts, ...]:
    """A lorry's own cab, in front of its load."""
    half, end = build.width / 2 - 0.1, build.length / 2
    cab = block(
        rectangle((-half, half), build.belt, (end - 2.0, end - 0.1)),
        rectangle((-half, half), 2.7, (end - 2.0, end - 0.4)),
    )
    glass = np.concatenate([_inset(cab[side], 0.08, 0.92, 0.3, 0.85) for side in (RIGHT, FAR, LEFT)])
    return Parts(cab, Kind.PAINT, CAB, casts=True), Parts(glass, Kind.GLASS, GLASS)


def _glass(build: Build, cabin: Floats) -> tuple[Floats, Floats]:
    """Windows in the cabin's four sides, and the pillars between doors; a blank cabin has the driver's only."""
    spans = {NEAR: (0.07, 0.93), RIGHT: (0.04, 0.96), FAR: (0.05, 0.95), LEFT: (0.04, 0.96)}
    if build.blank:
        spans = {RIGHT: (0.7, 0.95), FAR: (0.06, 0.94), LEFT: (0.05, 0.3)}
    windows = [_inset(cabin[side], *span, 0.08, 0.86) for side, span in spans.items()]
    pillars = [_inset(cabin[side], at - 0.02, at + 0.02, 0, 1) for side in (RIGHT, LEFT) for at in (0.3, 0.6)]
    return np.concatenate(windows), np.concatenate(pillars)


def _inset(side: Floats, left: float, right: float, low: float, high: float) -> Floats:
    """A part of a side, in shares of its width and height, (1, 4, 3)."""
    lower, upper = ([one + (two - one) * share for share in (left, right)] for one, two in (side[:2], side[[3, 2]]))
    corners = [lower[i] + (upper[i] - lower[i]) * share for i, share in ((0, low), (1, low), (1, high), (0, high))]
    return np.stack(corners)[None]


def _tyres(build: Build) -> Floats:
    """Both sides' wheels, (4, corners, 3), each seen from outside."""
    turn = np.linspace(0, 2 * np.pi, _TYRE_CORNERS, endpoint=False)
    wheels = []
    for share in (0.17, 0.81):
        z = -build.length / 2 + build.length * share + build.wheel * np.cos(turn)
        y = build.wheel * (1 + np.sin(turn))
        for side in (1, -1):
            wheels.append(np.stack([np.full_like(y, side * (build.width / 2 + 0.01)), y, z], 1)[::side])
    return np.stack(wheels)


def _treads(build: Build) -> Floats:
    """The tyres as seen from behind and from the front, below the bumpers."""
    half = build.width / 2
    pairs = [_ends(build, (side - 0.12, side + 0.12), (0.0, 0.4), -0.3) for side in (-half + 0.18, half - 0.18)]
    return np.concatenate(pairs)


def _lamps(build: Build) -> tuple[Floats, Floats]:
    """Two in the rear, two in front."""
    half, low = build.width / 2, build.belt - 0.32
    left = _ends(build, (-half + 0.05, -half + 0.42), (low, low + 0.2))
    right = _ends(build, (half - 0.42, half - 0.05), (low, low + 0.2))
    return np.stack([left[0], right[0]]), np.stack([left[1], right[1]])


def _ends(build: Build, x: tuple[float, float], y: tuple[float, float], out: float = 0.02) -> Floats:
    """A rectangle on the rear and the same one on the front, (2, 4, 3)."""
    rear = np.array([[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]])
    end = np.full((4, 1), build.length / 2 + out)
    return np.stack([np.hstack([rear, -end]), np.hstack([rear[[1, 0, 3, 2]], end])])
