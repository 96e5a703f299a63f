"""Whether a training ended with a loss below that of guessing, and what to change where it didn't."""

from __future__ import annotations

import math

from unseen.runs.training import Run

_MANY = 100
"""steps that a rate which is not too high learns something in"""


def remark_on_loss(run: Run) -> str | None:
    """What to say of a training whose loss ended no lower than ln(classes); None where it did, or has other terms."""
    ada, classes = run.config.ada, len(run.config.source.classes)
    losses = [line["loss"] for line in run.metrics if "loss" in line]
    other_terms = ada.consistency or ada.confidence_penalty or ada.contrast
    if other_terms or classes == 1 or not losses or losses[-1] < math.log(classes):
        return None
    too_high = ada.T >= _MANY or losses[-1] > 2 * math.log(classes)
    lower = f", or lower the learning rate alpha={ada.alpha:g}" if too_high else ""
    return (
        f"the training loss ended at {losses[-1]:.2f}, no lower than guessing among {classes:,} classes has it "
        f"({math.log(classes):.2f}): the network may have learned nothing; train longer (it was {ada.T:,} steps), "
        f"start from trained weights{lower}"
    )
