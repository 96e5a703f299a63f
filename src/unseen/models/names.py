"""A model by its name: the paper's own, a library's, or whatever a file or module of the user's makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from unseen.base import imports
from unseen.base.imports import give, imported, users_code
from unseen.base.paths import expanded, resolved
from unseen.engine import Engine
from unseen.errors import InputError, did_you_mean
from unseen.models.convnet import ConvNet
from unseen.models.fcn import BODIES, FCN
from unseen.models.libraries import FORMS, LIBRARIES, library_of
from unseen.models.libraries.library import Expected
from unseen.models.normalized import Normalized
from unseen.models.split import Split, split
from unseen.models.weight_files import load_weights, read_weights

CONVNET = "convnet"
FCNS = {f"fcn-{body}": body for body in BODIES}
"""The body of each street-scene network; ``NAME:FILE`` reads the body's weights from a file."""

Warn = Callable[[str], None]


def model(
    name: str,
    classes: int,
    *,
    weights: str | Path | None = None,
    pretrained: bool = False,
    size: int | tuple[int, int] | None = None,
    seed: int = 0,
    warn: Warn = print,
) -> Split:
    """The model of that name, with a last layer for so many classes: what ``--model`` gives on the command line.

    ``timm:resnet18``, ``torchvision:mobilenet_v3_small`` and ``smp:FPN/resnet18`` (for masks) take images in [0, 1]:
    the model's own mean and deviation are inside. ``pretrained`` takes the library's weights, from its cache or the
    network; ``weights`` is a file (.safetensors, .pth, .pt). What neither has, the last layer for one, follows from
    ``seed``. ``size`` is for models that have to know it, such as transformers; without it, it is the model's own.
    """
    give(name)
    sides = (size, size) if isinstance(size, int) else size
    return split(build_model(name, classes, seed, weights=weights, pretrained=pretrained, size=sides, warn=warn))


def build_model(
    name: str,
    classes: int,
    seed: int,
    *,
    dropout: float = 0.0,
    width: float = 1.0,
    weights: str | Path | None = None,
    pretrained: bool = False,
    size: tuple[int, int] | None = None,
    warn: Warn = print,
) -> nn.Module:
    """The model with its initial weights, which follow from ``seed``; ``dropout`` and ``width`` are the convnet's."""
    if name == CONVNET:
        built: nn.Module = ConvNet(classes, dropout=dropout, width=width, seed=seed)
    else:
        for setting, value, usual in (("dropout", dropout, 0.0), ("width", width, 1.0)):
            if value != usual:
                raise InputError(f"{setting}={value}: only the convnet takes it; put it into {name} itself")
        known, _, file = name.partition(":")
        if known in FCNS:
            return FCN(classes, body=FCNS[known], weights=weights or file or None, seed=seed)
        built = _from_library(name, classes, seed, size, pretrained) if library_of(name) else _made(name, classes, seed)
    if weights is not None:
        path = expanded(weights)
        load_weights(built, read_weights(path), str(path), warn)
    return built


def _from_library(name: str, classes: int, seed: int, size: tuple[int, int] | None, pretrained: bool) -> nn.Module:
    found = library_of(name)
    assert found is not None
    library, inner = found
    library.check(inner)
    expected = library.expected(inner, pretrained=pretrained)
    with Engine(device="cpu").seeded(seed):
        made = library.make(inner, classes, size=size, pretrained=pretrained)
    return Normalized(made, expected.mean, expected.deviation)


def expected_images(name: str) -> Expected | None:
    """What a library's model expects of its images; None for a model whose images the caller knows."""
    found = library_of(name)
    return found[0].expected(found[1]) if found else None


def check_model(name: str, *, pretrained: bool = False) -> None:
    """Refuse a name that is no model's, before anything is read for it."""
    found = library_of(name)
    if found:
        found[0].check(found[1])
        return
    if pretrained:
        raise InputError(
            f'pretrained: "{name}" is no model of a library, expected {FORMS}; give its weights as a file (weights=)'
        )
    if not is_built_in(name):
        _maker(name)


def is_built_in(name: str) -> bool:
    """Whether it is a model of ours, and not a library's or what a file or module of the user's makes."""
    return name == CONVNET or name.partition(":")[0] in FCNS


def runs_code(name: str) -> bool:
    """Whether making it runs a file or module of the user's."""
    return not is_built_in(name) and library_of(name) is None


def _made(name: str, classes: int, seed: int) -> nn.Module:
    maker = _maker(name)
    what = f'model="{name}": calling it with classes={classes} failed'
    with users_code(what, name.partition(":")[0]), Engine(device="cpu").seeded(seed):
        model = maker(classes=classes)
    if not isinstance(model, nn.Module):
        raise InputError(f'model="{name}" gave a {type(model).__name__}, expected a torch.nn.Module')
    return model


def _maker(name: str) -> Callable[..., Any]:
    if ":" not in name:
        known = [CONVNET, *FCNS]
        raise InputError(
            f'model="{name}": expected {", ".join(known)}, {FORMS}, FILE.py:FUNCTION or MODULE:FUNCTION'
            f"{_of_a_library(name) or did_you_mean(name, known, listed=True)}"
        )
    maker: Callable[..., Any] = imported(f'model="{name}"', name)
    return maker


def _of_a_library(name: str) -> str:
    """What to say of a name that a library of models has, if one that is installed does."""
    found = [f"{prefix}:{name}" for prefix, library in LIBRARIES.items() if library.has(name)]
    return f"; did you mean {' or '.join(found)}?" if found else ""


def absolute(name: str) -> str:
    """The same with the path of its file made absolute, so that a run can resume from another folder."""
    place, _, rest = name.partition(":")
    if place in FCNS and rest:
        return f"{place}:{resolved(expanded(rest))}"
    return name if library_of(name) else imports.absolute(name)


def file_of(name: str) -> Path | None:
    """The file of the user's that the name has in it, if there is one: Python that makes the model, or weights."""
    place, _, rest = name.partition(":")
    if place in FCNS and rest:
        return Path(rest)
    return Path(place) if place.endswith(".py") and not library_of(name) else None


def with_file(name: str, file: Path) -> str:
    """The same name with its file at another place."""
    place, _, rest = name.partition(":")
    return f"{place}:{file}" if place in FCNS else f"{file}:{rest}"
