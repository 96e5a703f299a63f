"""Frozen dataclasses as JSON objects, and back: what a file says becomes typed in one place."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

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
    return kind(**{name: _typed(hints[name], value) for name, value in content.items()})


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


def _typed(hint: Any, value: Any) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    record = next((option for option in options if isinstance(option, type) and is_dataclass(option)), None)
    if record is not None and value is not None:
        return from_json(record, value)
    if get_origin(hint) is Mapping and isinstance(value, Mapping):
        return {name: _typed(get_args(hint)[1], inner) for name, inner in value.items()}
    return tuple(value) if isinstance(value, list) else value
