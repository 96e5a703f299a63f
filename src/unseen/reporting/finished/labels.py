"""What a training is called: by the settings that mean something for it, and only those that tell it from others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from unseen.method.settings import ADA, MINIMIZATION, WEIGHTS
from unseen.reporting.kit.wording import listed
from unseen.transforms.catalogue import PIXELS, SETS

_LISTED = 3
"""names of transformations in a label, at most; of more the first, and how many"""
_DRAWN = ("augment_share", "links", "strength")
"""settings of the transformations that are drawn at each step"""
_OFF_AT_0 = ("dropout", "ridge", *WEIGHTS)

Settings = Mapping[str, Any]


def meaningful(ada: ADA) -> dict[str, Any]:
    """The settings that decide something in this training: two that differ in others only are the same method."""
    if ada.K == 0:
        return {"K": 0} | minimization(ada)
    transforms = ada.ascended is not None
    useless = {
        *(_DRAWN if not ada.augment else ()),
        *(("start", "step") if not transforms else ()),
        *(("eta", "clip") if not ada.moves_pixels else ()),
        *(("T_min",) if ada.spread else ()),
    }
    used = {"links", "strength"} if transforms else set()
    return {name: value for name, value in ada.asdict().items() if name not in useless - used}


def minimization(ada: ADA) -> dict[str, Any]:
    """The same for what it would be without rounds."""
    useless = () if ada.augment else _DRAWN
    return {name: value for name, value in sorted(ada.asdict().items()) if name in MINIMIZATION and name not in useless}


def method_name(settings: Settings) -> str:
    """``ADA``, ``ADA over standard transformations``, ``ERM + jitter drawn``: a method without its numbers."""
    name = "ADA" if settings["K"] else "ERM"
    if settings.get("over", PIXELS) != PIXELS:
        one_set = isinstance(settings["over"], str) and settings["over"] in SETS
        name += f" over {_names(settings['over'])}{' transformations' * one_set}"
    return f"{name} + {_names(settings['augment'])} drawn" if settings["augment"] else name


def distinct_labels(groups: Sequence[Settings]) -> list[str]:
    """``ADA (K=2, γ=1)``, with whatever other setting distinguishes those that would have the same."""
    words = [(method_name(settings), *_words(settings)) for settings in groups]
    labels = []
    for own, settings in zip(words, groups, strict=True):
        alike = [other for other, theirs in zip(groups, words, strict=True) if theirs == own]
        distinct = [k for k in settings if any(other.get(k) != settings[k] for other in alike)]
        more = [f"{k}={shown(settings[k])}" for k in distinct if k != "shapes" or distinct == ["shapes"]]
        labels.append(f"{own[0]} ({', '.join([*own[1:], *more])})" if [*own[1:], *more] else own[0])
    again = Counter(labels)
    return [f"{label} no. {i}" if again[label] > 1 else label for i, label in enumerate(labels, 1)]


def without_numbers(label: str) -> str:
    """What a label begins with: ``method_name`` of what it names."""
    return label.partition(" (")[0]


def everything_set(settings: Settings) -> str:
    """Every setting in one line; terms that are off are left out."""
    on = {name: value for name, value in settings.items() if value is not None and value is not False}
    return ", ".join(
        f"{name}={shown(value)}" for name, value in on.items() if name != "shapes" and (value or name not in _OFF_AT_0)
    )


def shown(value: Any) -> str:
    """One setting's value, for people."""
    if isinstance(value, Mapping):
        return f"{len(value)} tensors"
    if isinstance(value, tuple | list):
        return "+".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _names(names: str | Sequence[str]) -> str:
    """Transformations or sets of them; a user's own without the place they are in."""
    each = [name.rpartition(":")[2] for name in ([names] if isinstance(names, str) else names)]
    return listed(each if len(each) <= _LISTED else [*each[: _LISTED - 1], f"{len(each) - _LISTED + 1} more"])


def _words(settings: Settings) -> tuple[str, ...]:
    """The settings that name a method besides what it moves: its rounds, and what isn't the default."""
    words = []
    if settings["K"] > 0:
        words.append(f"K={settings['K']}")
        if settings["over"] == PIXELS or settings["gamma"] != ADA.gamma:
            words.append(f"γ={settings['gamma']:g}")
        words += ["no ascent"] * (settings["T_max"] == 0)
        words += [f"{settings[name]} {name}" for name in ("cost", "scale") if settings[name] != getattr(ADA, name)]
    if settings.get("strength", ADA.strength) != ADA.strength:
        words.append(f"strength {settings['strength']:g}")
    return (*words, *(f"{n.replace('_', ' ')} {settings[n]:g}" for n in _OFF_AT_0 if settings.get(n)))
