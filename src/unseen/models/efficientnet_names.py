"""The names that efficientnet-pytorch and its EfficientNet-Lite give their layers, as timm's.

Both number the same blocks in the same order: there ``_blocks.5`` throughout, in timm ``blocks.2.1``, by stage. Inside
a block the layers have other names. The first block of a network doesn't expand: it has one convolution less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from torch import Tensor

SIGN = "_conv_stem.weight"
"""a name by which such weights are known"""
_OUTSIDE = {"_conv_stem": "conv_stem", "_bn0": "bn1", "_conv_head": "conv_head", "_bn1": "bn2", "_fc": "classifier"}
_EXPANDING = {
    "_expand_conv": "conv_pw", "_bn0": "bn1", "_depthwise_conv": "conv_dw", "_bn1": "bn2", "_project_conv": "conv_pwl",
    "_bn2": "bn3", "_se_reduce": "se.conv_reduce", "_se_expand": "se.conv_expand",
}  # fmt: skip
_NOT_EXPANDING = {
    "_depthwise_conv": "conv_dw", "_bn1": "bn1", "_project_conv": "conv_pw", "_bn2": "bn2",
    "_se_reduce": "se.conv_reduce", "_se_expand": "se.conv_expand",
}  # fmt: skip


def as_in_timm(weights: Mapping[str, Tensor], own: Iterable[str]) -> dict[str, Tensor]:
    """The weights under timm's names; ``own`` are the names in timm's model, which say how many blocks a stage has.

    A name that means nothing to this table stays, and is then no layer of the model's.
    """
    found = {(int(m[1]), int(m[2])) for name in own if (m := re.match(r"blocks\.(\d+)\.(\d+)\.", name))}
    blocks = sorted(found)
    expanding = {name.split(".")[1] for name in weights if "._expand_conv." in name}
    return {_renamed(name, blocks, expanding): tensor for name, tensor in weights.items()}


def _renamed(name: str, blocks: list[tuple[int, int]], expanding: set[str]) -> str:
    if not name.startswith("_blocks."):
        layer, _, rest = name.partition(".")
        return f"{_OUTSIDE.get(layer, layer)}.{rest}"
    _, number, layer, rest = name.split(".", 3)
    inside = _EXPANDING if number in expanding else _NOT_EXPANDING
    if layer not in inside or int(number) >= len(blocks):
        return name
    stage, block = blocks[int(number)]
    return f"blocks.{stage}.{block}.{inside[layer]}.{rest}"
