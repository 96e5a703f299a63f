"""The settings of the ascent over transformations that the leaderboard has, fixed before any target was looked at.

``CHOSEN`` is what ``unseen choose experiments/choose-digits.toml`` came to: it sees MNIST alone. Nothing here may be
changed after a look at SVHN, MNIST-M, SYN or USPS, nor at the drives and streets that are tested on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Settings = Mapping[str, Any]

CHOSEN: Settings = {
    "over": "standard", "K": 20, "spread": True, "keep": 5, "sampling": "source", "n": 2_000, "T_max": 5, "gamma": 1.0,
}  # fmt: skip
CHOSEN_STREETS: Settings = {
    "over": ("photometric", "affine"), "K": 10, "spread": True, "keep": 3, "sampling": "source", "n": 62, "T_max": 5,
    "gamma": 1.0,
}  # fmt: skip
