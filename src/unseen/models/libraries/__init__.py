"""Models of the libraries people use, by name: ``timm:resnet18``, ``torchvision:resnet18``, ``smp:FPN/resnet18``."""

from __future__ import annotations

from unseen.models.libraries.library import Library
from unseen.models.libraries.smp_library import SegmentationModels
from unseen.models.libraries.timm_library import Timm
from unseen.models.libraries.torchvision_library import Torchvision

LIBRARIES: dict[str, Library] = {library.prefix: library for library in (Timm(), Torchvision(), SegmentationModels())}
FORMS = "timm:NAME, torchvision:NAME, smp:DECODER/ENCODER (for masks)"


def library_of(model: str) -> tuple[Library, str] | None:
    """The library that a model's name begins with and the name it has there, or None for other models."""
    prefix, _, name = model.partition(":")
    return (LIBRARIES[prefix], name) if prefix in LIBRARIES else None
