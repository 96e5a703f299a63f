"""Frozen dataclasses as JSON objects, and back: what a file says becomes typed in one place."""

from __future__ import annotations

import functools
import hashlib
import json
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from unseen.base.checks import is_whole

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")


def to_json(record: DataclassInstance) -> dict[str, Any]:
    """Every field by name, nested records as objects and tuples as lists."""
    return {field.name: plain(getattr(record, field.name)) for field in fields(record)}


def from_json(kind: type[Record], content: Any) -> Record:
    """The record of this kind that ``to_json`` gave; fields that have defaults may be missing.

    Anything else is a ``TypeError`` or what the record itself raises; the caller knows the file and says so.
    """
    if not isinstance(content, Mapping):
        raise TypeError(f"expected an object with {', '.join(f.name for f in fields(kind))}, got {content!r}")
    hints = _hints(kind)
    unknown = [name for name in content if name not in hints]
    if unknown:
        raise TypeError(f"{', '.join(unknown)} means nothing to this version of unseen")
    return kind(**{name: _typed(name, hints[name], value) for name, value in content.items()})


@functools.cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def plain(value: Any) -> Any:
    """A value as JSON has it: records as objects, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_json(value)
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, tuple | list) else value


def _typed(name: str, hint: Any, value: Any) -> Any:
    """The value as its hint has it: lists as tuples, objects as records; one of another kind is a ``TypeError``.

    Of a hint that JSON alone can't settle, such as a size, the record itself checks the value.
    """
    options = _options(hint)
    if value is None and NoneType in options:
        return None
    found = [option for option in options if option is not NoneType]
    record = next((option for option in found if isinstance(option, type) and is_dataclass(option)), None)
    if record is not None:
        return from_json(record, value)
    if len(found) > 1 or found[0] is Any:
        return tuple(value) if isinstance(value, list) else value
    return _of_kind(name, found[0], value)


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _of_kind(name: str, kind: Any, value: Any) -> Any:
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Mapping and isinstance(value, Mapping):
        return {key: _typed(f"{name}.{key}", inside[1], inner) for key, inner in value.items()}
    if origin in (tuple, Sequence) and isinstance(value, list | tuple):
        kinds = inside if origin is tuple and inside[-1] is not ... else (inside[0],) * len(value)
        if len(kinds) == len(value):
            return tuple(_typed(name, each, inner) for each, inner in zip(kinds, value, strict=True))
    if kind in _PLAIN and _PLAIN[kind][0](value):
        return value
    raise TypeError(f"{name}={value!r:.80}: expected {_PLAIN[kind][1] if kind in _PLAIN else _shown(kind)}")


_PLAIN: dict[Any, tuple[Callable[[Any], bool], str]] = {
    int: (lambda v: is_whole(v) and abs(v) < 2**64, "a whole number"),
    float: (lambda v: isinstance(v, float) or (is_whole(v) and abs(v) < 2**64), "a number"),
    bool: (lambda v: isinstance(v, bool), "true or false"),
    str: (lambda v: isinstance(v, str), "a text"),
}


def _shown(kind: Any) -> str:
    return "an object" if get_origin(kind) is Mapping else "a list"


def digest_of_json(content: Any) -> str:
    """SHA-256 of what is written as JSON, however it is laid out."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
