"""Transformations by name: ours, named sets of them, a user's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from types import FunctionType
from typing import Any

from unseen.base.imports import FORMS, give, imported
from unseen.errors import InputError, did_you_mean
from unseen.transforms.callables import FROM_PYTHON, Called, description
from unseen.transforms.chains import Chains
from unseen.transforms.colour import COLOURS
from unseen.transforms.texture import TEXTURES
from unseen.transforms.transform import Transform
from unseen.transforms.viewpoint import VIEWPOINTS

_KNOWN: dict[str, Transform] = {each.name: each for each in (*COLOURS, *TEXTURES, *VIEWPOINTS)}

_APART = ("randconv", "exposure", "crop", "flip", "flip-vertical")
"""in no set of all: others are much like them, or, of a flip, not every label stays true"""

SETS: dict[str, tuple[str, ...]] = {
    "standard": ("affine", "colour", "tone", "filter", "shade", "warp"),
    "photometric": ("colour", "tone", "filter", "shade"),
    "jitter": ("exposure", "hue"),
    "everything": tuple(name for name in _KNOWN if name not in _APART),
}
"""named sets: ``standard`` for images, ``photometric`` without the ones that move pixels, ``jitter`` for a baseline"""


def register(transform: Transform) -> Transform:
    """Make a transformation of one's own known by its name, which settings then take like ours."""
    if not isinstance(transform, Transform):
        raise InputError(f"register: expected an unseen.transforms.Transform, got {type(transform).__name__}")
    taken = transform.name in _OURS or transform.name in SETS or transform.name == PIXELS
    if taken or ":" in transform.name:
        raise InputError(f'register: "{transform.name}" is {"ours" if taken else "no name"}; call it something else')
    _KNOWN[transform.name] = transform
    _forget()
    return transform


def name_of(given: Any) -> Any:
    """The name by which a callable that a Python program gave is known from now on; anything else as it is."""
    if not callable(given) or isinstance(given, Transform):
        return given
    name = first = f"{FROM_PYTHON}{description(given)}"
    again = 1
    while name in _CALLABLES and _CALLABLES[name].call is not given and isinstance(given, FunctionType):
        again += 1
        name = f"{first}-{again}"
    _CALLABLES[name] = Called(name, given)
    _forget()
    return name


def registered(names: Sequence[str]) -> dict[str, Transform]:
    """Those of these names that a Python program registered."""
    return {name: _KNOWN[name] for name in names if name in _KNOWN and name not in _OURS}


def _forget() -> None:
    chains.cache_clear()
    callables.cache_clear()


_CALLABLES: dict[str, Called] = {}


_OURS = frozenset(_KNOWN)
PIXELS = "pixels"
"""what the ascent moves in the paper; in a list, on top of transformations"""


def named(names: str | Sequence[str], what: str = "transformations") -> list[Transform]:
    """The transformations of a name, a set's name, or several of them; each once, in the order given.

    A file or module that a name is of is imported, which runs it; one that a run folder names only if it may be run.
    """
    found = []
    for each in drawn(names, what):
        if isinstance(each, Called):
            raise InputError(
                f'{what}: "{each.name}" is a callable, of which nothing more is known; expected an '
                "unseen.transforms.Transform (a callable can be drawn: give it as augment)"
            )
        found.append(each)
    return found


def drawn(names: str | Sequence[str], what: str = "transformations") -> list[Transform | Called]:
    """The same with callables of the user's own, which can be drawn and have no parameters."""
    found: dict[str, Transform | Called] = {}
    for name in [names] if isinstance(names, str) else names:
        give(name)
        for each in SETS.get(name, (name,)):
            found[each] = _find(each, what)
    if not found:
        raise InputError(f"{what}: expected one name or more, got none")
    return list(found.values())


@lru_cache(maxsize=16)
def chains(names: str | tuple[str, ...], links: int, strength: float, what: str) -> Chains | None:
    """Chains of those that aren't callables, if there are any: made once, since every training step asks for them."""
    transforms = [each for each in drawn(names, what) if isinstance(each, Transform)]
    return Chains(transforms, links, strength) if transforms else None


@lru_cache(maxsize=16)
def callables(names: str | tuple[str, ...], what: str) -> tuple[Called, ...]:
    """Those that are callables."""
    return tuple(each for each in drawn(names, what) if isinstance(each, Called))


def _find(name: str, what: str) -> Transform | Called:
    if name in _KNOWN:
        return _KNOWN[name]
    if name.startswith(FROM_PYTHON):
        return _CALLABLES.get(name, Called(name, None))
    if ":" not in name:
        near = did_you_mean(name, [*SETS, *_KNOWN])
        raise InputError(
            f'{what}: no transformation or set is called "{name}"{near}{"" if near.endswith("?") else "."} For one of '
            f"your own call unseen.transforms.register first, or name it as {FORMS}; a run whose program registered it "
            "is used from Python, after the same register"
        )
    try:
        return _imported(name)
    except InputError as error:
        raise InputError(f"{what}: {error}") from error


@cache
def _imported(name: str) -> Transform | Called:
    """A user's own, from its file, which is run once."""
    given = imported(f'transformation "{name}"', name, Transform)
    if isinstance(given, Transform):
        return given
    if isinstance(given, type) or not callable(given):
        what = "the class" if isinstance(given, type) else "a"
        raise InputError(
            f'transformation "{name}" is {what} {getattr(given, "__name__", type(given).__name__)}, expected an '
            "unseen.transforms.Transform, or for augment a function of an image, or an object called like one"
        )
    return Called(name, given)
