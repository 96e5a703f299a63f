"""A user's labelled folder as a domain: one subfolder for each class, its name the class's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from unseen.base.extras import require
from unseen.data.digits.built_in_digits import kernel_problems
from unseen.data.domain import Domain
from unseen.errors import InputError, all_problems

if TYPE_CHECKING:
    from PIL.Image import Image

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff")
_LISTED = 10  # problems that one message spells out

Size = int | tuple[int, int] | None


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
    pixels = _read(root, [file for members in files.values() for file in members], size, channels, resize)
    images = torch.from_numpy(pixels).movedim(3, 1).float().contiguous() / 255
    return Domain(name or root.resolve().name, images, torch.tensor(labels), order, f"folder {root}")


def checked_size(size: Size) -> tuple[int, int] | None:
    """A side or (height, width) as (height, width)."""
    if size is None:
        return None
    sides = [size, size] if isinstance(size, int) else list(size) if isinstance(size, tuple | list) else []
    if len(sides) != 2 or not all(isinstance(side, int) and side > 0 for side in sides):
        raise InputError(f"size is {size!r}, expected a side in pixels or (height, width), for instance 32")
    return sides[0], sides[1]


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


def _read(root: Path, files: list[Path], size: tuple[int, int] | None, channels: int, resize: str) -> NDArray[np.uint8]:
    """All files as uint8 (N, H, W, channels); every unreadable one is named in one message."""
    images, problems = [], []
    for file in files:
        try:
            images.append(pixels_of(open_upright(file, channels), size, resize))
        except Exception as error:  # a decoder may raise anything at a damaged file
            reason = str(error) or type(error).__name__
            problems.append(f"{file.relative_to(root)} can't be read ({reason}); replace or remove it")
    all_problems(str(root), listed(problems))
    refuse_two_sizes(root, files, images)
    return np.stack(images)


def refuse_two_sizes(root: Path, files: Sequence[Path], images: Sequence[NDArray[np.uint8]]) -> None:
    """Refuse images of several sizes, with the most frequent one as the size to give."""
    sizes = Counter(image.shape[:2] for image in images)
    if len(sizes) > 1:
        (height, width), count = sizes.most_common(1)[0]
        other = next(file for file, image in zip(files, images, strict=True) if image.shape[:2] != (height, width))
        raise InputError(
            f"{root}: images have {len(sizes)} different sizes: {count} of {len(files)} are {height}x{width}, "
            f"{relative(other, root)} isn't; expected one size: pass size=({height}, {width}) to resize all to it"
        )


def relative(file: Path, root: Path) -> Path:
    """How a message calls a file: from ``root`` on, where it lies below it."""
    return file.relative_to(root) if file.is_relative_to(root) else file


def open_upright(file: Path, channels: int = 3) -> Image:
    """An image file decoded, turned as its EXIF says, in 8-bit RGB or grey."""
    from PIL import Image, ImageOps

    with Image.open(file) as opened:
        return _eight_bits(ImageOps.exif_transpose(opened)).convert("RGB" if channels == 3 else "L")


def pixels_of(image: Image, size: tuple[int, int] | None, resize: str = "bilinear") -> NDArray[np.uint8]:
    """The image as uint8 (H, W, channels), resized to (height, width) if given; Pillow smooths what it shrinks."""
    from PIL import Image

    if size is not None:
        image = image.resize((size[1], size[0]), Image.Resampling[resize.upper()])
    return np.asarray(image).reshape(image.height, image.width, -1)


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


def visible(path: Path) -> list[Path]:
    """What is in a folder, sorted by name, hidden entries left out."""
    return sorted((entry for entry in path.iterdir() if not entry.name.startswith(".")), key=lambda e: e.name)


def is_image(path: Path) -> bool:
    """Whether it is a file with an ending of images."""
    return path.suffix.lower() in ENDINGS and path.is_file()


def _endings() -> str:
    return ", ".join(ENDINGS)


def listed(problems: list[str]) -> list[str]:
    """The first few problems, and how many more there are."""
    more = len(problems) - _LISTED
    return [*problems[:_LISTED], f"and {more} more like these"] if more > 0 else problems
