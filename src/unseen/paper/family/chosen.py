"""The settings of the ascent over transformations that the leaderboard has.

``CHOSEN`` is to be what ``unseen choose experiments/choose-digits.toml`` comes to, which sees MNIST alone; the page
says by the choice's own file whether it is. Never change it after a look at SVHN, MNIST-M, SYN or USPS. Until the
choice is made it has the settings of a pilot that did look at three of them. ``CHOSEN_STREETS`` was set by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Settings = Mapping[str, Any]

CHOSEN: Settings = {
    "over": ("standard", "waves"), "K": 20, "spread": True, "keep": 5, "sampling": "source", "n": 2_000, "T_max": 5,
    "gamma": 1.0, "alpha": 5e-4, "schedule": "cosine",
}  # fmt: skip
"""the candidate waves-faster, with twice the rounds since T is five times as long"""
CHOSEN_STREETS: Settings = {
    "over": ("photometric", "affine"), "K": 10, "spread": True, "keep": 3, "sampling": "source", "n": 62, "T_max": 5,
    "gamma": 1.0,
}  # fmt: skip
