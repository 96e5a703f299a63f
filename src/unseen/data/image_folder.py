"""A user's labelled folder as a domain: one subfolder for each class, its name the class's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from unseen.base.extras import require
from unseen.data.domain import Domain
from unseen.data.formats.image_file import ENDINGS, is_image, read_image
from unseen.data.images import Size, as_images, checked_size, kernel_problems, pixels_of
from unseen.data.reading import listed, noting_problems, refuse_two_sizes, relative, visible
from unseen.errors import InputError, all_problems


def folder(
    path: str | PathLike[str],
    size: Size = None,
    channels: int = 3,
    name: str | None = None,
    *,
    classes: Sequence[str] | None = None,
    resize: str = "bilinear",
) -> Domain:
    """The images in ``path/<class>/``, decoded, upright and in one size, as a domain named after the folder.

    Classes are numbered in the order of their sorted names, or in the order of ``classes``: give the source's
    there when reading a target, which may then lack some classes but have no others. ``size`` is a side or
    (height, width); images are resized to it by the kernel ``resize`` ("bilinear" or "lanczos"), without keeping
    their proportions. ``channels`` is 3 (RGB) or 1 (grey).

    EXIF orientation is applied, transparency is laid over white, 16-bit grey becomes 8-bit by its full range,
    and of several frames the first is taken. Hidden files and files with other endings are left out.
    """
    root = Path(path).expanduser()
    size = checked_size(size)
    if channels not in (1, 3):
        raise InputError(f"{root}: channels is {channels!r}, expected 3 (RGB) or 1 (grey)")
    all_problems(str(root), kernel_problems(resize))
    require("PIL", "folder")
    files = _files_by_class(root)
    order = _class_order(root, list(files), classes)
    labels = [order.index(label) for label, members in files.items() for _ in members]
    images = _read(root, [file for members in files.values() for file in members], size, channels, resize)
    return Domain(name or root.resolve().name, images, torch.tensor(labels), order, f"folder {root}")


def _files_by_class(root: Path) -> dict[str, list[Path]]:
    """Every class's image files, classes and files sorted by name; refuses what would lose images silently."""
    if not root.is_dir():
        found = "a file" if root.exists() else "nothing there"
        raise InputError(f"{root}: expected a folder with one subfolder per class, found {found}; check the path")
    classes = [entry for entry in visible(root) if entry.is_dir()]
    if not classes:
        loose = sum(is_image(entry) for entry in visible(root))
        raise InputError(
            f"{root}: expected one subfolder per class, found none ({loose} images lie in it directly); move each "
            f"image into a subfolder named after its class, for instance {root / 'cat' / 'image.png'}"
        )
    files = {entry.name: [file for file in visible(entry) if is_image(file)] for entry in classes}
    empty = [name for name, members in files.items() if not members]
    if len(empty) == len(files):
        raise InputError(f"{root}: no images in any of its {len(files)} subfolders; expected {_endings()} files")
    all_problems(str(root), listed([_empty_class(root / name) for name in empty]))
    return files


def _empty_class(path: Path) -> str:
    others = Counter("folders" if entry.is_dir() else entry.suffix or "no ending" for entry in visible(path))
    seen = ", ".join(f"{count} {ending}" for ending, count in sorted(others.items())) or "nothing"
    return (
        f'class folder "{path.name}" has no images (found: {seen}); expected {_endings()} files directly in it: '
        "add some, or remove the folder"
    )


def _class_order(root: Path, found: list[str], classes: Sequence[str] | None) -> tuple[str, ...]:
    """The class names in the order of their numbers."""
    if classes is None:
        return tuple(found)
    strangers = [name for name in found if name not in classes]
    if strangers:
        raise InputError(
            f"{root}: subfolders {', '.join(strangers)} are none of the expected classes {', '.join(classes)}; "
            "rename or remove them"
        )
    return tuple(classes)


def _read(root: Path, files: list[Path], size: tuple[int, int] | None, channels: int, resize: str) -> Tensor:
    """All files as float32 (N, channels, H, W) in [0, 1]; every unreadable one is named in one message."""
    images: list[NDArray[np.uint8]] = []
    problems: list[str] = []
    for file in files:
        with noting_problems(relative(file, root), problems):
            images.append(pixels_of(read_image(file, channels), size, resize))
    all_problems(str(root), listed(problems))
    refuse_two_sizes(root, files, images)
    return as_images(images)


def _endings() -> str:
    return ", ".join(ENDINGS)
