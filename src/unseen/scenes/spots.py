"""Where rays meet faces, and what is known there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.scenes.camera import View
from unseen.scenes.colours import Floats, mix, rgb
from unseen.scenes.mesh import Faces, Kind
from unseen.scenes.noise import cloudy
from unseen.scenes.raster import Rays
from unseen.scenes.weather import Air

SNOW = np.array(rgb("#eef2f6"), np.float32)


@dataclass
class Spots:
    """Where rays meet faces, one row for each ray."""

    face: NDArray[np.int32]
    column: Floats
    row: Floats
    x: Floats
    y: Floats
    z: Floats
    pixel: Floats
    """how wide a pixel is there, in metres"""
    normal: Floats
    albedo: Floats
    """(n, 3): the share of light that comes back"""
    emission: Floats
    """(n, 3): light of its own"""
    kinds: tuple[slice, ...]
    """which rows are of which kind"""


def meet(rays: Rays, directions: Floats, faces: Faces, view: View) -> Spots:
    """Where rays below the sky meet the planes of their faces: z = n (p - e) / (n r), within the face's own depths.

    n is the face's normal, p its first corner, e the camera, r the ray.
    """
    above = rays.kinds[Kind.SKY].stop
    face, (x, y, z) = rays.face[above:], directions[:, above:]
    eye = np.array([0, view.camera.height, 0], np.float32)
    offset = np.einsum("ij,ij->i", faces.normal, faces.origin - eye)
    normal = faces.normal[face]
    towards = normal[:, 0] * x + normal[:, 1] * y + normal[:, 2] * z
    depth = offset[face] / np.where(np.abs(towards) < 1e-6, np.float32(1e-6), towards)
    depth = np.clip(depth, faces.depths[face, 0], faces.depths[face, 1])
    albedo = faces.colour[face]
    return Spots(
        face=face, column=rays.column[above:], row=rays.row[above:], x=x * depth, y=eye[1] + y * depth, z=depth,
        pixel=depth / view.focal, normal=normal, albedo=albedo, emission=np.zeros_like(albedo),
        kinds=tuple(slice(max(rows.start - above, 0), rows.stop - above) for rows in rays.kinds),
    )  # fmt: skip


def on_face(spots: Spots, rows: slice, faces: Faces) -> tuple[Floats, Floats]:
    """Metres along the face's first edge, and above its first corner."""
    face = spots.face[rows]
    origin, along = faces.origin[face], faces.along[face]
    offset_x, offset_y, offset_z = (
        spots.x[rows] - origin[:, 0],
        spots.y[rows] - origin[:, 1],
        spots.z[rows] - origin[:, 2],
    )
    return offset_x * along[:, 0] + offset_y * along[:, 1] + offset_z * along[:, 2], offset_y


def snow(spots: Spots, rows: slice, air: Air, most: float) -> None:
    """It lies on what looks up, thin in places."""
    if not air.weather.snow:
        return
    up = np.clip((spots.normal[rows, 1] - 0.25) * 2.5, 0, 1)
    drift = np.clip(0.62 + 0.75 * cloudy(spots.x[rows] / 17, spots.z[rows] / 29), 0, 1)
    mix(spots.albedo[rows], SNOW, air.weather.snow * most * up * drift)
