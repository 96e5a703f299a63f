"""Scenes as files, in the folders and formats of SYNTHIA-SEQS, so that one loader reads both."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unseen.base.paths import expanded
from unseen.base.reading import reading
from unseen.base.writing import make_folder, write_atomically, written_whole
from unseen.data.formats.png16 import write_png16
from unseen.data.streets.classes import LABELS, PICTURES, SIZE, sequence
from unseen.errors import InputError
from unseen.scenes.rendering import Scene, render
from unseen.scenes.scene_checks import Size, check


def write(
    folder: str | PathLike[str], place: str, condition: str, *, images: int, seed: int = 0, size: Size = SIZE
) -> Path:
    """Scenes 0 to ``images`` - 1 of a domain below ``folder``; gives the sequence's folder.

    ``SYNTHIA-SEQS-01-DAWN/RGB/Stereo_Left/Omni_F/000000.png`` is the picture, 8-bit RGB;
    ``SYNTHIA-SEQS-01-DAWN/GT/LABELS/Stereo_Left/Omni_F/000000.png`` its labels, 16-bit RGB: the class's id in the first
    channel, the instance in the second, 0 in the third. The sequence is there when it is complete, and not before. One
    that is there already, which may be the real one, is refused.
    """
    check(place, condition, seed=seed, size=size)
    if isinstance(images, bool) or not isinstance(images, int) or images < 1:
        raise InputError(f"scenes: images is {images!r}, expected a whole number from 1 on")
    whole = expanded(folder) / sequence(place, condition)
    with reading(whole):
        if whole.exists():
            raise InputError(f"{whole}: expected nothing there, found a sequence; give another folder or remove it")
    with written_whole(whole) as aside:
        for part in (PICTURES, LABELS):
            make_folder(aside / part)
        for index in range(images):
            _save(aside, f"{index:06}.png", render(place, condition, index=index, seed=seed, size=size))
    return whole


def _save(folder: Path, name: str, scene: Scene) -> None:
    write_atomically(folder / PICTURES / name, _png(scene.image))
    nothing = np.zeros_like(scene.instances)
    write_png16(folder / LABELS / name, np.stack([scene.ids.astype(np.uint16), scene.instances, nothing], 2))


def _png(image: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(image).save(file, "png")
    return file.getvalue()
