"""MNIST-M: the published folder with its list of labels, or made here from MNIST and BSDS500 by its recipe."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from unseen.base.extras import require
from unseen.base.reading import is_folder, read_bytes
from unseen.data import official
from unseen.data.copies import Copy, Raw, again, checked, refuse_page, refused
from unseen.data.digits.blend import SEED, blend, crops
from unseen.data.digits.digit_domain import SIDE
from unseen.data.formats.idx import find_idx
from unseen.data.formats.image_file import read_image
from unseen.data.formats.npz import find_npz
from unseen.data.images import Pixels
from unseen.data.reading import noting_problems, visible
from unseen.data.root import FOLDERS
from unseen.errors import InputError

PHOTOGRAPHS = 200  # BSDS500's training part
_MOST_LINE, _DIGITS = 64, 2  # bytes of a line of the list, and digits of its label


def find_folder(root: Path, name: str) -> Copy | None:
    """The published folder, when it is there; ``InputError`` when only half of it is."""
    part = f"mnist_m_{name.rpartition('-')[2]}"
    for folder in FOLDERS["mnist-m"]:
        images, labels = root / folder / part, root / folder / f"{part}_labels.txt"
        if labels.is_file() and images.is_dir():
            count = len(_listed(labels, name))
            return Copy(images, count, "the published folder", partial(_read, images, labels, name))
        if labels.is_file() or images.is_dir():
            there, lacking = (labels, images) if labels.is_file() else (images, labels)
            raise refused(there, f"{lacking.name} beside it", "nothing there", again(name))
    return None


def _listed(labels: Path, name: str) -> list[tuple[str, int]]:
    """The list's lines, each an image's name and its digit."""
    refuse_page(labels, name)
    listed = []
    content = read_bytes(labels, most=official.IMAGES[name] * _MOST_LINE, fix=again(name))
    for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
        image, _, digit = line.strip().rpartition(" ")
        if not image or not (digit.isdecimal() and len(digit) <= _DIGITS):
            raise refused(labels, 'lines such as "00000000.png 5"', f'"{line[:40]}" in line {number}', again(name))
        listed.append((image, int(digit)))
    return listed


def _read(images: Path, labels: Path, name: str) -> Raw:
    listed = _listed(labels, name)
    named, there = {image for image, _ in listed}, {file.name for file in visible(images) if file.suffix == ".png"}
    if named != there:
        lacking, extra = sorted(named - there), sorted(there - named)
        first = f", for instance {(lacking or extra)[0]}"
        got = f"{len(lacking):,} of them missing and {len(extra):,} that it doesn't name{first}"
        raise refused(images, f"the {len(named):,} images that {labels.name} names", got, again(name))
    pixels = np.empty((len(listed), SIDE, SIDE, 3), np.uint8)
    for i, (image, _) in enumerate(listed):
        pixels[i] = _picture(images / image, name)
    return checked(labels, pixels, np.array([digit for _, digit in listed], np.int64), again(name))


def _picture(path: Path, name: str) -> Pixels:
    pixels = _decoded(path, again(name))
    if pixels.shape != (SIDE, SIDE, 3):
        raise refused(path, f"{SIDE}x{SIDE} pixels", f"{pixels.shape[1]}x{pixels.shape[0]}", again(name))
    return pixels


def find_ingredients(root: Path, name: str) -> Copy | None:
    """What MNIST-M is made from, when it is there: MNIST, and BSDS500's training photographs."""
    digits = f"mnist-{name.rpartition('-')[2]}"
    mnist = find_idx(root, digits) or find_npz(root, digits)
    photographs = _photographs(root)
    if mnist is None or not photographs:
        return None
    count = min(mnist.count, official.IMAGES[name])
    amount = f"{len(photographs)} of the {PHOTOGRAPHS}" if len(photographs) < PHOTOGRAPHS else f"{len(photographs)}"
    kind = f"made here from MNIST and {amount} training photographs of BSDS500 by the published recipe"
    return Copy(photographs[0].parent, count, kind, partial(_make, mnist, photographs, count, name))


def _photographs(root: Path) -> list[Path]:
    """Sorted by name, so that the same photographs make the same images wherever they lie."""
    folders = (root / folder for folder in FOLDERS["bsds500"])
    found = ([file for file in visible(folder) if file.suffix == ".jpg"] for folder in folders if is_folder(folder))
    return next(filter(None, found), [])


def _make(mnist: Copy, files: list[Path], count: int, name: str) -> Raw:
    """The first ``count`` digits, each over a crop of its own: the published set has the digits in this order too."""
    digits, labels = mnist.read()
    photographs = [_decoded(file, "replace it: unseen download bsds500") for file in files]
    rng = np.random.default_rng([SEED, int(name.endswith("-test"))])
    return blend(digits[:count], crops(photographs, count, rng)), labels[:count]


def _decoded(path: Path, fix: str) -> Pixels:
    require("PIL", "digits")
    problems: list[str] = []
    with noting_problems(path, problems, fix):
        return np.asarray(read_image(path))
    raise InputError(problems[0])
