"""Lets torchvision, and timm on top of it, be imported beside a torch built without CUDA.

The registry's torchvision is compiled for CUDA. Beside a CPU-only torch its compiled operators can't be loaded, and
its import stops at ``operator torchvision::nms does not exist``, although its models, data sets and transforms are
plain Python and need none of them. Declaring the two schemas it asks for is enough. A matching pair is left alone.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import torch


def _built_for_cuda() -> bool:
    """Read, without importing it, whether the installed torchvision was built for CUDA."""
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        return False
    version = Path(spec.origin).with_name("version.py")
    return version.exists() and re.search(r"^__version__ = .*\+cu\d", version.read_text(), re.MULTILINE) is not None


def declare_missing_operators() -> torch.library.Library | None:
    """Declare torchvision's operators if its own can't load here; the result must be kept as long as they're needed."""
    if torch.version.cuda is not None or not _built_for_cuda():
        return None
    library = torch.library.Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")  # type: ignore[no-untyped-call]
    return library


_library = declare_missing_operators()
