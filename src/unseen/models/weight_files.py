"""Weights from a file, put into a model: all that fits, or a message with the layers that don't."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn

from unseen.base.paths import names_file
from unseen.errors import InputError
from unseen.models.efficientnet_names import SIGN, as_in_timm
from unseen.models.normalized import Normalized
from unseen.models.split import split

NESTS = ("state_dict", "model_state_dict", "model")
"""under which training scripts keep a model's weights beside the optimizer's"""
LISTED = 5
"""layers that a message spells out"""


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a .safetensors file, or of a .pth or .pt that is read without unpickling anything but tensors.

    They may be nested under "state_dict" or "model", and have the prefix "module." of a parallel training, or "model."
    of a run of ours.
    """
    if not names_file(path):
        raise InputError(f"weights: {path} is not a file; expected a model's weights, .safetensors, .pth or .pt")
    try:
        content: Any = (
            safetensors.torch.load_file(path)
            if path.suffix == ".safetensors"
            else torch.load(path, map_location="cpu", weights_only=True)
        )
    except Exception as error:  # a damaged file may raise anything
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"{path} can't be read as weights: {said}; expected .safetensors, or .pth or .pt that holds tensors alone"
        ) from error
    for nest in NESTS:
        if isinstance(content, Mapping) and isinstance(content.get(nest), Mapping):
            content = content[nest]
    tensors = {n: t for n, t in content.items() if isinstance(t, Tensor)} if isinstance(content, Mapping) else {}
    if not tensors:
        raise InputError(f"{path} holds no weights: expected tensors by name, as a model's state_dict() gives them")
    return _without_prefixes(tensors)


def _without_prefixes(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    for prefix, others in (("module.", set()), ("model.", {"mean", "deviation"})):
        layers = tensors.keys() - others
        if all(name.startswith(prefix) for name in layers):
            tensors = {name.removeprefix(prefix): tensors[name] for name in tensors if name in layers}
    return tensors


def load_weights(model: nn.Module, weights: Mapping[str, Tensor], what: str, warn: Callable[[str], None]) -> None:
    """Put the weights into the model; its last layer stays new where theirs is for another number of classes.

    Whatever else is missing, left over or of another shape is refused by name. ``what`` is how messages call them.
    """
    inner = model.model if isinstance(model, Normalized) else model
    own = inner.state_dict()
    if SIGN in weights and SIGN not in own:
        weights = as_in_timm(weights, own)
    head = f"{split(inner).head_name}."
    last = {name for name in own if name.startswith(head)}
    if any(name not in weights or weights[name].shape != own[name].shape for name in last):
        theirs = len(weights[f"{head}bias"]) if f"{head}bias" in weights else None
        found = f"is for {theirs:,} classes" if theirs is not None else "isn't among them"
        warn(f"{what}: the last layer {found}, so it is not used: the model's has new weights")
        weights = {name: tensor for name, tensor in weights.items() if not name.startswith(head)}
    else:
        last = set()
    wanted = {name for name in own if name not in last and not name.endswith("num_batches_tracked")}
    problems = misfits(weights, own, wanted)
    if problems:
        raise InputError(
            f"{what} don't fit the model: {'; '.join(problems)}; give the weights of this model, or name the model "
            "that they are of"
        )
    inner.load_state_dict(dict(weights), strict=False)


def misfits(
    weights: Mapping[str, Tensor], own: Mapping[str, Tensor], wanted: Collection[str] | None = None
) -> list[str]:
    """What keeps weights out of a model with ``own``, with a few names of each kind; nothing where all fit.

    ``wanted`` are those of the model that have to be there: all of them when it isn't given.
    """
    wanted = set(own if wanted is None else wanted)
    return [
        *_named("are missing", sorted(wanted - weights.keys())),
        *_named("are none of the model's", sorted(weights.keys() - own.keys())),
        *_named("have another shape", [
            f"{name} {tuple(weights[name].shape)} for {tuple(own[name].shape)}"
            for name in own if name in weights and weights[name].shape != own[name].shape
        ]),
    ]  # fmt: skip


def _named(what: str, layers: Sequence[str]) -> list[str]:
    more = f" and {len(layers) - LISTED:,} more" if len(layers) > LISTED else ""
    return [f"{len(layers):,} {what} ({', '.join(layers[:LISTED])}{more})"] if layers else []
