"""What is too ragged for polygons: trees, bushes, people, bicycles, each drawn once as a flat picture for all scenes.

A picture has three parts: where it is solid, how light each spot is, and which of the object's colours the spot has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from unseen.scenes.canvas import SIDE, Canvas, Part, Picture
from unseen.scenes.colours import Floats

if TYPE_CHECKING:
    from PIL.Image import Image

_SEED = 20181205


@dataclass(frozen=True)
class Atlas:
    """All pictures, by number."""

    masks: tuple[Image, ...]
    """where each is solid, as Pillow's one-bit images"""
    tone: NDArray[np.float32]
    """(pictures, SIDE, SIDE), about 1"""
    part: NDArray[np.uint8]
    numbers: dict[str, tuple[int, ...]]
    """a kind's pictures"""


@cache
def atlas() -> Atlas:
    """The pictures, made once in each process from a seed of their own."""
    from PIL import Image

    makers: dict[str, tuple[int, Callable[[Generator], Picture]]] = {
        "broadleaf": (8, _broadleaf), "conifer": (4, _conifer), "bare": (8, _bare), "bush": (4, _bush),
        "person": (10, _person), "bicycle": (3, _bicycle), "cyclist": (2, _rear_bicycle),
    }  # fmt: skip
    rng = np.random.default_rng(_SEED)
    made = [(name, maker(rng)) for name, (count, maker) in makers.items() for _ in range(count)]
    numbers = {name: tuple(i for i, (kind, _) in enumerate(made) if kind == name) for name in makers}
    masks = tuple(Image.fromarray(picture.solid.astype(np.uint8) * 255).convert("1") for _, picture in made)
    tone = np.stack([picture.tone for _, picture in made]).astype(np.float32)
    return Atlas(masks, tone, np.stack([picture.part for _, picture in made]).astype(np.uint8), numbers)


def _leaves(canvas: Canvas, rng: Generator, spots: Floats, radius: tuple[float, float]) -> None:
    """Clumps of leaves at ``spots`` (n, 2), lighter towards their tops and towards the crown's top."""
    for x, y in spots[np.argsort(-spots[:, 1] + rng.normal(0, 0.08, len(spots)))]:
        size = rng.uniform(*radius)
        part = canvas.around(x, y, 1.2 * size)
        ragged = rng.random(part.x.shape) - 0.5
        distance = np.hypot((part.x - x), (part.y - y) * 1.2) / size + 0.7 * ragged
        light = 1.0 - 0.4 * (part.y - y) / size - 0.45 * (y - 0.4) + 0.55 * ragged + rng.uniform(-0.15, 0.15)
        part.fill(distance < 0.85, Part.FIRST, np.clip(light, 0.2, 1.7))


def _broadleaf(rng: Generator) -> Picture:
    canvas = Canvas()
    canvas.stroke((0.5, 0.5 + rng.uniform(-0.03, 0.03)), (1.0, 0.5), rng.uniform(0.035, 0.06), Part.SECOND)
    for side in (-0.15, 0.15):
        canvas.stroke((0.5, 0.5 + side), (0.75, 0.5), 0.025, Part.SECOND)
    boughs = rng.normal(0, 1, (9, 2)) * [0.16, 0.12] + [0.5, 0.37]
    spots = boughs[rng.integers(9, size=110)] + rng.normal(0, 1, (110, 2)) * [0.085, 0.07]
    spots = np.clip(spots, 0.08, [0.92, 0.68])
    _leaves(canvas, rng, spots, (0.035, 0.085))
    return canvas.picture()


def _conifer(rng: Generator) -> Picture:
    canvas = Canvas()
    canvas.stroke((0.5, 0.5), (1.0, 0.7), 0.05, Part.SECOND)
    down = np.sort(rng.uniform(0.06, 0.86, 60))
    spots = np.stack([0.5 + 0.36 * down * rng.uniform(-1, 1, 60), down], 1)
    _leaves(canvas, rng, spots, (0.035, 0.075))
    return canvas.picture()


def _bush(rng: Generator) -> Picture:
    canvas = Canvas()
    spots = np.stack([rng.uniform(0.15, 0.85, 40), rng.uniform(0.35, 0.98, 40)], 1)
    _leaves(canvas, rng, spots, (0.06, 0.12))
    return canvas.picture()


def _bare(rng: Generator) -> Picture:
    """Branches that fork, each thinner and shorter than the one it comes from."""
    from PIL import Image, ImageDraw

    sheet = Image.new("L", (SIDE, SIDE))
    draw, twigs = ImageDraw.Draw(sheet), [(0.5, 1.0, -np.pi / 2, rng.uniform(0.28, 0.36), 0.04)]
    while twigs:
        x, y, turn, length, width = twigs.pop()
        x_end, y_end = x + length * np.cos(turn), y + length * np.sin(turn)
        draw.line([SIDE * v for v in (x, y, x_end, y_end)], fill=255, width=max(round(width * SIDE), 1))
        if length > 0.03:
            for side in rng.permutation([-1, 1, 0])[: 3 if length > 0.1 else 2]:
                bent = turn + side * rng.uniform(0.35, 0.65) + rng.normal(0, 0.12) - 0.1 * np.cos(turn)
                twigs.append((x_end, y_end, bent, length * rng.uniform(0.6, 0.8), width * 0.58))
    canvas = Canvas()
    canvas.fill(np.asarray(sheet) > 127, Part.SECOND, 0.75 + 0.5 * canvas.ragged)
    return canvas.picture()


def _person(rng: Generator) -> Picture:
    """Someone who walks or stands; the picture is as wide as tall, the person in its middle."""
    canvas = Canvas()
    stride, swing, bulk = rng.uniform(0, 0.1), rng.uniform(-0.07, 0.07), rng.uniform(0.9, 1.15)
    for side in (-1, 1):
        foot = 0.5 + side * (0.035 + stride)
        canvas.stroke(
            (0.5 + side * 0.035, 0.5 + side * (0.035 + stride * 0.6), foot), (0.5, 0.74, 0.95), 0.075, Part.SECOND
        )
        canvas.stroke((foot, foot + 0.035), (0.965, 0.975), 0.05, Part.DARK)
        canvas.stroke((0.5 + side * 0.085 * bulk, 0.5 + side * 0.115 * bulk + swing), (0.24, 0.5), 0.05, Part.FIRST)
        canvas.ellipse(0.5 + side * 0.115 * bulk + swing, 0.52, 0.025, 0.03, Part.SKIN)
    canvas.ellipse(0.5, 0.35, 0.1 * bulk, 0.19, Part.FIRST)
    if rng.random() < 0.35:  # a coat or a skirt
        wide = 0.05 + 0.28 * (canvas.y - 0.35)
        canvas.fill((np.abs(canvas.x - 0.5) < wide) & (canvas.y > 0.4) & (canvas.y < 0.68), Part.FIRST)
    canvas.stroke((0.5, 0.5), (0.13, 0.2), 0.05, Part.SKIN)
    canvas.ellipse(0.5, 0.085, 0.05, 0.068, Part.SKIN)
    canvas.ellipse(0.5, 0.06, 0.054, 0.05 if rng.random() < 0.6 else 0.1, Part.DARK)
    canvas.tone *= 1.15 - 0.9 * np.abs(canvas.x - 0.46)
    return canvas.picture()


def _bicycle(rng: Generator) -> Picture:
    """From the side; the picture is squeezed into the bicycle's length and height."""
    canvas = Canvas()
    for x in (0.22, 0.78):
        ring = np.hypot((canvas.x - x) / 0.2, (canvas.y - 0.68) / 0.31)
        canvas.fill((ring > 0.84) & (ring < 1.02), Part.DARK)
        spokes = np.abs(np.sin(7 * np.arctan2(canvas.y - 0.68, (canvas.x - x) * 1.5))) < 0.12
        canvas.fill((ring < 0.84) & spokes, Part.METAL)
    lean = rng.uniform(-0.02, 0.02)
    canvas.stroke((0.22, 0.45, 0.7 + lean, 0.4, 0.22), (0.68, 0.7, 0.3, 0.32, 0.68), 0.045, Part.FIRST)
    canvas.stroke((0.45, 0.38), (0.7, 0.16), 0.045, Part.FIRST)
    canvas.stroke((0.78, 0.68 + lean, 0.74), (0.68, 0.1, 0.06), 0.04, Part.METAL)
    canvas.stroke((0.33, 0.45), (0.13, 0.13), 0.06, Part.DARK)
    return canvas.picture()


def _rear_bicycle(rng: Generator) -> Picture:
    """From behind: a wheel, a rack, handlebars."""
    canvas = Canvas()
    canvas.stroke((0.5, 0.5), (0.98, 0.35), 0.14, Part.DARK)
    canvas.stroke((0.5, 0.5), (0.6, 0.2), 0.16, Part.FIRST)
    canvas.stroke((0.12, 0.88), (0.1, 0.1 + rng.uniform(0, 0.05)), 0.07, Part.METAL)
    canvas.ellipse(0.5, 0.55, 0.1, 0.05, Part.FIRST)
    return canvas.picture()
