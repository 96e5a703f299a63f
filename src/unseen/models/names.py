"""A model by its name: the paper's own, or whatever a file or module of the user's makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from unseen.base import imports
from unseen.base.imports import imported
from unseen.engine import Engine
from unseen.errors import InputError, did_you_mean
from unseen.models import FCN, ConvNet
from unseen.models.fcn import BODIES

CONVNET = "convnet"
FCNS = {f"fcn-{body}": body for body in BODIES}
"""The body of each street-scene network; ``NAME:FILE`` reads the body's weights from a file."""


def build_model(name: str, classes: int, seed: int, *, dropout: float = 0.0, width: float = 1.0) -> nn.Module:
    """The model with its initial weights, which follow from ``seed``; ``dropout`` and ``width`` are the convnet's."""
    if name == CONVNET:
        return ConvNet(classes, dropout=dropout, width=width, seed=seed)
    for setting, value, usual in (("dropout", dropout, 0.0), ("width", width, 1.0)):
        if value != usual:
            raise InputError(f"{setting}={value}: only the convnet takes it; put it into {name} itself")
    known, _, file = name.partition(":")
    if known in FCNS:
        return FCN(classes, body=FCNS[known], weights=file or None, seed=seed)
    return _made(name, classes, seed)


def is_built_in(name: str) -> bool:
    """Whether it is a model of ours, and not what a file or module of the user's makes."""
    return name == CONVNET or name.partition(":")[0] in FCNS


def _made(name: str, classes: int, seed: int) -> nn.Module:
    maker = _maker(name)
    try:
        with Engine(device="cpu").seeded(seed):
            model = maker(classes=classes)
    except Exception as error:  # it is the user's code: whatever it raises is for them to see
        raise InputError(
            f'model="{name}": calling it with classes={classes} raised {type(error).__name__}: {error}'
        ) from error
    if not isinstance(model, nn.Module):
        raise InputError(f'model="{name}" gave a {type(model).__name__}, expected a torch.nn.Module')
    return model


def _maker(name: str) -> Callable[..., Any]:
    if ":" not in name:
        known = [CONVNET, *FCNS]
        raise InputError(
            f'model="{name}": expected {", ".join(known)}, FILE.py:FUNCTION or MODULE:FUNCTION'
            f"{did_you_mean(name, known, listed=True)}"
        )
    maker: Callable[..., Any] = imported(f'model="{name}"', name)
    return maker


def absolute(name: str) -> str:
    """The same with the path of its file made absolute, so that a run can resume from another folder."""
    place, _, rest = name.partition(":")
    if place in FCNS and rest:
        return f"{place}:{Path(rest).expanduser().resolve()}"
    return imports.absolute(name)
