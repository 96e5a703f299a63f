"""The real street domains by name: SYNTHIA's fifteen sequences and CamVid's four drives, found below the data root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from unseen.data.domain import Domain, same_classes
from unseen.data.images import Size
from unseen.data.streets import camvid, synthia
from unseen.data.streets.classes import CLASSES, CONDITIONS, IMAGES, PLACES, SIZE

NAMES = (*synthia.SEQUENCES, *camvid.DRIVES)


@dataclass(frozen=True)
class StreetSet:
    """A set of street domains, and what is known of it before it is found."""

    pattern: str
    """how its domains are called"""
    names: tuple[str, ...]
    what: str
    looked_for: str
    how: str
    """how to get it"""


SETS = {
    "synthia": StreetSet(
        "synthia-PLACE-CONDITION",
        tuple(synthia.SEQUENCES),
        f"SYNTHIA, rendered streets; PLACE is {', '.join(PLACES)}; CONDITION is {', '.join(CONDITIONS)}",
        "SYNTHIA-SEQS-01-DAWN/ and so on",
        synthia.HOW,
    ),
    "camvid": StreetSet(
        "camvid-DRIVE",
        tuple(camvid.DRIVES),
        f"CamVid, drives in Cambridge; DRIVE is {', '.join(name.removeprefix('camvid-') for name in camvid.DRIVES)}",
        camvid.LOOKED_FOR,
        camvid.HOW,
    ),
}


@dataclass(frozen=True)
class Found:
    """A domain that is there, before any image of it is decoded."""

    where: Path
    count: int
    origin: str
    published: int | None = None
    """How many images it has as published, where that is known."""


def canonical_name(name: str) -> str | None:
    """The name as it is listed, given in any case; None for another name."""
    return {known.lower(): known for known in NAMES}.get(name.lower())


def load(
    name: str,
    data: str | PathLike[str] | None = None,
    *,
    size: Size = None,
    classes: Sequence[str] | None = None,
    resize: str = "bilinear",
    images: int | None = None,
    seed: int = 0,
) -> Domain:
    """The real street domain of that name, 192x320 unless another size is given.

    ``classes`` are the source's, for a target: other classes than its own are refused. ``seed`` draws ``images`` (900)
    of SYNTHIA's; of CamVid's it is the first ``images``.
    """
    drawn = name in synthia.SEQUENCES
    own = CLASSES if drawn else camvid.CLASSES
    same_classes(name, own, classes)
    if drawn:
        return synthia.load(name, data, size=size or SIZE, images=images or IMAGES, seed=seed, resize=resize)
    return camvid.load(name, data, size=size or SIZE, resize=resize).head(images)


def find(name: str, root: Path) -> Found | None:
    """That domain below ``root``, if it is there; ``InputError`` where what is there can't be used."""
    if name in synthia.SEQUENCES:
        folder = synthia.find_sequence(name, root)
        if folder is None:
            return None
        total = len(synthia.frames(folder))
        count = min(total, IMAGES)
        return Found(folder, count, synthia.origin(folder.name, count, total, IMAGES, seed=0))
    drive = camvid.find_drive(name, root)
    return None if drive is None else Found(drive.where, drive.count, camvid.origin(name, drive), camvid.DRIVES[name])
