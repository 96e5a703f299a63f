"""A trained network, or an ensemble, that says what is on a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

import torch
from torch import Tensor, nn

from unseen.base.imports import model_code
from unseen.base.paths import expanded
from unseen.deploy import seal
from unseen.deploy.pictures import Preparation
from unseen.deploy.prediction import Prediction, predictions_of
from unseen.engine import evaluation_batch
from unseen.ensembles import folder as ensemble_folder
from unseen.ensembles.ensemble import Ensemble
from unseen.ensembles.members import Models
from unseen.ensembles.rules import DEFAULT, Rule, as_rule
from unseen.errors import InputError, all_problems
from unseen.models.split import Split, count_classes
from unseen.runs.loading import NetworkRecord, load
from unseen.scoring.accuracy import raw_scores

if TYPE_CHECKING:
    from unseen.deploy.pictures import Picture


class Predictor:
    """Says what is on pictures, prepared as the images were that its network was trained on.

    ``Predictor.load(folder)`` is the way to have one. A call with a picture gives a ``Prediction``, a call with a list
    of them a list. ``prepare`` makes the network's input of a picture, ``scores`` its raw scores of such inputs.
    """

    def __init__(self, net: Split | Ensemble, classes: Sequence[str], prepare: Preparation) -> None:
        self.net = net
        self.classes = tuple(classes)
        self.prepare = prepare

    @classmethod
    def load(
        cls, folder: str | Path, model: Split | nn.Module | Models | None = None, *, run_model_code: bool = False
    ) -> Predictor:
        """The predictor of a finished run's folder, an ensemble's folder or one that was handed over.

        ``model`` is needed where the network was brought from Python, as in ``unseen.load``; for an ensemble it is a
        list, as in ``unseen.Ensemble.load``. ``run_model_code`` is as in both.
        """
        place = expanded(folder)
        seal.check(place)
        with model_code(run_model_code):
            net, records = _ensemble(place, model) if ensemble_folder.holds(place) else _run(place, model)
        record = next((each for each in records if each.classes), records[0])
        classes = record.classes or ()  # a network may give more scores than there were classes: these are numbers
        return cls(net, classes + _numbers(net)[len(classes) :], Preparation.of(record))

    @property
    def members(self) -> Mapping[str, Split]:
        """The networks of an ensemble by their names; none for one network."""
        return dict(zip(self.net.names, self.net.members, strict=True)) if isinstance(self.net, Ensemble) else {}

    @property
    def networks(self) -> tuple[Split, ...]:
        """The network, or those of the members."""
        return self.net.members if isinstance(self.net, Ensemble) else (self.net,)

    @property
    def rule(self) -> Rule:
        """By which an ensemble answers; of one network, the one by which it is its own surest member."""
        return self.net.rule if isinstance(self.net, Ensemble) else as_rule(DEFAULT)

    @property
    def size(self) -> tuple[int, int] | None:
        """Height and width to which pictures are resized; None where they are taken as they are."""
        return self.prepare.size

    def __repr__(self) -> str:
        size = "x".join(map(str, self.size)) if self.size else "any size"
        what = repr(self.net) if isinstance(self.net, Ensemble) else type(self.net.model).__name__
        return f"Predictor({what}, {len(self.classes)} classes, {size})"

    @overload
    def __call__(self, picture: Picture) -> Prediction: ...

    @overload
    def __call__(self, picture: list[Picture] | tuple[Picture, ...]) -> list[Prediction]: ...

    def __call__(self, picture: Picture | list[Picture] | tuple[Picture, ...]) -> Prediction | list[Prediction]:
        """The prediction for a picture; for a list of pictures the list of theirs, in the same order.

        A picture is a path, a PIL image, a numpy array (H, W) or (H, W, channels) of bytes or of floats in [0, 1], or a
        tensor (channels, H, W) in [0, 1]. Of a list, every one that can't be used is named in one message.
        """
        if isinstance(picture, list | tuple):
            return self.predict(self._prepared(picture))
        return self.predict([self.prepare(picture)])[0]

    def _prepared(self, pictures: Iterable[Picture]) -> list[Tensor]:
        images, problems = [], []
        for picture in pictures:
            try:
                images.append(self.prepare(picture))
            except InputError as error:
                problems.append(str(error))
        all_problems("pictures", problems)
        return images

    def predict(self, images: Sequence[Tensor]) -> list[Prediction]:
        """The predictions for images that ``prepare`` gave; those of one size go through the network together."""
        made: dict[int, Prediction] = {}
        for rows in _by_shape(images):
            batch = evaluation_batch(images[rows[0]])
            for part in (rows[start : start + batch] for start in range(0, len(rows), batch)):
                scores = self.scores(torch.stack([images[i] for i in part]))
                scores = scores if self.members else scores[None]
                said = predictions_of(scores, self.rule, self.classes, tuple(self.members))
                made |= zip(part, said, strict=True)
        return [made[i] for i in range(len(images))]

    def scores(self, images: Tensor) -> Tensor:
        """Raw scores of images (N, channels, H, W) in [0, 1]: (N, classes), or for each pixel (N, classes, H, W).

        Those of an ensemble have the members in front: (members, N, classes, ...).
        """
        if isinstance(self.net, Ensemble):
            return self.net.scores(images)
        count_classes(self.net, images, pixels=None)
        return raw_scores(self.net, images)


def models_of(folder: Path, load_net: Callable[[Path], Split] | None) -> Split | list[Split] | None:
    """What ``Predictor.load`` takes as ``model``, each network by ``load_net``; None for None."""
    if load_net is None:
        return None
    if not ensemble_folder.record_of(folder).exists():
        return load_net(folder)
    return [load_net(place) for place in ensemble_folder.read(folder).places]


def _ensemble(folder: Path, models: Split | nn.Module | Models | None) -> tuple[Ensemble, list[NetworkRecord]]:
    if isinstance(models, nn.Module):
        raise InputError(f"{folder} holds an ensemble: expected model= to be a list with a network for each member")
    places = ensemble_folder.read(folder).places
    return Ensemble.load(folder, models), [NetworkRecord.read(place) for place in places]


def _run(folder: Path, model: Split | nn.Module | Models | None) -> tuple[Split, list[NetworkRecord]]:
    if not (model is None or isinstance(model, nn.Module)):
        raise InputError(f"{folder} holds one run: expected model= to be one network, got a {type(model).__name__}")
    return load(folder, model), [NetworkRecord.read(folder)]


def _by_shape(images: Sequence[Tensor]) -> list[list[int]]:
    """The rows of the images of each size."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, image in enumerate(images):
        groups.setdefault(tuple(image.shape), []).append(i)
    return list(groups.values())


def _numbers(net: Split | Ensemble) -> tuple[str, ...]:
    """The numbers of the network's scores."""
    first = net.members[0] if isinstance(net, Ensemble) else net
    weight: Tensor = first.model.state_dict()[f"{first.head_name}.weight"]
    return tuple(map(str, range(len(weight))))
