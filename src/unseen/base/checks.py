"""Whether settings hold what their annotations say: TOML files, flags and callers can give anything."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import fields
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def is_whole(value: object) -> bool:
    """Whether it is an int; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_size(value: object) -> bool:
    sides = value if isinstance(value, tuple) and len(value) == 2 else (value,)
    return all(isinstance(side, int) and is_whole(side) and side > 0 for side in sides)


def _are_names(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(name, str) for name in value)


def _are_numbers(value: object) -> bool:
    return isinstance(value, tuple) and all(is_whole(each) or isinstance(each, float) for each in value)


_KINDS: dict[Any, tuple[Callable[[Any], bool], str]] = {
    int: (is_whole, "a whole number"),
    float: (lambda v: is_whole(v) or isinstance(v, float), "a number"),
    bool: (lambda v: isinstance(v, bool), "true or false"),
    str: (lambda v: isinstance(v, str) and v != "", "a name"),
    int | tuple[int, int]: (_is_size, "a side in pixels or (height, width)"),
    tuple[str, ...]: (_are_names, "a list of names"),
    tuple[float, ...]: (_are_numbers, "a list of numbers"),
    str | tuple[float, ...]: (lambda v: isinstance(v, str) or _are_numbers(v), "a name or a list of numbers"),
    str | tuple[str, ...]: (lambda v: (isinstance(v, str) and v != "") or _are_names(v), "a name or a list of names"),
}


def type_problems(kind: type[DataclassInstance], values: Mapping[str, Any]) -> dict[str, str]:
    """For each field of the dataclass whose value isn't of its annotated type, what is wrong with it."""
    problems = {}
    for name, (annotation, optional) in _annotations(kind).items():
        matches, words = _KINDS[annotation]
        if not (matches(values[name]) or (optional and values[name] is None)):
            problems[name] = f"{name}={values[name]!r}: expected {words}"
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
