"""The settings of the ascent over transformations that the leaderboard has.

``CHOSEN`` comes from ``unseen choose experiments/choose-digits.toml``, which sees MNIST alone, and was fixed before a
network with these settings was tested on a target: then it had the highest criterion of eleven candidates
(``results/earlier-choice-digits.jsonl``). The page says how near it is to the highest since the transformations were
changed. A pilot with other settings had seen SVHN, MNIST-M and USPS before, and the page says that as well. Never
change ``CHOSEN`` after a look at them.

``CHOSEN_STREETS`` is the best of five candidates of ``unseen choose experiments/choose-camvid-draws.toml``, which sees
CamVid's dusk drive alone. It was fixed before a network with these settings was tested on a day drive; networks with
``FIRST_STREETS``, the best of an earlier choice at half the steps, had been, and the page says so.
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
FIRST_STREETS: Settings = {
    "over": ("photometric", "affine"), "K": 10, "spread": True, "keep": 3, "sampling": "source", "n": 62, "T_max": 5,
    "gamma": 1.0, "alpha": 5e-4, "schedule": "cosine",
}  # fmt: skip
"""the candidate faster, with two more rounds since T is nearly four times as long"""
CHOSEN_STREETS: Settings = {**FIRST_STREETS, "augment": "jitter", "augment_share": 1.0}
"""the candidate every-image-jittered, with two more rounds"""
