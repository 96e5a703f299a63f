from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from unseen.base.records import from_json, to_json


@dataclass(frozen=True)
class Inner:
    names: tuple[str, ...]
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Outer:
    number: float
    inner: Inner
    other: Inner | None = None
    size: int | tuple[int, int] | None = None


OUTER = Outer(0.5, Inner(("a", "b"), {"w": (2, 3)}), Inner(()), (4, 5))


def test_what_is_written_is_read_as_it_was():
    content = to_json(OUTER)
    assert content["inner"] == {"names": ["a", "b"], "shapes": {"w": [2, 3]}}
    assert from_json(Outer, content) == OUTER


def test_what_has_a_default_may_be_missing():
    assert from_json(Outer, {"number": 1.0, "inner": {"names": []}}) == Outer(1.0, Inner(()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected an object with number, inner, other, size, got"),
        ({"number": 1.0, "inner": 3}, "expected an object with names, shapes, got 3"),
        ({"number": 1.0, "inner": {"names": []}, "colour": 1}, "colour means nothing to this version"),
        ({"number": 1.0}, "missing 1 required positional argument: 'inner'"),
    ],
    ids=["a list", "a number inside", "an unknown field", "a field missing"],
)
def test_what_is_no_such_record_is_a_type_error(content, message):
    with pytest.raises(TypeError, match=message):
        from_json(Outer, content)
