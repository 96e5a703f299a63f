"""Images and their masks in two folders, paired by name and read in one size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from unseen.base.bars import remark
from unseen.base.extras import require
from unseen.base.images import StoredImages
from unseen.base.labels import Labels, StoredMasks
from unseen.data.decoded import decoded, refuse_sizes
from unseen.data.decoding import HowDecoded, Item, planes
from unseen.data.formats.image_file import is_image, read_image
from unseen.data.images import Pixels, pixels_of
from unseen.data.mask_codes import Codes
from unseen.data.reading import listed, noting_problems, relative, visible
from unseen.errors import InputError, all_problems

Mask: TypeAlias = NDArray[np.uint8]
ReadMask: TypeAlias = Callable[[Codes, Path], Mask]
"""Gives a file's labels (H, W); raises ``InputError`` with what is wrong and the fix, or what a decoder raises."""
MASKS = "masks"


class Pair(NamedTuple):
    """An image and its mask."""

    image: Path
    mask: Path


def pair_up(images: Path, masks: Path, *, prefix: str = "", suffix: str = "") -> tuple[list[Pair], list[str]]:
    """The pairs of two folders, in the order of the images' names, and what is wrong with the rest.

    A mask has its image's name without the ending, then ``suffix``, then ``.png``. Only files whose names begin with
    ``prefix`` count, hidden ones don't. Nothing is decoded.
    """
    pictures = [file for file in visible(images) if is_image(file) and file.name.startswith(prefix)]
    by_name = {file.stem: file for file in pictures}
    drawn = {
        file.stem.removesuffix(suffix): file
        for file in visible(masks)
        if file.suffix.lower() == ".png" and file.stem.endswith(suffix) and file.name.startswith(prefix)
    }
    bare = [file.name for stem, file in by_name.items() if stem not in drawn]
    lonely = [file.name for stem, file in drawn.items() if stem not in by_name]
    twice = [file.name for file in pictures if by_name[file.stem] != file]
    others = {file.suffix for file in visible(masks) if is_image(file) and file.suffix.lower() != ".png"}
    as_png = f"save them as PNG (there are {', '.join(sorted(others))}; JPEG changes the values)"
    problems = [
        *_some(
            bare,
            f"of {len(by_name):,} images in {images} have no mask NAME{suffix}.png in {masks}",
            as_png if others else "add them, or remove the images",
        ),
        *_some(
            lonely, f"of {len(drawn):,} masks in {masks} have no image in {images}", "add them, or remove the masks"
        ),
        *_some(twice, f"images in {images} have the name of another, with another ending", "keep one of each name"),
    ]
    return [Pair(by_name[stem], drawn[stem]) for stem in by_name if stem in drawn], problems


def _some(names: list[str], what: str, fix: str) -> list[str]:
    return [f"{len(names):,} {what}, the first is {names[0]}; {fix}"] if names else []


@dataclass(frozen=True)
class HowPaired(HowDecoded):
    """What becomes of a picture and its mask, which is resized by nearest."""

    codes: Codes
    read_mask: ReadMask

    def shapes(self, size: tuple[int, int]) -> dict[str, tuple[int, ...]]:
        """The same for an item with a mask."""
        return {**super().shapes(size), MASKS: size}

    def known(self) -> dict[str, Any]:
        """The same, and what the values in masks stand for."""
        reader = f"{self.read_mask.__module__}.{self.read_mask.__qualname__}"
        values = sorted(self.codes.labels.items())
        return {**super().known(), "masks": {"reader": reader, "coloured": self.codes.coloured, "values": values}}

    def decode(self, item: Item, root: Path, problems: list[str]) -> list[Pixels] | None:
        """The image and the mask, or None and the problem noted."""
        pair = Pair(*item)
        with noting_problems(relative(pair.mask, root), problems, self.advice):
            mask = self.read_mask(self.codes, pair.mask)
            with noting_problems(relative(pair.image, root), problems, self.advice):
                image = _pixels(pair, mask.shape, self.size, self.channels, self.resize)
                return [planes(image), np.ascontiguousarray(resized_mask(mask, self.size))]
        return None


def read_pairs(
    where: Path,
    pairs: Sequence[Pair],
    codes: Codes,
    read_mask: ReadMask,
    size: tuple[int, int] | None = None,
    *,
    channels: int = 3,
    resize: str = "bilinear",
    progress: bool | None = None,
    warn: Callable[[str], None] = remark,
) -> tuple[StoredImages, Labels]:
    """Images (N, channels, H, W) and masks (N, H, W) as bytes; all unusable files in one message.

    Both are resized to ``size`` (height, width): images by the kernel ``resize``, masks by nearest. Few are in memory,
    more in the cache of what was decoded.
    """
    require("PIL", "folder")
    how = HowPaired(size, channels, resize, "replace or remove it", codes, read_mask)
    rows = decoded(where, pairs, how, progress, warn)
    all_problems(str(where), listed(rows.problems))
    refuse_sizes(where, pairs, rows.outcomes)
    masks = rows.parts[MASKS]
    return rows.images, masks if isinstance(masks, Tensor) else StoredMasks(masks)


def resized_mask(mask: Mask, size: tuple[int, int] | None) -> Mask:
    """A mask (H, W) in another size; each pixel has the label that lies at its centre."""
    return pixels_of(require("PIL.Image", "folder").fromarray(mask), size, "nearest")[:, :, 0]


def _pixels(
    pair: Pair, shape: tuple[int, ...], size: tuple[int, int] | None, channels: int, resize: str
) -> NDArray[np.uint8]:
    image = read_image(pair.image, channels)
    if (image.height, image.width) != shape:
        raise InputError(
            f"is {image.height}x{image.width}, its mask {pair.mask.name} is {shape[0]}x{shape[1]}; expected one size: "
            "replace the one that is wrong"
        )
    return pixels_of(image, size, resize)
