"""A training described in words, so that a run folder alone is enough to rebuild its model and its source."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import safetensors.torch
from torch import nn

from unseen.checks import is_whole, type_problems
from unseen.data.catalogue import DEFAULT_SOURCE, domain
from unseen.data.digits import kernel_problems
from unseen.data.domain import Domain
from unseen.engine import Engine
from unseen.errors import InputError, RunFolderError, all_problems, did_you_mean
from unseen.models import ConvNet
from unseen.run import RunFolder
from unseen.split import Split, split

HELD_OUT = {DEFAULT_SOURCE: "mnist5k-heldout", "mnist-train": "mnist-test"}


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is trained on what, by name."""

    source: str = DEFAULT_SOURCE
    """the source domain: a built-in or real name, or a folder with one subfolder for each class"""
    images: int | None = None
    """how many of the source's images are used; all when not given"""
    offset: int = 0
    """number of the first of them, in the order they come in"""
    resize: str = "bilinear"
    """kernel that resizes images: "bilinear" or "lanczos\""""
    size: int | None = None
    """side to which a folder's images are resized; the convnet's 32 when not given"""
    model: str = "convnet"
    """"convnet", or FILE.py:FUNCTION or MODULE:FUNCTION that is called with classes=N and gives a model"""
    head: str | None = None
    """name of the model's last layer, where it isn't found by itself"""
    dropout: float = 0.0
    """chance of dropping a feature in training (convnet only)"""
    width: float = 1.0
    """share of the paper's hidden units, for small machines (convnet only)"""
    watch: tuple[str, ...] | None = None
    """domains whose accuracy is recorded during training; the built-in held-out digits by default"""
    watch_images: int | None = None
    """how many images of each watched domain, its first; all when not given"""

    def __post_init__(self) -> None:
        all_problems("settings", job_problems(vars(self)))

    def load_source(self) -> Domain:
        """The source domain, or the images of it that are asked for."""
        whole = domain(self.source, self.side, resize=self.resize)
        return whole if self.images is None and self.offset == 0 else self._rows(whole)

    def _rows(self, whole: Domain) -> Domain:
        end = len(whole) if self.images is None else self.offset + self.images
        if self.offset >= len(whole) or end > len(whole):
            last = f"{self.images:,} of them" if self.images is not None else "the rest"
            raise InputError(
                f"{last} from number {self.offset:,}: {whole.name} has {len(whole):,} images, numbered from 0; give "
                "fewer images or a smaller offset"
            )
        rows = slice(self.offset, end)
        origin = f"{whole.origin}; {end - self.offset:,} of these, from number {self.offset:,}"
        # Copied, so that the images that aren't used don't stay in memory.
        return Domain(whole.name, whole.images[rows].clone(), whole.labels[rows].clone(), whole.classes, origin)

    def load_target(self, name: str, source_classes: tuple[str, ...]) -> Domain:
        """Another domain, prepared as the source was and with the source's class numbers."""
        return domain(name, self.side, classes=source_classes, resize=self.resize)

    @property
    def side(self) -> int | None:
        """Side to which images are resized, if they are."""
        return self.size or (ConvNet.SIDE if self.model == "convnet" else None)

    def watched(self, source: Domain) -> dict[str, Domain]:
        """The domains to watch."""
        held_out = HELD_OUT.get(self.source.lower())
        names = self.watch if self.watch is not None else (held_out,) if held_out else ()
        return {name: self.load_target(name, source.classes).head(self.watch_images) for name in names}

    def build_model(self, classes: int, seed: int) -> Split:
        """The model with its initial weights, which follow from ``seed``."""
        if self.model == "convnet":
            return split(ConvNet(classes, dropout=self.dropout, width=self.width, seed=seed), self.head)
        for name, value, plain in (("dropout", self.dropout, 0.0), ("width", self.width, 1.0)):
            if value != plain:
                raise InputError(f"{name}={value}: only the convnet takes it; put it into {self.model} itself")
        maker = _maker(self.model)
        try:
            with Engine(device="cpu").seeded(seed):
                model = maker(classes=classes)
        except Exception as error:  # it is the user's code: whatever it raises is for them to see
            raise InputError(
                f'model="{self.model}": calling it with classes={classes} raised {type(error).__name__}: {error}'
            ) from error
        if not isinstance(model, nn.Module):
            raise InputError(f'model="{self.model}" gave a {type(model).__name__}, expected a torch.nn.Module')
        return split(model, self.head)

    def asdict(self) -> dict[str, Any]:
        """Every field by name, for a config file."""
        return asdict(self) | {"watch": list(self.watch) if self.watch is not None else None}


def job_problems(fields_given: Mapping[str, Any]) -> list[str]:
    """Everything wrong with these fields of a job; those not given have their defaults."""
    values: dict[str, Any] = {f.name: f.default for f in fields(Job)} | dict(fields_given)
    wrong = type_problems(Job, values)
    for name, least in {"size": 1, "images": 1, "offset": 0, "watch_images": 1}.items():
        if is_whole(values[name]) and values[name] < least:
            wrong[name] = f"{name}={values[name]}: expected {least} or more"
    return list(wrong.values()) + ([] if "resize" in wrong else kernel_problems(values["resize"]))


def _maker(name: str) -> Callable[..., Any]:
    place, colon, function = name.partition(":")
    if not colon:
        raise InputError(
            f'model="{name}": expected "convnet", FILE.py:FUNCTION or MODULE:FUNCTION{did_you_mean(name, ["convnet"])}'
        )
    try:
        module = _module_from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (ImportError, OSError) as error:
        raise InputError(f'model="{name}": {place} can\'t be imported: {error}') from error
    maker: Callable[..., Any] | None = getattr(module, function, None)
    if maker is None:
        known = [n for n in vars(module) if not n.startswith("_")]
        raise InputError(f'model="{name}": {place} has no "{function}"{did_you_mean(function, known)}')
    return maker


def _module_from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # as import would, so that classes in it know their module
    spec.loader.exec_module(module)
    return module


def job_of(config: dict[str, Any], folder: Path) -> Job:
    """The job of a run that the command line started."""
    if config.get("job") is None:
        raise RunFolderError(
            f"{folder} was started from Python with a model of its own: use it there, with "
            f"unseen.load({str(folder)!r}, model) and unseen.fit(..., resume=True)"
        )
    job = dict(config["job"])
    return Job(**job | {"watch": tuple(job["watch"]) if job["watch"] is not None else None})


def load(folder: str | Path, model: Split | nn.Module | None = None) -> Split:
    """The trained network of a finished run, in evaluation mode.

    ``model`` is needed for a run started from Python: the same network, whose weights are then replaced.
    """
    files = RunFolder(folder)
    config = files.finished_config()
    if model is None:
        shapes = config["model"]["shapes"]
        job = job_of(config, files.path)
        model = job.build_model(shapes[f"{config['model']['head']}.weight"][0], config["seed"])
        if job.model == "convnet":
            Engine(device="cpu").place(model)  # in the layout it was trained in
    _load_weights(model.model if isinstance(model, Split) else model, files.weights)
    return split(model, config["model"]["head"]).eval()


def _load_weights(model: nn.Module, path: Path) -> None:
    try:
        model.load_state_dict(safetensors.torch.load_file(path))
    except (OSError, safetensors.SafetensorError) as error:
        raise RunFolderError(f"{path} is damaged: {error}") from error
    except RuntimeError as error:
        raise RunFolderError(f"{path} holds the weights of another model: {error}") from error
