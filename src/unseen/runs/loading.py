"""Trained networks from their folders: a run's, an adaptation's, an ensemble member's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from unseen.base.imports import beside, model_code
from unseen.base.records import from_json
from unseen.engine import Engine
from unseen.errors import RunFolderError
from unseen.models.names import is_built_in, runs_code
from unseen.models.split import Split, split
from unseen.models.weight_files import misfits
from unseen.runs.config import SourceRecord
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job


@dataclass(frozen=True, kw_only=True)
class _About:
    """What a config may have besides the network: a folder that was put together in Python has less than a run's."""

    source: SourceRecord | None = None
    job: Job | None = None
    ada: Mapping[str, Any] | None = None
    adda: Mapping[str, Any] | None = None
    target: Mapping[str, Any] | None = None
    engine: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=dict)
    created: str = ""


_ABOUT = tuple(each.name for each in fields(_About))


@dataclass(frozen=True, kw_only=True)
class NetworkRecord:
    """What a folder says of the network whose weights it holds, however it was trained."""

    head: str
    """name of the module that makes the scores"""
    scores: int | None = None
    """how many the head gives"""
    classes: tuple[str, ...] | None = None
    """the names of what it was trained on; an ensemble that was given a bare network knows none"""
    job: Job | None = None
    shape: tuple[int, ...] | None = None
    """channels, height and width of the images it was trained on, where that was written down"""
    seed: int = 0
    config: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """``config.json`` as it is, for a copy of the folder"""

    @classmethod
    def of(cls, net: Split) -> NetworkRecord:
        """What a network made in Python says of itself, in the words of a run's config."""
        model = {"class": type(net.model).__qualname__, "head": net.head_name}
        return cls(head=net.head_name, config={"job": None, "model": model})

    @classmethod
    def read(cls, folder: Path) -> NetworkRecord:
        """The record of a folder that holds weights."""
        content = RunFolder(folder).config_content()
        try:
            return cls._of(content)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RunFolderError(f"{folder / 'config.json'} is damaged or not a run's: {error!r}") from error

    @classmethod
    def _of(cls, content: Mapping[str, Any]) -> NetworkRecord:
        model, about = content["model"], from_json(_About, {n: content[n] for n in _ABOUT if n in content})
        shape = model.get("shapes", {}).get(f"{model['head']}.weight")
        named = {"head": model["head"], "scores": shape[0] if shape else None, "seed": content.get("seed", 0)}
        known = {"classes": about.source.classes, "shape": about.source.shape} if about.source else {}
        return replace(from_json(cls, named | known), job=about.job, config=content)

    def __post_init__(self) -> None:
        if self.scores is not None and self.scores < max(len(self.classes or ()), 1):
            raise ValueError(f"its head gives {self.scores} scores for {len(self.classes or ())} classes")
        if self.shape is not None and not (len(self.shape) == 3 and min(self.shape) > 0):
            raise ValueError(f"shape={self.shape}: expected channels, height and width of its images")

    @property
    def from_a_run(self) -> bool:
        """Whether a run of Algorithm 1 trained it, as far as its folder says."""
        return "ada" in self.config

    @property
    def size(self) -> tuple[int, int] | None:
        """Height and width of the images it was trained on, where that was written down."""
        return (self.shape[1], self.shape[2]) if self.shape else None

    @property
    def adapted(self) -> bool:
        """Whether an adaptation (ADDA) made it."""
        return "adda" in self.config


def need_job(job: Job | None, folder: Path, given: Job | None = None) -> Job:
    """The job of a run that the command line started; one from Python has none: ``given`` says what it lacks."""
    found = job or given
    if found is None:
        raise RunFolderError(
            f"{folder} was started from Python with a model of its own: say what makes such a model, with --model "
            f"FILE.py:FUNCTION; or use it there, with unseen.load({str(folder)!r}, model) "
            "and unseen.fit(..., resume=True)"
        )
    return found


def loader(given: Job | None) -> Callable[[Path], Split] | None:
    """What gives a folder's trained network, whose model ``given`` makes if nothing else does; None for None."""
    if given is None:
        return None

    def load_net(folder: Path) -> Split:
        record = NetworkRecord.read(folder)
        if record.job is not None and not runs_code(record.job.model):
            return load(folder)
        scores = record.scores or len(record.classes or ())
        if not scores:
            raise RunFolderError(f"{folder} doesn't say how many classes its network knows; use it in Python")
        return load(folder, replace(given, head=record.head).build_model(scores, record.seed))

    return load_net


def load(folder: str | Path, model: Split | nn.Module | None = None, *, run_model_code: bool = False) -> Split:
    """The trained network of a finished run, in evaluation mode; ``classes`` of it are those it was trained on.

    ``model`` is needed for a run started from Python: the same network, whose weights are then replaced. A run whose
    model is made by a Python file or module is refused unless ``run_model_code`` says that this code may be run.
    """
    files = RunFolder(folder)
    files.check_finished()
    record = NetworkRecord.read(files.path)
    weights = files.read_weights()  # before a network is built of the size that the config says
    _check_head(record, weights, files.path)
    with model_code(run_model_code):
        given = model if model is not None else _rebuilt(record, files.path)
    _load_weights(given.model if isinstance(given, Split) else given, weights, record, files.weights)
    net = split(given, record.head)
    net.classes = record.classes
    return net.eval()


def _check_head(record: NetworkRecord, weights: Mapping[str, Tensor], folder: Path) -> None:
    """Refuse a config and weights that don't belong together."""
    head = weights.get(f"{record.head}.weight")
    if record.scores is not None and (head is None or head.shape[:1] != (record.scores,)):
        found = "none" if head is None else f"one of shape {tuple(head.shape)}"
        raise RunFolderError(
            f"{folder}: config.json says that {record.head} gives {record.scores} scores, and weights.safetensors has "
            f"{found} of that name: one of the two is damaged or another run's; restore it"
        )


def _rebuilt(record: NetworkRecord, folder: Path) -> Split:
    """The network that the run's job describes, before its weights are read."""
    job = need_job(record.job, folder)
    job = replace(job, model=beside(job.model, folder))
    if record.scores is None:
        raise RunFolderError(f"{folder / 'config.json'} is damaged: it doesn't say how many scores its head gives")
    net = job.rebuild_model(record.scores, record.seed)
    if is_built_in(job.model):
        Engine(device="cpu").place(net)  # in the layout it was trained in
    return net


def _load_weights(model: nn.Module, weights: Mapping[str, Tensor], record: NetworkRecord, path: Path) -> None:
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        found = "; ".join(misfits(weights, model.state_dict())) or str(error)
        mend = (
            "give the network that was trained"
            if record.job is None
            else "leave the model out: the folder says what it is"
        )
        raise RunFolderError(f"{path} holds the weights of another model: {found}; {mend}") from None
