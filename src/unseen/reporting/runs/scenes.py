"""A few images of a domain whose labels are masks: the truth, what each model answers, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from unseen.base.labels import VOID
from unseen.data.domain import Domain
from unseen.reporting.finished.ensembles import FinishedEnsemble
from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.palette import colours_of
from unseen.reporting.kit.pictures import Picture, map_picture, picture
from unseen.reporting.kit.statistics import mean
from unseen.reporting.runs.samples import Network
from unseen.scoring.accuracy import answers

IMAGES_SHOWN = 3
RUNS_SHOWN, ENSEMBLES_SHOWN = 3, 2  # methods whose answers are drawn
SCENE_SIDE = 240  # pixels kept of the longest side: sharp at the size shown, and a page of ten domains stays small

AGREEMENT = {
    "both right": "#e7e4dc",
    "only {method} right": "#1f78c8",
    "only {baseline} right": "#e8730c",
    "both wrong, not alike": "#3a3a3a",
    "both wrong, alike": "#a09c94",
}
"""What a map of differences shows, and its colours."""


@dataclass(frozen=True)
class Drawn:
    """What one method answers for an image, and the share of its labelled pixels that is right."""

    method: Method
    mask: Picture
    right: float


@dataclass(frozen=True)
class Difference:
    """Where a method and the baseline are right, and the shares of labelled pixels that only one of them has right."""

    method: Method
    map: Picture
    method_only: float
    baseline_only: float


@dataclass(frozen=True)
class Scene:
    """One image of a domain."""

    number: int
    """its row in the domain"""
    image: Picture
    truth: Picture
    answers: list[Drawn]
    differences: list[Difference]


@dataclass(frozen=True)
class Scenes:
    """The images shown of one domain."""

    domain: Domain
    shown: list[Scene]

    def right(self, method: Method) -> float:
        """The share of labelled pixels that a method has right, as the mean over the images shown."""
        return mean([answer.right for scene in self.shown for answer in scene.answers if answer.method is method])


def evenly_spaced(size: int, count: int) -> list[int]:
    """At most ``count`` of ``size`` places: the middles of as many equal parts."""
    count = min(size, count)
    return [(2 * i + 1) * size // (2 * count) for i in range(count)]


def some_of(numbers: Sequence[int], most: int) -> list[int]:
    """At most so many of them, evenly spaced from the first to the last."""
    count = min(len(numbers), most)
    return [numbers[round(i * (len(numbers) - 1) / max(count - 1, 1))] for i in range(count)]


def methods_drawn(methods: Sequence[Method]) -> list[Method]:
    """The first methods of runs, the baseline among them, and the first of ensembles: more would be too small."""
    ensembles = [method for method in methods if isinstance(method.runs[0], FinishedEnsemble)]
    return [*[m for m in methods if m not in ensembles][:RUNS_SHOWN], *ensembles[:ENSEMBLES_SHOWN]]


def make_scenes(
    domain: Domain, nets: Sequence[tuple[Method, Network]], baseline: Method | None, classes: Sequence[str]
) -> Scenes:
    """Images of ``domain`` evenly spaced among those that are labelled: nobody chooses them."""
    rows = domain.labelled[evenly_spaced(len(domain.labelled), IMAGES_SHOWN)]
    given = [(method, answers(net, domain.images[rows]).classes) for method, net in nets]
    base = next((masks for method, masks in given if method is baseline), None)
    colours = colours_of(classes)
    shown = []
    for i, row in enumerate(rows.tolist()):
        truth, image = domain.labels[row], picture(domain.images[row], SCENE_SIDE)
        drawn = [_drawn(method, masks[i], truth, colours) for method, masks in given]
        differences = [
            _difference(method, masks[i], base[i], truth)
            for method, masks in given
            if base is not None and method is not baseline
        ]
        shown.append(Scene(row, image, _mask_picture(truth, colours), drawn, differences))
    return Scenes(domain, shown)


def _drawn(method: Method, answer: Tensor, truth: Tensor, colours: Sequence[str]) -> Drawn:
    return Drawn(method, _mask_picture(answer, colours), _share(answer == truth, truth))


def _mask_picture(mask: Tensor, colours: Sequence[str]) -> Picture:
    return map_picture(torch.where(mask == VOID, len(colours), mask), colours, SCENE_SIDE)


def _difference(method: Method, answer: Tensor, base: Tensor, truth: Tensor) -> Difference:
    kinds = agreement(answer, base, truth)
    drawn = map_picture(kinds, list(AGREEMENT.values()), SCENE_SIDE)
    return Difference(method, drawn, _share(kinds == 1, truth), _share(kinds == 2, truth))


def agreement(answer: Tensor, base: Tensor, truth: Tensor) -> Tensor:
    """For each pixel, which of ``AGREEMENT`` it is by its number; one more where it is unlabelled."""
    wrong = torch.where(answer == base, 4, 3)
    kinds = torch.where(answer == truth, torch.where(base == truth, 0, 1), torch.where(base == truth, 2, wrong))
    return torch.where(truth == VOID, len(AGREEMENT), kinds)


def _share(where: Tensor, truth: Tensor) -> float:
    return float(where[truth != VOID].double().mean())
