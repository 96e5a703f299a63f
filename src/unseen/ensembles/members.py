"""What the members of an ensemble must have in common; every problem is one line for ``all_problems``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn

from unseen.base.images import Images
from unseen.data.domain import named
from unseen.errors import InputError
from unseen.models.split import Split, count_classes
from unseen.runs.loading import NetworkRecord

Models = Sequence[Split | nn.Module | None]
"""a network for each member to put its weights into, or None where its run folder says how to make it"""


def name_problems(names: Sequence[str], members: int) -> list[str]:
    """Whether there are members, and a name of its own for each."""
    if members == 0:
        return ["no members; expected one or more"]
    if len(names) != members:
        return [f"{len(names)} names for {members} members; expected one for each"]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    return [f"{', '.join(twice)} is the name of several members; expected one of its own for each"] if twice else []


def network_problems(nets: Mapping[str, Split]) -> list[str]:
    """Whether the members are different networks for the same classes, as far as that shows without an image."""
    heads = {name: net.model.get_submodule(net.head_name) for name, net in nets.items()}
    classes = {name: len(head.weight) for name, head in heads.items() if isinstance(head, nn.Linear | nn.Conv2d)}
    known = {name: ", ".join(net.classes) for name, net in nets.items() if net.classes and named(net.classes)}
    differences = _differences("the number of classes", classes) or _differences("the classes", known)
    return _same_weights(nets) + differences


def _same_weights(nets: Mapping[str, Split]) -> list[str]:
    problems = []
    seen: dict[frozenset[int], str] = {}
    for name, net in nets.items():
        first = seen.setdefault(frozenset(map(id, net.parameters())) or frozenset([id(net)]), name)
        if first != name:
            problems.append(
                f"{first} and {name} are one network: fit trains in place, so make a network for each training"
            )
    return problems


def counted_classes(nets: Mapping[str, Split], images: Images) -> tuple[int, list[str]]:
    """How many classes the members know, and what is wrong where they can't take the images or don't agree."""
    counts, problems = {}, []
    for name, net in nets.items():
        try:
            counts[name] = count_classes(net, images, pixels=None)
        except InputError as error:
            problems.append(f"{name}: {error}")
    return max(counts.values(), default=0), problems + _differences("the number of classes", counts)


def run_problems(records: Mapping[Path, NetworkRecord]) -> list[str]:
    """Whether runs know the same classes and had their images prepared alike."""
    classes = {str(path): ", ".join(record.classes or ()) for path, record in records.items()}
    jobs = {path: record.job for path, record in records.items() if record.job is not None}
    images = {str(path): f"side {job.side or 'as given'}, {job.resize}" for path, job in jobs.items()}
    return _differences("the classes", classes) + _differences("the size of the images", images)


def model_problems(records: Mapping[str, NetworkRecord], models: Models) -> list[str]:
    """Whether there is a network to put each member's weights into, or a description to make one from."""
    listed = ", ".join(records)
    if len(models) != len(records):
        return [f"{len(models)} models for {len(records)} members; expected one for each of {listed}"]
    absent = [name for name, model in zip(records, models, strict=True) if model is None]
    strange = [name for name in absent if records[name].job is None]
    if strange:
        return [
            f"{', '.join(strange)} came from Python with a network of its own: give models=, a network for each of "
            f"{listed} in this order, or None for those that the command line trained"
        ]
    given = [model.model if isinstance(model, Split) else model for model in models if model is not None]
    if len({id(model) for model in given}) < len(given):
        return ["models= has one network twice; expected one for each member, to hold its weights"]
    return []


def _differences(what: str, found: Mapping[str, Any]) -> list[str]:
    members: dict[Any, list[str]] = {}
    for name, value in found.items():
        members.setdefault(value, []).append(name)
    if len(members) < 2:
        return []
    listed = "; ".join(f"{value} ({', '.join(names)})" for value, names in members.items())
    return [f"members differ in {what}: {listed}; expected the same for all"]
