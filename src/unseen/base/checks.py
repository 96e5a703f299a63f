"""Whether settings hold what their annotations say: TOML files, flags and callers can give anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def is_whole(value: object) -> bool:
    """Whether it is an int; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_size(value: object) -> bool:
    sides = value if isinstance(value, tuple) and len(value) == 2 else (value,)
    return all(isinstance(side, int) and is_whole(side) and side > 0 for side in sides)


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "int": (is_whole, "a whole number"),
    "float": (lambda v: is_whole(v) or isinstance(v, float), "a number"),
    "bool": (lambda v: isinstance(v, bool), "true or false"),
    "str": (lambda v: isinstance(v, str) and v != "", "a name"),
    "Size": (lambda v: v is None or _is_size(v), "a side in pixels or (height, width)"),
    "tuple[str, ...]": (lambda v: isinstance(v, tuple) and all(isinstance(s, str) for s in v), "a list of names"),
}


def type_problems(kind: type[DataclassInstance], values: Mapping[str, Any]) -> dict[str, str]:
    """For each field of the dataclass whose value isn't of its annotated type, what is wrong with it."""
    problems = {}
    for field in fields(kind):
        value = values[field.name]
        annotation, _, optional = str(field.type).partition(" | ")
        matches, words = _KINDS[annotation]
        if not (matches(value) or (optional and value is None)):
            problems[field.name] = f"{field.name}={value!r}: expected {words}"
    return problems
