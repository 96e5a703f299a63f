"""One colour for each class of a street scene, the same in every figure, also for eyes that lack one of the cones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unseen.reporting.kit.vision import from_hex, least_distances, to_hex

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
any two as great as it could, and that between ``NEIGHBOURS`` 1.6 times as great. It counted the distance in OKLab for
the kind of eye to which two colours are nearest (``vision.least_distances``), and kept hue and lightness of most
classes within a range that a reader expects: a light blue sky, a dark road, red or orange pedestrians."""

SAME_THING = {"pavement": "sidewalk", "tree": "vegetation", "sign": "traffic sign", "bicyclist": "bicycle"}
"""CamVid's words for SYNTHIA's classes."""

NEIGHBOURS = (
    ("road", ("lane marking", "car", "sidewalk", "fence", "pedestrian", "bicycle")),
    ("building", ("vegetation", "pole", "sky", "car", "pedestrian", "sidewalk", "bicycle", "fence", "traffic sign")),
    ("traffic light", ("building", "pole", "sky")),
    ("vegetation", ("sky", "fence", "pole", "car", "traffic sign")),
    ("sidewalk", ("fence", "bicycle", "pedestrian", "lane marking", "car")),
    ("pole", ("sky", "traffic sign")),
    ("fence", ("car", "bicycle")),
    ("pedestrian", ("bicycle",)),
    ("sky", ("traffic sign",)),
)
"""Classes that often touch: those that share most boundary pixels in the built-in scenes, and some by their nature."""

_LEVELS = 9  # of each channel, to choose further colours from


def colours_of(classes: Sequence[str]) -> list[str]:
    """A colour for each class, ``#rrggbb``, no two alike.

    A street class has its own, whatever the other classes are. The others get what is left of ``COLOURS``, and then
    colours from a grid, each time the one that is farthest from all before it.
    """
    chosen: dict[int, str] = {}
    for i, name in enumerate(classes):
        word = name.casefold().strip()
        colour = COLOURS.get(SAME_THING.get(word, word))
        if colour is not None and colour not in chosen.values():
            chosen[i] = colour
    for i in range(len(classes)):
        if i not in chosen:
            chosen[i] = _farthest(list(chosen.values()))
    return [chosen[i] for i in range(len(classes))]


def _farthest(taken: list[str]) -> str:
    left = [colour for colour in COLOURS.values() if colour not in taken]
    if not taken:
        return left[0]
    levels = np.linspace(0, 1, _LEVELS)
    candidates = from_hex(left) if left else np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(-1, 3)
    return to_hex(candidates[least_distances(candidates, from_hex(taken)).min(axis=1).argmax()])
