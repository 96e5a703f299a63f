"""Training as people train: what the minimization may have beyond the paper's, all of it off unless given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from unseen.base.checks import in_float32

LAST, SOURCE_VALIDATION = "last", "source-validation"
BALANCED = "balanced"
CHOICES = {
    "optimizer": ("adam", "adamw", "sgd"),
    "schedule": ("constant", "cosine", "steps"),
    "minibatches": ("uniform", BALANCED),
    "select": (LAST, SOURCE_VALIDATION),
}


@dataclass(frozen=True, kw_only=True)
class Practice:
    """Settings of the minimization that the paper doesn't have. The defaults leave it as the paper has it."""

    optimizer: str = "adam"
    """what makes a step of a gradient: "adam" (the paper's), "adamw" or "sgd\""""
    momentum: float = 0.9
    """of sgd: the share of the step before in each step"""
    body_rate: float = 1.0
    """learning rate of everything before the head, as a factor of alpha"""
    weight_decay: float = 0.0
    """strength of the pull of all weights to 0: of adamw apart from the gradient, of sgd the same as ridge"""
    clip_gradient: float | None = None
    """greatest norm of a step's gradient over all parameters; a longer one is shortened to it"""
    warmup: int = 0
    """first steps, over which the learning rate rises in equal parts from 0"""
    drops: tuple[float, ...] = (0.5, 0.75)
    """of schedule "steps": the shares of T after which the learning rate drops"""
    drop: float = 0.1
    """of schedule "steps": by which factor"""
    epochs: float | None = None
    """in place of T: how often, in all, as many images are drawn as the source has"""
    label_smoothing: float = 0.0
    """share of each label that is spread evenly over all classes"""
    class_weights: str | tuple[float, ...] | None = None
    """weight of each class in the loss: one number for each, or "balanced", the less of it the more"""
    minibatches: str = "uniform"
    """how samples are drawn from the pool: "uniform" (the paper's) or "balanced", every class as often"""
    average: float = 0.0
    """decay of an exponential moving average of the weights, which is then the result"""
    freeze: str | tuple[str, ...] | None = None
    """layers that stay as they are: "body" (all but the head), or names of layers"""
    freeze_norms: bool = False
    """keep the statistics of every BatchNorm as they are"""
    validation: float = 0.0
    """share of the source that is split off, the same of each class, and watched, not trained on"""
    select: str = LAST
    """which weights are the result: "last", or "source-validation", those best on the validation share"""

    @property
    def practice(self) -> dict[str, Any]:
        """Those of these settings that aren't at their defaults."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(Practice)}
        return {name: value for name, (value, usual) in values.items() if value != usual}


PRACTICE = frozenset(field.name for field in fields(Practice))


def learning_rate_share(schedule: str, t: int, T: int, practice: Practice) -> float:
    """The learning rate of the step after the t-th, as a share of alpha.

    "constant": 1; "cosine": (1 + cos(pi t / T)) / 2; "steps": ``drop`` to the power of how many of ``drops`` T are
    behind. The first ``warmup`` steps have (t + 1) / warmup of it.
    """
    share = 1.0
    if schedule == "cosine":
        share = (1 + math.cos(math.pi * t / T)) / 2
    elif schedule == "steps":
        share = practice.drop ** sum(t >= at * T for at in practice.drops)
    return share * min(1.0, (t + 1) / practice.warmup) if practice.warmup else share


def range_problems(values: Mapping[str, Any]) -> list[str]:
    """Numbers outside of what they can be."""
    found = []
    for name in ("weight_decay", "warmup"):
        if not (in_float32(value := values.get(name, 0)) and value >= 0):
            found.append(f"{name}={value}: expected {'0 or more' if name == 'warmup' else FINITE}")
    for name in ("body_rate", "clip_gradient", "epochs", "drop"):
        if not (in_float32(value := values.get(name, 1)) and value > 0):
            found.append(f"{name}={value}: expected a finite number above 0{_INSTEAD.get(name, '')}")
    for name in ("momentum", "label_smoothing", "average", "validation"):
        if not 0 <= (value := values.get(name, 0)) < 1:
            found.append(f"{name}={value}: expected a share from 0 to below 1")
    drops = values.get("drops", ())
    if not all(0 < at < 1 for at in drops) or sorted(drops) != list(drops):
        found.append(f"drops={drops}: expected shares of T in order, between 0 and 1, such as (0.5, 0.75)")
    return found + _weight_problems(values.get("class_weights"))


FINITE = "a finite number, 0 or more (in float32, below 3e38)"
_INSTEAD = {"body_rate": '; to train the head alone say freeze="body"'}


def _weight_problems(weights: str | tuple[float, ...] | None) -> list[str]:
    if weights is None or weights == BALANCED:
        return []
    if isinstance(weights, str):
        return [f'class_weights="{weights}": expected "{BALANCED}" or a number for each class']
    if not weights or not all(in_float32(weight) and weight >= 0 for weight in weights) or not any(weights):
        return [f"class_weights={weights}: expected {FINITE}, for each class, and not all of them 0"]
    return []


def joint_problems(values: Mapping[str, Any]) -> list[str]:
    """Settings that exclude each other, or mean nothing without another."""
    get, found = values.get, []
    optimizer, usual = get("optimizer"), Practice()
    if get("weight_decay") and optimizer == "adam":
        found.append(
            f'weight_decay={get("weight_decay"):g} with optimizer="adam": adam has ridge, which is added to the loss; '
            'say ridge, or optimizer="adamw" for a decay apart from the gradient'
        )
    elif get("weight_decay") and get("ridge"):
        found.append(
            f"weight_decay={get('weight_decay'):g} and ridge={get('ridge'):g}: both pull the weights to 0; leave one "
            "out"
        )
    if optimizer != "sgd" and get("momentum", usual.momentum) != usual.momentum:
        found.append(f'momentum={get("momentum"):g} with optimizer="{optimizer}": it is sgd\'s; say optimizer="sgd"')
    for name in ("drops", "drop"):
        if get("schedule") != "steps" and get(name, getattr(usual, name)) != getattr(usual, name):
            found.append(f'{name}={get(name)} with schedule="{get("schedule")}": say schedule="steps"')
    if get("class_weights") is not None and get("minibatches") == BALANCED:
        found.append(
            f'class_weights={get("class_weights")!r} with minibatches="{BALANCED}": rare classes would count twice; '
            "leave one out"
        )
    if get("freeze") == "body" and get("body_rate", 1) != 1:
        found.append(f'body_rate={get("body_rate"):g} with freeze="body": a frozen body has no rate; leave one out')
    if get("select") == SOURCE_VALIDATION and not get("validation"):
        found.append(f'select="{SOURCE_VALIDATION}" without a validation share: say validation=0.1')
    return found
