"""One colour for each class of a street scene, the same in every figure, also for eyes that lack one of the cones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

COLOURS = {
    "sky": "#90e4fe",
    "building": "#8d3706",
    "road": "#4b033c",
    "sidewalk": "#936abf",
    "fence": "#edb11d",
    "vegetation": "#4f957e",
    "pole": "#000001",
    "car": "#2f07a4",
    "traffic sign": "#ffe11d",
    "pedestrian": "#f05c17",
    "bicycle": "#9fb3ff",
    "lane marking": "#ffffe8",
    "traffic light": "#501ff4",
}
"""SYNTHIA's classes. The colours are the best that simulated annealing found when it made the least distance between
any two as great as it could, and that between classes that often touch 1.6 times as great. It counted the distance in
OKLab for the kind of eye to which two colours are nearest (tests/colour_vision.py), and kept hue and lightness of most
classes within a range that a reader expects: a light blue sky, a dark road, red or orange pedestrians."""

SAME_THING = {"pavement": "sidewalk", "tree": "vegetation", "sign": "traffic sign", "bicyclist": "bicycle"}
"""CamVid's words for SYNTHIA's classes."""

# each the farthest from all before it and from COLOURS, for the eye that sees least, on a grid of 9 levels a channel
_FURTHER = (
    "604060 002000 9f80ff bf9fbf 000020 bf4040 bfdfbf 8040bf 40bf80 40df80 202060 008060 8060ff bfbfbf 602040 "
    "bfff9f 60609f bf80bf ff8040 60409f 400080 800000 200000 4020bf 206080 806000 004000 df20df df80df 202020 "
    "60ffff df60df 9f6080 df0000 606060 9f9f9f 000040 804040 df6080 df9fdf 80809f ffff00 dfbfdf ffdfdf 404080 "
    "9f9fff 000060 bf9f60 ffbf9f 9fdf60 9f8060"
)


def colours_of(classes: Sequence[str]) -> list[str]:
    """A colour for each class, ``#rrggbb``, no two alike.

    A street class has its own, whatever the other classes are. The others get what is left of ``COLOURS``, and then
    further colours that are as far from all before them as can be.
    """
    chosen: list[str | None] = []
    for name in classes:
        word = name.casefold().strip()
        colour = COLOURS.get(SAME_THING.get(word, word))
        chosen.append(None if colour in chosen else colour)
    others = (colour for colour in _every_colour() if colour not in chosen)
    return [colour or next(others) for colour in chosen]


def _every_colour() -> list[str]:
    """More than a mask can have classes; those that come last are spread over the grid in no order of merit."""
    levels = [round(255 * i / 8) for i in range(9)]
    grid = [f"#{bytes(channels).hex()}" for channels in product(levels, repeat=3)]
    spread = [grid[i * 257 % len(grid)] for i in range(len(grid))]
    return list(dict.fromkeys([*COLOURS.values(), *(f"#{colour}" for colour in _FURTHER.split()), *spread]))
