"""Whether a model and a source go together, as far as that is known before the first step."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from unseen.base.images import Images
from unseen.base.labels import class_counts
from unseen.data.domain import Domain
from unseen.engine import to_device_of
from unseen.errors import InputError
from unseen.models.split import Split

LISTED = 5
"""classes that a warning spells out"""


def refuse_other_classes(source: Domain, scores: int) -> None:
    """Refuse a model that gives another number of scores than the domain has classes."""
    if scores != len(source.classes):
        raise InputError(
            f"{source.name} has {len(source.classes):,} classes and the model gives {scores:,} scores, expected one "
            f'for each class; make the model with {len(source.classes):,}, for instance unseen.model("timm:resnet18", '
            f"classes={len(source.classes)}) or model.fc = nn.Linear(..., {len(source.classes)})"
        )


def warn_of_classes(source: Domain, scores: int, warn: Callable[[str], None]) -> None:
    """Say which classes no image has, that there is only one, and that a model gives more scores than classes."""
    if source.segmented:
        return
    counts = class_counts(source.labels, len(source.classes))
    absent = [name for name, count in zip(source.classes, counts.tolist(), strict=True) if not count]
    if absent:
        more = f" and {len(absent) - LISTED} more" if len(absent) > LISTED else ""
        hint = "; are the classes numbered from 1? expected 0, 1, 2, ..." if not counts[0] else ""
        warn(f"{source.name}: no image is of class {', '.join(absent[:LISTED])}{more}{hint}")
    if len(source.classes) == 1:
        warn(
            f"{source.name}: every image is of one class, {source.classes[0]}, and a network learns to say nothing "
            "else; expected two classes or more: a folder has one subfolder for each"
        )
    if scores > len(source.classes):
        warn(
            f"{source.name}: labels lie in 0..{len(source.classes) - 1}, and the model gives {scores:,} scores: those "
            "of the other classes only learn to be low; make the model with one score for each class"
        )


def refuse_single_samples(net: Split, images: Images, batch: int, ranks: int) -> None:
    """Refuse BatchNorm over a single value, which it can't normalize: one image at a time, on maps of one pixel."""
    norms = [m for m in net.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    if batch // ranks > 1 or not norms:
        return
    buffers = [buffer.clone() for buffer in net.buffers()]
    with net.frozen(), torch.no_grad():
        for norm in norms:
            norm.train()
        try:
            net(to_device_of(net, images[:1]))
        except ValueError as error:
            if "more than 1 value per channel" not in str(error):
                raise
            raise InputError(
                f"batch={batch}{f' on {ranks} ranks' * (ranks > 1)}: the model has BatchNorm, which can't normalize a "
                "single image once its maps are one pixel; raise batch to 2 or more for each rank"
            ) from error
        finally:
            for buffer, before in zip(net.buffers(), buffers, strict=True):
                buffer.copy_(before)
