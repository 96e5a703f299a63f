"""Leaving out a kind: a candidate trained without it, and held-out source images under it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unseen.base.randomness import generator
from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.method.settings import MINIMIZATION
from unseen.runs.request import SETTINGS
from unseen.transforms.catalogue import PIXELS, SETS, named
from unseen.transforms.chains import Chains
from unseen.transforms.transform import KINDS

JUDGES = "everything"
"""the transformations that play unseen domains"""


def without_kind(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The same settings without every transformation of that kind; where none is left, without what needs some."""
    kept = dict(settings)
    for name in ("over", "augment"):
        if kept.get(name) not in (None, PIXELS):
            kept[name] = tuple(each for each in _expanded(kept[name]) if each == PIXELS or not _is_of(each, kind))
    if kept.get("augment") == ():
        del kept["augment"]
    if kept.get("over") == ():
        kept = {name: value for name, value in kept.items() if name not in SETTINGS or name in MINIMIZATION}
        kept["K"] = 0
    if not kept.get("K", 1) and "augment" not in kept:
        kept.pop("consistency", None)
    return kept


def _expanded(names: str | tuple[str, ...]) -> list[str]:
    given = [names] if isinstance(names, str) else list(names)
    return [each for name in given for each in SETS.get(name, (name,))]


def _is_of(name: str, kind: str) -> bool:
    (transform,) = named(name)
    return transform.kind == kind


def under(kind: str, domain: Domain, judges: str | tuple[str, ...] = JUDGES) -> Domain:
    """The domain's images, each through transformations of one kind, drawn once and for all."""
    assert kind in KINDS, kind
    some = [each for each in named(judges, "judges") if each.kind == kind]
    if not some:
        raise InputError(f"judges: none of {judges} is of the kind {kind}; expected one of each: {', '.join(KINDS)}")
    chains = Chains(some)
    links = chains.draw(len(domain), generator(0, f"under {kind}"))
    labels = chains.masks(domain.labels[:], links) if domain.segmented else domain.labels
    images = chains.images(domain.images[:], links).clamp(0, 1)
    return Domain(f"{domain.name} under {kind}", images, labels, domain.classes, f"{domain.origin}; {kind} changed")
