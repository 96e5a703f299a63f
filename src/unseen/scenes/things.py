"""Sprites placed in a scene: plants, people, bicycles."""

from __future__ import annotations

from numpy.random import Generator

from unseen.scenes.colours import Colour, palette, pick, varied
from unseen.scenes.mesh import Anchor, Kind, Mesh
from unseen.scenes.shapes import upright
from unseen.scenes.sprites import atlas
from unseen.scenes.street import Street
from unseen.scenes.weather import Weather

BARK = palette("#4a3b2c #5b4a38 #3d3128 #6a5a48")
CLOTHES = palette(
    "#23272f #3b3f46 #6b1f24 #1f3a5c #8a8f96 #b8b2a4 #2e4a36 #a8442f #d0cdc6 #c59a3d #5a3d6b #7a1e3a #4f6f8f #e2dccf"
)
TROUSERS = palette("#1c1f26 #2b3242 #3a3a3c #4a4438 #22304a #6a6458 #151515")
FRAMES = palette("#a02020 #204a90 #1e1e1e #d8d8d8 #2c7a4a #c8a020")


def sprite(
    mesh: Mesh, kind: str, rng: Generator, place: tuple[float, float, float], wide: float, tall: float, *,
    label: str, first: Colour, second: Colour,
    anchor: Anchor | None = None, instance: int = 0,
) -> None:  # fmt: skip
    """One picture of that kind, standing at the world's ``place`` and looking at the camera."""
    x, y, z = place
    number = pick(rng, atlas().numbers[kind])
    mesh.add(
        upright((x - wide / 2, x + wide / 2), (y, y + tall), z), Kind.SPRITE, label, first, second=second,
        parameters=(number, wide, tall), anchor=anchor, instance=instance,
    )  # fmt: skip


def tree(
    mesh: Mesh, street: Street, weather: Weather, rng: Generator, lateral: float, along: float, tall: float, *,
    conifer: bool = False, blossom: float = 0.0,
) -> None:  # fmt: skip
    """A tree as the season has it: in leaf, in blossom, or bare; conifers are green all year."""
    kind = "conifer" if conifer else "bare" if weather.bare else "broadleaf"
    leaf = pick(rng, weather.needles if conifer else weather.leaves)
    if not conifer and not weather.bare and rng.random() < blossom:
        leaf = pick(rng, weather.blossom)
    wide = tall * (rng.uniform(0.4, 0.55) if conifer else rng.uniform(0.8, 1.05))
    place = (street.x(lateral, along), 0.0, along)
    bark = varied(rng, pick(rng, BARK))
    sprite(mesh, kind, rng, place, wide, tall, label="vegetation", first=varied(rng, leaf, 0.25), second=bark)


def bush(mesh: Mesh, street: Street, weather: Weather, rng: Generator, lateral: float, along: float) -> None:
    """A bush: leafless ones would hardly be seen, so in winter it is an evergreen."""
    tall = rng.uniform(0.7, 1.8)
    leaf = varied(rng, pick(rng, weather.needles if weather.bare else weather.leaves), 0.25)
    place = (street.x(lateral, along), 0.0, along)
    sprite(mesh, "bush", rng, place, tall * rng.uniform(1.2, 2.2), tall, label="vegetation", first=leaf, second=leaf)


def pedestrian(mesh: Mesh, street: Street, rng: Generator, lateral: float, along: float, height: float) -> None:
    """Someone on foot, 1.5 to 1.95 metres tall."""
    tall = rng.uniform(1.5, 1.95)
    place = (street.x(lateral, along), height, along)
    sprite(
        mesh, "person", rng, place, tall, tall, label="pedestrian", first=varied(rng, pick(rng, CLOTHES)),
        second=varied(rng, pick(rng, TROUSERS)), instance=mesh.new_instance(),
    )  # fmt: skip


def bicycle(mesh: Mesh, street: Street, rng: Generator, lateral: float, along: float, height: float) -> None:
    """A parked bicycle, seen from the side."""
    place = (street.x(lateral, along), height, along)
    frame = varied(rng, pick(rng, FRAMES))
    sprite(
        mesh, "bicycle", rng, place, rng.uniform(1.5, 1.75), 1.05, label="bicycle", first=frame, second=frame,
        instance=mesh.new_instance(),
    )  # fmt: skip


def cyclist(mesh: Mesh, street: Street, rng: Generator, lateral: float, along: float) -> None:
    """Someone who rides ahead: the rider is a pedestrian by SYNTHIA's classes, drawn before the bicycle."""
    x = street.x(lateral, along)
    frame = varied(rng, pick(rng, FRAMES))
    sprite(
        mesh, "person", rng, (x, 0.32, along), 1.5, 1.5, label="pedestrian", first=varied(rng, pick(rng, CLOTHES)),
        second=pick(rng, TROUSERS), anchor=(lateral, along), instance=mesh.new_instance(),
    )  # fmt: skip
    sprite(
        mesh, "cyclist", rng, (x, 0.0, along - 0.2), 0.65, 1.05, label="bicycle", first=frame, second=frame,
        anchor=(lateral, along), instance=mesh.new_instance(),
    )  # fmt: skip
