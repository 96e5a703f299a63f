"""The hyper-parameters of Algorithm 1, under the paper's names, checked against each other when made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from unseen.base.checks import type_problems
from unseen.errors import InputError, all_problems, did_you_mean

COST_SPACES = {"semantic": "features", "pixel": "pixels"}
"""each cost, and in what it measures distance"""
CHOICES = {
    "cost": tuple(COST_SPACES),
    "scale": ("released", "paper"),
    "sampling": ("union", "chain"),
}
MINIMIZATION = frozenset({"alpha", "T", "batch", "ridge"})  # what is left of the settings where there are no rounds


@dataclass(frozen=True, kw_only=True)
class ADA:
    """Adversarial data augmentation (Algorithm 1). The defaults are the paper's digit experiment.

    Every field is a setting of the method; ``K=0`` makes no fictitious samples and is plain training (ERM).
    """

    gamma: float = 1.0
    """penalty on the distance from the original: greater keeps fictitious images closer"""
    K: int = 2
    """rounds of fictitious images; 0 is plain training (ERM)"""
    T_min: int = 100
    """minimization steps before each round"""
    T_max: int = 15
    """ascent steps for each fictitious image"""
    eta: float = 1.0
    """step size of the ascent"""
    alpha: float = 1e-4
    """learning rate of the minimization (Adam)"""
    T: int = 10_000
    """minimization steps in all, those between rounds included"""
    batch: int = 32
    """images in a minibatch"""
    n: int | None = None
    """fictitious images made in each round; as many as the source has when not given"""
    cost: str = "semantic"
    """where the distance is measured: "semantic" (features) or "pixel\""""
    scale: str = "released"
    """how gamma and eta are read: "released" (the authors' code) or "paper" (the text)"""
    sampling: str = "union"
    """where a round starts: "union" (drawn from the whole pool) or "chain" (the round before)"""
    clip: bool = False
    """keep fictitious images in [0, 1]; the paper doesn't"""
    ridge: float = 0.0
    """strength of ridge/2 ||W||^2 over all weights, added to the minimization's loss"""

    def __post_init__(self) -> None:
        all_problems(type(self).__name__, problems(vars(self)))

    def asdict(self) -> dict[str, Any]:
        """Every setting by name, for a config file."""
        return dict(vars(self))


def ERM(**settings: Any) -> ADA:
    """Empirical risk minimization, the baseline: Algorithm 1 with no rounds (K = 0).

    Takes the settings of the minimization: ``alpha``, ``T``, ``batch``, ``ridge``.
    """
    useless = sorted(set(settings) - MINIMIZATION)
    if useless:
        raise InputError(
            f"ERM: {', '.join(useless)} has no meaning without rounds; expected alpha, T, batch or ridge "
            "(for rounds use unseen.ADA)"
        )
    return ADA(K=0, **settings)


def problems(settings: Mapping[str, Any]) -> list[str]:
    """Everything wrong with these settings; those not given have their defaults, those of a wrong type meet nothing."""
    values = {f.name: f.default for f in fields(ADA)} | dict(settings)
    wrong = {name: text for name, text in type_problems(ADA, values).items() if name not in CHOICES}
    good = {name: value for name, value in values.items() if name not in wrong and value is not None}
    return [*wrong.values(), *_range_problems(good), *_choice_problems(good), *_fit_problems(good)]


def _range_problems(values: Mapping[str, Any]) -> list[str]:
    least = {"K": 0, "T_min": 1, "T_max": 1, "T": 1, "batch": 1, "n": 1}
    found = [f"{n}={values[n]}: expected {least[n]} or more" for n in least if values.get(n, least[n]) < least[n]]
    for name in ("gamma", "eta", "alpha", "ridge"):
        value = values.get(name, 0)
        if not (math.isfinite(value) and value >= 0):
            found.append(f"{name}={value}: expected a finite number, 0 or more")
    return found


def _choice_problems(values: Mapping[str, Any]) -> list[str]:
    found = []
    for name, known in CHOICES.items():
        value = values.get(name)
        if value not in known:
            *first, last = (f'"{k}"' for k in known)
            expected = f"{', '.join(first)} or {last}"
            found.append(f'{name}="{value}": expected {expected}{did_you_mean(str(value), known, listed=True)}')
    return found


def _fit_problems(values: Mapping[str, Any]) -> list[str]:
    K, T_min, T = (values.get(name, 0) for name in ("K", "T_min", "T"))
    if min(K, T_min, T) <= 0 or K * T_min < T:
        return []
    return [
        f"K={K} rounds of T_min={T_min} steps need more than {K * T_min} steps, got T={T}: the last round's images "
        f"would never be trained on; raise T above {K * T_min} or lower K or T_min"
    ]
