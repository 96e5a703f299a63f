"""What each row of the leaderboard is, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from unseen.paper.family.methods import OURS
from unseen.reporting.kit.tables import Sheet

MEANINGS: dict[str, str] = {
    "ERM": "the network trained on the source as it is",
    "ERM at the same rate": f"ERM with the learning rate and the schedule of {OURS}",
    "Dropout": "ERM with dropout of 0.5 after both hidden layers",
    "ADA": "the paper's method with its settings for streets: ascent over pixels, one round",
    "ADA, K=2": "the paper's method: ascent over pixels, two rounds",
    "ADA, K=4": "the same with four rounds",
    "ADA + entropy": "ADA, K=2, with ME-ADA's entropy term in the ascent, weight 10",
    "Random convolutions": "half of each minibatch goes through a convolution drawn for each image; RandConv, as "
    "published, takes every image and has the consistency",
    "Random convolutions + consistency": "the same with the Jensen-Shannon divergence between three views, weight 10",
    "Jitter": "light and colour drawn at each step: for half of each minibatch on digits, for every image on streets",
    "Jitter at the same rate": f"the same with the learning rate and the schedule of {OURS}",
    "Random transformations": f"what {OURS} can do to an image, drawn at each step: no rounds, no ascent; on streets "
    "with the jitter",
    "Rounds without ascent": f"the rounds of {OURS}, whose images are drawn and then left as they are",
    OURS: "ascent over the parameters of transformations of light, colour, texture and viewpoint",
    f"{OURS} + entropy": "with the entropy term in the ascent, weight 1",
    f"{OURS} + consistency": "with the Jensen-Shannon divergence between a sample and the image it was made from, "
    "weight 1",
    f"{OURS} + pixels": "the ascent moves the pixels, too",
    f"{OURS} + jitter": "every image is jittered at each training step, too",
    "Ensemble over γ": f"three networks of {OURS}, with γ = 0.1, 1 and 10: the greatest softmax answers",
}
"""by the row's name"""


def rows_sheet(labels: Iterable[str]) -> Sheet:
    """The rows of these names, each once."""
    rows = [(label, MEANINGS[label]) for label in dict.fromkeys(labels)]
    return Sheet("What the rows are", ("row", "what it is"), rows, "", frozenset({0, 1}))
