"""Saved ensembles, read from their folders to be compared beside the runs."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from typing_extensions import override

from unseen.ensembles import folder as ensemble_folder
from unseen.ensembles.ensemble import Ensemble
from unseen.errors import InputError
from unseen.models.split import Split
from unseen.reporting.finished.labels import method_name
from unseen.reporting.finished.methods import FinishedRun, Method, refuse_other_sources, refuse_twice
from unseen.reporting.kit.wording import listed
from unseen.runs.folder import RunFolder
from unseen.runs.loading import NetworkRecord, load


@dataclass(frozen=True)
class FinishedEnsemble(FinishedRun):
    """An ensemble: its folder, its members, its rule by name. ``config`` is the first member's."""

    kind: ClassVar[str] = "ensemble"
    members: tuple[FinishedRun, ...]
    rule: str

    @property
    def seed(self) -> int:
        """The seed of all members, which pairs it with runs; where they have several, a number of these below 0."""
        seeds = sorted({member.seed for member in self.members})
        return seeds[0] if len(seeds) == 1 else -1 - zlib.crc32(repr(seeds).encode())

    @property
    @override
    def rounds(self) -> int:
        return 0

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What makes the method: the rule, and the members' settings."""
        return {"rule": self.rule, "members": sorted(json.dumps(m.settings, sort_keys=True) for m in self.members)}

    @property
    def label(self) -> str:
        """``ensemble of 3 ADA (γ=1, 0.1, 0.01; greatest-softmax)``."""
        counts = Counter(method_name(member.settings) for member in self.members)
        kinds = listed([f"{counts[kind]} {kind}" for kind in sorted(counts, reverse=True)])
        gammas = sorted({m.settings["gamma"] for m in self.members if m.rounds}, reverse=True)
        gamma_list = f"γ={', '.join(f'{gamma:g}' for gamma in gammas)}; " if len(gammas) > 1 else ""
        return f"ensemble of {kinds} ({gamma_list}{self.rule})"


def is_ensemble(folder: Path) -> bool:
    """Whether a folder holds an ensemble, not a run."""
    return ensemble_folder.holds(Path(folder))


def read_ensembles(folders: Sequence[Path], methods: Sequence[Method]) -> list[Method]:
    """The ensembles in ``folders`` as methods, with the styles after those of the runs' ``methods``."""
    found = [_read(Path(folder)) for folder in folders]
    refuse_other_sources([methods[0].runs[0], *found])
    groups: dict[str, list[FinishedEnsemble]] = {}
    for ensemble in found:
        groups.setdefault(json.dumps(ensemble.settings), []).append(ensemble)
    made = []
    again = Counter(group[0].label for group in groups.values())
    for i, group in enumerate(groups.values(), 1):
        group.sort(key=lambda ensemble: ensemble.seed)
        refuse_twice(group)
        label = f"{group[0].label} no. {i}" if again[group[0].label] > 1 else group[0].label
        made.append(Method(label, "the ensemble" if len(groups) == 1 else label, tuple(group), methods[-1].style + i))
    return made


def load_network(folder: Path, load_net: Callable[[Path], Split] | None) -> Split | Ensemble:
    """The trained network of a run, or an ensemble; ``load_net`` gives networks that their folders alone can't."""
    if not is_ensemble(folder):
        return (load_net or load)(folder)
    places = ensemble_folder.read(folder).places
    return Ensemble.load(folder, None if load_net is None else [load_net(place) for place in places])


def _read(folder: Path) -> FinishedEnsemble:
    saved = ensemble_folder.read(folder)
    records = dict(zip(saved.names, map(NetworkRecord.read, saved.places), strict=True))
    strange = [name for name, record in records.items() if not record.from_a_run]
    if strange:
        raise InputError(
            f"{folder}: nothing says how {listed(strange)} was trained; expected an ensemble of run folders, made with "
            "unseen ensemble RUN... or unseen.Ensemble.of_runs"
        )
    members = tuple(FinishedRun(place, RunFolder(place).config()) for place in saved.places)
    refuse_other_sources(members)
    return FinishedEnsemble(folder, members[0].config, members, saved.rule)
