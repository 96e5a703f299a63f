"""A model by its name: the paper's own, or whatever a file or module of the user's makes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

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
    place, colon, function = name.partition(":")
    if not colon:
        known = [CONVNET, *FCNS]
        raise InputError(
            f'model="{name}": expected {", ".join(known)}, FILE.py:FUNCTION or MODULE:FUNCTION'
            f"{did_you_mean(name, known, listed=True)}"
        )
    try:
        module = _module_from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (ImportError, OSError) as error:
        raise InputError(f'model="{name}": {place} can\'t be imported: {error}') from error
    maker: Callable[..., Any] | None = getattr(module, function, None)
    if maker is None:
        known = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == module.__name__]
        raise InputError(f'model="{name}": {place} has no "{function}"{did_you_mean(function, known)}')
    return maker


def _module_from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # as import would, so that classes in it know their module
    spec.loader.exec_module(module)
    return module


def absolute(name: str) -> str:
    """The same with the path of its file made absolute, so that a run can resume from another folder."""
    place, colon, rest = name.partition(":")
    if colon and place.endswith(".py") and Path(place).is_file():
        return f"{Path(place).resolve()}:{rest}"
    if place in FCNS and rest:
        return f"{place}:{Path(rest).expanduser().resolve()}"
    return name
