"""Image files as people have them (PNG, JPEG, TIFF, ...), decoded by Pillow: a new image format is added here."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unseen.base.reading import is_folder, open_file
from unseen.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
"""The files that count as images, by their ending."""
KINDS = ("PNG", "JPEG", "BMP", "DIB", "WEBP", "TIFF", "GIF", "AVIF", "JPEG2000", "PPM")
"""What a file may be, whatever its ending: collected pictures often have another one's. Not EPS: for it, Pillow starts
another program."""
MOST_PIXELS, MOST_SIDE = 2**27, 2**16
"""of a picture or a mask, 11,585 x 11,585 for instance: a file of a few kilobytes may claim any number"""

_EXPECTED = f"expected at most {MOST_PIXELS:,}, {MOST_SIDE:,} to a side: make it smaller, or cut it into tiles"


def is_image(path: Path) -> bool:
    """Whether it has an ending of images and is no folder; a pipe or a broken link is told when it is read."""
    return path.suffix.lower() in ENDINGS and not is_folder(path)


def refuse_too_large(height: int, width: int) -> None:
    """Refuse, before it is unfolded, a picture that says it has more pixels than any should."""
    if height * width > MOST_PIXELS or max(height, width) > MOST_SIDE:
        raise InputError(f"is {height:,}x{width:,}, {height * width:,} pixels; {_EXPECTED}")


def read_image(file: Path, channels: int = 3) -> Image:
    """An image file decoded, turned as its EXIF says, in 8-bit RGB or grey.

    What it raises, its callers turn into a message with the file's name (``reading.noting_problems``).
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with open_file(file) as content, Image.open(content, formats=_kinds()) as opened:
            refuse_too_large(opened.height, opened.width)
            return upright(opened, channels)
    except UnidentifiedImageError as error:
        raise ValueError("cannot identify image file") from error
    except Image.DecompressionBombError as error:  # Pillow's own limit, which it looks at first
        raise InputError(f"has too many pixels ({error}); {_EXPECTED}") from error


@cache
def _kinds() -> tuple[str, ...]:
    """Those of ``KINDS`` that this Pillow reads."""
    from PIL import Image

    Image.init()
    return tuple(kind for kind in KINDS if kind in Image.OPEN)


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
        levels = np.asarray(image)
        if levels.min() < 0 or levels.max() > 65535:
            raise ValueError("pixels lie outside 0..65535; save it as 8-bit or 16-bit")
        return Image.fromarray(((levels.astype(np.uint32) + 128) // 257).astype(np.uint8))
    if image.has_transparency_data:
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA"))
    return image
