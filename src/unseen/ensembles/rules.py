"""How an ensemble answers: a rule picks a member for each sample, u*(x) in eq. (9), or blends all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from unseen.engine import at_least_float32
from unseen.ensembles import rule_names
from unseen.errors import InputError, did_you_mean
from unseen.scoring.accuracy import Choice


@dataclass(frozen=True)
class Rule(ABC):
    """A call with the raw scores of all members, (members, N, classes) or (members, N, classes, ...), gives a choice.

    Promise: the order of the members changes no class, exact ties included. They go to the lowest class, then to the
    first member. A rule of one's own overrides ``choose``, or ``certainty`` of a ``Selection``.
    """

    name: ClassVar[str]
    """on the command line and in saved folders"""

    def __call__(self, scores: Tensor) -> Choice:
        """The choice for each sample; scores that no softmax can be taken of are refused."""
        return self.choose(_checked(scores))

    @abstractmethod
    def choose(self, scores: Tensor) -> Choice:
        """The same for scores that were checked."""

    def probabilities(self, scores: Tensor, choice: Choice) -> Tensor:
        """(N, classes, ...): what the choice was made by, summing to 1; here the softmax of the member that answered.

        Of the class that was chosen it is the choice's confidence.
        """
        return _taken(scores.softmax(2), choice.member)


@dataclass(frozen=True)
class Selection(Rule):
    """One member answers: that of the greatest certainty, by its greatest score."""

    @abstractmethod
    def certainty(self, scores: Tensor) -> Tensor:
        """(members, N, ...): greater is surer."""

    def choose(self, scores: Tensor) -> Choice:
        """The surest member's best class, and the softmax it gives it."""
        certainty, classes = self.certainty(scores), scores.argmax(2)
        surest = certainty == certainty.amax(0)
        answer = torch.where(surest, classes, scores.shape[2]).amin(0)
        member = (surest & (classes == answer)).int().argmax(0)
        confidence = scores.softmax(2).amax(2).gather(0, member[None])[0]
        return Choice(answer, member, confidence)


@dataclass(frozen=True)
class GreatestSoftmax(Selection):
    """The paper's text: the member with the greatest maximum softmax value.

    They are compared by their log-odds. That is the same order, but log-odds never round to the same number, as a
    softmax of float32 does to 1 when scores are 17 apart: then the softmax couldn't tell the members from each other.
    """

    name = rule_names.GREATEST_SOFTMAX

    def certainty(self, scores: Tensor) -> Tensor:
        """log p / (1 - p) of the best class: s_max - log sum of exp(s_j) over the others."""
        return scores.amax(2) - _others(scores).logsumexp(2)


@dataclass(frozen=True)
class GreatestScore(Selection):
    """The paper's equation read literally: argmax_u max_j of the scores themselves, with no softmax."""

    name = rule_names.GREATEST_SCORE

    def certainty(self, scores: Tensor) -> Tensor:
        """max_j s_j."""
        return scores.amax(2)


@dataclass(frozen=True)
class GreatestMargin(Selection):
    """The member whose best class leads its second best by most.

    Like the softmax, and unlike the score, it doesn't change when a member adds a constant to all its scores.
    """

    name = rule_names.GREATEST_MARGIN

    def certainty(self, scores: Tensor) -> Tensor:
        """s_1 - s_2 of the best two: the log of their softmax ratio."""
        return scores.amax(2) - _others(scores).amax(2)


@dataclass(frozen=True)
class LeastEntropy(Selection):
    """The member whose softmax has the least entropy: how it shares out what its best class leaves counts, too."""

    name = rule_names.LEAST_ENTROPY

    def certainty(self, scores: Tensor) -> Tensor:
        """Sum of p_j log p_j."""
        entropy: Tensor = torch.special.entr(scores.double().softmax(2)).sum(2)
        return -entropy


@dataclass(frozen=True)
class MeanSoftmax(Rule):
    """The usual ensemble: the class with the greatest mean softmax over all members."""

    name = rule_names.MEAN_SOFTMAX

    def choose(self, scores: Tensor) -> Choice:
        """The blend's best class and its share, and the member that gives this class the greatest softmax."""
        softmax = scores.softmax(2)
        confidence, answer = _mean(softmax).max(1)
        given = softmax.gather(2, answer[None, :, None].expand(len(scores), -1, 1, *answer.shape[1:]))
        return Choice(answer, given.squeeze(2).argmax(0), confidence)

    def probabilities(self, scores: Tensor, choice: Choice) -> Tensor:
        """The mean softmax."""
        return _mean(scores.softmax(2))


@dataclass(frozen=True)
class MajorityVote(Rule):
    """The class that most members have as their best; of several, that with the greatest mean softmax."""

    name = rule_names.MAJORITY_VOTE

    def choose(self, scores: Tensor) -> Choice:
        """The class, its share of the votes, and of the members that voted for it the one with the greatest softmax."""
        softmax, ballots = scores.softmax(2), scores.argmax(2)
        votes = _votes(scores)
        most = votes.amax(1)
        answer = torch.where(votes == most.unsqueeze(1), _mean(softmax), -1.0).argmax(1)
        member = torch.where(ballots == answer, softmax.amax(2), -1.0).argmax(0)
        return Choice(answer, member, most)

    def probabilities(self, scores: Tensor, choice: Choice) -> Tensor:
        """The shares of the votes."""
        return _votes(scores)


@dataclass(frozen=True)
class SurestImage(Selection):
    """For pixels: one member answers for the whole image, the one with the greatest mean softmax of its answers."""

    name = rule_names.SUREST_IMAGE

    def certainty(self, scores: Tensor) -> Tensor:
        """The mean over the image's pixels of max_j p_j, at every pixel."""
        sure = _sure_pixels(scores, self.name)
        return sure.mean((2, 3), keepdim=True).expand_as(sure)


@dataclass(frozen=True)
class SurestRegion(Selection):
    """For pixels: the member that is surest of a pixel's surroundings.

    How well a member sees changes over a scene, with fog, lamps and distance, but not from one pixel to the next. What
    does change there is its softmax: it is low at every border between classes, in each member at other pixels, so that
    picking pixel by pixel follows that noise. The mean over a window keeps the first and loses the second. A window of
    one pixel is the greatest softmax, an endless one the surest image.
    """

    name = rule_names.SUREST_REGION
    share: float = 1 / 8
    """the window's side, as a share of the image's shorter side"""

    def certainty(self, scores: Tensor) -> Tensor:
        """The mean of max_j p_j over the window around a pixel, as far as it lies in the image."""
        sure = _sure_pixels(scores, self.name)
        if torch.compiler.is_exporting():
            sure = sure.float()  # onnxruntime has no pooling of doubles
        reach = round(min(sure.shape[2:]) * self.share) // 2
        return F.avg_pool2d(sure, 2 * reach + 1, stride=1, padding=reach, count_include_pad=False)


def _sure_pixels(scores: Tensor, name: str) -> Tensor:
    """max_j p_j at each pixel, (members, N, H, W)."""
    if scores.ndim != 5:
        raise InputError(
            f"{name} is a rule for pixels: scores are of shape {tuple(scores.shape)}, expected (members, N, classes, "
            f"height, width); for images with one label use {', '.join(RULES)}"
        )
    return scores.double().softmax(2).amax(2)


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (GreatestSoftmax(), GreatestScore(), GreatestMargin(), LeastEntropy(), MeanSoftmax(), MajorityVote())
}
"""Every rule for one answer or one for each pixel, by its name."""

PIXEL_RULES: dict[str, Rule] = RULES | {rule.name: rule for rule in (SurestImage(), SurestRegion())}
"""The same with those that look at a pixel's image."""

DEFAULT = rule_names.DEFAULT


def as_rule(rule: Rule | str) -> Rule:
    """A rule, or the one of that name."""
    if isinstance(rule, Rule):
        return rule
    if rule not in PIXEL_RULES:
        raise InputError(f'rule="{rule}": there is no rule of that name{did_you_mean(str(rule), PIXEL_RULES)}')
    return PIXEL_RULES[rule]


def _checked(scores: Tensor) -> Tensor:
    if scores.ndim < 3 or 0 in (scores.shape[0], scores.shape[2]) or not scores.is_floating_point():
        raise InputError(
            f"scores are {scores.dtype} of shape {tuple(scores.shape)}, expected floats (members, N, classes, ...) "
            "with one member and one class or more; for a single network pass scores[None]"
        )
    usable = scores.amax(2).isfinite().flatten(1).all(1)
    if not usable.all():
        listed = ", ".join(map(str, (~usable).nonzero().flatten().tolist()))
        raise InputError(
            f"scores of member {listed} (counted from 0) are NaN or infinite for some samples; leave it out: its "
            "training has diverged, or the images are not what it was trained for"
        )
    return at_least_float32(scores)


def _others(scores: Tensor) -> Tensor:
    """The scores with each member's best class taken out, as minus infinity."""
    return scores.scatter(2, scores.argmax(2, keepdim=True), -torch.inf)


def _mean(softmax: Tensor) -> Tensor:
    """Over the members; sorted, so that their order doesn't change how the sum is rounded."""
    return softmax.sort(0).values.mean(0)


def _votes(scores: Tensor) -> Tensor:
    """The share of the members that have each class as their best, (N, classes, ...)."""
    return torch.zeros_like(scores).scatter_(2, scores.argmax(2, keepdim=True), 1.0).mean(0)


def _taken(values: Tensor, member: Tensor) -> Tensor:
    """Of (members, N, classes, ...) those of the member that is named for each sample or pixel, (N, classes, ...)."""
    rows = member[None, :, None].expand(1, -1, values.shape[2], *member.shape[1:])
    return values.gather(0, rows)[0]
