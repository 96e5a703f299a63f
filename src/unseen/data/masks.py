"""A user's own images and masks as a domain: two folders, and what the values in the masks stand for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path

from unseen.base.bars import remark
from unseen.base.paths import expanded, resolved
from unseen.base.reading import is_folder, read_bytes, reading
from unseen.data.domain import Domain, noted
from unseen.data.images import Size, checked_size, kernel_problems
from unseen.data.mask_codes import Classes, Codes, Value, make_codes, spell_unknown
from unseen.data.mask_pairs import Mask, pair_up, read_pairs
from unseen.errors import InputError, all_problems

IMAGES, MASKS, CLASSES = "images", "masks", "classes.txt"
"""What a folder has that is read by its name alone."""
_VOID = "void"
_EXPECTED = "expected a text file with a class on each line"
_MOST_LIST, _LONGEST_LINE, _LONGEST_NUMBER = 2**20, 10_000, 20  # bytes, characters, digits: no list of classes has more
_SPELLED = 5  # names that one message spells out
_VALUED = re.compile(r"#|:\s*\d|^\d+\W+\w|(\W+\d+){3}$")  # a name and a value on one line, without =


def masks(
    images: str | PathLike[str],
    masks: str | PathLike[str],
    classes: Classes,
    size: Size = None,
    *,
    void: Value | list[Value] | None = None,
    suffix: str = "",
    channels: int = 3,
    resize: str = "bilinear",
    name: str | None = None,
    progress: bool | None = None,
    warn: Callable[[str], None] = remark,
) -> Domain:
    """The images in one folder and their masks in another as a domain whose labels are masks.

    ``photo.jpg`` has the mask ``photo.png``, or with ``suffix="_L"`` the mask ``photo_L.png``. Masks are PNG files.
    Grey and palette ones hold class numbers, which are read as they are, whatever the palette's colours.

    ``classes`` is a list of names in the order of their numbers 0, 1, 2, ...; or a mapping from each name to its value,
    or to a list of values: numbers, or colours as (r, g, b) or "#rrggbb" for RGB masks. ``void`` is the value, or the
    list of values, of unlabelled pixels: 255 when not given, unless a class has it. Any other value is refused.

    ``size`` is a side or (height, width): images are resized to it by the kernel ``resize``, masks by nearest.

    Both stay bytes. Where the files, or what is decoded, take more than 32 MiB, several processes decode them to files
    in the cache folder, which are found again the next time; a bar shows it in a terminal, or with ``progress=True``.
    Masks are taken from there with ``labels[rows]``. ``warn`` is called when a damaged cache is made again.
    """
    pictures, drawings = expanded(images), expanded(masks)
    if channels not in (1, 3):
        raise InputError(f"{pictures}: channels is {channels!r}, expected 3 (RGB) or 1 (grey)")
    all_problems(str(pictures), kernel_problems(resize))
    codes = make_codes(classes, void)
    for folder in (pictures, drawings):
        if not is_folder(folder):
            found = "a file" if folder.exists() else "nothing there"
            raise InputError(f"{folder}: expected a folder of images and one of masks, found {found}; check the path")
    pairs, problems = pair_up(pictures, drawings, suffix=suffix)
    if not pairs and not problems:
        problems = [f"no images in {pictures} and no masks in {drawings}; check the paths"]
    where = pictures.parent if pictures.parent == drawings.parent else pictures
    all_problems(str(where), problems)
    pixels, labels = read_pairs(
        where,
        pairs,
        codes,
        read_mask,
        checked_size(size),
        channels=channels,
        resize=resize,
        progress=progress,
        warn=warn,
    )
    return noted(Domain(name or _name(pictures), pixels, labels, codes.names, f"masks {drawings} of {pictures}"))


def masks_in(
    path: str | PathLike[str], size: Size = None, *, classes: Sequence[str] | None = None, resize: str = "bilinear"
) -> Domain:
    """A folder with ``images/``, ``masks/`` and ``classes.txt`` as a domain named after it.

    ``classes.txt`` has a class on each line: a name, and the numbers are 0, 1, 2, ...; or ``name = 7``, or
    ``name = 7, 8``, or ``name = #804080`` for RGB masks. The name ``void`` is for unlabelled pixels.

    ``classes`` are the source's, for a target: its numbers hold, and a class that the file doesn't list doesn't occur.
    """
    root = expanded(path)
    if not is_folder(root):
        raise InputError(f"{root}: expected a folder with {IMAGES}/, {MASKS}/ and {CLASSES}; check the path")
    listed, void = _read_classes(root / CLASSES)
    if classes is not None:
        strangers = [name for name in listed if name not in classes]
        if strangers:
            raise InputError(
                f"{root / CLASSES}: expected the source's classes {', '.join(classes)}, got also "
                f"{', '.join(strangers)}; use the source's names, or list their values under void"
            )
        listed = {name: listed.get(name, []) for name in classes}
    name = resolved(root).name
    try:
        make_codes(listed, void)
    except InputError as error:
        raise InputError(f"{root / CLASSES}: {error}") from error
    return masks(root / IMAGES, root / MASKS, listed, size, void=void, resize=resize, name=name)


def is_masks_folder(path: str | PathLike[str]) -> bool:
    """Whether it is a folder that ``masks_in`` reads, and no folder with the two classes "images" and "masks"."""
    root = expanded(path)
    with reading(root):
        return (root / CLASSES).is_file() and (root / IMAGES).is_dir() and (root / MASKS).is_dir()


def read_mask(codes: Codes, path: Path) -> Mask:
    """A mask file's labels, every value of which stands for something."""
    labels, unknown = codes.read(path)
    if unknown:
        raise InputError(f"has values of no class: {spell_unknown(unknown)}; add them to the classes, or to void")
    return labels


def _name(images: Path) -> str:
    place = resolved(images)
    return place.parent.name if place.name == IMAGES else place.name


def _read_classes(path: Path) -> tuple[dict[str, Value | list[Value]], list[Value] | None]:
    """What a ``classes.txt`` says: the values of each class, and those of unlabelled pixels."""
    content = read_bytes(path, most=_MOST_LIST, fix=_EXPECTED)
    with reading(path, fix=_EXPECTED):
        text = content.decode("utf-8-sig")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    got = _odd(lines)
    if got:
        raise InputError(
            f"{path}: expected for each class a line NAME (numbered 0, 1, 2, ...), or for each a line NAME = VALUES, "
            f"such as road = 3 or road = #804080; got {got}"
        )
    parts = [line.partition("=") for line in lines]
    names = [name.strip() for name, _, _ in parts]
    values: dict[str, list[Value]] = {
        name: [_value(word.strip()) for word in words.split(",")] if equals else [number]
        for number, (name, (_, equals, words)) in enumerate(zip(names, parts, strict=True))
    }
    void = values.pop(_VOID, None)
    return dict(values), void


def _odd(lines: Sequence[str]) -> str | None:
    """What isn't as it should be in the lines of a ``classes.txt``."""
    if not lines:
        return "no class"
    longest = max(lines, key=len)
    if len(longest) > _LONGEST_LINE:
        return f'a line of {len(longest):,} characters, "{longest[:40]}..."'
    names = Counter(line.partition("=")[0].strip() for line in lines)
    repeated = sorted(name for name, count in names.items() if count > 1)
    if repeated:
        return f"{', '.join(repeated[:_SPELLED])} twice"
    bare = [line for line in lines if "=" not in line]
    valued = [line for line in bare if _VALUED.search(line)]
    if valued:
        return f'"{valued[0]}"'
    return f'"{bare[0]}" beside lines with =' if 0 < len(bare) < len(lines) else None


def _value(word: str) -> Value:
    return int(word) if word.isdecimal() and len(word) < _LONGEST_NUMBER else word
