"""A domain: a named, labelled set of images, checked once at the door so that nothing after it has to."""

from __future__ import annotations

import hashlib
from collections.abc import Sized
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias, cast

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from unseen.errors import InputError, all_problems


@dataclass(frozen=True, eq=False)
class Domain:
    """A named, labelled set of images: the source, or a target nobody trains on.

    Promise: ``images`` is float32 of shape (N, C, H, W) with every value in [0, 1], ``labels`` is int64 of
    shape (N,) with every value in 0..len(classes)-1, and N > 0. A tensor that breaks it is refused here.
    """

    name: str
    images: Tensor
    labels: Tensor
    classes: tuple[str, ...]
    origin: str = "given by the caller"

    def __post_init__(self) -> None:
        _check(self.name, self.images, self.labels, len(self.classes))
        object.__setattr__(self, "images", self.images.detach().float())
        object.__setattr__(self, "labels", self.labels.long())

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.images.shape[1:]))
        return f"Domain({self.name!r}: {len(self)} images of {shape}, {len(self.classes)} classes)"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the images, the labels and their shape: two domains with one fingerprint are the same data."""
        digest = hashlib.sha256(repr(tuple(self.images.shape)).encode())
        digest.update(self.images.contiguous().numpy().data)
        digest.update(self.labels.contiguous().numpy().data)
        return digest.hexdigest()

    def head(self, n: int | None) -> Domain:
        """The first ``n`` samples (all for None), as a domain of the same name."""
        return Domain(self.name, self.images[:n], self.labels[:n], self.classes, self.origin)


Source: TypeAlias = Domain | tuple[Tensor, Tensor] | Dataset[Any]


def as_domain(data: Source, name: str = "source", classes: int | None = None) -> Domain:
    """Any of the accepted forms as a checked ``Domain``: a Domain, a pair (images, labels), a torch Dataset.

    ``classes`` is the number of scores the model gives; without it, the greatest label decides.
    """
    if isinstance(data, Domain):
        images, labels, name = data.images, data.labels, data.name
        if classes is not None:
            _check(name, images, labels, classes)
        return data
    if isinstance(data, tuple | list) and len(data) == 2 and all(isinstance(part, Tensor) for part in data):
        images, labels = data
    elif isinstance(data, tuple | list) and any(isinstance(part, np.ndarray) for part in data):
        raise InputError(f"{name}: expected a pair of tensors (images, labels), got numpy arrays; use torch.from_numpy")
    elif isinstance(data, str | PathLike):
        raise InputError(
            f"{name}: expected data, got the name {str(data)!r}; use unseen.folder(...) or unseen.domain(...)"
        )
    elif not isinstance(data, Tensor) and hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        images, labels = _read_all(name, data)
    else:
        raise InputError(
            f"{name}: expected a Domain, a pair of tensors (images, labels) or a torch Dataset of (image, label) "
            f"with a length, got {type(data).__name__}"
        )
    _check(name, images, labels, classes)
    count = classes or int(labels.max()) + 1
    return Domain(name, images, labels, tuple(map(str, range(count))))


def _read_all(name: str, dataset: Any) -> tuple[Tensor, Tensor]:
    """Every (image, label) of a Dataset, stacked; read once, because the ascent needs the pixels themselves."""
    size = len(cast(Sized, dataset))
    if size == 0:
        raise InputError(f"{name}: the data set is empty; expected at least one (image, label)")
    images: list[Tensor] = []
    labels: list[int] = []
    for i in range(size):
        item = dataset[i]
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise InputError(f"{name}: item {i} is not a pair (image, label) but a {type(item).__name__}")
        image, label = item
        if not isinstance(image, Tensor):
            raise InputError(
                f"{name}: image {i} is a {type(image).__name__}, expected a float tensor (C, H, W) in [0, 1]; "
                "add a transform that makes one, for instance torchvision.transforms.v2.Compose([ToImage(), "
                "ToDtype(torch.float32, scale=True)])"
            )
        if images and image.shape != images[0].shape:
            raise InputError(
                f"{name}: image {i} has shape {tuple(image.shape)}, image 0 has {tuple(images[0].shape)}; "
                "expected one shape for all: resize or crop them in the transform"
            )
        images.append(image)
        labels.append(_whole_label(name, i, label))
    return torch.stack(images), torch.tensor(labels)


def _whole_label(name: str, i: int, label: Any) -> int:
    if isinstance(label, Tensor) and label.numel() == 1:
        label = label.item()
    try:
        if int(label) == label:
            return int(label)
    except (TypeError, ValueError, RuntimeError):
        pass
    got = f"a tensor of shape {tuple(label.shape)}" if isinstance(label, Tensor) else repr(label)
    raise InputError(f"{name}: label {i} is {got}, expected a class number 0, 1, 2, ...; number the classes from 0")


def _check(name: str, images: Tensor, labels: Tensor, classes: int | None) -> None:
    """Refuse what no training should start with; every problem found goes into one message."""
    problems = _image_problems(images) + _label_problems(labels, classes)
    if images.ndim > 0 and labels.ndim > 0 and len(images) != len(labels):
        problems.append(f"{len(images)} images but {len(labels)} labels; expected one label for each image")
    all_problems(name, problems)


def _image_problems(images: Tensor) -> list[str]:
    if images.ndim != 4:
        return [f"images have shape {tuple(images.shape)}, expected (N, C, H, W)"]
    if len(images) == 0:
        return ["no images; expected at least one"]
    if not images.is_floating_point():
        return [f"images are {images.dtype}, expected float in [0, 1]; for 0..255 values pass images.float() / 255"]
    low, high = images.aminmax()
    if not bool(torch.isfinite(low) & torch.isfinite(high)):
        bad = (~torch.isfinite(images)).flatten(1).any(1).nonzero().flatten()
        return [
            f"{len(bad)} images have NaN or infinite pixels, the first is image {int(bad[0])}; expected values "
            "in [0, 1]: repair or drop them"
        ]
    if low < 0 or high > 1:
        hint = "divide by 255" if low >= 0 and high > 2 else "put the normalization inside the model"
        return [f"pixel values lie in [{low:.4g}, {high:.4g}], expected [0, 1]; {hint}"]
    return []


def _label_problems(labels: Tensor, classes: int | None) -> list[str]:
    if labels.ndim != 1:
        return [f"labels have shape {tuple(labels.shape)}, expected (N,) with one class number each"]
    if labels.is_floating_point() or labels.dtype == torch.bool:
        return [f"labels are {labels.dtype}, expected integers 0, 1, 2, ...; pass labels.long()"]
    if len(labels) == 0:
        return []
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or (classes is not None and high >= classes):
        expected = f"0..{classes - 1} (the model gives {classes} scores)" if classes is not None else "0 or more"
        fix = "number the classes from 0" if low != 0 else f"make the model with {high + 1} scores"
        return [f"labels lie in {low}..{high}, expected {expected}; {fix}"]
    return []
