"""What happens on the page, without the page: a picture, its answers, a slider's strip, the fictitious image of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from threading import Lock

import torch
from torch import Tensor

from unseen.base.labels import VOID
from unseen.deploy.play.players import Ascent, Players
from unseen.deploy.play.sliders import SLIDERS, Slider, along, transformed, transformed_masks
from unseen.deploy.prediction import Prediction, predictions_of
from unseen.method.ascent import fictitious
from unseen.models.split import Split, count_classes
from unseen.reporting.kit.links import Went, how_far
from unseen.scoring.accuracy import raw_scores

AT_REST = (0.0,) * len(SLIDERS)
_NOWHERE: Went = ()


@dataclass(frozen=True, eq=False)
class Shown:
    """A picture as the networks take it, and what is on it: what is known, or else what they say."""

    image: Tensor
    """(C, H, W) in [0, 1]"""
    label: str | None = None
    """its class; None where labels are masks"""
    mask: Tensor | None = None
    """its mask, where it is known"""
    masks: tuple[Tensor, ...] = ()
    """for each player the mask that its answers are held against: the known one, else its own of the picture at rest"""


@dataclass(frozen=True, eq=False)
class Strip:
    """How well the answers of each player hold while one slider goes over its range."""

    slider: Slider
    held: Tensor
    """(players, points) in [0, 1]: the probability of the picture's class; of masks, the share of pixels that agree"""
    right: Tensor | None
    """(players, points): whether the class is still the answer; None for masks"""


@dataclass(frozen=True, eq=False)
class Made:
    """The fictitious image of a picture."""

    by: Ascent
    image: Tensor
    moved: float
    """L2 distance from the original, over all pixel values"""
    went: Went
    """which transformations it went through and how far, in units of their range; none in an ascent over pixels"""
    before: Sequence[float]
    """for each player, how well its answer holds on the original"""
    after: Sequence[float]
    """the same on the fictitious image"""


class Sitting:
    """The players at one table: one question at a time, since an ascent freezes and re-casts the network it uses."""

    def __init__(self, players: Players) -> None:
        self.players = players
        self._turn = Lock()

    def show(self, picture: str | PathLike[str]) -> Shown:
        """A picture's file, prepared. What is on it is what the players say, until somebody says better."""
        image = self.players.predictor.prepare(picture)
        with self._turn:
            for net in self.players.nets:
                count_classes(net, image[None], pixels=None)  # refuses a size that it can't take
        return self.look(Shown(image))

    def look(self, shown: Shown) -> Shown:
        """The same picture with what is still unknown of it: the class of the greatest mean probability, or masks."""
        said = self.answers(shown, AT_REST)
        masks = [prediction.mask for prediction in said if prediction.mask is not None]
        if masks:
            return replace(shown, masks=tuple(mask if shown.mask is None else shown.mask for mask in masks))
        if shown.label is not None:
            return shown
        mean = {name: sum(each.probabilities[name] for each in said) for name in self.players.predictor.classes}
        return replace(shown, label=max(mean, key=mean.__getitem__))

    def seen(self, shown: Shown, at: Sequence[float]) -> Tensor:
        """The picture (C, H, W) with the sliders there."""
        return transformed(shown.image[None], torch.tensor([list(at)]))[0]

    def answers(self, shown: Shown, at: Sequence[float]) -> list[Prediction]:
        """What each player says with the sliders there."""
        return [said[0] for said in self._ask(self.seen(shown, at)[None])]

    def strip(self, shown: Shown, slider: Slider, at: Sequence[float]) -> Strip:
        """What each player says while one slider goes over its range and the others stay."""
        values = along(slider, at)
        said = self._ask(transformed(shown.image.expand(len(values), -1, -1, -1), values))
        if shown.label is None:
            moved = [transformed_masks(mask.expand(len(values), -1, -1), values) for mask in shown.masks]
            return Strip(
                slider, torch.tensor([_agree(each, masks) for each, masks in zip(said, moved, strict=True)]), None
            )
        held = [[prediction.probabilities[shown.label] for prediction in each] for each in said]
        right = [[prediction.label == shown.label for prediction in each] for each in said]
        return Strip(slider, torch.tensor(held), torch.tensor(right))

    def make_fictitious(self, shown: Shown, ascent: Ascent, seed: int = 0) -> Made:
        """By the ascent of that network's own run, from the picture at rest."""
        with self._turn:
            y = self._labels(shown, ascent.net)
            made = fictitious(ascent.net, shown.image[None], y, ascent.ada, names=["the picture"], seed=seed)
        image, chains, links = made.images[0].float(), ascent.ada.ascended, made.links
        after, went = replace(shown, image=image), _NOWHERE
        if chains is not None and links is not None:
            went = how_far(chains, links)[0]
            after = replace(after, masks=tuple(chains.masks(mask[None], links)[0] for mask in shown.masks))
        moved = float((image - shown.image).norm())
        return Made(ascent, image, moved, went, self._holds(shown), self._holds(after))

    def _labels(self, shown: Shown, net: Split) -> Tensor:
        """Of a batch of this one picture; a mask that nobody knows is the network's own."""
        if shown.label is not None:
            return torch.tensor([self.players.predictor.classes.index(shown.label)])
        return raw_scores(net, shown.image[None]).argmax(1).byte() if shown.mask is None else shown.mask[None]

    def _holds(self, shown: Shown) -> list[float]:
        said = self._ask(shown.image[None])
        if shown.label is not None:
            return [prediction.probabilities[shown.label] for (prediction,) in said]
        return [_agree(each, mask[None])[0] for each, mask in zip(said, shown.masks, strict=True)]

    def _ask(self, images: Tensor) -> list[list[Prediction]]:
        """For each player, its predictions."""
        with self._turn:
            scores = {net: raw_scores(net, images) for net in self.players.nets}
        return [
            predictions_of(
                torch.stack([scores[net] for net in player.nets.values()]),
                player.predictor.rule,
                player.predictor.classes,
                tuple(player.predictor.members),
            )
            for player in self.players.each
        ]


def _agree(predictions: Sequence[Prediction], masks: Tensor) -> list[float]:
    """For each picture, the share of the pixels labelled in its mask (N, H, W) that have this label in the answer."""
    shares = []
    for prediction, mask in zip(predictions, masks, strict=True):
        assert prediction.mask is not None
        labelled = mask != VOID
        shares.append(float((prediction.mask == mask)[labelled].double().mean()) if labelled.any() else 1.0)
    return shares
