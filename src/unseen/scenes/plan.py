"""A scene as it is laid out: its street, its faces, its lamps, and the rows of buildings."""

from __future__ import annotations

from dataclasses import dataclass, field

from numpy.random import Generator

from unseen.scenes.buildings import Building
from unseen.scenes.lamps import Lamps
from unseen.scenes.mesh import Mesh
from unseen.scenes.street import Street
from unseen.scenes.weather import Weather


@dataclass(frozen=True)
class Plan:
    """What a place fills."""

    street: Street
    weather: Weather
    rng: Generator
    mesh: Mesh
    lamps: Lamps = field(default_factory=Lamps)
    left: list[Building] = field(default_factory=list)
    right: list[Building] = field(default_factory=list)
