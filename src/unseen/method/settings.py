"""The hyper-parameters of Algorithm 1, under the paper's names, checked against each other when made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from unseen.base.checks import in_float32, is_name, shown, type_problems
from unseen.errors import InputError, UnknownSetting, all_problems, did_you_mean
from unseen.method import practice
from unseen.method.practice import PRACTICE, SOURCE_VALIDATION, Practice, learning_rate_share
from unseen.transforms.callables import Called
from unseen.transforms.catalogue import PIXELS, callables, chains, drawn, name_of, named
from unseen.transforms.chains import Chains
from unseen.transforms.transform import Transform

WEIGHTS = ("entropy", "consistency", "confidence_penalty", "contrast")
"""weights of terms that the paper doesn't have"""

COST_SPACES = {"semantic": "features", "pixel": "pixels"}
"""each cost, and in what it measures distance"""
CHOICES = {
    "cost": tuple(COST_SPACES),
    "scale": ("released", "paper"),
    "sampling": ("union", "chain", "source"),
    "start": ("drawn", "identity"),
    **practice.CHOICES,
}
LONGEST_CHOICE = max(len(choice) for choices in CHOICES.values() for choice in choices)
MINIMIZATION = PRACTICE | {
    "alpha", "T", "batch", "ridge", "schedule", "augment", "augment_share", "links", "strength", "consistency",
    "confidence_penalty", "contrast",
}  # fmt: skip
"""what is left of the settings where there are no rounds"""


@dataclass(frozen=True, kw_only=True)
class ADA(Practice):
    """Adversarial data augmentation (Algorithm 1). The defaults are the paper's digit experiment.

    Every field is a setting of the method; ``K=0`` makes no fictitious samples and is plain training (ERM). What people
    add to a training, such as another optimizer, is in ``Practice``, and off.
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
    """learning rate of the minimization"""
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
    """where a round starts: "union" (drawn from the whole pool), "chain" (the round before) or "source\""""
    clip: bool = False
    """keep fictitious images in [0, 1]; the paper doesn't"""
    ridge: float = 0.0
    """strength of ridge/2 ||W||^2 over all weights, added to the minimization's loss"""
    schedule: str = "constant"
    """the learning rate over T: "constant", "cosine" from alpha to 0, or "steps" (``drops``)"""
    over: str | tuple[str, ...] = PIXELS
    """what the ascent moves: "pixels" (the paper), transformations, a set of them such as "standard", or several"""
    links: int = 3
    """transformations in a row, at most: each image goes through 1 to links of them, drawn"""
    strength: float = 1.0
    """share of each transformation's range that is used"""
    start: str = "drawn"
    """where the ascent over transformations starts: "drawn" (within the range) or "identity\""""
    step: float = 0.2
    """step of the ascent over transformations, in units of each range, by the gradient's sign"""
    keep: int | None = None
    """rounds that stay in the pool, the last ones; all when not given"""
    spread: bool = False
    """rounds evenly spread over T, in place of T_min steps before each"""
    entropy: float = 0.0
    """weight of the prediction's entropy in the ascent's objective (ME-ADA)"""
    augment: str | tuple[str, ...] | None = None
    """transformations drawn anew at each training step, without an ascent; in Python also callables of one image"""
    augment_share: float = 0.5
    """share of each minibatch that they are applied to"""
    consistency: float = 0.0
    """weight of the Jensen-Shannon divergence between predictions for views of one image"""
    confidence_penalty: float = 0.0
    """weight of the prediction's entropy, which the minimization then keeps up"""
    contrast: float = 0.0
    """weight of the supervised contrastive loss between the minibatch's features"""

    def __new__(cls, *_: Any, **settings: Any) -> ADA:
        """Refuse what is no setting, with the nearest that is."""
        _refuse_unknown("ADA", settings)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name in ("over", "augment", "drops", "class_weights", "freeze"):
            if isinstance(given := getattr(self, name), list):
                object.__setattr__(self, name, tuple(given))
        object.__setattr__(self, "augment", _by_name(self.augment))
        for name in ("over", "augment"):
            given = getattr(self, name)
            for each in given if isinstance(given, tuple) else [given]:
                if isinstance(each, Transform):
                    raise InputError(
                        f'ADA: {name}: got the transformation "{each.name}" itself, expected its name; call '
                        "unseen.transforms.register with it first"
                    )
        all_problems(type(self).__name__, problems(vars(self)))

    def asdict(self) -> dict[str, Any]:
        """Every setting by name, for a config file; of ``Practice`` those that aren't off."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in PRACTICE} | (
            self.practice
        )

    def for_source(self, size: int) -> ADA:
        """The same for a source of so many images: ``epochs`` of them, as steps T."""
        if self.epochs is None:
            return self
        T = math.ceil(self.epochs * size / self.batch)
        if self.T not in (ADA.T, T):
            raise InputError(
                f"T={self.T} and epochs={self.epochs:g}, which for {size:,} images in minibatches of {self.batch} is "
                f"T={T}; leave one out"
            )
        if not self.spread and self.K * self.T_min >= T:
            enough = math.floor(self.K * self.T_min * self.batch / size) + 1
            raise InputError(
                f"{self.epochs:g} epochs of {size:,} images in minibatches of {self.batch} are {T:,} steps, and K="
                f"{self.K} rounds of T_min={self.T_min} steps need more than {self.K * self.T_min:,}: say spread = "
                f"true (--spread), which spreads the rounds over the steps there are, or epochs = {enough:,}, or a "
                "lower T_min or K"
            )
        return replace(self, T=T)

    def steps_before(self, k: int) -> int:
        """Minimization steps before round k: k * T_min, or T spread evenly over the rounds and what follows them."""
        return k * self.T // (self.K + 1) if self.spread else k * self.T_min

    def kept_rounds(self, k: int) -> range:
        """Those of the first k rounds that are still in the pool after the k-th."""
        return range(1 if self.keep is None else max(k - self.keep, 0) + 1, k + 1)

    def rate(self, t: int) -> float:
        """The learning rate of the step after the t-th."""
        return self.alpha * learning_rate_share(self.schedule, t, self.T, self)

    @property
    def selects(self) -> bool:
        """Whether the result is what was best on the source's validation, and not the last."""
        return self.select == SOURCE_VALIDATION

    @property
    def moves_pixels(self) -> bool:
        """Whether the ascent moves every pixel by itself, alone or on top of transformations."""
        return PIXELS in each_name(self.over)

    @property
    def ascended(self) -> Chains | None:
        """The transformations that the ascent moves, if it does."""
        names = tuple(name for name in each_name(self.over) if name != PIXELS)
        return chains(names, self.links, self.strength, "over") if names else None

    @property
    def augmented(self) -> Chains | None:
        """The transformations that are drawn at each step, if there are any."""
        return chains(self.augment, self.links, self.strength, "augment") if self.augment else None

    @property
    def called(self) -> tuple[Called, ...]:
        """The callables that images go through at each step, after those transformations."""
        return callables(self.augment, "augment") if self.augment else ()


def _by_name(given: Any) -> Any:
    """Callables by the names that they are known by from now on."""
    if isinstance(given, tuple):
        return tuple(map(name_of, given))
    return name_of(given)


def each_name(names: str | tuple[str, ...]) -> tuple[str, ...]:
    """The names of transformations that ``over`` or ``augment`` gives, one or several."""
    return (names,) if isinstance(names, str) else tuple(names)


def ERM(**settings: Any) -> ADA:
    """Empirical risk minimization, the baseline: Algorithm 1 with no rounds (K = 0).

    Takes the settings of the minimization: ``alpha``, ``T``, ``batch``, ``ridge``, ``augment`` and their like.
    """
    _refuse_unknown("ERM", settings)
    useless = sorted(set(settings) - MINIMIZATION)
    if useless:
        raise InputError(
            f"ERM: {', '.join(useless)} has no meaning without rounds; expected {', '.join(sorted(MINIMIZATION))} "
            "(for rounds use unseen.ADA)"
        )
    return ADA(K=0, **settings)


def _refuse_unknown(what: str, settings: Mapping[str, Any]) -> None:
    known = [f.name for f in fields(ADA)]
    unknown = [f'unknown setting "{name}"{did_you_mean(name, known)}' for name in settings if name not in known]
    if unknown:
        raise UnknownSetting(f"{what}: {'; '.join(unknown)}")


def problems(settings: Mapping[str, Any]) -> list[str]:
    """Everything wrong with these settings; those not given have their defaults, those of a wrong type meet nothing."""
    values = {f.name: f.default for f in fields(ADA)} | dict(settings)
    wrong = {name: text for name, text in type_problems(ADA, values).items() if name not in CHOICES}
    good = {name: value for name, value in values.items() if name not in wrong and value is not None}
    return [
        *wrong.values(),
        *_range_problems(good),
        *practice.range_problems(good),
        *_choice_problems(good),
        *_name_problems(good),
        *_fit_problems(good),
        *_joint_problems(good),
        *practice.joint_problems(good),
    ]


def _range_problems(values: Mapping[str, Any]) -> list[str]:
    least = {"K": 0, "T_min": 1, "T_max": 0, "T": 1, "batch": 1, "n": 1, "links": 1, "keep": 1}
    found = [f"{n}={values[n]}: expected {least[n]} or more" for n in least if values.get(n, least[n]) < least[n]]
    for name in ("gamma", "eta", "alpha", "ridge", "step", "strength", *WEIGHTS):
        value = values.get(name, 0)
        if not (in_float32(value) and value >= 0):
            found.append(f"{name}={value}: expected {practice.FINITE}")
    if not 0 <= (share := values.get("augment_share", 0)) <= 1:
        found.append(f"augment_share={share}: expected a share from 0 to 1")
    return found


def _choice_problems(values: Mapping[str, Any]) -> list[str]:
    found = []
    for name, known in CHOICES.items():
        value = values.get(name)
        if value not in known:
            *first, last = (f'"{k}"' for k in known)
            expected = f"{', '.join(first)} or {last}"
            given = f'"{value}"' if value is None or is_name(value) else shown(value)
            given = given if len(given) < 3 * LONGEST_CHOICE else shown(value)
            found.append(f"{name}={given}: expected {expected}{did_you_mean(given, known, listed=True)}")
    return found


def _name_problems(values: Mapping[str, Any]) -> list[str]:
    """Of transformations: an unknown one is found before anything is trained."""
    found = []
    for name in ("over", "augment"):
        given = values.get(name, PIXELS)
        names = [each for each in each_name(given) if each != PIXELS or (name == "augment" and name in values)]
        try:
            if names or not given:
                (drawn if name == "augment" else named)(names, name)
        except InputError as error:
            found.append(str(error))
    return found


def _joint_problems(values: Mapping[str, Any]) -> list[str]:
    """Settings that exclude each other."""
    found = []
    if values.get("keep") is not None and values.get("sampling") != "source":
        found.append(
            f'keep={values["keep"]} with sampling="{values.get("sampling")}": a round that started from an earlier one '
            'would lose its start; say sampling="source"'
        )
    if values.get("consistency") and not values.get("augment") and not values.get("K"):
        found.append(
            f"consistency={values['consistency']:g} with neither augment nor rounds: there is only one view of each "
            'image; say augment="standard", or K=1 or more'
        )
    return found


def _fit_problems(values: Mapping[str, Any]) -> list[str]:
    K, T_min, T = (values.get(name, 0) for name in ("K", "T_min", "T"))
    if values.get("epochs") and T == ADA.T:
        return []  # T isn't known before the source is
    if min(K, T_min, T) <= 0 or (K < T if values.get("spread") else K * T_min < T):
        return []
    if values.get("spread"):
        return [f"K={K} rounds spread over T={T} steps: expected at least one step before each; raise T or lower K"]
    return [
        f"K={K} rounds of T_min={T_min} steps need more than {K * T_min} steps, got T={T}: the last round's images "
        f"would never be trained on; raise T above {K * T_min} or lower K or T_min"
    ]
