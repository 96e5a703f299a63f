"""A domain: a named, labelled set of images, checked once when it is made, so that nothing later has to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias, cast

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from unseen.base.labels import VOID
from unseen.data.domain_checks import check, label_problems, without_void
from unseen.errors import InputError, all_problems


@dataclass(frozen=True, eq=False)
class Domain:
    """A named, labelled set of images: the source, or a target nobody trains on.

    Promise: ``images`` is float32 of shape (N, C, H, W) with every value in [0, 1], ``labels`` is int64 of
    shape (N,) with every value in 0..len(classes)-1, and N > 0. A tensor that breaks it is refused here.

    Labels may also be masks, one class number for each pixel: uint8 of shape (N, H, W), 0..len(classes)-1 or 255 where
    a pixel is unlabelled. At least one pixel of the domain is labelled; a single image may have none.
    """

    name: str
    images: Tensor
    labels: Tensor
    classes: tuple[str, ...]
    origin: str = "given by the caller"

    def __post_init__(self) -> None:
        check(self.name, self.images, self.labels, len(self.classes))
        object.__setattr__(self, "images", self.images.detach().float())
        object.__setattr__(self, "labels", self.labels.byte() if self.segmented else self.labels.long())

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.images.shape[1:])) + " with masks" * self.segmented
        return f"Domain({self.name!r}: {len(self)} images of {shape}, {len(self.classes)} classes)"

    @property
    def segmented(self) -> bool:
        """Whether each pixel has a label of its own, and not each image."""
        return self.labels.ndim == 3

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the images, the labels and their shape: two domains with one fingerprint are the same data."""
        digest = hashlib.sha256(repr(tuple(self.images.shape)).encode())
        digest.update(self.images.contiguous().numpy().data)
        digest.update(b"masks" * self.segmented)
        digest.update(self.labels.contiguous().numpy().data)
        return digest.hexdigest()

    @cached_property
    def labelled(self) -> Tensor:
        """The rows of the images that have a label, or one labelled pixel or more."""
        if not self.segmented:
            return torch.arange(len(self))
        return (self.labels != VOID).flatten(1).any(1).nonzero().flatten()

    def part(self, rows: Tensor) -> Domain:
        """The samples at these rows, as a domain of the same name."""
        origin = f"{self.origin}; {len(rows):,} of its {len(self):,} images"
        return Domain(self.name, self.images[rows], self.labels[rows], self.classes, origin)

    def head(self, n: int | None) -> Domain:
        """The first ``n`` samples (all for None), as a domain of the same name."""
        return Domain(self.name, self.images[:n], self.labels[:n], self.classes, self.origin)


Source: TypeAlias = Domain | tuple[Tensor, Tensor] | Dataset[Any]


def same_classes(name: str, own: Sequence[str], source: Sequence[str] | None) -> None:
    """Refuse a target whose classes aren't the source's."""
    if source is not None and tuple(source) != tuple(own):
        raise InputError(
            f"{name}: its classes are {', '.join(own)}; expected those of the source, {', '.join(source)}: use domains "
            "of one set, or read the target with classes= of the source"
        )


def named(classes: Sequence[str] | None) -> bool:
    """Whether classes have names that can be compared, and not only numbers."""
    return classes is not None and not all(name.isdecimal() for name in classes)


def as_domain(data: Source, name: str = "source", classes: int | None = None) -> Domain:
    """Any of the accepted forms as a checked ``Domain``: a Domain, a pair (images, labels), a torch Dataset.

    ``classes`` is the number of scores the model gives; without it, the greatest label decides. Labels may be masks, as
    in ``Domain``; a Dataset then gives (image, mask) with masks (H, W).
    """
    if isinstance(data, Domain):
        images, labels, name = data.images, data.labels, data.name
        if classes is not None:
            check(name, images, labels, classes)
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
    check(name, images, labels, classes)
    count = classes or int(without_void(labels).max()) + 1
    return Domain(name, images, labels, tuple(map(str, range(count))))


def _read_all(name: str, dataset: Any) -> tuple[Tensor, Tensor]:
    """Every (image, label) of a Dataset, stacked; read once, because the ascent needs the pixels themselves."""
    size = len(cast(Sized, dataset))
    if size == 0:
        raise InputError(f"{name}: the data set is empty; expected at least one (image, label)")
    images: list[Tensor] = []
    labels: list[Tensor] = []
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
        _refuse_another_shape(name, "image", i, image, images)
        images.append(image)
        labels.append(_label_of(name, i, label))
        _refuse_another_shape(name, "label", i, labels[-1], labels[:1])
    return torch.stack(images), torch.stack(labels)


def _refuse_another_shape(name: str, what: str, i: int, given: Tensor, before: list[Tensor]) -> None:
    if before and given.shape != before[0].shape:
        raise InputError(
            f"{name}: {what} {i} has shape {tuple(given.shape)}, {what} 0 has {tuple(before[0].shape)}; "
            "expected one shape for all: resize or crop them in the transform"
        )


def _label_of(name: str, i: int, label: Any) -> Tensor:
    """A class number, or a mask as bytes: as int64, the masks of a data set can take gigabytes."""
    if not isinstance(label, Tensor) or label.ndim < 2 or label.numel() == 1:
        return torch.tensor(_whole_label(name, i, label))
    if label.ndim != 2:
        raise InputError(
            f"{name}: label {i} has shape {tuple(label.shape)}, expected a mask (H, W) of class numbers; drop the "
            "channel, label.squeeze(0), or the one-hot form, label.argmax(0), in the transform"
        )
    all_problems(f"{name}, label {i}", label_problems(label[None], None))
    return label.byte()


def _whole_label(name: str, i: int, label: Any) -> int:
    if isinstance(label, Tensor) and label.numel() == 1:
        label = label.item()
    try:
        if int(label) == label:
            return int(label)
    except (TypeError, ValueError, RuntimeError):
        pass
    kind = "tensor" if isinstance(label, Tensor) else type(label).__name__
    got = f"a {kind} of shape {tuple(label.shape)}" if hasattr(label, "shape") else repr(label)
    raise InputError(
        f"{name}: label {i} is {got}, expected a class number 0, 1, 2, ...; number the classes from 0 (or, for a mask, "
        "give a tensor (H, W) of them)"
    )
