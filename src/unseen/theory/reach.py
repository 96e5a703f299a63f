"""How much an ascent could reach at most: the supremum of its objective over feature space."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from unseen.errors import InputError
from unseen.method.settings import ADA
from unseen.models.split import Split
from unseen.theory.head import Head, linear_head, own_scores, paper_gamma
from unseen.theory.solve import solve
from unseen.transforms.catalogue import PIXELS


@dataclass(frozen=True)
class Reach:
    """A network's linear head and the gamma of the text that weighs distances in its features."""

    head: Head
    gamma: float

    @classmethod
    def of(cls, net: Split, ada: ADA) -> Reach | None:
        """None where the theory says nothing: a head that isn't linear, distances in pixels, no penalty at all.

        Nor does it of an ascent that moves transformations, which reach a part of feature space, or maximizes entropy.
        """
        if ada.over != PIXELS or ada.entropy:
            return None
        try:
            head = linear_head(net, torch.float64)
            gamma = paper_gamma(ada, head.weight.shape[1])
        except InputError:
            return None
        return cls(head, gamma) if gamma > 0 else None

    def supremum(self, z0: Tensor, scores: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """phi_gamma for samples with these features and scores, at least and at most.

        NaN if the scores aren't the head's: a softmax after it makes them others, or it is applied at each pixel.
        """
        if not own_scores(z0, scores, self.head, torch.bfloat16):
            unknown = torch.full((len(scores),), torch.nan)
            return unknown, unknown
        solved = solve(scores, y, self.head.gram, self.gamma)
        return solved.value, solved.upper
