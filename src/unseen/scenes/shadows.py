"""Shadows: of the rows of buildings on everything, of the street's own things on the ground, and below vehicles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unseen.scenes.buildings import Building
from unseen.scenes.camera import NEAREST, View
from unseen.scenes.colours import Floats
from unseen.scenes.mesh import Faces, Kind
from unseen.scenes.street import Street

_BEHIND, _AHEAD = 150, 450  # metres for which the rows' heights are known
_TREE = 2.2  # metres: a taller sprite has a crown on a trunk


@dataclass(frozen=True)
class Skyline:
    """The heights of the rows of buildings at every metre: what keeps the sun out of the street."""

    left: Floats
    right: Floats

    @staticmethod
    def of(left: list[Building], right: list[Building]) -> Skyline:
        """From the buildings on each side, nearest first."""
        return Skyline(_heights(left), _heights(right))

    def sunlit(self, street: Street, sun: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
        """1 where the way to the sun clears the row that it crosses, softly 0 where it doesn't."""
        side = 1 if sun[0] > 0 else 0
        heights = (self.left, self.right)[side]
        if not heights.any():
            return np.ones(len(x), np.float32)
        way = (np.abs(street.fronts[side] - street.lateral(x, z)) + 0.2) / max(abs(sun[0]), 0.05)
        along = np.clip(z + way * sun[2] + _BEHIND, 0, len(heights) - 1).astype(np.int64)
        clearance = y + way * sun[1] - heights[along]
        lit: Floats = np.clip(clearance / (0.4 + 0.02 * way) + 0.5, 0, 1).astype(np.float32)
        return lit


def _heights(row: list[Building]) -> Floats:
    """Behind the camera as high as the first building: there must be some."""
    heights = np.zeros(_BEHIND + _AHEAD, np.float32)
    if row:
        heights[: _BEHIND + int(row[0].near)] = row[0].height
    for building in row:
        heights[_BEHIND + int(building.near) : _BEHIND + int(np.ceil(building.far))] = building.height
    return heights


def on_ground(faces: Faces, sun: Floats, view: View) -> NDArray[np.float32]:
    """How much of the sun the street's things keep from the ground, as a picture (rows, columns)."""
    fallen = _fall(faces.corners, sun)
    casting = np.flatnonzero(faces.casts)
    shadows = [fallen[faces.first[face] : faces.first[face] + faces.count[face]] for face in casting]
    return _picture(view, [*shadows, *_sprite_shadows(faces, sun)], blur=0.6)


def below_vehicles(faces: Faces, view: View) -> NDArray[np.float32]:
    """How dark it is under each vehicle, in any light, as a picture (rows, columns)."""
    return _picture(view, list(faces.footprints), blur=1.2)


def _sprite_shadows(faces: Faces, sun: Floats) -> list[Floats]:
    """Ellipses that stand across the sun's direction, and for trees a trunk."""
    rows = np.flatnonzero(faces.kind == Kind.SPRITE)
    foot = faces.origin[rows] + faces.along[rows] * faces.parameters[rows, 1:2] / 2
    wide, tall = faces.parameters[rows, 1], faces.parameters[rows, 2]
    tree = tall > _TREE
    across = np.array([sun[2], 0, -sun[0]]) / np.hypot(sun[0], sun[2])
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    reach = np.where(tree, 0.38, 0.16) * wide
    middle, half = np.where(tree, 0.6, 0.5) * tall, np.where(tree, 0.36, 0.5) * tall
    ring = foot[:, None] + across * (reach[:, None] * np.cos(turn))[..., None]
    ring[..., 1] += middle[:, None] + half[:, None] * np.sin(turn)
    trunk = foot[tree][:, None] + across * np.array([-0.12, 0.12, 0.12, -0.12])[:, None]
    trunk[:, 2:, 1] += 0.5 * tall[tree][:, None]
    return [*_fall(ring, sun), *_fall(trunk, sun)]


def _fall(points: Floats, sun: Floats) -> Floats:
    """Where the points' shadows lie on level ground."""
    fallen: Floats = points - sun * (points[..., 1:2] / sun[1])
    return fallen


def _picture(view: View, polygons: list[Floats], blur: float) -> NDArray[np.float32]:
    """Polygons on the ground as the camera sees them; those that reach behind it are left out."""
    from PIL import Image, ImageDraw, ImageFilter

    sheet = Image.new("L", (view.columns, view.rows))
    draw = ImageDraw.Draw(sheet)
    ahead = [polygon for polygon in polygons if polygon[:, 2].min() > NEAREST]
    if ahead:
        column, row, _ = view.project(np.concatenate(ahead))
        flat, start = np.floor(np.stack([column, row], 1)).ravel().tolist(), 0
        for polygon in ahead:
            draw.polygon(flat[start : start + 2 * len(polygon)], fill=255)
            start += 2 * len(polygon)
    soft = sheet.filter(ImageFilter.BoxBlur(blur * view.columns / 320))
    return np.asarray(soft, np.float32) / np.float32(255)
