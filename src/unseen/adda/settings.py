"""The settings of ADDA, checked when made."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from unseen.base.checks import in_float32, type_problems
from unseen.errors import all_problems


@dataclass(frozen=True, kw_only=True)
class ADDA:
    """Adversarial discriminative domain adaptation. docs/adda.md says where the defaults come from."""

    steps: int = 1000
    """updates of the target encoder and of the discriminator"""
    target_images: int | None = None
    """how many of the target's images are used, drawn by the seed; all when not given"""
    batch: int = 64
    """images of each domain in a minibatch"""
    alpha: float = 5e-5
    """learning rate of the target encoder (Adam)"""
    alpha_discriminator: float = 2e-4
    """learning rate of the discriminator (Adam)"""
    beta1: float = 0.5
    """decay of Adam's first moment, for both"""
    hidden: int = 500
    """units in each of the discriminator's two hidden layers"""

    def __post_init__(self) -> None:
        wrong = type_problems(ADDA, vars(self))
        good = {name: value for name, value in vars(self).items() if name not in wrong and value is not None}
        all_problems("ADDA", [*wrong.values(), *_range_problems(good)])

    def asdict(self) -> dict[str, Any]:
        """Every setting by name, for a config file."""
        return asdict(self)


def _range_problems(values: dict[str, Any]) -> list[str]:
    found = [
        f"{name}={values[name]}: expected 1 or more"
        for name in ("steps", "target_images", "batch", "hidden")
        if values.get(name, 1) < 1
    ]
    for name in ("alpha", "alpha_discriminator"):
        value = values.get(name, 0)
        if not (in_float32(value) and value >= 0):
            found.append(f"{name}={value}: expected a finite number, 0 or more")
    if not 0 <= values.get("beta1", 0) < 1:
        found.append(f"beta1={values['beta1']}: expected 0 or more and below 1")
    return found
