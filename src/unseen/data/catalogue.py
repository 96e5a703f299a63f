"""Which domains there are, by name: built in, the paper's real sets where the user has them, one's own folders."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from unseen.base.extras import missing
from unseen.base.paths import expanded, names_file, names_folder
from unseen.base.reading import is_folder, listed
from unseen.data import image_folder, masks, official
from unseen.data.digits import real_digits
from unseen.data.digits.digit_domain import SIDE
from unseen.data.domain import Domain
from unseen.data.domain_names import DEFAULT_SOURCE, FOLDER_PREFIX, MASKS_PREFIX
from unseen.data.entries import BUILT_IN, SCENES, STREET_ROLE, Entry
from unseen.data.images import Size, kernel_problems
from unseen.data.root import needed_root, not_found, set_of
from unseen.data.streets import built_in_streets, real_streets, synthia
from unseen.errors import InputError, all_problems

_ROLES = {"mnist-train": "source", "mnist-test": "held-out source"}
_REAL_TARGETS = ("svhn-test", "mnist-m-test", "syn-test", "usps-test")


def domain(
    name: str | Path,
    size: Size = None,
    *,
    classes: Sequence[str] | None = None,
    resize: str = "bilinear",
    data: str | PathLike[str] | None = None,
    images: int | None = None,
    seed: int = 0,
    leave_out_unreadable: bool = False,
) -> Domain:
    """The domain of that name: a built-in one, a real one, or one's own folder by ``folder:PATH`` or its path.

    ``masks:PATH``, or the path of a folder with ``images/``, ``masks/`` and ``classes.txt``, is one's own with masks.

    Real ones (``mnist-train``, ``svhn-test``, ...; ``domains()`` lists them) are read from the folder ``data``, or the
    one that the environment variable ``UNSEEN_DATA`` names. Digits that aren't 32x32, and folders' images when ``size``
    is given, are resized by the kernel ``resize``: "bilinear", or "lanczos" as in the authors' code.

    ``size`` and ``classes`` are those of ``folder`` and hold for folders and streets, which are 192x320 unless given;
    digits are 32x32, ten classes. ``images`` is how many there shall be of a street domain (900, where it has or makes
    more); ``seed`` draws those of a SYNTHIA sequence and renders built-in scenes. ``leave_out_unreadable`` leaves files
    of a folder out that can't be read, in place of refusing them.
    A built-in or real name means that domain even where a folder of that name exists.
    """
    all_problems("domain", kernel_problems(resize))
    text = str(name)
    for entry, _, build in BUILT_IN:
        if entry.name == text:
            _refuse_other_size(text, size)
            return build(resize)
    if text.lower() in real_digits.NAMES:
        _refuse_other_size(text, size)
        return real_digits.load(text.lower(), data, resize)
    street = real_streets.canonical_name(text)
    if street is not None:
        return real_streets.load(street, data, size=size, classes=classes, resize=resize, images=images, seed=seed)
    if text.lower() in built_in_streets.NAMES:
        return built_in_streets.load(text.lower(), size=size, classes=classes, images=images, seed=seed)
    own = text.removeprefix(MASKS_PREFIX)
    if own and (own != text or masks.is_masks_folder(own)):
        return masks.masks_in(own, size, classes=classes, resize=resize)
    if text.startswith(FOLDER_PREFIX) and text != FOLDER_PREFIX:
        text = text.removeprefix(FOLDER_PREFIX)
        return image_folder.folder(
            text, size, classes=classes, resize=resize, leave_out_unreadable=leave_out_unreadable
        )
    if isinstance(name, Path) or (text and is_folder(expanded(text))):
        return image_folder.folder(
            text, size, classes=classes, resize=resize, leave_out_unreadable=leave_out_unreadable
        )
    raise _unknown(text)


def check_name(name: str) -> None:
    """Refuse what is neither a domain's name nor a folder, before anything else is done for it."""
    street = real_streets.canonical_name(name)
    known = name.lower() in {each.lower() for each in names()} or street is not None
    if not known and not name.startswith((FOLDER_PREFIX, MASKS_PREFIX)) and not (name and is_folder(expanded(name))):
        raise _unknown(name)


def _unknown(text: str) -> InputError:
    return InputError(
        f'domain "{text}": expected a built-in or real domain, an existing folder, {FOLDER_PREFIX}PATH or '
        f"{MASKS_PREFIX}PATH, got none of them{_nearest(text)}"
    )


def _nearest(text: str) -> str:
    known = text.lower().replace("_", "-")
    if known in real_streets.SETS:
        streets = real_streets.SETS[known]
        return f"; the set has the parts {streets.pattern}: {streets.what}"
    parts = [name for name in real_digits.NAMES if set_of(name) == known]
    if parts:
        return f"; the set has the parts {' and '.join(parts)}"
    near = difflib.get_close_matches(known, names(), n=3, cutoff=0.5) if known and not _is_path(text) else []
    if near:
        *others, last = (f'"{name}"' for name in near)
        return f"; did you mean {', '.join(others)}{' or ' * bool(others)}{last}? `unseen domains` lists all"
    return f"{_near_folder(text) or _no_folder(text)}; `unseen domains` lists the names there are"


def _is_path(text: str) -> bool:
    return "/" in text or text.startswith((".", "~"))


def _near_folder(text: str) -> str:
    """A folder beside the one that isn't there whose name is nearly the same."""
    path = expanded(text.removeprefix(FOLDER_PREFIX).removeprefix(MASKS_PREFIX))
    beside = [entry.name for entry in listed(path.parent) if names_folder(entry)]
    near = difflib.get_close_matches(path.name, beside, n=1, cutoff=0.7)
    return f"; did you mean the folder {path.with_name(near[0])}?" if near else ""


def _no_folder(text: str) -> str:
    """Where a path was looked for, and how much of it is there."""
    path = expanded(text.removeprefix(FOLDER_PREFIX).removeprefix(MASKS_PREFIX)).absolute()
    if not _is_path(text):
        return ""
    if names_file(path):
        return f"; {path} is a file"
    there = next(parent for parent in path.parents if parent.exists())
    return f"; there is no {path.relative_to(there).parts[0]} in {there}"


def is_drawn(name: str) -> bool:
    """Whether a domain has as many images as are asked for: rendered scenes, and sequences that are drawn from."""
    return name.lower() in built_in_streets.NAMES or real_streets.canonical_name(name) in synthia.SEQUENCES


def names() -> tuple[str, ...]:
    """The names of the built-in and the real domains, whether or not they can be used now."""
    return (
        *(entry.name for entry, _, _ in BUILT_IN),
        *built_in_streets.NAMES,
        *real_digits.NAMES,
        *real_streets.NAMES,
    )


def domains(data: str | PathLike[str] | None = None) -> list[Entry]:
    """Every domain there is: the built-in ones, then the real ones, each with what it lacks on this machine.

    Real ones are looked for as by ``domain``; their images are not decoded for it. The built-in street domains are one
    entry with the pattern of their names, and so are those of a real set that aren't there.
    """
    built_in = [replace(entry, missing=missing(needs, "digits")) for entry, needs, _ in BUILT_IN]
    built_in.append(replace(SCENES, missing=missing(("PIL",), "scenes")))
    digit_sets = [_real_entry(name, data) for name in real_digits.NAMES]
    return [*built_in, *digit_sets, *(entry for published in real_streets.SETS for entry in _streets(published, data))]


def _real_entry(name: str, data: str | PathLike[str] | None) -> Entry:
    published = official.IMAGES[name]
    entry = Entry(name, _ROLES.get(name, "target"), published, real_digits.what(name), published=published)
    try:
        copy = real_digits.found(name, needed_root(name, data))
    except InputError as error:
        return replace(entry, missing=str(error).removeprefix(f"{name}: "))
    return replace(entry, count=copy.count, origin=real_digits.origin(name, copy), where=copy.where)


def _streets(published: str, data: str | PathLike[str] | None) -> list[Entry]:
    """The domains of a street set that are there, or are there and can't be used; then one entry for the others."""
    streets = real_streets.SETS[published]
    whole = Entry(streets.pattern, STREET_ROLE, 0, streets.what)
    try:
        root = needed_root(streets.pattern, data, streets.how)
    except InputError as error:
        return [replace(whole, missing=str(error).removeprefix(f"{streets.pattern}: "))]
    entries = {name: _street_entry(name, root) for name in streets.names}
    absent = [name for name, entry in entries.items() if entry is None]
    there = [entry for entry in entries.values() if entry is not None]
    if not absent:
        return there
    which = f"{', '.join(absent)} " if there else ""
    return [*there, replace(whole, missing=which + not_found(published, root, streets.looked_for, streets.how))]


def _street_entry(name: str, root: Path) -> Entry | None:
    try:
        there = real_streets.find(name, root)
    except InputError as error:
        return Entry(name, STREET_ROLE, 0, real_streets.SETS[name.partition("-")[0]].what, missing=str(error))
    if there is None:
        return None
    return Entry(name, STREET_ROLE, there.count, there.origin, where=there.where, published=there.published)


def targets(source: str = DEFAULT_SOURCE) -> tuple[str, ...]:
    """The names of the targets for that source: the built-in ones, or for MNIST itself the real ones that are there.

    The built-in targets' digits are MNIST's, and some of them were seen by whoever trains on it. For a street domain
    they are the others of its set that are there. A folder has none.
    """
    if source.lower() == "mnist-train":
        return tuple(name for name in _REAL_TARGETS if _real_entry(name, None).missing is None)
    if source.lower() in built_in_streets.NAMES:
        return tuple(name for name in built_in_streets.NAMES if name != source.lower())
    street = real_streets.canonical_name(source)
    if street is not None:
        there = [entry.name for entry in _streets(street.partition("-")[0], None) if entry.missing is None]
        return tuple(name for name in there if name != street)
    digit = any(source.lower() == entry.name for entry, _, _ in BUILT_IN)
    return tuple(entry.name for entry, _, _ in BUILT_IN if entry.role == "target") if digit else ()


def _refuse_other_size(name: str, size: Size) -> None:
    if size not in (None, SIDE, (SIDE, SIDE)):
        raise InputError(
            f"{name}: expected images of size {size}, but these are digits, {SIDE}x{SIDE}, with one "
            "class for each image; leave size out, or use domains like the source"
        )
