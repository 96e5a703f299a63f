"""How far apart colours are to the eye, with full colour vision and without."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.float64]
"""sRGB in [0, 1], the last axis being red, green, blue"""

# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG
# 2009: their matrices for severity 1.0, on linear RGB.
VISIONS: dict[str, Colours] = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""Linear RGB as each kind of eye takes it."""

# Ottosson, "A perceptual color space for image processing", 2020: OKLab, from linear sRGB through cone responses.
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def from_hex(colours: list[str]) -> Colours:
    """``#rrggbb`` as sRGB, one row for each."""
    return np.array([list(bytes.fromhex(colour[1:])) for colour in colours], np.float64).reshape(-1, 3) / 255


def to_hex(colour: Colours) -> str:
    """One row as ``#rrggbb``."""
    return f"#{bytes(np.rint(255 * colour).astype(np.uint8)).hex()}"


def oklab(colours: Colours, vision: str = "full") -> Colours:
    """Lightness, green to red and blue to yellow as the eye has them; white has lightness 1, black 0."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ VISIONS[vision].T, 0, 1)
    lab: Colours = np.cbrt(seen @ _CONES.T) @ _LAB.T
    return lab


def distances(ours: Colours, others: Colours, vision: str = "full") -> NDArray[np.float64]:
    """Between each of ours (row) and each of the others (column), in OKLab; black and white are 1 apart."""
    apart: NDArray[np.float64] = np.linalg.norm(oklab(ours, vision)[:, None] - oklab(others, vision)[None], axis=-1)
    return apart


def least_distances(ours: Colours, others: Colours) -> NDArray[np.float64]:
    """The same for the kind of eye to which the two are nearest."""
    nearest: NDArray[np.float64] = np.min([distances(ours, others, vision) for vision in VISIONS], axis=0)
    return nearest
