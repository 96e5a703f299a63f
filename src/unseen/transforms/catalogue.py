"""Transformations by name: ours, named sets of them, a user's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from unseen.base.imports import FORMS, imported
from unseen.errors import InputError, did_you_mean
from unseen.transforms.chains import Chains
from unseen.transforms.colour import COLOURS
from unseen.transforms.texture import TEXTURES
from unseen.transforms.transform import Transform
from unseen.transforms.viewpoint import VIEWPOINTS

_KNOWN: dict[str, Transform] = {each.name: each for each in (*COLOURS, *TEXTURES, *VIEWPOINTS)}

SETS: dict[str, tuple[str, ...]] = {
    "standard": ("affine", "colour", "tone", "filter", "shade", "warp"),
    "photometric": ("colour", "tone", "filter", "shade"),
    "jitter": ("exposure", "hue"),
    "everything": tuple(name for name in _KNOWN if name not in ("randconv", "exposure")),
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
    chains.cache_clear()
    return transform


_OURS = frozenset(_KNOWN)
PIXELS = "pixels"
"""what the ascent moves in the paper; in a list, on top of transformations"""


def named(names: str | Sequence[str], what: str = "transformations") -> list[Transform]:
    """The transformations of a name, a set's name, or several of them; each once, in the order given."""
    found: dict[str, Transform] = {}
    for name in [names] if isinstance(names, str) else names:
        for each in SETS.get(name, (name,)):
            found[each] = _find(each, what)
    if not found:
        raise InputError(f"{what}: expected one name or more, got none")
    return list(found.values())


@lru_cache(maxsize=16)
def chains(names: str | tuple[str, ...], links: int, strength: float, what: str) -> Chains:
    """Chains of these: made once, since every training step asks for them."""
    return Chains(named(names, what), links, strength)


def _find(name: str, what: str) -> Transform:
    if name in _KNOWN:
        return _KNOWN[name]
    if ":" not in name:
        every = [*SETS, *_KNOWN]
        near = did_you_mean(name, every)
        raise InputError(
            f'{what}: no transformation or set is called "{name}"{near}; for one of your own call '
            f"unseen.transforms.register first, or name it as {FORMS}"
        )
    try:
        return _imported(name)
    except InputError as error:
        raise InputError(f"{what}: {error}") from error


@cache
def _imported(name: str) -> Transform:
    """A user's own, from its file, which is run once."""
    given = imported(f'transformation "{name}"', name, Transform)
    if not isinstance(given, Transform):
        raise InputError(
            f'transformation "{name}" is a {type(given).__name__}, expected an unseen.transforms.Transform'
        )
    return given
