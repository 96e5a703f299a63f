"""The ascent's arithmetic: a frozen net, called many times, of which only the images' gradient is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

FEW = 4  # channels: a CPU's kernels for the input gradient fill vectors of 16, so three of them waste most of it


@contextmanager
def bf16_weights(net: nn.Module) -> Iterator[None]:
    """Inside: linear layers and convolutions hold bf16 copies of their weights, as autocast would make them.

    Autocast makes them anew at every call where weights are frozen; here they are made once, to the same bits.
    """
    with _exchanged(_layers(net, nn.Linear, nn.Conv2d), Tensor.bfloat16):
        yield


@contextmanager
def channels_last_weights(net: nn.Module) -> Iterator[bool]:
    """Inside: convolutions hold copies of their weights with the channels last, where they aren't already.

    It gives whether there is any convolution.
    """
    layers = _layers(net, nn.Conv2d)
    others = [m for m in layers if not m.weight.is_contiguous(memory_format=torch.channels_last)]  # type: ignore[operator]
    with _exchanged(others, lambda t: t.contiguous(memory_format=torch.channels_last) if t.ndim == 4 else t):
        yield bool(layers)


def _layers(net: nn.Module, *kinds: type[nn.Module]) -> list[nn.Module]:
    """The plain ones of these kinds; one with a weight norm has other parameters."""
    return [m for m in net.modules() if type(m) in kinds and m._parameters.keys() == {"weight", "bias"}]


@contextmanager
def _exchanged(layers: Sequence[nn.Module], change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Inside: the layers hold changed, frozen copies of their parameters."""
    before = [dict(layer._parameters) for layer in layers]
    for layer in layers:
        for name, parameter in layer._parameters.items():
            if parameter is not None:
                layer._parameters[name] = nn.Parameter(change(parameter.detach()), requires_grad=False)
    try:
        yield
    finally:
        for layer, parameters in zip(layers, before, strict=True):
            layer._parameters.update(parameters)


class FewChannels(TorchFunctionMode):
    """Inside: the input gradient of a frozen convolution over few channels is made in blocks of pixels."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """``func`` as it is, except for the convolutions this is about."""
        if func is torch.conv2d and len(args) == 7 and _worthwhile(*args):
            x, weight, bias, _, (padding, _), _, _ = args
            return _BlockConv.apply(x, _as_autocast(weight), bias, padding)  # type: ignore[no-untyped-call]
        return func(*args, **(kwargs or {}))


def _worthwhile(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> bool:
    side = weight.shape[-1]
    plain = stride == dilation == (1, 1) and groups == 1 and padding in [(p, p) for p in range(side)]
    square = weight.shape[-2] == side > 1 and x.shape[-1] % 2 == x.shape[-2] % 2 == 0
    frozen = x.requires_grad and not weight.requires_grad and not (bias is not None and bias.requires_grad)
    return plain and square and frozen and x.ndim == 4 and x.shape[1] <= FEW and x.dtype != torch.float64


def _as_autocast(weight: Tensor) -> Tensor:
    return weight.to(torch.get_autocast_dtype("cpu")) if torch.is_autocast_enabled("cpu") else weight


class _BlockConv(torch.autograd.Function):
    """A convolution whose input gradient is one convolution of stride 2 that makes each 2x2 block of pixels at once:
    four times the channels, so that vectors are full, at (k + 1)^2 / k^2 of the arithmetic.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, padding: int) -> Tensor:
        ctx.save_for_backward(weight)
        ctx.padding = padding
        return torch.conv2d(x, weight, bias, padding=padding)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        (weight,) = ctx.saved_tensors
        side = weight.shape[-1]
        blocks = torch.conv2d(gradients[0], _block_weight(weight), stride=2, padding=side - 1 - ctx.padding)
        return F.pixel_shuffle(blocks, 2), None, None, None


def _block_weight(weight: Tensor) -> Tensor:
    """(out, in, k, k) -> (4 in, out, k + 1, k + 1): the flipped kernel, shifted to each pixel of a 2x2 block."""
    flipped = weight.flip(2, 3).transpose(0, 1)
    block = torch.stack([F.pad(flipped, (b, 1 - b, a, 1 - a)) for a in (0, 1) for b in (0, 1)], dim=1)
    return block.flatten(0, 1).contiguous(memory_format=torch.channels_last)
