"""A torch Dataset or a Hugging Face data set as a domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unseen.data.domain import Domain
from unseen.data.domain_checks import without_void
from unseen.data.images import Size, checked_size, kernel_problems
from unseen.data.items import Columns, read_items
from unseen.errors import InputError, all_problems


def dataset(
    data: Any,
    size: Size = None,
    *,
    image: str | None = None,
    label: str | None = None,
    channels: int = 3,
    resize: str = "bilinear",
    name: str = "source",
    progress: bool | None = None,
) -> Domain:
    """A torch Dataset of (image, label), or a Hugging Face data set, as a domain.

    Items are read once, and never all in memory: images that take more than 256 MiB as floats go to a file without a
    name in the cache folder. Images are tensors (C, H, W), float in [0, 1] or bytes, or pictures of Pillow: these
    become ``channels`` (3, RGB, or 1, grey) and, with ``size``, a side or (height, width), are resized by the kernel
    ``resize``. ``image`` and ``label`` name columns of a Hugging Face data set; without them the first of the types
    Image and ClassLabel are taken, and the classes have the names it has.
    """
    all_problems(name, kernel_problems(resize))
    if channels not in (1, 3):
        raise InputError(f"{name}: channels is {channels!r}, expected 3 (RGB) or 1 (grey)")
    if isinstance(data, Mapping):
        raise InputError(f"{name}: got the parts {', '.join(map(str, data))}; choose one, for instance data['train']")
    if not (hasattr(data, "__getitem__") and hasattr(data, "__len__")):
        raise InputError(f"{name}: expected a data set with a length and items, got {type(data).__name__}")
    columns = Columns(image=image, label=label, size=checked_size(size), channels=channels, resize=resize)
    images, labels, classes = read_items(name, data, columns, progress=progress)
    numbers = range(int(without_void(labels).max()) + 1)
    return Domain(name, images, labels, classes or tuple(map(str, numbers)), f"a {type(data).__name__}")
