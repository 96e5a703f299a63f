"""One scene, from its number to its picture and labels.

A scene is a plan of planar faces (places.py), seen through a camera (raster.py), coloured (surfaces.py, sky.py),
lit (light.py) and developed (lens.py). Labels hang on the same faces that give the pixels their colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.base.extras import require
from unseen.base.randomness import generator
from unseen.scenes import lens, light, sky, surfaces
from unseen.scenes.camera import Camera, View
from unseen.scenes.colours import Floats
from unseen.scenes.light import Surroundings
from unseen.scenes.mesh import THINGS
from unseen.scenes.places import PLACES
from unseen.scenes.raster import Rays, cast
from unseen.scenes.scene_checks import Size, check
from unseen.scenes.shadows import Skyline
from unseen.scenes.spots import meet
from unseen.scenes.synthia_classes import SIZE
from unseen.scenes.weather import CONDITIONS, occasion


@dataclass(frozen=True)
class Scene:
    """A picture and what is in it."""

    image: NDArray[np.uint8]
    """(H, W, 3), RGB"""
    ids: NDArray[np.uint8]
    """(H, W): SYNTHIA's class ids; 0, void, is what has no class: bins and hydrants"""
    instances: NDArray[np.uint16]
    """(H, W): which of the scene's countable things a pixel shows; 0 is none"""


def render(place: str, condition: str, *, index: int, seed: int = 0, size: Size = SIZE) -> Scene:
    """Scene number ``index`` of a domain; ``size`` is (height, width).

    It depends on place, condition, seed and index alone, not on what else is rendered. The same index in two
    conditions is two different streets, as SYNTHIA's sequences are different drives. Another size is the same street.
    """
    check(place, condition, index=index, seed=seed, size=size)
    require("PIL", "folder")
    rng = np.random.default_rng(generator(seed, f"scenes/{place}/{condition}/{index}").initial_seed())
    weather = CONDITIONS[condition]
    air, camera = occasion(weather, rng), Camera.draw(rng)
    plan = PLACES[place](rng, weather)
    view, faces = View(camera, *size), plan.mesh.faces(camera.height)
    rays = cast(faces, view)
    skyline = Skyline.of(plan.left, plan.right)
    around = Surroundings(faces, plan.street, air, skyline, plan.lamps.rows, view)
    seen = rays.mean(_look(rays, around), view.pixels).reshape(*size, 4)
    image = lens.develop(seen[..., :3].copy(), seen[..., 3], plan.lamps, air, view, rng)
    things = rays.vote(faces.thing[rays.face], view.pixels).reshape(size)
    return Scene(image, (things % THINGS).astype(np.uint8), (things // THINGS).astype(np.uint16))


def _look(rays: Rays, around: Surroundings) -> Floats:
    """What each ray brings: red, green, blue, and the depth it comes from, (n, 4)."""
    directions = around.view.rays(rays.column, rays.row)
    above = rays.kinds[0].stop
    spots = meet(rays, directions, around.faces, around.view)
    surfaces.paint(spots, around.faces, around.street, around.air)
    distance = spots.z * np.linalg.norm(directions[:, above:], axis=0)
    colours = light.through_air(light.illuminate(spots, around), distance, around.air)
    brought = np.full((len(rays.face), 4), np.inf, np.float32)
    brought[:above, :3] = sky.paint(directions[:, :above], around.air)
    brought[above:, :3], brought[above:, 3] = colours, spots.z
    return brought
