"""The names of the rules, on the command line and in saved folders; imports nothing, so that ``--help`` is quick."""

from __future__ import annotations

GREATEST_SOFTMAX = "greatest-softmax"
GREATEST_SCORE = "greatest-score"
GREATEST_MARGIN = "greatest-margin"
LEAST_ENTROPY = "least-entropy"
MEAN_SOFTMAX = "mean-softmax"
MAJORITY_VOTE = "majority-vote"
SUREST_IMAGE = "surest-image"
SUREST_REGION = "surest-region"

NAMES = (
    GREATEST_SOFTMAX, GREATEST_SCORE, GREATEST_MARGIN, LEAST_ENTROPY, MEAN_SOFTMAX, MAJORITY_VOTE,
    SUREST_IMAGE, SUREST_REGION,
)  # fmt: skip
"""Every rule, in the order of ``rules.PIXEL_RULES``."""

DEFAULT = GREATEST_SOFTMAX
