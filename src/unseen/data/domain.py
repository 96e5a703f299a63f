"""A domain: a named, labelled set of images, checked once when it is made, so that nothing later has to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias, overload

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from unseen.base.images import FileRows, Images, StoredImages, in_batches, part_of
from unseen.base.labels import VOID, Labels, StoredMasks
from unseen.base.randomness import generator
from unseen.data.domain_checks import check, label_problems, without_void
from unseen.data.items import read_items
from unseen.data.splits import split_rows
from unseen.errors import InputError, all_problems

HASHED_AT_ONCE = 2**25
"""bytes of values that are in memory while a fingerprint is made, or one image's"""


@dataclass(frozen=True, eq=False)
class Domain:
    """A named, labelled set of images: the source, or a target nobody trains on.

    Promise: ``images[rows]`` is float32 of shape (n, C, H, W) with every value in [0, 1], ``labels`` is int64 of
    shape (N,) with every value in 0..len(classes)-1, and N > 0. What breaks it is refused here.

    ``images`` are a float tensor, or ``StoredImages``: bytes in memory or in a file that become floats when they are
    taken. A tensor of bytes (uint8, 0..255) is kept as such.

    Labels may also be masks, one class number for each pixel: uint8 of shape (N, H, W), 0..len(classes)-1 or 255 where
    a pixel is unlabelled. At least one pixel of the domain is labelled; a single image may have none. Many masks of a
    folder are ``StoredMasks``, bytes in a file: ``labels[rows]`` takes some.
    """

    name: str
    images: Images
    labels: Labels
    classes: tuple[str, ...]
    origin: str = "given by the caller"
    names: tuple[str, ...] | None = None
    """of the images' files, below the folder they were read from"""
    left_out: tuple[str, ...] = ()
    """files that couldn't be read and were left out, each with the reason"""

    def __post_init__(self) -> None:
        check(self.name, self.images, self.labels, len(self.classes))
        object.__setattr__(self, "images", _kept(self.images))
        if isinstance(self.labels, Tensor):
            object.__setattr__(self, "labels", self.labels.byte() if self.segmented else self.labels.long())

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, rows: int) -> tuple[Tensor, Tensor]: ...

    @overload
    def __getitem__(self, rows: slice | Sequence[int] | Tensor) -> Domain: ...

    def __getitem__(self, rows: int | slice | Sequence[int] | Tensor) -> tuple[Tensor, Tensor] | Domain:
        """A part as a domain of the same name, ``domain[:100]``; of one number (image, label), as a Dataset gives."""
        if isinstance(rows, int):
            return self.images[rows], self.labels[rows]
        if isinstance(rows, str):  # as jinja asks for an attribute first
            raise TypeError(f"domain[{rows!r}]: expected a row, a slice or rows; did you mean domain.{rows}?")
        return self.part(torch.arange(len(self))[rows])

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
        if not isinstance(self.images, StoredImages):
            return self._digest()
        notes = self.images.notes
        which = hashlib.sha256(self.images.rows.numpy().data)
        _update(which, self.labels)
        if which.hexdigest() not in notes:
            notes[which.hexdigest()] = self._digest()
        return notes[which.hexdigest()]

    def _digest(self) -> str:
        """The fingerprint, from the floats of some images at a time: bytes have that of the tensor they stand for."""
        digest = hashlib.sha256(repr(tuple(self.images.shape)).encode())
        _update(digest, self.images)
        digest.update(b"masks" * self.segmented)
        _update(digest, self.labels)
        return digest.hexdigest()

    @cached_property
    def labelled(self) -> Tensor:
        """The rows of the images that have a label, or one labelled pixel or more."""
        if not self.segmented:
            return torch.arange(len(self))
        if isinstance(self.labels, StoredMasks):
            return self.labels.values[:, :VOID].any(1).nonzero().flatten()
        return (self.labels != VOID).flatten(1).any(1).nonzero().flatten()

    def part(self, rows: Tensor) -> Domain:
        """The samples at these rows, as a domain of the same name; images that are stored are shared with it."""
        return self._at(rows, f"{self.origin}; {len(rows):,} of its {len(self):,} images")

    def head(self, n: int | None) -> Domain:
        """The first ``n`` samples (all for None), as a domain of the same name."""
        return self._at(slice(n), self.origin)

    def split(self, share: float, *, seed: int = 0) -> tuple[Domain, Domain]:
        """Two domains that have no image in common: this one without ``share`` of each class, and that share of it.

        Which images go where follows from ``seed``. Where labels are masks, the share is one of all images.
        """
        if not (isinstance(share, int | float) and 0 < share < 1):
            raise InputError(f"{self.name}: split by {share!r}, expected a share between 0 and 1, such as 0.2")
        kept, out = split_rows(self.labels, len(self.classes), share, generator(seed, "split"))
        if not len(kept) or not len(out):
            raise InputError(
                f"{self.name}: a share of {share:g} of its {len(self):,} images leaves {len(kept):,} and {len(out):,}; "
                "expected some in both parts: give another share"
            )
        return self.part(kept), self.part(out)

    def _at(self, rows: Tensor | slice, origin: str) -> Domain:
        numbers = torch.arange(len(self))[rows].tolist()
        names = None if self.names is None else tuple(self.names[number] for number in numbers)
        images, labels = part_of(self.images, rows), part_of(self.labels, rows)
        return replace(self, images=images, labels=labels, origin=origin, names=names)


def noted(domain: Domain) -> Domain:
    """The same; of images in the cache the fingerprint is made now, with their first reading, and found with them."""
    if isinstance(domain.images, StoredImages) and isinstance(domain.images.kept, FileRows):
        domain.fingerprint  # noqa: B018 (it is noted beside the images)
    return domain


def _update(digest: hashlib._Hash, rows: Images) -> None:
    """With the values of some rows at a time."""
    for some in in_batches(rows, max(1, HASHED_AT_ONCE // max(1, rows[:1].nbytes))):
        digest.update(some.contiguous().numpy().data)


def _kept(images: Any) -> Images:
    """Images as a domain keeps them: floats as float32, bytes as bytes."""
    if isinstance(images, StoredImages):
        return images
    return StoredImages(images) if images.dtype == torch.uint8 else images.detach().float()


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


Source: TypeAlias = Domain | tuple[Tensor, Tensor] | Dataset[Any]


def as_domain(data: Source, name: str = "source", classes: int | None = None) -> Domain:
    """Any of the accepted forms as a checked ``Domain``: a Domain, a pair (images, labels), a torch or HF Dataset.

    ``classes`` is the number of scores the model gives; without it, the greatest label decides. Labels may be masks, as
    in ``Domain``; a Dataset then gives (image, mask) with masks (H, W).
    """
    if isinstance(data, Domain):
        if classes is not None:
            all_problems(data.name, label_problems(data.labels, classes))
        return data
    names: tuple[str, ...] | None = None
    images: Images
    if isinstance(data, tuple | list) and len(data) == 2 and all(isinstance(part, Tensor) for part in data):
        images, labels = data
    elif isinstance(data, tuple | list) and any(isinstance(part, np.ndarray) for part in data):
        raise InputError(f"{name}: expected a pair of tensors (images, labels), got numpy arrays; use torch.from_numpy")
    elif isinstance(data, str | PathLike):
        raise InputError(
            f"{name}: expected data, got the name {str(data)!r}; use unseen.folder(...) or unseen.domain(...)"
        )
    elif not isinstance(data, Tensor) and hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        images, labels, names = read_items(name, data)
    else:
        raise InputError(
            f"{name}: expected a Domain, a pair of tensors (images, labels) or a torch Dataset of (image, label) "
            f"with a length, got {type(data).__name__}"
        )
    check(name, images, labels, classes)
    count = classes or int(without_void(labels).max()) + 1
    return Domain(name, images, labels, names or tuple(map(str, range(count))))
