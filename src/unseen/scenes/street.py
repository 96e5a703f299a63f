"""The street's plan: how wide, how many lanes, how it bends, where it is crossed; and positions along it.

A place on the street is (lateral, height, along): metres to the right of the centre line, above the ground, and ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from unseen.scenes.colours import Floats, pick

END = 400.0
"""metres ahead where the ground of the street stops being drawn in detail"""

Interval = tuple[float, float]
Number = TypeVar("Number", float, Floats)


@dataclass(frozen=True)
class Street:
    """A street with right-hand traffic; the camera drives in one of the lanes ahead."""

    lane: float
    """width of a lane"""
    oncoming: int
    ahead: int
    inner: float
    """from the centre line to the first lane: half the central reservation"""
    margin: float
    """from the last lane to the kerb: a parking lane, a shoulder"""
    pavement: float
    """width; 0 where there is none"""
    setback: float
    """from the pavement to the buildings"""
    eye: float
    """the camera's lateral place"""
    slope: float
    bend: float
    crossings: tuple[Interval, ...]
    """where other streets cross, from nearest to farthest"""

    @property
    def kerbs(self) -> Interval:
        """The road's edges, left and right."""
        return (
            -self.inner - self.oncoming * self.lane - self.margin,
            self.inner + self.ahead * self.lane + self.margin,
        )

    @property
    def backs(self) -> Interval:
        """The pavements' outer edges."""
        return self.kerbs[0] - self.pavement, self.kerbs[1] + self.pavement

    @property
    def fronts(self) -> Interval:
        """Where the buildings begin."""
        return self.backs[0] - self.setback, self.backs[1] + self.setback

    def lanes_ahead(self) -> list[float]:
        """The middles of the lanes that lead away from the camera."""
        return [self.inner + (i + 0.5) * self.lane for i in range(self.ahead)]

    def lanes_oncoming(self) -> list[float]:
        """The middles of the lanes that lead towards the camera."""
        return [-self.inner - (i + 0.5) * self.lane for i in range(self.oncoming)]

    def x(self, lateral: Number, along: Number) -> Number:
        """The world's x of a place on the street: the centre line is a parabola."""
        return lateral - self.eye + (self.slope + self.bend * along / 2) * along

    def lateral(self, x: Number, along: Number) -> Number:
        """The way back from ``x``."""
        return x + self.eye - (self.slope + self.bend * along / 2) * along

    def heading(self, along: float) -> float:
        """How far the street goes sideways for each metre ahead."""
        return self.slope + self.bend * along

    def point(self, lateral: float, height: float, along: float) -> Floats:
        """A place in the world, (3,)."""
        return np.array([self.x(lateral, along), height, along])

    def ribbon(self, left: float, right: float, along: Floats, height: float = 0.0) -> Floats:
        """A level strip between two laterals in pieces, (pieces, 4, 3); ``along`` has their ends."""
        return self.strips(np.array([left, right, right, left]), height, along[:-1], along[1:])

    def strips(self, lateral: Floats, height: float, near: Floats, far: Floats) -> Floats:
        """Level pieces (pieces, 4, 3), each from its own ``near`` to its own ``far``; ``lateral`` has four corners."""
        corners = np.empty((len(near), 4, 3))
        corners[:, :2, 2], corners[:, 2:, 2] = near[:, None], far[:, None]
        corners[..., 1] = height
        corners[..., 0] = self.x(lateral, corners[..., 2])
        return corners

    def wall(self, lateral: float, near: float, far: float, low: float, high: float) -> Floats:
        """An upright face along the street that looks at its middle, (1, 4, 3)."""
        return self.walls(lateral, np.array([near, far]), low, high)

    def walls(self, lateral: float, along: Floats, low: float, high: float) -> Floats:
        """The same in pieces, (pieces, 4, 3); ``along`` has their ends."""
        begin, end = (along[:-1], along[1:]) if lateral < self.eye else (along[1:], along[:-1])
        corners = np.empty((len(begin), 4, 3))
        corners[:, ::3, 2], corners[:, 1:3, 2] = begin[:, None], end[:, None]
        corners[:, :2, 1], corners[:, 2:, 1] = low, high
        corners[..., 0] = self.x(np.asarray(lateral), corners[..., 2])
        return corners

    def between_crossings(self, begin: float, end: float) -> list[Interval]:
        """The stretches of the street that no other street crosses."""
        stretches, start = [], begin
        for near, far in self.crossings:
            if near > start:
                stretches.append((start, min(near, end)))
            start = max(start, far)
        return [*stretches, (start, end)] if start < end else stretches


def steps(begin: float, end: float) -> Floats:
    """Ends of pieces that grow with the distance, so that each is about as tall in the picture."""
    return np.geomspace(begin, end, max(int(5 * np.log(end / begin)), 1) + 1)


def draw_city(rng: Generator) -> Street:
    """New York-like: wide, straight, parking on both sides, crossed by other streets."""
    ahead = int(rng.integers(1, 4))
    lane, inner = rng.uniform(3.1, 3.5), 0.0
    return Street(
        lane=lane, oncoming=int(rng.integers(1, 3)), ahead=ahead, inner=inner, margin=rng.uniform(2.2, 2.6),
        pavement=rng.uniform(3.2, 5.5), setback=0.0, eye=_eye(rng, inner, lane, ahead), slope=rng.normal(0, 0.035),
        bend=rng.normal(0, 0.0002), crossings=_crossings(rng, first=(14, 75), gap=(70, 110), width=(10, 16)),
    )  # fmt: skip


def draw_town(rng: Generator) -> Street:
    """Old European town: narrow and bent, houses close to the road."""
    lane, inner = rng.uniform(2.7, 3.2), 0.0
    return Street(
        lane=lane, oncoming=1, ahead=1, inner=inner, margin=pick(rng, (0.3, 0.3, 2.2)),
        pavement=rng.uniform(1.5, 3.0), setback=0.0, eye=_eye(rng, inner, lane, 1), slope=rng.normal(0, 0.06),
        bend=rng.normal(0, 0.0016), crossings=_crossings(rng, first=(12, 60), gap=(45, 90), width=(6, 9)),
    )  # fmt: skip


def draw_highway(rng: Generator) -> Street:
    """A highway: two carriageways, a barrier between them, shoulders, sometimes a path beside it."""
    ahead = int(rng.integers(2, 5))
    lane, inner = rng.uniform(3.5, 3.75), rng.uniform(1.2, 2.5)
    return Street(
        lane=lane, oncoming=ahead, ahead=ahead, inner=inner, margin=rng.uniform(2.0, 3.0),
        pavement=pick(rng, (0.0, 1.8, 2.6)), setback=rng.uniform(25, 60), eye=_eye(rng, inner, lane, ahead),
        slope=rng.normal(0, 0.05), bend=rng.normal(0, 0.0009), crossings=(),
    )  # fmt: skip


def _eye(rng: Generator, inner: float, lane: float, ahead: int) -> float:
    """Near the middle of a lane."""
    return inner + (int(rng.integers(ahead)) + 0.5) * lane + rng.normal(0, 0.15)


def _crossings(rng: Generator, *, first: Interval, gap: Interval, width: Interval) -> tuple[Interval, ...]:
    found, start = [], rng.uniform(*first)
    while start < END / 2:
        end = start + rng.uniform(*width)
        found.append((start, end))
        start = end + rng.uniform(*gap)
    return tuple(found)
