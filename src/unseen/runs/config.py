"""The config of a run: everything that decides its bits, typed. It is read and written here and nowhere else."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, TypedDict, TypeVar

from typing_extensions import override

from unseen.base.checks import type_problems
from unseen.base.imports import reading_names
from unseen.base.records import digest_of_json, from_json, plain, to_json
from unseen.base.tensors import tensors_digest
from unseen.data.domain import Domain
from unseen.engine import EngineRecord, host_copies
from unseen.errors import InputError, all_problems
from unseen.method.settings import ADA
from unseen.models.split import Split
from unseen.runs.job import Job

MARKS = {"ada": "a run of ADA or ERM", "adda": "an adaptation (ADDA)"}
"""The key of ``config.json`` by which each kind of training is known."""
FORMAT = 1
"""of ``config.json``; files from before the number was written are of the first format, too"""
SEAL = "sha256"
"""the key of ``config.json`` that has the digest of all others"""


@dataclass(frozen=True, kw_only=True)
class Cadence:
    """How often, in minimization steps, a run writes things down. Rounds and the end are always written down."""

    record: int = 50
    """the mean loss since the last record"""
    watch: int = 500
    """the accuracy on the watched domains; a multiple of ``record``"""
    save: int = 500
    """a checkpoint"""
    minutes: float = field(default=10.0, compare=False)
    """a checkpoint as well, when the last is so many minutes old; it decides no bit, and may be another on resume"""

    def __post_init__(self) -> None:
        all_problems("cadence", list(type_problems(Cadence, vars(self)).values()))
        if min(self.record, self.watch, self.save) < 1 or self.watch % self.record:
            raise InputError(f"{self}: expected steps of 1 or more, and watch a multiple of record")
        if not self.minutes > 0:
            raise InputError(f"cadence: minutes={self.minutes}: expected a number above 0")


@dataclass(frozen=True, kw_only=True)
class SourceRecord:
    """The source domain, as it was found."""

    name: str
    images: int
    classes: tuple[str, ...]
    sha256: str
    """fingerprint of its images and labels"""
    unlabelled: int = 0
    """how many of its images have no labelled pixel, and are not trained on"""
    shape: tuple[int, ...] | None = None
    """of each image: channels, height, width; the first versions' runs lack it"""

    def __post_init__(self) -> None:
        if not (0 <= self.unlabelled < self.images and self.classes):
            raise ValueError(
                f"a source of {self.images} images, {self.unlabelled} of them without a label, and {len(self.classes)} "
                "classes: expected some that are trained on"
            )
        if self.shape is not None and not (len(self.shape) == 3 and min(self.shape) > 0):
            raise ValueError(f"shape={self.shape}: expected channels, height and width of the source's images")

    @classmethod
    def of(cls, source: Domain) -> SourceRecord:
        """The record of this domain."""
        return cls(
            name=source.name,
            images=len(source),
            classes=tuple(source.classes),
            sha256=source.fingerprint,
            unlabelled=len(source) - len(source.labelled),
            shape=tuple(source.images.shape[1:]),
        )

    @property
    def labelled(self) -> int:
        """How many of its images are trained on."""
        return self.images - self.unlabelled


@dataclass(frozen=True, kw_only=True)
class ModelRecord:
    """The network, as far as a record can describe it."""

    class_name: str
    head: str
    """name of the module that makes the scores"""
    shapes: Mapping[str, tuple[int, ...]]
    """of every tensor of its ``state_dict``"""

    @classmethod
    def of(cls, net: Split) -> ModelRecord:
        """The record of this network."""
        shapes = {name: tuple(tensor.shape) for name, tensor in net.model.state_dict().items()}
        return cls(class_name=type(net.model).__qualname__, head=net.head_name, shapes=shapes)

    @property
    def classes(self) -> int:
        """How many scores its head gives."""
        return self.shapes[f"{self.head}.weight"][0]


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """What the config of anything that is trained has: what was asked for, and what it was made with."""

    seed: int
    source: SourceRecord
    model: ModelRecord
    cadence: Cadence
    engine: EngineRecord
    versions: Mapping[str, str]
    created: str
    """when it began, ISO 8601 in UTC"""
    job: Job | None = None
    """how model and source are built by name; None where a Python program brought its own"""
    identity: str | None = None
    """SHA-256 of what makes it this training and no other, by which it knows its checkpoints and rounds; runs that
    share their rounds have the same; those of the first versions have none"""
    format: int = FORMAT

    def asdict(self) -> dict[str, Any]:
        """The content of ``config.json``."""
        content = to_json(self)
        model, source = content["model"], content["source"]
        content["model"] = {"class": model.pop("class_name"), **model}
        for name in ("unlabelled", "shape"):
            if not source[name]:
                del source[name]
        content["job"] = self.job.asdict() if self.job is not None else None
        if self.identity is None:
            del content["identity"]
        shared = {each.name for each in fields(TrainingConfig)}
        own = {name: value for name, value in content.items() if name not in shared}
        return {"format": self.format} | own | content  # people read it from the top


@dataclass(frozen=True, kw_only=True)
class RunConfig(TrainingConfig):
    """The config of a run of Algorithm 1."""

    ada: ADA
    watch: Mapping[str, str]
    """name and fingerprint of each domain whose accuracy is recorded during training"""

    @override
    def asdict(self) -> dict[str, Any]:
        """The content of ``config.json``; of the settings that the paper doesn't have those that aren't off."""
        return super().asdict() | {"ada": plain(self.ada.asdict())}

    @property
    def round_size(self) -> int:
        """How many fictitious images each round makes."""
        return self.ada.n or self.source.labelled


Config = TypeVar("Config", bound=TrainingConfig)


def identity_of(net: Split, **decisive: Any) -> str:
    """SHA-256 of everything that decides a training: the network with its initial weights, and the rest by name."""
    text = json.dumps(plain(decisive), sort_keys=True)
    return tensors_digest(host_copies(net.model.state_dict()), text)


class OtherKind(TypeError):
    """A config of another kind of training than was expected."""


def read_config(kind: type[Config], content: Any) -> Config:
    """The config that ``asdict`` gave; what isn't one is a ``TypeError``, or an ``InputError`` of the settings."""
    if not isinstance(content, Mapping):
        raise TypeError(f"expected an object, got {type(content).__name__}")
    found = next((what for mark, what in MARKS.items() if mark in content), "nothing that says how it was trained")
    expected = next(what for mark, what in MARKS.items() if mark in kind.__dataclass_fields__)
    if found != expected:
        raise OtherKind(f"holds {found}, expected {expected}")
    if content.get("format", FORMAT) != FORMAT:
        raise TypeError(f"format {content['format']!r} is of another version of unseen, expected {FORMAT}")
    model = content.get("model")
    if isinstance(model, Mapping) and "class" in model:
        model = {"class_name": model["class"], **{name: value for name, value in model.items() if name != "class"}}
        content = {**content, "model": model}
    with reading_names():
        return from_json(kind, content)


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a ``config.json`` with the digest by which a reader knows that nobody changed it."""
    rest = {name: value for name, value in content.items() if name != SEAL}
    return rest | {SEAL: digest_of_json(rest)}


class Provenance(TypedDict):
    """With which versions something was made, and when."""

    versions: dict[str, str]
    created: str


def made_now() -> Provenance:
    """With the versions that are installed, now."""
    versions = {name: version(name) for name in ("unseen", "torch", "numpy", "safetensors")}
    if find_spec("PIL") is not None:  # its resizing decides pixels
        versions["pillow"] = version("pillow")
    return {
        "versions": versions | {"python": platform.python_version()},
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
