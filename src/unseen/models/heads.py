"""Where a model keeps its head, the layer that makes the scores."""

from __future__ import annotations

from torch import nn

from unseen.errors import InputError
from unseen.models.normalized import Normalized

HEAD_NAMES = ("head", "fc", "classifier", "heads", "segmentation_head")
"""where torchvision, timm, segmentation-models and many more keep it"""


def find_head(model: nn.Module) -> str:
    """The name of the layer that makes the scores; a model that doesn't show it is refused."""
    found = _search_head(model)
    if found:
        return found
    raise InputError(
        f"{type(model).__name__}: the head can't be found. Looked for get_classifier() (timm), for a linear layer or "
        f"convolution in {', '.join(f'.{n}' for n in HEAD_NAMES)}, and for the last one of a Sequential; "
        f"{pass_head(model)}"
    )


def _search_head(module: nn.Module) -> str | None:
    """The name of the head within ``module``, "" for ``module`` itself, None where there is none to be seen."""
    if isinstance(module, nn.Linear | nn.Conv2d):
        return ""
    if isinstance(module, Normalized):
        inner = _search_head(module.model)
        return f"model.{inner}".rstrip(".") if inner is not None else None
    get_classifier = getattr(module, "get_classifier", None)  # timm's own answer
    if callable(get_classifier):
        classifier = get_classifier()
        if not isinstance(classifier, nn.Module):
            return None  # two heads, as distilled transformers have: which one's input z is, only the caller knows
        for name, part in module.named_modules():
            if part is classifier and not isinstance(part, nn.Identity):
                return str(name)
    children = dict(module.named_children())
    names = reversed(children) if isinstance(module, nn.Sequential) else (n for n in HEAD_NAMES if n in children)
    for name in names:
        inner = _search_head(children[name])
        if inner is not None:
            return f"{name}.{inner}" if inner else name
        if isinstance(module, nn.Sequential) and candidates(children[name]):
            return None  # this part makes the scores, in a way only its author knows; what comes before it doesn't
    return None


def candidates(model: nn.Module) -> list[str]:
    """The layers that could be a head, by name."""
    return [name for name, m in model.named_modules() if name and isinstance(m, nn.Linear | nn.Conv2d)]


def _bare_weights(model: nn.Module) -> list[str]:
    """Matrices that a module of the user's own holds, and no layer: one of them may make the scores in a function."""
    owners = {n: model.get_submodule(n.rpartition(".")[0]) for n, p in model.named_parameters() if p.ndim == 2}
    return [name for name, owner in owners.items() if not type(owner).__module__.startswith("torch.nn.")]


def pass_head(model: nn.Module, tried: str | None = None) -> str:
    """What to pass as head=, in words; ``tried`` wasn't it."""
    bare = _bare_weights(model)
    if bare:
        return (
            f'"{bare[-1]}" is a parameter that no layer holds: if it makes the scores, put it into one, such as '
            "self.last = nn.Linear(...), and pass head= with the name of that layer"
        )
    last = [name for name in candidates(model) if name != tried][-3:]
    if not last:
        other = "other " if tried else ""
        return f"it has no {other}linear layer or convolution: pass head=, the name of the module that makes the scores"
    listed = ", ".join(f'"{name}"' for name in last)
    return f'pass head=, the name of the layer that makes the scores, for instance head="{last[-1]}" (of {listed})'
