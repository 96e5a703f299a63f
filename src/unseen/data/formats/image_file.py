"""Image files as people have them (PNG, JPEG, TIFF, ...), decoded by Pillow: a new image format is added here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
"""The files that count as images, by their ending."""


def is_image(path: Path) -> bool:
    """Whether it is a file with an ending of images."""
    return path.suffix.lower() in ENDINGS and path.is_file()


def read_image(file: Path, channels: int = 3) -> Image:
    """An image file decoded, turned as its EXIF says, in 8-bit RGB or grey.

    What it raises, its callers turn into a message with the file's name (``reading.noting_problems``).
    """
    from PIL import Image

    with Image.open(file) as opened:
        return upright(opened, channels)


def upright(image: Image, channels: int = 3) -> Image:
    """A picture turned as its EXIF says, in 8-bit RGB or grey."""
    from PIL import ImageOps

    return _eight_bits(ImageOps.exif_transpose(image)).convert("RGB" if channels == 3 else "L")


def _eight_bits(image: Image) -> Image:
    """Any mode as one whose conversion to RGB or grey keeps the picture: Pillow itself would clip 16 bits at 255."""
    from PIL import Image

    if image.mode == "F":
        raise ValueError("floating-point pixels have no agreed white; save it as 8-bit or 16-bit")
    if image.mode == "I" or image.mode.startswith("I;16"):
        levels = np.asarray(image).astype(np.int64)
        if levels.min() < 0 or levels.max() > 65535:
            raise ValueError("pixels lie outside 0..65535; save it as 8-bit or 16-bit")
        return Image.fromarray(np.rint(levels / 257).astype(np.uint8))
    if image.has_transparency_data:
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA"))
    return image
