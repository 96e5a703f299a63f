"""What an ascent did: how it is measured, and the record that ``metrics.jsonl`` has of each round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from unseen.base.records import from_json
from unseen.engine import Engine
from unseen.method.ascent import ascent_batches
from unseen.method.cost import softmax_loss, squared_distance, transport_cost
from unseen.method.settings import ADA
from unseen.models.split import Split
from unseen.theory.reach import Reach

MEASURED = 256
"""samples of a round that are measured; of a round with fewer, all"""
MOST_CLASSES = 100
"""up to which the theory's supremum is solved for: a sample costs as much as the cube of them"""


@dataclass(frozen=True, kw_only=True)
class AscentRecord:
    """What an ascent did, as means over the fictitious samples that were measured."""

    loss_before: float
    loss_after: float
    cost: float
    """transport cost c_theta, in the units of the scale"""
    moved: float
    """L2 distance in pixels"""
    radius: float | None = None
    """1/2 ||z - z0||^2, the transport cost in features as the text has it; the first versions' runs lack it"""
    supremum: float | None = None
    """of loss - gamma * cost over all of feature space, at least; None where that is infinite or not known, or where
    there are more than 100 classes"""
    supremum_most: float | None = None
    """and at most"""

    @classmethod
    def mean(cls, measured: Tensor) -> AscentRecord:
        """The means over samples that ``measure_ascent`` measured; of a supremum that is NaN, None."""
        means = measured.double().mean(0).tolist()
        known = {name: mean for name, mean in zip(MEASURES, means, strict=False) if name in ALWAYS or mean == mean}
        return cls(**known)


@dataclass(frozen=True, kw_only=True)
class RoundRecord(AscentRecord):
    """One round: when it was made, how many samples it has, and what their ascent did."""

    step: int
    """minimization steps before it"""
    round: int
    fictitious: int
    """how many samples it made"""
    measured: int | None = None
    """how many of them, drawn, the means are over; the first versions' runs, which measured all, don't have it"""

    def __post_init__(self) -> None:
        if self.round < 1 or self.fictitious < 1:
            raise ValueError(f"round {self.round} with {self.fictitious} images: expected 1 or more of both")

    @classmethod
    def read(cls, lines: Iterable[Mapping[str, Any]]) -> list[RoundRecord]:
        """The rounds among the lines of ``metrics.jsonl``; the other lines are of minimization steps."""
        return [from_json(cls, line) for line in lines if "fictitious" in line]

    @property
    def sample(self) -> str:
        """What to say of the means where they are over some of the samples; nothing where they are over all."""
        some = self.measured is not None and self.measured < self.fictitious
        return f", measured on {self.measured:,} of them" if some else ""

    def asdict(self) -> dict[str, Any]:
        """What is known of it, as a line of ``metrics.jsonl``."""
        first = {"step": self.step, "round": self.round, "fictitious": self.fictitious}
        return first | {name: value for name, value in asdict(self).items() if value is not None}


ALWAYS = ("loss_before", "loss_after", "cost", "moved", "radius")
MEASURES = (*ALWAYS, "supremum", "supremum_most")
"""The columns of ``measure_ascent``; the last two only where the theory says something."""


@torch.no_grad()
def measure_ascent(
    net: Split, x0: Tensor, x: Tensor, y: Tensor, ada: ADA, engine: Engine, y_made: Tensor | None = None
) -> Tensor:
    """How far each fictitious image is from its start, and what that did to the loss: a row of ``MEASURES``.

    ``y_made`` are the labels of the fictitious images, where masks moved with their pixels.
    """
    reach, y_made = Reach.of(net, ada), y if y_made is None else y_made
    if reach is not None and len(reach.head.weight) > MOST_CLASSES:
        reach = None
    measured = [x.new_zeros(0, len(ALWAYS if reach is None else MEASURES))]
    with net.frozen(), engine.fast_ascent(net):
        for rows in ascent_batches(x):
            z0, scores0 = net.features_and_scores(x0[rows])
            z, scores = net.features_and_scores(x[rows])
            each = [
                softmax_loss(scores0, y[rows]),
                softmax_loss(scores, y_made[rows]),
                transport_cost(ada, z, z0, x[rows], x0[rows]),
                squared_distance(x[rows], x0[rows]).sqrt(),
                squared_distance(z, z0) / 2,
            ]
            if reach is not None:
                each += [bound.to(each[0]) for bound in reach.supremum(z0, scores0, y[rows])]
            measured.append(torch.stack(each, dim=1))
    return torch.cat(measured)
