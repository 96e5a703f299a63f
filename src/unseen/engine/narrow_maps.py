"""Keeps training in bf16 out of a convolution whose weight gradient a CPU leaves unwritten."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode


class NarrowMaps(TorchFunctionMode):
    """Inside: a convolution over maps that are narrower than its stride gets them padded, and pads nothing itself.

    In bf16, oneDNN (as in torch 2.13) doesn't write the weight gradient of the kernel's columns that see only padding
    there: it is whatever the memory held, where it should be 0. A resnet18 meets this at 8 and 16 px, where its last
    stages begin with a stride of 2 on a single pixel. On padded maps every column sees something, if only zeros, and
    the result is the same. ``met`` says whether there was such a convolution.
    """

    def __init__(self) -> None:
        super().__init__()
        self.met = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """``func`` as it is, except for the convolutions this is about."""
        if func is torch.conv2d and len(args) == 7 and _unwritten(*args):
            self.met = True
            x, weight, bias, stride, (down, across), dilation, groups = args
            return torch.conv2d(F.pad(x, (across, across)), weight, bias, stride, (down, 0), dilation, groups)
        return func(*args, **(kwargs or {}))


def _unwritten(x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> bool:
    return not isinstance(padding, str) and padding[1] > 0 and x.shape[-1] < stride[1]
