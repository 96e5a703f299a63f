"""Layers that stay as they are while the others are trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from unseen.errors import InputError, did_you_mean
from unseen.method.settings import ADA
from unseen.models.split import Split

BODY = "body"


@contextmanager
def partly_frozen(net: Split, ada: ADA) -> Iterator[None]:
    """Inside: what ``freeze`` names has no gradients. After: every flag as it was."""
    with net.flags_kept():
        for parameter in _frozen_parameters(net, ada):
            parameter.requires_grad_(False)
        yield


def train_mode(net: Split, ada: ADA) -> None:
    """Training mode; statistics that are to stay as they are, those of frozen layers among them, in evaluation's."""
    net.train()
    for name, module in norms(net):
        if ada.freeze_norms or _is_frozen(name, net, ada):
            module.eval()


def norms(net: Split) -> list[tuple[str, nn.Module]]:
    """Every BatchNorm, by its name."""
    return [(name, module) for name, module in net.model.named_modules() if isinstance(module, _BatchNorm)]


def _frozen_parameters(net: Split, ada: ADA) -> list[nn.Parameter]:
    free = set(net.model.get_submodule(net.head_name).parameters()) if ada.freeze == BODY else set()  # tied ones, too
    return [p for name, p in net.model.named_parameters() if _is_frozen(name, net, ada) and p not in free]


def _is_frozen(name: str, net: Split, ada: ADA) -> bool:
    """Whether the parameter or layer of this name is, or is inside of, one that is frozen."""
    if ada.freeze == BODY:
        return not _inside(name, net.head_name)
    return any(_inside(name, layer) for layer in _named(ada))


def _inside(name: str, layer: str) -> bool:
    return name == layer or name.startswith(f"{layer}.")


def _named(ada: ADA) -> tuple[str, ...]:
    return (ada.freeze,) if isinstance(ada.freeze, str) else ada.freeze or ()


def check_frozen(net: Split, ada: ADA) -> None:
    """Refuse layers that the model doesn't have, and freezing where nothing would be frozen or nothing be left."""
    known = [name for name, _ in net.model.named_modules() if name] + [name for name, _ in net.model.named_parameters()]
    for layer in _named(ada) if ada.freeze != BODY else ():
        if layer not in known:
            raise InputError(f'freeze: the model has no layer "{layer}"{did_you_mean(layer, known)}')
    with partly_frozen(net, ada):
        if ada.freeze and not any(parameter.requires_grad for parameter in net.parameters()):
            raise InputError(f"freeze={ada.freeze!r} leaves no layer to train; name fewer")
    if ada.freeze_norms and not norms(net):
        raise InputError("freeze_norms: the model has no BatchNorm, whose statistics could stay; leave it out")
