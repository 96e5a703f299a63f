"""What the numbers, or the colours, in a mask file stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unseen.base.checks import is_whole
from unseen.base.labels import VOID
from unseen.data.domain_checks import MOST_CLASSES
from unseen.data.formats.png import read_header, read_png
from unseen.errors import InputError, all_problems

Value: TypeAlias = int | str | tuple[int, int, int]
"""A number, or a colour: "#804080" or (128, 64, 128)."""
Classes: TypeAlias = Sequence[str] | Mapping[str, Value | list[Value]]
"""Names in the order of their numbers 0, 1, 2, ..., or the value, or the list of values, that stands for each."""

_GREATEST = {False: 2**16 - 1, True: 2**24 - 1}
_SPELLED = 5  # values that one message spells out


@dataclass(frozen=True)
class Codes:
    """Which class each value in a mask stands for; a colour (r, g, b) counts as the number 65536 r + 256 g + b."""

    names: tuple[str, ...]
    labels: Mapping[int, int]
    """the class number, or 255 for unlabelled pixels, by value"""
    coloured: bool

    @cached_property
    def _table(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        values = sorted(self.labels)
        return np.array(values, np.int64), np.array([self.labels[value] for value in values], np.uint8)

    def read(self, path: Path) -> tuple[NDArray[np.uint8], dict[str, int]]:
        """A mask file's labels (H, W), and how many pixels have each value that stands for nothing: they are 255."""
        return self.decode(read_values(path, self.coloured))

    def decode(self, values: NDArray[Any]) -> tuple[NDArray[np.uint8], dict[str, int]]:
        """The same for values that are in memory."""
        known, labels = self._table
        at = np.searchsorted(known, values).clip(max=len(known) - 1)
        is_unknown = known[at] != values
        found, counts = np.unique(values[is_unknown], return_counts=True)
        unknown = {self.spell(int(value)): int(count) for value, count in zip(found, counts, strict=True)}
        return np.where(is_unknown, np.uint8(VOID), labels[at]), unknown

    def spell(self, value: int) -> str:
        """A value as people write it: 7, or #804080."""
        return f"#{value:06x}" if self.coloured else str(value)


def spell_unknown(unknown: Mapping[str, int]) -> str:
    """``13 (204 pixels), 14 (3 pixels)``."""
    shown = [f"{value} ({count:,} pixels)" for value, count in list(unknown.items())[:_SPELLED]]
    return ", ".join(shown) + (f" and {len(unknown) - _SPELLED} more" if len(unknown) > _SPELLED else "")


def read_values(path: Path, coloured: bool) -> NDArray[Any]:
    """The values (H, W) in a PNG mask: numbers as they are (of a palette, the indices), or colours as numbers."""
    header = read_header(path)
    if coloured:
        if header.channels < 3 or header.bits != 8:
            raise InputError(
                f"is a PNG of kind {header.kind} with {header.bits} bits, but the classes are given as colours; "
                "expected 8-bit RGB: save it so, or give the classes' numbers"
            )
        red, green, blue = read_png(path).transpose(2, 0, 1)[:3]
        numbers: NDArray[Any] = (red.astype(np.uint32) << 16) + (green.astype(np.uint32) << 8) + blue
        return numbers
    if header.channels > 2:
        raise InputError(
            f"is a PNG of kind {header.kind}, but the classes are given as numbers; expected grey or a palette: save "
            "it so, or give the classes' colours (in classes.txt, NAME = #rrggbb)"
        )
    return read_png(path, channel=0)


def make_codes(classes: Classes, void: Value | list[Value] | None = None) -> Codes:
    """The codes for these classes; everything wrong with them goes into one message.

    ``void`` is the value, or the list of them, of unlabelled pixels. Without it, 255 is, unless a class has that value.
    """
    if isinstance(classes, str) or not isinstance(classes, Sequence | Mapping):
        raise InputError(f"classes={classes!r}: expected a list of names, or a mapping from names to values")
    given = dict(classes) if isinstance(classes, Mapping) else {name: i for i, name in enumerate(classes)}
    meanings = {f'"{name}"': meaning for name, meaning in given.items()}
    if void is not None:
        meanings["unlabelled pixels"] = void
    values = {name: [_number(value) for value in _each(meaning)] for name, meaning in meanings.items()}
    kinds = {coloured for numbers in values.values() for coloured, _ in numbers}
    problems = [] if isinstance(classes, Mapping) or len(given) == len(classes) else ["a class is named twice"]
    problems += _class_problems(len(given)) + _value_problems(values, kinds)
    all_problems("classes", problems)
    labels = {value: label for label, name in enumerate(given) for _, value in values[f'"{name}"']}
    coloured = kinds == {True}
    unlabelled = [value for _, value in values.get("unlabelled pixels", [] if coloured else [(False, VOID)])]
    return Codes(tuple(given), dict.fromkeys(unlabelled, VOID) | labels, coloured)


def _each(meaning: object) -> Sequence[object]:
    return meaning if isinstance(meaning, list) else [meaning]


def _number(value: object) -> tuple[bool, int]:
    """Whether a value is a colour, and its number; -1 for what is neither number nor colour."""
    if is_whole(value):
        assert isinstance(value, int)
        return False, value if 0 <= value <= _GREATEST[False] else -1
    if isinstance(value, str) and re.fullmatch("#[0-9a-fA-F]{6}", value):
        return True, int(value[1:], 16)
    if isinstance(value, tuple) and len(value) == 3 and all(is_whole(part) and 0 <= part <= 255 for part in value):
        return True, int.from_bytes(bytes(value), "big")
    return False, -1


def _class_problems(count: int) -> list[str]:
    if 0 < count <= MOST_CLASSES:
        return []
    return [f"{count} classes, expected 1 to {MOST_CLASSES}: {VOID} marks unlabelled pixels"]


def _value_problems(values: Mapping[str, Sequence[tuple[bool, int]]], kinds: set[bool]) -> list[str]:
    wrong = [name for name, numbers in values.items() if any(number < 0 for _, number in numbers)]
    if wrong:
        expected = 'a number 0..65535, a colour (r, g, b) or "#rrggbb", or a list of these'
        return [f"the value of {', '.join(wrong)} isn't one; expected {expected}"]
    if len(kinds) > 1:
        return [
            "some values are numbers and some colours; expected one kind, that of the files. A colour is (r, g, b) or "
            '"#rrggbb", and a list is several values'
        ]
    owners: dict[int, list[str]] = {}
    for name, numbers in values.items():
        for _, number in numbers:
            owners.setdefault(number, []).append(name)
    return [
        f"{number} stands for {' and for '.join(names)}; expected one meaning for each value"
        for number, names in owners.items()
        if len(names) > 1
    ]
