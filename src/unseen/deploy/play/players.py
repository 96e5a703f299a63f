"""Who answers on the page: finished runs, ensembles, and the ensemble of the runs that are given."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from unseen.deploy.predictor import Predictor, models_of
from unseen.ensembles import folder as ensemble_folder
from unseen.ensembles.ensemble import Ensemble
from unseen.errors import InputError
from unseen.method.settings import ADA
from unseen.models.split import Split
from unseen.reporting.finished.ensembles import is_ensemble
from unseen.reporting.finished.labels import distinct_labels, without_numbers
from unseen.reporting.finished.methods import FinishedRun
from unseen.reporting.kit.wording import counted
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job
from unseen.runs.loading import NetworkRecord


@dataclass(frozen=True, eq=False)
class Player:
    """A finished run or an ensemble that answers: its name, where it comes from, and its colour's number."""

    name: str
    about: str
    predictor: Predictor
    style: int

    @property
    def nets(self) -> dict[str, Split]:
        """Its networks by name: the members of an ensemble, or the one that it is."""
        net = self.predictor.net
        return {self.name: net} if isinstance(net, Split) else dict(self.predictor.members)


@dataclass(frozen=True, eq=False)
class Ascent:
    """A network and the settings of its own run, by which it makes a picture fictitious."""

    name: str
    net: Split
    ada: ADA


@dataclass(frozen=True, eq=False)
class Players:
    """All that answer, in the order of their folders; they know the same classes and take the same images."""

    each: tuple[Player, ...]
    ascents: tuple[Ascent, ...]
    """of every network whose folder says how it was trained; those that made fictitious images come first"""
    job: Job | None
    """the first that says by name what was trained on"""

    @property
    def predictor(self) -> Predictor:
        """One of theirs: all prepare a picture in the same way, for the same classes."""
        return self.each[0].predictor

    @cached_property
    def nets(self) -> list[Split]:
        """Every network once, also one that plays by itself and in an ensemble."""
        return list(dict.fromkeys(net for player in self.each for net in player.nets.values()))

    @cached_property
    def masks(self) -> bool:
        """Whether they answer with a class for each pixel."""
        prepare = self.predictor.prepare
        return self.predictor.scores(torch.zeros(1, prepare.channels, *(prepare.size or (64, 64)))).ndim > 3


def load_players(folders: Sequence[Path], load_net: Callable[[Path], Split] | None = None) -> Players:
    """The networks of these folders. Two runs or more, and no ensemble among them, play as an ensemble, too.

    ``load_net`` gives networks that their folders alone can't.
    """
    opened = [_Opened(folder, Predictor.load(folder, models_of(folder, load_net))) for folder in map(Path, folders)]
    _refuse_others(opened)
    names = _names(opened)
    first = 0 if names[0].startswith("ERM") else 1  # 0 is the baseline's colour
    players = [
        Player(name, one.about, one.predictor, first + i)
        for i, (name, one) in enumerate(zip(names, opened, strict=True))
    ]
    ascents = [ascent for player, one in zip(players, opened, strict=True) for ascent in one.ascents(player)]
    if len(opened) > 1 and not any(one.predictor.members for one in opened):
        players.append(_together(players))
    jobs = [record.job for one in opened for record in one.records if record.job is not None]
    return Players(tuple(players), tuple(sorted(ascents, key=lambda ascent: ascent.ada.K == 0)), next(iter(jobs), None))


class _Opened:
    """A folder, its predictor, and what is written down of each of its networks."""

    def __init__(self, folder: Path, predictor: Predictor) -> None:
        self.folder, self.predictor = folder, predictor
        self.places = ensemble_folder.read(folder).places if is_ensemble(folder) else (folder,)
        self.records = [NetworkRecord.read(place) for place in self.places]

    @property
    def about(self) -> str:
        """Where it comes from; of an ensemble, also who is in it and by which rule it answers."""
        return f"{self.folder}: {_described(self.predictor)}" if self.predictor.members else str(self.folder)

    @property
    def run(self) -> FinishedRun | None:
        """The run of Algorithm 1 that it is, if it is one."""
        one = not self.predictor.members and self.records[0].from_a_run
        return FinishedRun(self.folder, RunFolder(self.folder).config()) if one else None

    @property
    def kind(self) -> str:
        """What it is called where it isn't a run of Algorithm 1."""
        return "ensemble" if self.predictor.members else self.folder.resolve().name

    def ascents(self, player: Player) -> Iterator[Ascent]:
        """Its networks that Algorithm 1 trained."""
        for (name, net), place, record in zip(player.nets.items(), self.places, self.records, strict=True):
            if record.from_a_run:
                own = name if name == player.name else f"{name} of {player.name}"
                yield Ascent(own, net, RunFolder(place).config().ada)


def _described(predictor: Predictor) -> str:
    return f"{counted(len(predictor.members), 'member')}, {predictor.rule.name}"


def _names(opened: Sequence[_Opened]) -> list[str]:
    """ERM, ADA and the like, with as many settings as distinguish them; ``ensemble``; else the folder's name."""
    runs = [one.run for one in opened]
    keys = [None if run is None else json.dumps(run.settings, sort_keys=True) for run in runs]
    methods = {key: run.settings for key, run in zip(keys, runs, strict=True) if key and run}  # seeds are of one method
    labels = dict(zip(methods, distinct_labels(list(methods.values())), strict=True))
    kinds = Counter(map(without_numbers, labels.values()))
    short = {key: plain if kinds[plain := without_numbers(label)] == 1 else label for key, label in labels.items()}
    names = [short[key] if key else one.kind for key, one in zip(keys, opened, strict=True)]
    again = Counter(names)
    return [
        f"{name} {one.folder.resolve().name}" if again[name] > 1 else name
        for name, one in zip(names, opened, strict=True)
    ]


def _together(players: Sequence[Player]) -> Player:
    """The runs as an ensemble, by the rule that is used when none is named."""
    nets = {name: net for player in players for name, net in player.nets.items()}
    ensemble, one = Ensemble(nets.values(), names=tuple(nets)), players[0].predictor
    predictor = Predictor(ensemble, one.classes, one.prepare)
    return Player("ensemble", f"of these: {_described(predictor)}", predictor, players[-1].style + 1)


def _refuse_others(opened: Sequence[_Opened]) -> None:
    """Refuse folders that can't answer about one and the same picture."""
    first = opened[0]
    for other in opened[1:]:
        for what, own, theirs in (
            ("knows the classes", ", ".join(first.predictor.classes), ", ".join(other.predictor.classes)),
            ("takes images of", _taken(first.predictor), _taken(other.predictor)),
        ):
            if own != theirs:
                raise InputError(
                    f"play: {first.folder} {what} {own}, {other.folder} {theirs}; expected the same for all, so that "
                    "one picture can be shown to each: give those that belong together"
                )


def _taken(predictor: Predictor) -> str:
    prepare = predictor.prepare
    size = "x".join(map(str, prepare.size)) if prepare.size else "any size"
    return f"{size} in {prepare.channels} channels, resized by {prepare.resize}"
