"""Whether settings hold what their annotations say: TOML files, flags and callers can give anything."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


LARGEST = 2**63 - 1
"""of whole numbers: what a tensor and a file can have"""
LARGEST_FLOAT = 3e38
"""of other numbers: networks compute in float32"""
_SHOWN = 80
"""characters of a value that a message has room for"""


def is_whole(value: object) -> bool:
    """Whether it is an int that a tensor can have; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST


def is_number(value: object) -> bool:
    """Whether it is such an int or a float, which may be infinite or none at all (NaN)."""
    return is_whole(value) or isinstance(value, float)


def is_name(value: object) -> bool:
    """Whether it is a text that may be a name or a path."""
    if not isinstance(value, str) or value == "" or "\0" in value:
        return False
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return False
    return True


def in_float32(value: float) -> bool:
    """Whether a number is finite where networks compute with it."""
    return abs(value) <= LARGEST_FLOAT


def shown(value: object) -> str:
    """A value in a message: shortened where it is long, and in words where it can't be written at all."""
    try:
        text = repr(value)
    except Exception:  # nested too deeply, or a number of thousands of digits
        return f"a {type(value).__name__} that is too large to show"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def seed_problems(seed: object) -> list[str]:
    """What is wrong with a seed, if anything."""
    good = isinstance(seed, int) and is_whole(seed) and seed >= 0
    return [] if good else [f"seed={shown(seed)}: expected a whole number, 0 or more and below 2**63"]


def _is_size(value: object) -> bool:
    sides = value if isinstance(value, tuple) and len(value) == 2 else (value,)
    return all(isinstance(side, int) and is_whole(side) and side > 0 for side in sides)


def _are_names(value: object) -> bool:
    return isinstance(value, tuple) and all(map(is_name, value))


def _are_numbers(value: object) -> bool:
    return isinstance(value, tuple) and all(map(is_number, value))


_KINDS: dict[Any, tuple[Callable[[Any], bool], str]] = {
    int: (is_whole, "a whole number"),
    float: (is_number, "a number"),
    bool: (lambda v: isinstance(v, bool), "true or false"),
    str: (is_name, "a name"),
    int | tuple[int, int]: (_is_size, "a side in pixels or (height, width)"),
    tuple[str, ...]: (_are_names, "a list of names"),
    tuple[float, ...]: (_are_numbers, "a list of numbers"),
    str | tuple[float, ...]: (lambda v: is_name(v) or _are_numbers(v), "a name or a list of numbers"),
    str | tuple[str, ...]: (lambda v: is_name(v) or _are_names(v), "a name or a list of names"),
}


def type_problems(kind: type[DataclassInstance], values: Mapping[str, Any]) -> dict[str, str]:
    """For each field of the dataclass whose value isn't of its annotated type, what is wrong with it."""
    problems = {}
    for name, (annotation, optional) in _annotations(kind).items():
        matches, words = _KINDS[annotation]
        if not (matches(values[name]) or (optional and values[name] is None)):
            problems[name] = f"{name}={shown(values[name])}: expected {words}"
    return problems


@functools.cache
def _annotations(kind: type[DataclassInstance]) -> dict[str, tuple[Any, bool]]:
    """Each field's annotation without None, and whether None was among its choices."""
    hints = get_type_hints(kind)
    return {field.name: _without_none(hints[field.name]) for field in fields(kind)}


def _without_none(annotation: Any) -> tuple[Any, bool]:
    choices = get_args(annotation)
    if NoneType not in choices:
        return annotation, False
    return functools.reduce(operator.or_, (choice for choice in choices if choice is not NoneType)), True
