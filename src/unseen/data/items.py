"""The images and labels of a torch Dataset or a Hugging Face data set, each item read once."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from unseen.base.bars import counting
from unseen.base.images import FileRows, Images, StoredImages, as_float
from unseen.base.writing import nameless_file
from unseen.data.cache_folder import ELSEWHERE, cache_folder
from unseen.data.domain_checks import label_problems, value_problems
from unseen.data.formats.image_file import upright
from unseen.data.images import pixels_of
from unseen.data.mask_pairs import resized_mask
from unseen.errors import InputError, all_problems

IN_MEMORY = 2**28
"""bytes of floats up to which what a data set gives stays in memory"""
_COPIED_AT_ONCE = 64


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Where the items of a data set have their images and labels, and what becomes of pictures."""

    image: str | None = None
    label: str | None = None
    """names of the columns; None where items are pairs, or where a column's type says it"""
    size: tuple[int, int] | None = None
    channels: int = 3
    resize: str = "bilinear"


def read_items(
    name: str, dataset: Any, columns: Columns | None = None, *, progress: bool | None = None
) -> tuple[Images, Tensor, tuple[str, ...] | None]:
    """The images, the labels and the names of the classes, where the data set knows names.

    Every item is read once and checked, because a transform may draw, and because the ascent needs the pixels
    themselves. Images that take more than 256 MiB as floats are written to a file without a name as they come, as bytes
    if all their values are bytes / 255, else as float32.
    """
    size = len(cast(Sized, dataset))
    if size == 0:
        raise InputError(f"{name}: the data set is empty; expected at least one (image, label)")
    columns = _found(name, dataset, columns or Columns())
    first, _ = _pair_of(name, 0, dataset[0], columns)
    large = size * first.numel() * first.float().element_size() > IN_MEMORY
    kept = _OnDisk(name, size, first) if large else _InMemory()
    labels: list[Tensor] = []
    with counting(f"reading {name}", size, "images", progress if large else False) as done:
        for i in range(size):
            image, label = _pair_of(name, i, dataset[i], columns)
            _refuse_another_shape(name, "image", i, image, first)
            kept.add(i, image)
            labels.append(label)
            _refuse_another_shape(name, "label", i, label, labels[0])
            done(1)
    return kept.images(), torch.stack(labels), _class_names(dataset, columns)


class _InMemory:
    """Images as they come, in memory: bytes where all are, else floats."""

    def __init__(self) -> None:
        self.taken: list[Tensor] = []

    def add(self, i: int, image: Tensor) -> None:
        self.taken.append(image)

    def images(self) -> Images:
        whole = all(image.dtype == torch.uint8 for image in self.taken)
        return torch.stack(self.taken if whole else [as_float(image) for image in self.taken])


class _OnDisk:
    """Images as they come, in a file that goes with the process: as bytes until one of them isn't bytes / 255."""

    def __init__(self, name: str, count: int, first: Tensor) -> None:
        self.name, self.shape = name, (count, *first.shape)
        self.rows = self._room(torch.uint8)

    def _room(self, dtype: torch.dtype) -> FileRows:
        size = torch.Size(self.shape).numel() * dtype.itemsize
        return FileRows(nameless_file(size, cache_folder(), self.name, ELSEWHERE), self.shape, dtype)

    def add(self, i: int, image: Tensor) -> None:
        all_problems(f"{self.name}, image {i}", value_problems(image[None]))
        exact = as_bytes(image) if self.rows.dtype == torch.uint8 else None
        if exact is None and self.rows.dtype == torch.uint8:
            self._as_floats(before=i)
        self.rows[i : i + 1] = (as_float(image) if exact is None else exact)[None]

    def _as_floats(self, before: int) -> None:
        whole, self.rows = self.rows, self._room(torch.float32)
        for start in range(0, before, _COPIED_AT_ONCE):
            some = slice(start, min(start + _COPIED_AT_ONCE, before))
            self.rows[some] = as_float(whole[some])

    def images(self) -> Images:
        return StoredImages(self.rows)


def as_bytes(image: Tensor) -> Tensor | None:
    """The bytes that are this image to the bit when they are taken; None where there are none."""
    if image.dtype == torch.uint8:
        return image
    whole = (image * 255).round().byte()
    return whole if torch.equal(as_float(whole), image.float()) else None


def _found(name: str, dataset: Any, columns: Columns) -> Columns:
    """The columns of a Hugging Face data set, by their types where they aren't named."""
    features = getattr(dataset, "features", None)
    if not isinstance(features, Mapping):
        return columns
    kinds = {column: type(feature).__name__ for column, feature in features.items()}
    image = columns.image or next((column for column, kind in kinds.items() if kind == "Image"), None)
    label = columns.label or next((column for column, kind in kinds.items() if kind == "ClassLabel"), None)
    if image not in kinds or label not in kinds:
        listed = ", ".join(f"{column} ({kind})" for column, kind in kinds.items())
        raise InputError(
            f"{name}: expected a column of images and one of labels, got {listed}; name them with "
            'unseen.dataset(data, image="...", label="...")'
        )
    return Columns(image=image, label=label, size=columns.size, channels=columns.channels, resize=columns.resize)


def _class_names(dataset: Any, columns: Columns) -> tuple[str, ...] | None:
    features = getattr(dataset, "features", None)
    names = getattr(features[columns.label], "names", None) if isinstance(features, Mapping) else None
    return tuple(names) if names else None


def _pair_of(name: str, i: int, item: Any, columns: Columns) -> tuple[Tensor, Tensor]:
    """An item's image, as floats or bytes (C, H, W), and its label."""
    if columns.image is not None and isinstance(item, Mapping):
        item = item[columns.image], item[columns.label]
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise InputError(f"{name}: item {i} is not a pair (image, label) but a {type(item).__name__}")
    image, label = item
    if hasattr(image, "convert"):
        pixels = pixels_of(upright(image, columns.channels), columns.size, columns.resize)
        image = torch.from_numpy(pixels.transpose(2, 0, 1).copy())
    if hasattr(label, "convert"):
        label = torch.from_numpy(resized_mask(np.asarray(label), columns.size).copy())
    if not isinstance(image, Tensor):
        raise InputError(
            f"{name}: image {i} is a {type(image).__name__}, expected a float tensor (C, H, W) in [0, 1]; "
            "add a transform that makes one, for instance torchvision.transforms.v2.Compose([ToImage(), "
            "ToDtype(torch.float32, scale=True)])"
        )
    return image, _label_of(name, i, label)


def _refuse_another_shape(name: str, what: str, i: int, given: Tensor, first: Tensor) -> None:
    if given.shape != first.shape:
        raise InputError(
            f"{name}: {what} {i} has shape {tuple(given.shape)}, {what} 0 has {tuple(first.shape)}; "
            "expected one shape for all: resize or crop them in the transform, or pictures with unseen.dataset(data, "
            "size=...)"
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
