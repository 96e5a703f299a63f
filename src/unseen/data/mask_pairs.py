"""Images and their masks in two folders, paired by name and read in one size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from unseen.base.extras import require
from unseen.base.images import StoredImages
from unseen.data.formats.image_file import is_image, read_image
from unseen.data.images import as_images, pixels_of
from unseen.data.reading import listed, noting_problems, refuse_two_sizes, relative, visible
from unseen.errors import InputError, all_problems

Mask: TypeAlias = NDArray[np.uint8]
ReadMask: TypeAlias = Callable[[Path], Mask]
"""Gives a file's labels (H, W); raises ``InputError`` with what is wrong and the fix, or what a decoder raises."""


@dataclass(frozen=True)
class Pair:
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


def read_pairs(
    where: Path,
    pairs: Sequence[Pair],
    read_mask: ReadMask,
    size: tuple[int, int] | None = None,
    *,
    channels: int = 3,
    resize: str = "bilinear",
) -> tuple[StoredImages, Tensor]:
    """Images as bytes (N, channels, H, W), masks as uint8 (N, H, W); all unusable files in one message.

    Both are resized to ``size`` (height, width): images by the kernel ``resize``, masks by nearest.
    """
    require("PIL", "folder")
    images: list[Mask] = []
    masks: list[Mask] = []
    sizes: list[tuple[int, ...]] = []
    problems: list[str] = []
    for pair in pairs:
        with noting_problems(relative(pair.mask, where), problems):
            mask = read_mask(pair.mask)
            with noting_problems(relative(pair.image, where), problems):
                image = _pixels(pair, mask.shape, size, channels, resize)
                sizes.append(image.shape[:2])
                if sizes[-1] == sizes[0]:  # those of another size are refused below, and not kept until then
                    images.append(image)
                    masks.append(resized_mask(mask, size))
    all_problems(str(where), listed(problems))
    refuse_two_sizes(where, [pair.image for pair in pairs], sizes)
    return as_images(images), torch.from_numpy(np.stack(masks))


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
