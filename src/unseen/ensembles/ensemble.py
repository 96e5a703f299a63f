"""Several trained networks that answer as one: for each sample a rule picks the member that answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn

from unseen.base.images import Images, StoredImages, in_batches
from unseen.base.imports import model_code
from unseen.base.paths import resolved
from unseen.data.domain import as_domain, named
from unseen.engine import evaluation_batch, host_copies
from unseen.ensembles import folder as ensemble_folder
from unseen.ensembles.folder import SavedMember
from unseen.ensembles.members import (
    Models,
    counted_classes,
    model_problems,
    name_problems,
    network_problems,
    run_problems,
)
from unseen.ensembles.rules import DEFAULT, PIXEL_RULES, Rule, as_rule
from unseen.errors import InputError, RunFolderError, all_problems
from unseen.models.split import Split, split
from unseen.runs.folder import RunFolder
from unseen.runs.loading import NetworkRecord, load
from unseen.scoring.accuracy import Choice, raw_scores

Item = TypeVar("Item")


class Ensemble:
    """Networks that know the same classes and take the same images, and the rule by which one of them answers.

    In the paper they are trained with gamma = 10^0, 10^-1, ..., 10^-6. How far away the unseen domains are is unknown,
    so there is a member for each distance, and for each sample the surest one answers (eq. (9)). ``rule`` is
    one of ``unseen.rules`` or its name.
    """

    def __init__(
        self, members: Iterable[Split | nn.Module], *, names: Sequence[str] | None = None, rule: Rule | str = DEFAULT
    ) -> None:
        self.members = tuple(split(member) for member in _several(members, "networks"))
        self.names = tuple(map(str, range(len(self.members)) if names is None else names))
        self.rule = as_rule(rule)
        all_problems("ensemble", name_problems(self.names, len(self.members)))
        all_problems("ensemble", network_problems(self._by_name))
        self._records: Sequence[NetworkRecord] = [NetworkRecord.of(net) for net in self.members]
        self._counted: dict[tuple[int, ...], int] = {}

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The names of the classes the members were trained on, where a member knows names."""
        return next((net.classes for net in self.members if named(net.classes)), None)

    @property
    def _by_name(self) -> dict[str, Split]:
        return dict(zip(self.names, self.members, strict=True))

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"Ensemble({', '.join(self.names)}; rule={self.rule.name})"

    @classmethod
    def of_runs(
        cls,
        folders: Iterable[str | Path],
        *,
        models: Models | None = None,
        rule: Rule | str = DEFAULT,
        run_model_code: bool = False,
    ) -> Ensemble:
        """The networks of finished runs, named after their folders.

        ``models`` is needed where runs were started from Python, as in ``unseen.load``: a network for each folder, or
        None where the folder is enough. ``run_model_code`` is as there, too.
        """
        rule, paths = as_rule(rule), [Path(folder) for folder in _several(folders, "run folders")]
        all_problems("ensemble", _repetitions(paths))
        records = _finished_records(paths)
        all_problems("ensemble", run_problems(dict(zip(paths, records, strict=True))))
        short = [path.name for path in paths]
        names = short if len(set(short)) == len(short) else [str(path) for path in paths]
        with model_code(run_model_code):
            return cls._loaded(paths, names, records, models, rule)

    @classmethod
    def load(cls, folder: str | Path, models: Models | None = None, *, run_model_code: bool = False) -> Ensemble:
        """The ensemble that ``save`` put there.

        ``models`` is needed where members came from Python: networks like theirs, in the members' order, whose weights
        are then replaced. ``run_model_code`` is as in ``unseen.load``.
        """
        saved = ensemble_folder.read(Path(folder))
        records = [NetworkRecord.read(place) for place in saved.places]
        with model_code(run_model_code):
            return cls._loaded(saved.places, saved.names, records, models, as_rule(saved.rule))

    @classmethod
    def _loaded(
        cls,
        places: Sequence[Path],
        names: Sequence[str],
        records: Sequence[NetworkRecord],
        models: Models | None,
        rule: Rule,
    ) -> Ensemble:
        given = [None] * len(places) if models is None else list(models)
        all_problems("ensemble", model_problems(dict(zip(names, records, strict=True)), given))
        ensemble = cls(map(load, places, given), names=names, rule=rule)
        ensemble._records = records
        return ensemble

    def save(self, folder: str | Path) -> None:
        """Write everything into a new folder, which is there whole or not at all."""
        if PIXEL_RULES.get(self.rule.name) != self.rule:
            raise InputError(
                f"{self.rule!r} is a rule of your own, which a folder can't hold: save with one of "
                f"{', '.join(PIXEL_RULES)}, and set the ensemble's rule after loading"
            )
        members = [
            SavedMember(name, record.config, host_copies(net.model.state_dict()))
            for name, record, net in zip(self.names, self._records, self.members, strict=True)
        ]
        ensemble_folder.write(Path(folder), self.rule.name, members)

    def predict(self, images: Images, *, batch: int | None = None) -> Choice:
        """The class of each image, the member that answered and how sure it was; ``images`` are as in a ``Domain``.

        A batch goes to all members, one after the other, before the next batch. Of its scores only the answers are
        kept, so that memory hardly grows with the images.
        """
        choices = [self.rule(scores) for scores in self._scored(images, batch)]
        return Choice(
            torch.cat([choice.classes for choice in choices]),
            torch.cat([choice.member for choice in choices]),
            torch.cat([choice.confidence for choice in choices]),
        )

    def scores(self, images: Images, *, batch: int | None = None) -> Tensor:
        """The raw scores of all members, (members, N, classes): what any rule can be called with."""
        return torch.cat(list(self._scored(images, batch)), dim=1)

    def _scored(self, images: Images, batch: int | None) -> Iterator[Tensor]:
        images = _checked(images)
        self.count_classes(images)
        for part in in_batches(images, batch or evaluation_batch(images[:1])):
            yield torch.stack([raw_scores(net, part, batch=len(part)) for net in self.members])

    def count_classes(self, images: Images) -> int:
        """How many classes the members know; refuses images that one of them can't take."""
        shape = tuple(images.shape[1:])
        if shape not in self._counted:
            classes, problems = counted_classes(self._by_name, images)
            all_problems("ensemble", problems)
            self._counted[shape] = classes
        return self._counted[shape]


def _several(given: Iterable[Item], what: str) -> list[Item]:
    """The same as a list; one alone is refused, since a path and a Sequential can be gone through as well."""
    if isinstance(given, str | Path | nn.Module):
        raise InputError(f"ensemble: expected a list of {what}, got one {type(given).__name__}; put it in a list")
    return list(given)


def _checked(images: Images) -> Images:
    if isinstance(images, StoredImages):
        return images
    if not isinstance(images, Tensor) or images.ndim == 0:
        raise InputError(f"images: expected a float tensor (N, C, H, W) in [0, 1], got {type(images).__name__}")
    return as_domain((images, torch.zeros(len(images), dtype=torch.long)), "images").images


def _repetitions(paths: Sequence[Path]) -> list[str]:
    places = [resolved(path) for path in paths]
    twice = [path for path, place in zip(paths, places, strict=True) if places.count(place) > 1]
    return [f"{', '.join(map(str, twice))} are one run; expected different ones"] if twice else []


def _finished_records(paths: Sequence[Path]) -> list[NetworkRecord]:
    """The record of each run's network; every folder that can't be used is in one message."""
    records, problems = [], []
    for path in paths:
        try:
            RunFolder(path).check_finished()
            records.append(NetworkRecord.read(path))
        except RunFolderError as error:
            problems.append(str(error))
    if problems:
        raise RunFolderError("\n".join(problems))
    return records
