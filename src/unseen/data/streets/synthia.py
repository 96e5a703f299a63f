"""SYNTHIA's video sequences (Ros et al., 2016) in their official folders: three places in five conditions.

A sequence's images are RGB/Stereo_Left/Omni_F/000000.png and so on, of its left front camera. Its labels are in
GT/LABELS/Stereo_Left/Omni_F under the same names: the first channel of a 16-bit PNG has the class ids, the second the
instances.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import torch

from unseen.base.randomness import generator
from unseen.data.domain import Domain, noted
from unseen.data.formats.png import read_header, read_png
from unseen.data.images import Size, checked_size
from unseen.data.mask_codes import Codes, make_codes, spell_unknown
from unseen.data.mask_pairs import Mask, Pair, pair_up, read_pairs
from unseen.data.root import find_folder, needed_root, not_found
from unseen.data.streets.classes import (  # fmt: skip
    CLASSES,
    CONDITIONS,
    IMAGES,
    LABELS,
    PICTURES,
    PLACES,
    SIZE,
    SYNTHIA_IDS,
    SYNTHIA_VOID,
    sequence,
)
from unseen.errors import InputError, all_problems

SEQUENCES = {f"synthia-{place}-{condition}": sequence(place, condition) for place in PLACES for condition in CONDITIONS}
"""The official folder of each domain."""

HOW = "get it by hand from https://synthia-dataset.net/downloads (video sequences) and unpack it there"
_CODES = make_codes(SYNTHIA_IDS, SYNTHIA_VOID)
_AGAIN = "unpack the sequence again"


def load(
    name: str,
    data: str | PathLike[str] | None = None,
    *,
    size: Size = SIZE,
    images: int | None = IMAGES,
    seed: int = 0,
    resize: str = "bilinear",
) -> Domain:
    """The domain of that name, for instance ``synthia-highway-dawn``, from its sequence below the data root."""
    root = needed_root(name, data, HOW)
    folder = find_sequence(name, root)
    if folder is None:
        raise InputError(f"{name}: {not_found('synthia', root, f'{SEQUENCES[name]}/', HOW)}")
    return read_sequence(folder, name, size=size, images=images, seed=seed, resize=resize)


def find_sequence(name: str, root: Path) -> Path | None:
    """The folder of that domain's sequence below ``root``, if there is one."""
    folder = find_folder(root, "synthia", SEQUENCES[name])
    again = folder and folder / folder.name  # as some archives unpack
    return again if again and again.is_dir() else folder


def read_sequence(
    folder: Path,
    name: str | None = None,
    *,
    size: Size = SIZE,
    images: int | None = IMAGES,
    seed: int = 0,
    resize: str = "bilinear",
) -> Domain:
    """A folder in the layout of a SYNTHIA sequence as a domain with the thirteen classes; void pixels are unlabelled.

    ``images`` are drawn without replacement with ``seed`` and stay in the order of their names; None, or more than
    there are, takes all, and ``origin`` says so. Images are resized to ``size`` by Pillow's bilinear kernel, which
    smooths what it shrinks, and labels by nearest. Every name is checked, and only what is drawn is decoded.
    """
    if images is not None and images < 1:
        raise InputError(f"{folder}: images is {images}, expected 1 or more, or None for all")
    pairs = frames(folder)
    drawn = _drawn(pairs, folder.name, images, seed)
    pixels, labels = read_pairs(folder, drawn, _CODES, _read_labels, checked_size(size), resize=resize)
    where_from = origin(folder.name, len(drawn), len(pairs), images, seed)
    return noted(Domain(name or folder.name, pixels, labels, CLASSES, where_from))


def frames(folder: Path) -> list[Pair]:
    """Every image of a sequence's left front camera with its label file; refuses a sequence that isn't whole."""
    lacking = [part for part in (PICTURES, LABELS) if not (folder / part).is_dir()]
    if lacking:
        raise InputError(
            f"{folder}: expected {PICTURES} and {LABELS} in it, got no {' and no '.join(map(str, lacking))}; {_AGAIN}"
        )
    pairs, problems = pair_up(folder / PICTURES, folder / LABELS)
    if not pairs and not problems:
        problems = [f"no images in {PICTURES}; {_AGAIN}"]
    all_problems(str(folder), problems)
    return pairs


def _drawn(pairs: list[Pair], name: str, images: int | None, seed: int) -> list[Pair]:
    if images is None or images >= len(pairs):
        return pairs
    rows = torch.randperm(len(pairs), generator=generator(seed, f"images of {name}"))[:images]
    return [pairs[row] for row in rows.sort().values.tolist()]


def origin(name: str, drawn: int, total: int, images: int | None, seed: int) -> str:
    """``SYNTHIA-SEQS-01-DAWN, 900 of its 1,451 images, drawn with seed 0``."""
    if drawn < total:
        return f"{name}, {drawn:,} of its {total:,} images, drawn with seed {seed}"
    return f"{name}, all its {total:,} images" + (f" ({images:,} were asked for)" if images and images > total else "")


def _read_labels(codes: Codes, path: Path) -> Mask:
    bits = read_header(path).bits
    if bits != 16:
        raise InputError(
            f"has {bits} bits per channel, expected 16: a copy that was saved again in {bits} bits has lost the class "
            f"ids; {_AGAIN}"
        )
    labels, unknown = codes.decode(read_png(path, channel=0))
    if unknown:
        raise InputError(f"has ids of no class: {spell_unknown(unknown)}; expected 0 to 12 and 15: {_AGAIN}")
    return labels
