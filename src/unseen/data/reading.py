"""What readers of many files share: which files count, what is wrong with them, and how a message names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from unseen.base.reading import NotAFile, cause_of, entries, is_folder
from unseen.errors import InputError

_READABLE = "check the path and its permissions"
_LISTED = 10  # problems that one message spells out


def visible(path: Path) -> list[Path]:
    """What is in a folder, sorted by name, hidden entries left out; a folder that can't be read is refused."""
    return [entry for entry in entries(path, fix=_READABLE) if not entry.name.startswith(".")]


def folders_in(path: Path) -> list[Path]:
    """The folders in a folder, hidden ones left out; a link that leads nowhere might be one, and is refused."""
    found = visible(path)
    broken = [entry for entry in found if entry.is_symlink() and not entry.exists()]
    if broken:
        raise InputError(f"{broken[0]} is a link that leads nowhere; mend it or remove it")
    return [entry for entry in found if is_folder(entry)]


def relative(file: Path, root: Path) -> Path:
    """How a message calls a file: from ``root`` on, where it lies below it."""
    return file.relative_to(root) if file.is_relative_to(root) else file


def listed(problems: list[str]) -> list[str]:
    """The first few problems, and how many more there are."""
    more = len(problems) - _LISTED
    return [*problems[:_LISTED], f"and {more} more like these"] if more > 0 else problems


def refuse_two_sizes(root: Path, files: Sequence[Path], sizes: Sequence[tuple[int, ...]]) -> None:
    """Refuse images of several sizes, (height, width), with the most frequent one as the size to give."""
    counted = Counter(sizes)
    if len(counted) > 1:
        (height, width), count = counted.most_common(1)[0]
        other = next(file for file, size in zip(files, sizes, strict=True) if size != (height, width))
        raise InputError(
            f"{root}: images have {len(counted)} different sizes: {count} of {len(files)} are {height}x{width}, "
            f"{relative(other, root)} isn't; expected one size: pass size=({height}, {width}) to resize all to it"
        )


@contextmanager
def noting_problems(file: Path, problems: list[str], advice: str = "replace or remove it") -> Iterator[None]:
    """Note what is wrong with a file, so that the next one is read too.

    An ``InputError`` has its own advice; whatever else a decoder raises at a damaged file gets ours.
    """
    try:
        yield
    except InputError as error:
        problems.append(f"{file} {error}")
    except NotAFile as error:
        problems.append(f"{file} {error}; {advice}")
    except Exception as error:  # a decoder may raise anything at a damaged file
        problems.append(f"{file} can't be read ({_cause(error)}); {advice}")


def _cause(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    return error.strerror if isinstance(error, OSError) and error.strerror else cause_of(error)
