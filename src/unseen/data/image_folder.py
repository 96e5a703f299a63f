"""A user's labelled folder as a domain: one subfolder for each class, its name the class's name."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from unseen.base.bars import remark
from unseen.base.extras import require
from unseen.base.images import StoredImages
from unseen.data.cache_folder import VARIABLE, cache_folder
from unseen.data.decoded_cache import DecodedCache
from unseen.data.decoding import Decoded, HowDecoded, first_size
from unseen.data.domain import Domain
from unseen.data.formats.image_file import ENDINGS, is_image
from unseen.data.images import Pixels, Size, as_images, checked_size, kernel_problems
from unseen.data.reading import listed, refuse_two_sizes, relative, visible
from unseen.engine import cpu
from unseen.errors import InputError, all_problems

SMALL = 2**25
"""bytes of files, and of decoded images, up to which a folder is decoded here and kept in memory alone"""
LEAVE_OUT = "leave_out_unreadable"


def folder(
    path: str | PathLike[str],
    size: Size = None,
    channels: int = 3,
    name: str | None = None,
    *,
    classes: Sequence[str] | None = None,
    resize: str = "bilinear",
    leave_out_unreadable: bool = False,
    progress: bool | None = None,
    warn: Callable[[str], None] = remark,
) -> Domain:
    """The images in ``path/<class>/``, decoded, upright and in one size, as a domain named after the folder.

    Classes are numbered in the order of their sorted names, or in the order of ``classes``: give the source's
    there when reading a target, which may then lack some classes but have no others. ``size`` is a side or
    (height, width); images are resized to it by the kernel ``resize`` ("bilinear" or "lanczos"), without keeping
    their proportions. ``channels`` is 3 (RGB) or 1 (grey).

    EXIF orientation is applied, transparency is laid over white, 16-bit grey becomes 8-bit by its full range,
    and of several frames the first is taken. Hidden files and files with other endings are left out.

    Images stay bytes. Where files or images take more than 32 MiB, several processes decode them to a file in the
    cache folder, which is found again the next time; a bar shows it in a terminal, or with ``progress=True``. Files
    that can't be read are refused, all in one message, or with ``leave_out_unreadable`` left out and counted:
    ``warn`` is called with how many, and the domain's ``left_out`` has them. ``names`` has the names of the files.
    """
    root = Path(path).expanduser()
    size = checked_size(size)
    if channels not in (1, 3):
        raise InputError(f"{root}: channels is {channels!r}, expected 3 (RGB) or 1 (grey)")
    all_problems(str(root), kernel_problems(resize))
    require("PIL", "folder")
    by_class = _files_by_class(root)
    order = _class_order(root, list(by_class), classes)
    files = [file for members in by_class.values() for file in members]
    numbers = torch.tensor([order.index(label) for label, members in by_class.items() for _ in members])
    how = HowDecoded(size, channels, resize, "replace or remove it, or leave out what can't be read: " + LEAVE_OUT)
    images, outcomes = _decoded(root, files, how, progress, warn)
    problems = [outcome.problem for outcome in outcomes if outcome.problem]
    if not leave_out_unreadable:
        all_problems(str(root), listed(problems))
    readable = torch.tensor([outcome.size is not None for outcome in outcomes])
    _refuse_none_left(root, by_class, numbers, order, readable)
    left_out = f"; {len(problems):,} files that can't be read left out" * bool(problems)
    if problems:
        warn(f"{root}: {len(problems):,} of {len(files):,} files can't be read and are left out: {problems[0]}")
    rows = readable.nonzero().flatten()
    names = tuple(str(relative(files[row], root)) for row in rows.tolist())
    return Domain(
        name or root.resolve().name,
        images if len(rows) == len(files) else images.part(rows),
        numbers[rows],
        order,
        f"folder {root}{left_out}",
        names,
        tuple(problems),
    )


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


def _decoded(
    root: Path, files: list[Path], how: HowDecoded, progress: bool | None, warn: Callable[[str], None]
) -> tuple[StoredImages, list[Decoded]]:
    """A row of bytes for each file, and what came of it; the rows of those that can't be read mean nothing."""
    size = first_size(files, root, how) or (1, 1)
    decoded = len(files) * how.channels * size[0] * size[1]
    if max(decoded, sum(file.stat().st_size for file in files)) <= SMALL:
        return _in_memory(root, files, how)
    cache = DecodedCache(root, files, size, how)
    if not cache.path.exists() and not _fits(root, cache):
        return _in_memory(root, files, how)
    kept, outcomes = cache.open(progress, warn)
    refuse_two_sizes(root, *_sized(files, outcomes))
    return StoredImages(kept, notes=cache.notes), outcomes


def _in_memory(root: Path, files: list[Path], how: HowDecoded) -> tuple[StoredImages, list[Decoded]]:
    images: list[Pixels | None] = []
    outcomes: list[Decoded] = []
    for file in files:
        problems: list[str] = []
        images.append(how.pixels(file, root, problems))
        last = images[-1]
        outcomes.append(Decoded(None, problems[0]) if last is None else Decoded((last.shape[0], last.shape[1])))
    refuse_two_sizes(root, *_sized(files, outcomes))
    blank = np.zeros_like(next((image for image in images if image is not None), np.zeros((1, 1, 1), np.uint8)))
    return as_images([blank if image is None else image for image in images]), outcomes


def _sized(files: list[Path], outcomes: list[Decoded]) -> tuple[list[Path], list[tuple[int, int]]]:
    """The files that could be read, and their sizes."""
    read = [(file, outcome.size) for file, outcome in zip(files, outcomes, strict=True) if outcome.size is not None]
    return [file for file, _ in read], [size for _, size in read]


def _fits(root: Path, cache: DecodedCache) -> bool:
    """Whether decoded images fit on the disk of the cache; if not there and not in memory either, they are refused."""
    free, memory = shutil.disk_usage(cache_folder()).free, cpu.memory() // 2
    if cache.bytes <= free:
        return True
    if cache.bytes <= memory:
        return False
    count, channels, height, width = cache.shape
    raise InputError(
        f"{root}: {count:,} images of {channels}x{height}x{width} take {_gib(cache.bytes)} decoded, and there are "
        f"{_gib(free)} on the disk of {cache_folder()} and {_gib(memory)} of memory to use; give a smaller size=, or "
        f"let {VARIABLE} name a folder on a disk with as much room"
    )


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"


def _refuse_none_left(
    root: Path, by_class: Mapping[str, list[Path]], numbers: Tensor, order: Sequence[str], readable: Tensor
) -> None:
    """Refuse a class of which no file can be read: leaving out all of them would leave out the class."""
    left = set(numbers[readable].tolist())
    lost = [label for label in by_class if order.index(label) not in left]
    if lost:
        raise InputError(
            f"{root}: no file of {', '.join(lost)} can be read; expected at least one of each class: replace them, or "
            "remove the class's folder"
        )


def _endings() -> str:
    return ", ".join(ENDINGS)
