"""Colours: written as people write them (#rrggbb), kept as linear light, which adds up as light does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Colour = tuple[float, float, float]
Item = TypeVar("Item")


def rgb(code: str) -> Colour:
    """``#rrggbb`` as linear light, 0..1 in each channel."""
    red, green, blue = (int(code[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red**2.2, green**2.2, blue**2.2


def palette(codes: str) -> tuple[Colour, ...]:
    """Several colours, separated by spaces."""
    return tuple(rgb(code) for code in codes.split())


def pick(rng: Generator, items: Sequence[Item]) -> Item:
    """One of the items, each as likely as the others."""
    return items[int(rng.integers(len(items)))]


def varied(rng: Generator, colour: Colour, amount: float = 0.15) -> Colour:
    """The colour a little lighter or darker, and a little off in hue."""
    light, *hues = (amount * (2 * rng.random(4) - 1)).tolist()
    red, green, blue = (channel * (1 + light) * (1 + hue / 4) for channel, hue in zip(colour, hues, strict=True))
    return red, green, blue


def mix(under: Floats, over: Floats, share: Floats) -> None:
    """Lay colours ``over`` (3,) or (n, 3) onto ``under`` (n, 3), each by its share (n,)."""
    under += (over - under) * share[:, None]
