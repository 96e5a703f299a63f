"""Lets torchvision, and timm on top of it, be imported beside a torch built without CUDA.

The registry's torchvision is compiled for CUDA. Beside a CPU-only torch its compiled operators can't be loaded, and
its import stops at ``operator torchvision::nms does not exist``, although its models, data sets and transforms are
written in Python and need none of them. Declaring the two schemas it asks for is enough. A matching pair is left alone.

``import unseen`` has to prepare this without importing torch, which takes seconds. So it only adds a finder to
``sys.meta_path``. When torchvision is first looked for, the finder declares the operators; it never finds a module
itself, so torchvision is then found and loaded as if the finder weren't there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def _built_for_cuda() -> bool:
    """Read, without importing it, whether the installed torchvision was built for CUDA."""
    from importlib.util import find_spec

    spec = find_spec("torchvision")
    if spec is None or spec.origin is None:
        return False
    version = Path(spec.origin).with_name("version.py")
    return version.exists() and re.search(r"^__version__ = .*\+cu\d", version.read_text(), re.MULTILINE) is not None


def declare_missing_operators() -> torch.library.Library | None:
    """Declare torchvision's operators if its own can't load here; the result must be kept as long as they're needed."""
    if not _built_for_cuda():
        return None
    import torch

    if torch.version.cuda is not None:
        return None
    library = torch.library.Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")  # type: ignore[no-untyped-call]
    return library


class _BeforeTorchvision:
    """Declares the operators once, before torchvision is imported; finds nothing."""

    _asked = False
    _library: torch.library.Library | None = None

    def find_spec(self, fullname: str, *_: Any) -> None:
        if fullname == "torchvision" and not self._asked:
            self._asked = True  # first: declaring looks for torchvision, too
            self._library = declare_missing_operators()


_finder = _BeforeTorchvision()


def declare_before_import() -> None:
    """From now on, an import of torchvision finds its operators declared."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
