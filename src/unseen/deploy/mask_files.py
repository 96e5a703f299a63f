"""Predicted masks as files: a palette PNG for each picture, and the picture and its mask beside each other."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unseen.base.extras import require
from unseen.base.reading import entries, is_there
from unseen.base.writing import make_folder, write_atomically
from unseen.data.formats.image_file import read_image
from unseen.data.masks import CLASSES, MASKS
from unseen.deploy.prediction import Prediction
from unseen.errors import InputError
from unseen.reporting.kit.palette import colours_of

if TYPE_CHECKING:
    from PIL.Image import Image

BESIDE = "beside"
_LEGEND, _ROW, _SQUARE, _MARGIN = 160, 20, 12, 6  # pixels: a legend's least width, its rows, squares and margins


class MaskFiles:
    """Writes masks into a new folder: ``masks/`` with class numbers in the classes' colours, ``beside/`` to look at.

    ``classes.txt`` names the classes in the order of their numbers, as ``unseen.masks`` reads it. A mask has the size
    of its picture.
    """

    def __init__(self, folder: Path, files: Sequence[Path], classes: Sequence[str]) -> None:
        if is_there(folder) and (not folder.is_dir() or entries(folder)):
            raise InputError(f"{folder} exists and is not empty; choose a new or empty folder for the masks")
        self.folder, self.classes = folder, tuple(classes)
        self.colours = colours_of(classes)
        self._names = _names(files)
        make_folder(folder)
        write_atomically(folder / CLASSES, "".join(f"{name}\n" for name in classes).encode())

    def write(self, file: Path, prediction: Prediction) -> None:
        """The mask of a picture that was predicted from this file."""
        pillow = require("PIL.Image", "folder")
        assert prediction.mask is not None
        picture = read_image(file)
        mask = pillow.fromarray(prediction.mask.numpy()).resize(picture.size, pillow.Resampling.NEAREST)
        mask.putpalette(b"".join(bytes.fromhex(colour.removeprefix("#")) for colour in self.colours))
        for kind, image in ((MASKS, mask), (BESIDE, self._beside(picture, mask, prediction.shares))):
            path = self.folder / kind / self._names[file]
            content = io.BytesIO()
            image.save(content, format="png")
            make_folder(path.parent)
            write_atomically(path, content.getvalue())

    def _beside(self, picture: Image, mask: Image, shares: Mapping[str, float]) -> Image:
        """The picture, its mask, and below them the colours of the classes that it has."""
        there = [(name, colour) for name, colour in zip(self.classes, self.colours, strict=True) if shares[name]]
        width, height = max(2 * picture.width, _LEGEND), picture.height + _MARGIN + _ROW * len(there)
        both: Image = require("PIL.Image", "folder").new("RGB", (width, height), "white")
        both.paste(picture, (0, 0))
        both.paste(mask.convert("RGB"), (picture.width, 0))
        draw = require("PIL.ImageDraw", "folder").Draw(both)
        for row, (name, colour) in enumerate(there):
            top = picture.height + _MARGIN + row * _ROW
            draw.rectangle((_MARGIN, top, _MARGIN + _SQUARE, top + _SQUARE), fill=colour, outline="black")
            draw.text((2 * _MARGIN + _SQUARE, top), f"{name} {shares[name]:.0%}", fill="black")
        return both


def _names(files: Sequence[Path]) -> dict[Path, Path]:
    """A PNG's name for each file, below the folder that all have in common; no two are the same."""
    common = Path(os.path.commonpath([file.absolute().parent for file in files]))
    short = {file: file.absolute().relative_to(common).with_suffix(".png") for file in files}
    count = Counter(short.values())
    return {file: name if count[name] == 1 else name.with_name(f"{file.name}.png") for file, name in short.items()}
