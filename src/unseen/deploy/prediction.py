"""What is said of one picture: by one network, or by the members of an ensemble and its rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from unseen.ensembles.rules import Rule


@dataclass(frozen=True)
class Answer:
    """A class and how sure of it one network is; of a mask, its most frequent class and the mean over the pixels."""

    label: str
    confidence: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Prediction:
    """The answer for one picture. What only ensembles or only masks have is None, or empty, for the others."""

    label: str
    """the class; of a mask, the class with most pixels"""
    confidence: float
    """how sure, in [0, 1]: the probability of the class; of a mask, the mean over its pixels"""
    probabilities: Mapping[str, float]
    """of each class, in the order of their numbers; of a mask, the mean over its pixels"""
    answered_by: str | None = None
    """the member of the ensemble that answered; of a mask, for most pixels"""
    agreement: float | None = None
    """the share of the members that have this class as their best; of a mask, the mean over its pixels"""
    members: Mapping[str, Answer] = field(default_factory=dict)
    """what each member of the ensemble would have answered by itself"""
    mask: Tensor | None = None
    """(H, W) class numbers, uint8, at the size that the network takes"""
    confidences: Tensor | None = None
    """(H, W): how sure the mask is of each pixel"""
    shares: Mapping[str, float] = field(default_factory=dict)
    """the share of the mask's pixels that each class has"""

    def __str__(self) -> str:
        agreement = "" if self.agreement is None else f", {self.answered_by} answered, {self.agreement:.0%} agree"
        return f"{self.label} ({self.confidence:.1%}{agreement})"


def predictions_of(scores: Tensor, rule: Rule, classes: Sequence[str], members: Sequence[str] = ()) -> list[Prediction]:
    """What the rule says of each image by the raw scores of all members, (members, N, classes, ...).

    ``members`` are their names; without them, the scores are those of one network.
    """
    choice = rule(scores)
    probabilities = rule.probabilities(scores, choice)
    own = scores.softmax(2).max(2)
    predictions = []
    for i, answer in enumerate(choice.classes):
        predictions.append(
            Prediction(
                label=_most(answer, classes),
                confidence=_mean(choice.confidence[i]),
                probabilities=_by_class(probabilities[i].reshape(len(classes), -1).mean(1), classes),
                **_of_members(answer, choice.member[i], own.indices[:, i], own.values[:, i], classes, members),
                **_of_pixels(answer, choice.confidence[i], classes),
            )
        )
    return predictions


def _of_members(
    answer: Tensor, member: Tensor, labels: Tensor, confidences: Tensor, classes: Sequence[str], members: Sequence[str]
) -> dict[str, Any]:
    """What a prediction has of an ensemble: ``labels`` and ``confidences`` are each member's own, (members, ...)."""
    if not members:
        return {}
    own = [Answer(_most(label, classes), _mean(sure)) for label, sure in zip(labels, confidences, strict=True)]
    return {
        "answered_by": _most(member, members),
        "agreement": _mean(labels == answer),
        "members": dict(zip(members, own, strict=True)),
    }


def _of_pixels(mask: Tensor, confidences: Tensor, classes: Sequence[str]) -> dict[str, Any]:
    """What a prediction has of a mask; one class for the whole image is none."""
    if not mask.ndim:
        return {}
    shares = torch.bincount(mask.flatten(), minlength=len(classes)) / mask.numel()
    return {"mask": mask.byte(), "confidences": confidences, "shares": _by_class(shares, classes)}


def _most(numbers: Tensor, names: Sequence[str]) -> str:
    """The name of the most frequent number, of several the first; there may be just one number."""
    return names[int(torch.bincount(numbers.flatten()).argmax())]


def _mean(values: Tensor) -> float:
    return float(values.double().mean())


def _by_class(values: Tensor, classes: Sequence[str]) -> dict[str, float]:
    return dict(zip(classes, values.tolist(), strict=True))
