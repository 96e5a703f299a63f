"""What the leaderboard compares, as settings of one training loop; ``chosen`` are those of the ascent over
transformations, and what serves as its control is made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from unseen.method.settings import ADA, MINIMIZATION, each_name
from unseen.paper.family.chosen import Settings
from unseen.paper.methods import Ensembled, Method, Trained
from unseen.transforms.catalogue import PIXELS

PLAIN, ON_PIXELS, DRAWN, ASCENDED = (
    "no transformation", "ascent over pixels", "transformations drawn", "ascent over transformations",
)  # fmt: skip
"""what a method does to images: its colour in the figure"""

ERM, RANDOM, NO_ASCENT, OURS = "ERM", "Random transformations", "Rounds without ascent", "Transformations"
JITTERED = f"{OURS} + jitter"
_ADA, _CONVOLUTIONS, _JITTER, _FASTER_JITTER = "ADA, K=2", "Random convolutions", "Jitter", "Jitter at the same rate"
_ENTROPY, _CONSISTENT = f"{OURS} + entropy", f"{_CONVOLUTIONS} + consistency"
_WEIGHTS = {"entropy": 1.0, "consistency": 1.0}
"""the terms that are tried on top of the chosen settings, or taken away where they are among them"""
_RATE = ("alpha", "schedule")
_GAMMAS = (0.1, 1.0, 10.0)
_USUAL = {field.name: field.default for field in fields(ADA)}

Controls = tuple[tuple[str, str], ...]
"""methods, and what each is compared with, besides ERM"""


def digit_methods(chosen: Settings) -> tuple[Method, ...]:
    """Everything on digits, in the order in which it is trained."""
    ada = {"K": 2, "gamma": 1.0}
    conv = {"K": 0, "augment": "randconv", "links": 1}
    return (
        _erm(),
        _drawn("Dropout", {"K": 0, "dropout": 0.5}, PLAIN),
        Trained(_ADA, "ada", ada, group=ON_PIXELS),
        Trained("ADA, K=4", "ada", {"K": 4, "gamma": 1.0}, group=ON_PIXELS),
        Trained("ADA + entropy", "ada", {**ada, "entropy": 10.0}, group=ON_PIXELS),
        _drawn(_CONVOLUTIONS, conv),
        _drawn(_CONSISTENT, {**conv, "consistency": 10.0}),
        _drawn(_JITTER, {"K": 0, "augment": "jitter"}),
        _drawn(RANDOM, random_settings(chosen)),
        _drawn(NO_ASCENT, {**chosen, "T_max": 0}),
        Trained(OURS, "ada", chosen, group=ASCENDED),
        *(Trained(label, "ada", settings, group=ASCENDED) for label, settings in variants(chosen).items()),
        *_at_its_rate(chosen),
        Ensembled("Ensemble over γ", "ada", tuple({**chosen, "gamma": g} for g in _GAMMAS), group=ASCENDED),
    )


def long_methods(chosen: Settings) -> tuple[Method, ...]:
    """The best two after 10,000 steps, and what shows how much the steps alone do."""
    kept = (ERM, RANDOM, OURS, _ENTROPY)
    return tuple(method for method in digit_methods(chosen) if method.label in kept)


def street_methods(chosen: Settings, first: Settings) -> tuple[Method, ...]:
    """The same on streets, ADA with the paper's settings there; ``first`` was chosen before, and has no jitter."""
    jitter = {"K": 0, "augment": "jitter", "augment_share": 1.0}
    return (
        _erm(),
        Trained("ADA", "ada", {"K": 1, "gamma": 1.0}, group=ON_PIXELS),
        _drawn(_JITTER, jitter),
        _drawn(_FASTER_JITTER, {**jitter, **_rate_of(chosen)}),
        _drawn(RANDOM, random_settings(chosen)),
        Trained(JITTERED, "ada", chosen, group=ASCENDED),
        Trained(OURS, "ada", first, group=ASCENDED),
        *_at_its_rate(chosen),
    )


def controls(methods: tuple[Method, ...]) -> Controls:
    """Those of these methods that have a control among them: what differs between the two is one thing."""
    labels = [method.label for method in methods]
    whole = JITTERED if JITTERED in labels else OURS  # random transformations have the jitter where the ascent has it
    wanted = [
        (OURS, NO_ASCENT), (whole, RANDOM), (NO_ASCENT, RANDOM), (JITTERED, _FASTER_JITTER), (_FASTER_JITTER, _JITTER),
        *((label, OURS) for label in labels if label.startswith((f"{OURS} +", f"{OURS} without", "Ensemble"))),
        *((label, ERM) for label in labels if label.startswith(f"{ERM} ")),
        ("ADA + entropy", _ADA), (_CONSISTENT, _CONVOLUTIONS),
    ]  # fmt: skip
    return tuple(pair for pair in wanted if set(pair) <= set(labels))


def _erm() -> Trained:
    return Trained(ERM, "erm", {"K": 0}, group=PLAIN)


def _drawn(label: str, settings: Settings, group: str = DRAWN) -> Trained:
    """A training without an ascent that isn't ERM: of the paper's kinds, dropout is the nearest."""
    return Trained(label, "dropout", settings, group=group)


def random_settings(chosen: Settings) -> dict[str, Any]:
    """The same transformations at each step, drawn: of the chosen settings, those that don't need rounds."""
    names = [
        name for given in (chosen["over"], chosen.get("augment", ())) for name in each_name(given) if name != PIXELS
    ]
    kept = {name: value for name, value in chosen.items() if name in MINIMIZATION}
    return {**kept, "K": 0, "augment": names[0] if names == [chosen["over"]] else tuple(names)}


def variants(chosen: Settings) -> dict[str, dict[str, Any]]:
    """The chosen settings with one thing more; with one thing less where it is among them."""
    found: dict[str, dict[str, Any]] = {}
    for name, weight in _WEIGHTS.items():
        inside = bool(chosen.get(name))
        found[f"{OURS} {'without' if inside else '+'} {name}"] = {**chosen, name: 0.0 if inside else weight}
    names = each_name(chosen["over"])
    inside = PIXELS in names
    over = tuple(name for name in names if name != PIXELS) if inside else (*names, PIXELS)
    found[f"{OURS} {'without' if inside else '+'} {PIXELS}"] = {**chosen, "over": over}
    return found


def _rate_of(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The chosen learning rate and schedule, where they aren't the paper's."""
    return {name: chosen[name] for name in _RATE if chosen.get(name, _USUAL[name]) != _USUAL[name]}


def _at_its_rate(chosen: Mapping[str, Any]) -> list[Trained]:
    """ERM with that rate."""
    rate = _rate_of(chosen)
    return [Trained(f"{ERM} at the same rate", "erm", {"K": 0, **rate}, group=PLAIN)] if rate else []
