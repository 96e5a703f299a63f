"""What each pixel sees: faces painted from far to near, each in its own number, twice as fine as the picture.

A pixel whose four quarters see one face needs one ray; where they see several, each quarter gets its own, which is
what makes edges smooth. Class and instance are a vote of the quarters, taken together: never a mixture of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unseen.scenes.camera import View
from unseen.scenes.canvas import SIDE
from unseen.scenes.colours import Floats
from unseen.scenes.mesh import Faces, Kind
from unseen.scenes.sprites import atlas

if TYPE_CHECKING:
    from PIL.Image import Image

FINER = 2
_FAR_OFF = 1e5  # coordinates beyond this are cut: Pillow counts in 32 bits


@dataclass(frozen=True)
class Rays:
    """One ray for each pixel that sees one face, four for each that sees several; sorted by their faces' kinds."""

    face: NDArray[np.int32]
    column: Floats
    row: Floats
    kinds: tuple[slice, ...]
    """where each kind's rays are; the sky's are first"""
    place: NDArray[np.int64]
    """where in that order each ray is, counted pixel by pixel: the singles, then the quarters of the others"""
    single: NDArray[np.int64]
    """the pixels with one ray"""
    several: NDArray[np.int64]
    """the pixels with four"""

    def mean(self, values: Floats, pixels: int) -> Floats:
        """Values of rays (n, channels) as values of pixels."""
        values, picture = values[self.place], np.empty((pixels, values.shape[1]), np.float32)
        picture[self.single] = values[: len(self.single)]
        picture[self.several] = values[len(self.single) :].reshape(len(self.several), 4, -1).mean(1)
        return picture

    def vote(self, codes: NDArray[np.uint32], pixels: int) -> NDArray[np.uint32]:
        """The code that most of a pixel's rays have; of two pairs, the first quarter's."""
        codes, picture = codes[self.place], np.empty(pixels, codes.dtype)
        picture[self.single] = codes[: len(self.single)]
        a, b, c, d = codes[len(self.single) :].reshape(-1, FINER * FINER).T
        second, third = ((b == c) & (a != d)) | ((b == d) & (a != c)), (c == d) & (a != b)
        picture[self.several] = np.where(second, b, np.where(third, c, a))
        return picture


def cast(faces: Faces, view: View) -> Rays:
    """The rays of a picture of the view's size."""
    seen = _paint(faces, View(view.camera, FINER * view.rows, FINER * view.columns))
    quarters = np.stack([seen[i::FINER, j::FINER].ravel() for i in range(FINER) for j in range(FINER)], 1)
    same = (quarters[:, 0] == quarters[:, 1]) & (quarters[:, 0] == quarters[:, 2]) & (quarters[:, 0] == quarters[:, 3])
    single, several = np.flatnonzero(same), np.flatnonzero(~same)
    face = np.concatenate([quarters[single, 0], quarters[several].ravel()])
    kind = faces.kind[face]
    order = np.argsort(kind, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(kind, minlength=len(Kind)))]).tolist()
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    column, row = _centres(view, single, several)
    return Rays(
        face=face[order], column=column[order], row=row[order], kinds=tuple(slice(*pair) for pair in pairwise(ends)),
        place=place, single=single, several=several,
    )  # fmt: skip


def _centres(view: View, single: NDArray[np.int64], several: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The column and row that each ray goes through: a pixel's middle, or its quarters' middles."""
    centres = []
    pixel = np.arange(view.pixels)
    for whole, quarter in ((pixel % view.columns, _QUARTER[1]), (pixel // view.columns, _QUARTER[0])):
        middle = (whole + 0.5).astype(np.float32)
        centres.append(np.concatenate([middle[single], (middle[several, None] + quarter).ravel()]))
    return centres[0], centres[1]


_QUARTER = np.array([[-0.25, -0.25, 0.25, 0.25], [-0.25, 0.25, -0.25, 0.25]], np.float32)  # rows, columns


def _paint(faces: Faces, view: View) -> NDArray[np.int32]:
    from PIL import Image, ImageDraw

    sheet = Image.new("I", (view.columns, view.rows))
    draw = ImageDraw.Draw(sheet)
    column, row, _ = view.project(faces.corners)
    corners = np.clip(np.floor(np.stack([column, row], 1)), -_FAR_OFF, _FAR_OFF)
    flat, first, count = corners.astype(int).ravel().tolist(), faces.first.tolist(), faces.count.tolist()
    sprites = (faces.kind == Kind.SPRITE).tolist()
    for face in _on_screen(faces, corners, view).tolist():
        if sprites[face]:
            _stamp(sheet, corners[first[face] : first[face] + 4], int(faces.parameters[face, 0]), face)
        else:
            draw.polygon(flat[2 * first[face] : 2 * (first[face] + count[face])], fill=face)
    return np.asarray(sheet)


def _on_screen(faces: Faces, corners: Floats, view: View) -> NDArray[np.int64]:
    """The visible faces that reach into the picture, in the order they are drawn."""
    low, high = np.minimum.reduceat(corners, faces.first), np.maximum.reduceat(corners, faces.first)
    within = (high >= 0).all(1) & (low[:, 0] < view.columns) & (low[:, 1] < view.rows)
    return faces.drawn[within[faces.drawn]]


def _stamp(sheet: Image, corners: Floats, number: int, face: int) -> None:
    """A sprite's picture, scaled into its rectangle, of which only what is in the sheet is made."""
    from PIL import Image

    (left, top), (right, bottom) = corners[3].tolist(), corners[1].tolist()
    wide, tall = max(right - left, 1), max(bottom - top, 1)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + wide, sheet.width), min(top + tall, sheet.height)
    if x1 <= x0 or y1 <= y0:
        return
    part = [(x0 - left) / wide, (y0 - top) / tall, (x1 - left) / wide, (y1 - top) / tall]
    mask = (
        atlas()
        .masks[number]
        .resize((int(x1 - x0), int(y1 - y0)), Image.Resampling.NEAREST, box=tuple(SIDE * share for share in part))
    )
    sheet.paste(face, (int(x0), int(y0)), mask)
