"""The ten real domains: the training and test parts of the paper's five digit sets, as found under the data root."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from unseen.data import official
from unseen.data.copies import Copy, refused
from unseen.data.digits.digit_domain import digit_domain
from unseen.data.digits.mnist_m import find_folder, find_ingredients
from unseen.data.domain import Domain
from unseen.data.formats.idx import find_idx
from unseen.data.formats.libsvm import find_libsvm
from unseen.data.formats.mat import find_mat
from unseen.data.formats.npz import file_name, find_npz
from unseen.data.root import looked_for, needed_root, set_of
from unseen.errors import InputError

NAMES = tuple(official.IMAGES)

_WHAT = {
    "mnist": "handwritten digits",
    "svhn": "house numbers, cropped",
    "mnist-m": "digits over photographs",
    "syn": "numbers typeset in Windows fonts",
    "usps": "digits off envelopes",
}

Finder = Callable[[Path, str], Copy | None]

# In this order: what is published, then our own copy of it, then what is made by its recipe.
_FINDERS: dict[str, tuple[Finder, ...]] = {
    "mnist": (find_idx, find_npz),
    "svhn": (find_mat, find_npz),
    "mnist-m": (find_folder, find_npz, find_ingredients),
    "syn": (find_mat, find_npz),
    "usps": (find_libsvm, find_npz),
}


def load(name: str, data: str | PathLike[str] | None = None, resize: str = "bilinear") -> Domain:
    """The real domain of that name, decoded and checked; nothing of it is kept, for SVHN's training part is 0.9 GB."""
    copy = found(name, needed_root(name, data))
    pixels, labels = copy.read()
    return digit_domain(name, pixels, labels, origin(name, copy), resize=resize)


def found(name: str, root: Path) -> Copy:
    """The copy of that domain under ``root``; ``InputError`` with where it was looked for when there is none."""
    copies = (find(root, name) for find in _FINDERS[set_of(name)])
    copy = next(filter(None, copies), None)
    if copy is None:
        raise InputError(f"{name}: not found in {root}. Looked for {_places(name)}. {_advice(name)}")
    published = official.IMAGES[name]
    if copy.count > published:
        raise refused(copy.where, f"{published:,} images or fewer", f"{copy.count:,}", f"it can't be {name}: rename it")
    return copy


def origin(name: str, copy: Copy) -> str:
    """``SVHN, 11,420 of the 26,032 test images, svhn_test.npz``."""
    return f"{set_of(name).upper()}, {amount(name, copy.count)}, {copy.kind}"


def what(name: str) -> str:
    """``SVHN, house numbers, cropped``."""
    return f"{set_of(name).upper()}, {_WHAT[set_of(name)]}"


def amount(name: str, count: int) -> str:
    """``all 26,032 test images``, or ``11,420 of the 26,032 test images``."""
    images = official.IMAGES[name]
    kind = "training images" if name.endswith("-train") else "test images"
    return f"all {images:,} {kind}" if count == images else f"{count:,} of the {images:,} {kind}"


def _places(name: str) -> str:
    """What is looked for, and where, in words."""
    files = " and ".join(file.name.removesuffix(".gz") for file in official.OFFICIAL[name])
    made = ""
    if set_of(name) == "mnist-m":
        part = name.replace("-", "_")
        files, made = f"{part}/ with {part}_labels.txt", "; or else for MNIST and BSDS500, which it is made from"
    return f"{files}, or for {file_name(name)}, in {looked_for(set_of(name))}{made}"


def _advice(name: str) -> str:
    by_hand = " and ".join(file.url or f"{file.how}" for file in official.OFFICIAL[name])
    return f"Get it with: unseen download {name}; or by hand: {by_hand}"
