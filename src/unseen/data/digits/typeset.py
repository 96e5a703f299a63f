"""typeset: numbers printed in many fonts, colours, positions and blurs; the digit in the middle is the label.

The look of SYN (one to three digits in many fonts, with position, orientation, colours and blur varied) and of
SVHN (neighbours cut off at the edges, uneven light, noise).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from unseen.base.extras import require
from unseen.data.digits.digit_domain import SIDE, digit_domain
from unseen.data.domain import Domain
from unseen.data.images import Pixels
from unseen.errors import InputError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

SEED = 180512018
COUNT = 2000
# Named one by one: of matplotlib's other files some have no digits, some draw symbols in their place.
FONTS = (
    *(f"DejaVuSans{style}" for style in ("", "-Bold", "-Oblique", "-BoldOblique")),
    *(f"DejaVuSansMono{style}" for style in ("", "-Bold", "-Oblique", "-BoldOblique")),
    *(f"DejaVuSerif{style}" for style in ("", "-Bold", "-Italic", "-BoldItalic")),
    *(f"STIXGeneral{style}" for style in ("", "Bol", "Italic", "BolIta")),
    *("cmb10", "cmr10", "cmss10", "cmti10", "cmtt10"),
)

_OVERSAMPLING = 3  # drawn this much larger, then averaged down
_FRAME = 48  # drawn this wide, so that turning it leaves no empty corner in the 32x32 that is kept
_LEAST_CONTRAST = 0.3
_LEAST_PITCH = 15  # any closer and a neighbour would be seen whole
_LUMINANCE = np.array([0.299, 0.587, 0.114])

Floats = NDArray[np.float64]


@cache
def typeset() -> Domain:
    """2,000 images, 200 of each digit, every one drawn from a generator of its own."""
    require("PIL", "digits")
    labels = np.arange(COUNT, dtype=np.int64) % 10
    images = np.stack([_picture(np.random.default_rng([SEED, i]), int(labels[i])) for i in range(COUNT)])
    return digit_domain("typeset", images, labels, f"typeset in {len(FONTS)} of matplotlib's fonts")


def _picture(rng: Generator, digit: int) -> Pixels:
    """The printed digit in uneven light, out of focus and with noise: uint8 (32, 32, 3)."""
    from PIL import Image, ImageFilter

    coverage = _print(rng, digit)[..., None]
    ink, paper = _colours(rng)
    lit = (paper + (ink - paper) * coverage) * _light(rng)
    blurred = Image.fromarray(_to_bytes(lit)).filter(ImageFilter.GaussianBlur(rng.uniform(0, 1.2)))
    return _to_bytes(np.asarray(blurred) / 255 + rng.normal(0, rng.uniform(0, 0.05), lit.shape))


def _print(rng: Generator, digit: int) -> Floats:
    """How much ink covers each pixel, 0..1 (32, 32): the digit near the middle, perhaps neighbours, a little turned."""
    from PIL import Image, ImageDraw

    scale, side = _OVERSAMPLING, _OVERSAMPLING * _FRAME
    font = _font(FONTS[rng.integers(len(FONTS))], scale * int(rng.integers(17, 26)))
    pitch = max(font.getlength("0"), scale * _LEAST_PITCH) * rng.uniform(1, 1.15)
    x, y = side / 2 + scale * rng.uniform(-2, 2, size=2)
    neighbours = [(step, int(rng.integers(10))) for step in (-1, 1) if rng.random() < 0.6]
    sheet = Image.new("L", (side, side))
    for step, character in [(0, digit), *neighbours]:
        place = (x + step * pitch, y + _height(font) / 2)
        ImageDraw.Draw(sheet).text(place, str(character), fill=255, font=font, anchor="ms")
    turned = sheet.rotate(rng.uniform(-12, 12), resample=Image.Resampling.BILINEAR)
    margin = (side - scale * SIDE) // 2
    return np.asarray(turned.crop((margin, margin, side - margin, side - margin)).reduce(scale)) / 255


@cache
def _font(name: str, height: int) -> FreeTypeFont:
    """The font at the size whose digits are ``height`` pixels tall."""
    from PIL import ImageFont

    file = Path(require("matplotlib", "digits").get_data_path(), "fonts", "ttf", f"{name}.ttf")
    if not file.is_file():
        raise InputError(f"typeset: expected matplotlib's font {file}, found none: pip install 'unseen[digits]'")
    # The basic layout gives the same picture whether or not Pillow was built with Raqm.
    probe = ImageFont.truetype(file, 100, layout_engine=ImageFont.Layout.BASIC)
    return probe.font_variant(size=100 * height / _height(probe))


def _height(font: FreeTypeFont) -> float:
    _, top, _, bottom = font.getbbox("0", anchor="ms")
    return bottom - top


def _colours(rng: Generator) -> tuple[Floats, Floats]:
    """Random colours for ink and paper, muted by a random amount, that differ enough in luminance to be legible."""
    pair = rng.random((2, 3))
    while abs(_LUMINANCE @ (pair[0] - pair[1])) < _LEAST_CONTRAST:
        pair = rng.random((2, 3))
    grey = (pair @ _LUMINANCE)[:, None]
    ink, paper = grey + rng.random() * (pair - grey)
    return ink, paper


def _light(rng: Generator) -> Floats:
    """A ramp across the image in some direction, 1 where it is brightest and 0.6 at its darkest: (32, 32, 1)."""
    angle = rng.uniform(0, 2 * np.pi)
    axis = np.linspace(-1, 1, SIDE)
    ramp = np.add.outer(np.sin(angle) * axis, np.cos(angle) * axis)
    light: Floats = 1 - rng.uniform(0, 0.4) * (ramp - ramp.min()) / np.ptp(ramp)
    return light[..., None]


def _to_bytes(values: Floats) -> Pixels:
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)
