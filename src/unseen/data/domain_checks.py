"""The checks of a domain's images and labels: what no training should start with is refused."""

from __future__ import annotations

import torch
from torch import Tensor

from unseen.base.images import Images
from unseen.base.labels import VOID, Labels, StoredMasks
from unseen.errors import all_problems

MOST_CLASSES = VOID
"""How many classes masks can have: their numbers are kept in bytes, and the last one marks unlabelled pixels."""


def check(name: str, images: Images, labels: Labels, classes: int | None) -> None:
    """Refuse what no training should start with; every problem found goes into one message."""
    problems = _image_problems(images) + (label_problems(labels, classes) or _void_problems(labels))
    if len(images.shape) > 0 and labels.ndim > 0 and len(images) != len(labels):
        problems.append(f"{len(images)} images but {len(labels)} labels; expected one label for each image")
    if len(images.shape) == 4 and labels.ndim == 3 and images.shape[2:] != labels.shape[1:]:
        sizes = ("x".join(map(str, sides)) for sides in (images.shape[2:], labels.shape[1:]))
        problems.append("images are {}, masks are {}; expected one size: resize masks by nearest".format(*sizes))
    all_problems(name, problems)


def _image_problems(images: Images) -> list[str]:
    if len(images.shape) != 4:
        return [f"images have shape {tuple(images.shape)}, expected (N, C, H, W)"]
    if len(images) == 0:
        return ["no images; expected at least one"]
    return value_problems(images) if isinstance(images, Tensor) else []  # what is stored was checked when it was read


def value_problems(images: Tensor) -> list[str]:
    """What is wrong with the type or the values of images, if anything; bytes stand for 0..255."""
    if images.dtype == torch.uint8:
        return []
    if not images.is_floating_point():
        return [f"images are {images.dtype}, expected float in [0, 1] or bytes (torch.uint8) of 0..255; convert them"]
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


def label_problems(labels: Labels, classes: int | None) -> list[str]:
    """What is wrong with the numbers of classes or the masks, if anything."""
    if labels.ndim > 2:
        return _mask_problems(labels, classes)
    if labels.ndim != 1:
        return [
            f"labels have shape {tuple(labels.shape)}, expected (N,) with one class number each, or (N, H, W) with one "
            "for each pixel"
        ]
    numbers = labels[:]
    if wrong := _type_problems(numbers):
        return wrong
    if len(numbers) == 0:
        return []
    low, high = int(numbers.min()), int(numbers.max())
    if low < 0 or (classes is not None and high >= classes):
        expected = f"0..{classes - 1} (the model gives {classes} scores)" if classes is not None else "0 or more"
        fix = "number the classes from 0" if low != 0 else f"make the model with {high + 1} scores"
        return [f"labels lie in {low}..{high}, expected {expected}; {fix}"]
    return []


def _type_problems(labels: Tensor) -> list[str]:
    if labels.is_floating_point() or labels.dtype == torch.bool:
        return [f"labels are {labels.dtype}, expected integers 0, 1, 2, ...; pass labels.long()"]
    return []


def _mask_problems(labels: Labels, classes: int | None) -> list[str]:
    """What is wrong with the shape, the type and the numbers of masks."""
    if labels.ndim != 3:
        fix = "labels.squeeze(1)" if labels.ndim == 4 and labels.shape[1] == 1 else "labels.argmax(1) if it is one-hot"
        return [f"labels have shape {tuple(labels.shape)}, expected masks (N, H, W) of class numbers; pass {fix}"]
    if isinstance(labels, Tensor) and (wrong := _type_problems(labels)):
        return wrong
    if classes is not None and classes > MOST_CLASSES:
        return [f"{classes} classes, expected {MOST_CLASSES} or fewer for masks: {VOID} marks unlabelled pixels"]
    if labels.shape.numel() == 0:
        return []
    values = _values(labels)
    low, high = int(values.min()), int(torch.where(values == VOID, 0, values).max())
    most = min(classes or MOST_CLASSES, MOST_CLASSES) - 1
    if low >= 0 and high <= most:
        return []
    scores = f" (the model gives {classes} scores)" if classes is not None else ""
    fix = f"mark unlabelled pixels by {VOID}" + f", or make the model with {high + 1} scores" * (most < high < VOID)
    return [f"labels lie in {low}..{high}, expected 0..{most}{scores} or {VOID}; {fix}"]


def _values(masks: Labels) -> Tensor:
    """The numbers that masks have; of stored masks each once, since what they have is known."""
    return masks.values.any(0).nonzero() if isinstance(masks, StoredMasks) else masks


def _void_problems(labels: Labels) -> list[str]:
    if labels.ndim == 3 and labels.shape.numel() > 0 and bool((_values(labels) == VOID).all()):
        return [f"every pixel is unlabelled ({VOID}); expected at least one with a class: check how masks are read"]
    return []


def without_void(labels: Tensor) -> Tensor:
    """The labels with unlabelled pixels as 0, so that what is greatest is a class."""
    return torch.where(labels == VOID, 0, labels) if labels.ndim == 3 else labels
