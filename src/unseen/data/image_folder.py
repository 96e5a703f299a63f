"""A user's labelled folder as a domain: one subfolder for each class, its name the class's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from os import PathLike
from pathlib import Path

import torch

from unseen.base.bars import remark
from unseen.base.extras import require
from unseen.base.paths import expanded, resolved
from unseen.base.reading import is_folder
from unseen.data.decoded import decoded, refuse_sizes
from unseen.data.decoding import HowDecoded
from unseen.data.domain import Domain, noted
from unseen.data.formats.image_file import ENDINGS, is_image
from unseen.data.images import Size, checked_size, kernel_problems
from unseen.data.reading import folders_in, listed, relative, visible
from unseen.errors import InputError, all_problems

_KINDS = 6
"""of endings that are named"""
ADVICE = "replace or remove it, or leave out what can't be read: --skip-bad, in Python leave_out_unreadable=True"


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
    and of several frames the first is taken. Hidden files are left out, and so are files with other endings and folders
    in class folders: ``warn`` is called with how many.

    Images stay bytes. Where files or images take more than 32 MiB, several processes decode them to a file in the
    cache folder, which is found again the next time; a bar shows it in a terminal, or with ``progress=True``. Files
    that can't be read are refused, all in one message, or with ``leave_out_unreadable`` left out and counted:
    ``warn`` is called with how many, and the domain's ``left_out`` has them. ``names`` has the names of the files.
    """
    root = expanded(path)
    size = checked_size(size)
    if channels not in (1, 3):
        raise InputError(f"{root}: channels is {channels!r}, expected 3 (RGB) or 1 (grey)")
    all_problems(str(root), kernel_problems(resize))
    require("PIL", "folder")
    by_class, others = _files_by_class(root)
    if loose := sum(is_image(entry) for entry in visible(root)):
        warn(f"{root}: passed over {loose:,} images that lie beside the class folders; move each into one")
    if others:
        warn(f"{root}: passed over what is no image by its ending ({_found(others)}); images are {_endings()} files")
    order = _class_order(root, list(by_class), classes)
    files = [file for members in by_class.values() for file in members]
    numbers = torch.tensor([order.index(label) for label, members in by_class.items() for _ in members])
    how = HowDecoded(size, channels, resize, ADVICE)
    items = [(file,) for file in files]
    rows = decoded(root, items, how, progress, warn)
    images, outcomes, problems = rows.images, rows.outcomes, tuple(rows.problems)
    refuse_sizes(root, items, outcomes)
    if problems and leave_out_unreadable:
        warn(_left_out(root, len(files), problems))
    else:
        all_problems(str(root), listed(list(problems)))
    readable = torch.tensor([not outcome.problem for outcome in outcomes])
    _refuse_none_left(root, by_class, set(numbers[readable].tolist()), order)
    origin = f"folder {root}" + f"; {len(problems):,} files that can't be read are left out" * bool(problems)
    names = tuple(str(relative(file, root)) for file, outcome in zip(files, outcomes, strict=True) if outcome.size)
    kept = images.part(readable.nonzero().flatten()) if problems else images
    return noted(Domain(name or resolved(root).name, kept, numbers[readable], order, origin, names, problems))


def _left_out(root: Path, files: int, problems: Sequence[str]) -> str:
    more = f" and {len(problems) - 1:,} more" if len(problems) > 1 else ""
    first = problems[0].removesuffix(f"; {ADVICE}")
    return f"{root}: left out {len(problems):,} of {files:,} files, which can't be read: {first}{more}"


def _files_by_class(root: Path) -> tuple[dict[str, list[Path]], list[Path]]:
    """Every class's image files, classes and files sorted by name, and what else is there; refuses an empty class."""
    if not is_folder(root):
        found = "a file" if root.exists() else "nothing there"
        raise InputError(f"{root}: expected a folder with one subfolder per class, found {found}; check the path")
    classes = folders_in(root)
    if not classes:
        loose = sum(is_image(entry) for entry in visible(root))
        raise InputError(
            f"{root}: expected one subfolder per class, found none ({loose} images lie in it directly); move each "
            f"image into a subfolder named after its class, for instance {root / 'cat' / 'image.png'}"
        )
    inside = {entry.name: visible(entry) for entry in classes}
    files = {name: [entry for entry in members if is_image(entry)] for name, members in inside.items()}
    others = [entry for members in inside.values() for entry in members if not is_image(entry)]
    empty = [name for name, members in files.items() if not members]
    if len(empty) == len(files):
        deeper = [entry for entry in others if is_folder(entry)]
        below = f"its classes may be one folder down: {deeper[0].parent}" if deeper else ""
        raise InputError(
            f"{root}: no images in any of its {len(files)} subfolders (found: {_found(others)}); expected {_endings()} "
            f"files: {below or 'convert them, or check the path'}"
        )
    all_problems(str(root), listed([_empty_class(name, inside[name]) for name in empty]))
    return files, others


def _empty_class(name: str, found: Iterable[Path]) -> str:
    return (
        f'class folder "{name}" has no images (found: {_found(found)}); expected {_endings()} files '
        "directly in it: add some, or remove the folder"
    )


def _found(entries: Iterable[Path]) -> str:
    """What is there in place of images, by its endings."""
    others = Counter("folders" if is_folder(entry) else entry.suffix or "no ending" for entry in entries)
    kinds = [f"{count:,} {ending}" for ending, count in sorted(others.items())]
    more = [f"{len(kinds) - _KINDS:,} more kinds"] if len(kinds) > _KINDS else []
    return ", ".join(kinds[:_KINDS] + more) or "nothing"


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


def _refuse_none_left(root: Path, found: Iterable[str], left: Container[int], order: Sequence[str]) -> None:
    """Refuse a class of which no file can be read: leaving out all of them would leave out the class."""
    lost = [label for label in found if order.index(label) not in left]
    if lost:
        raise InputError(
            f"{root}: no file of {', '.join(lost)} can be read; expected at least one of each class: replace them, or "
            "remove the class's folder"
        )


def _endings() -> str:
    return ", ".join(ENDINGS)
