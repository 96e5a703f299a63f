"""Which files a user means by files, folders and patterns."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

from unseen.base.paths import expanded
from unseen.data.formats.image_file import ENDINGS, is_image
from unseen.data.reading import visible
from unseen.errors import all_problems


def pictures_in(places: Iterable[str | PathLike[str]]) -> list[Path]:
    """The picture files: a file as it is, of a folder all that lie in it or below, of a pattern all that match.

    A folder's are those with an ending of images, hidden ones left out, in the order of their names. No file is listed
    twice, and no folder is looked into twice, whatever links lead to it. A place without a picture is refused.
    """
    found: dict[Path, None] = {}
    problems = []
    for place in places:
        files = list(_files(expanded(place)))
        found |= dict.fromkeys(files)
        if not files:
            problems.append(_nothing(expanded(place)))
    all_problems("pictures", problems)
    return list(found)


def _files(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from _below(place, set())
    elif place.exists():
        yield place
    else:
        yield from sorted(filter(is_image, _matches(place)))


def _below(folder: Path, seen: set[Path]) -> Iterator[Path]:
    """A folder's pictures and those of the folders in it, each of which is ``seen`` once: links may lead in circles."""
    if (real := folder.resolve()) in seen:
        return
    seen.add(real)
    for entry in visible(folder):
        if entry.is_dir():
            yield from _below(entry, seen)
        elif is_image(entry):
            yield entry


def _matches(pattern: Path) -> Iterable[Path]:
    return Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))


def _nothing(place: Path) -> str:
    expected = f"expected files that end in {', '.join(ENDINGS)}"
    if place.is_dir():
        return f"{place} has no pictures in it or below; {expected}"
    if glob.has_magic(str(place)):
        return f"{place} matches no pictures; {expected}"
    return f"{place}: there is no such file or folder; check the path"
