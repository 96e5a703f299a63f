"""Any torch model, seen as features | head."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from typing_extensions import override

from unseen.base.images import Images
from unseen.engine import to_device_of
from unseen.errors import InputError, UnseenError, did_you_mean
from unseen.models.heads import candidates, find_head, pass_head

_CLASSES = "_unseen_classes"


class _Reached(Exception):
    """Carries z out of a forward pass that has nothing left to tell."""


class Split(nn.Module):
    """A model and the module in it that is the head: ``features(x)`` is what enters it, ``head(z)`` what it makes.

    Calling it is calling the model. The weights are the model's own, not a copy.
    """

    def __init__(self, model: nn.Module, head: str) -> None:
        super().__init__()
        self.model = model
        self.head_name = head
        self._check_coupling()

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The names of what it was trained on, where that is known: ``unseen.fit`` and ``unseen.load`` know.

        The head has them, whose scores they are: another ``Split`` of the model knows them, and a new head doesn't.
        """
        return getattr(self.model.get_submodule(self.head_name), _CLASSES, None)

    @classes.setter
    def classes(self, names: tuple[str, ...] | None) -> None:
        setattr(self.model.get_submodule(self.head_name), _CLASSES, names)

    @override
    def forward(self, x: Tensor) -> Tensor:
        try:
            return self._scores(self.model(x))
        except SystemExit as error:  # it would end a training as if all were done
            raise InputError(
                f"the model called sys.exit({error.code!r}) (in {_raised_at(error)}); expected scores: leave that out"
            ) from error

    def features(self, x: Tensor) -> Tensor:
        """g(theta_f; x): what enters the head. What comes after it isn't computed."""

        def leave(z: Tensor) -> None:
            raise _Reached(z)

        with self._watching(leave):
            try:
                self._called(x)
            except _Reached as reached:
                z: Tensor = reached.args[0]
                return z
        raise InputError(self._never_called())

    def head(self, z: Tensor) -> Tensor:
        """The head module applied to features."""
        scores: Tensor = self.model.get_submodule(self.head_name)(z)
        return scores

    def features_and_scores(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Features and the model's scores from one forward pass."""
        seen: list[Tensor] = []
        with self._watching(seen.append):
            scores = self._scores(self._called(x))
        if len(seen) != 1:
            raise InputError(self._never_called() if not seen else self._called_often(len(seen)))
        return seen[0], scores

    @contextmanager
    def watched(self) -> Iterator[list[Tensor]]:
        """Inside: a list to which every forward pass adds its features, however the model is called."""
        seen: list[Tensor] = []
        with self._watching(seen.append):
            yield seen

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Inside: evaluation mode and no gradients for parameters. After: every mode and flag as it was."""
        with self.evaluated(), self.flags_kept():
            self.requires_grad_(False)
            yield

    @contextmanager
    def flags_kept(self) -> Iterator[None]:
        """After: which parameters get gradients is as it was."""
        flags = [(parameter, parameter.requires_grad) for parameter in self.parameters()]
        try:
            yield
        finally:
            for parameter, flag in flags:
                parameter.requires_grad_(flag)

    def leaves_out(self, x: Tensor) -> bool:
        """Whether a forward pass in evaluation leaves some trainable parameter without a gradient."""
        parameters = [p for p in self.parameters() if p.requires_grad]
        if not parameters:
            return False
        with self.evaluated():
            gradients = torch.autograd.grad(self(to_device_of(self, x)).sum(), parameters, allow_unused=True)
        return any(gradient is None for gradient in gradients)

    def bypassing(self, x: Tensor) -> str | None:
        """The last weight, by name, that the scores depend on other than through the head's output, if there is one.

        Weights are parameters with two or more dimensions; a bias or a scale may follow the head.
        """
        head = self.model.get_submodule(self.head_name)
        inside = {id(parameter) for parameter in head.parameters()}
        weights = {n: p for n, p in self.model.named_parameters() if p.ndim >= 2 and id(p) not in inside}

        def cut(module: nn.Module, args: tuple[Any, ...], out: Any) -> Any:
            return out.detach() if isinstance(out, Tensor) else out

        handle = head.register_forward_hook(cut)
        try:
            with self.frozen(), torch.enable_grad():
                for weight in weights.values():
                    weight.requires_grad_(True)
                scores = self(to_device_of(self, x))
                reached = scores.requires_grad and torch.autograd.grad(
                    scores.sum(), list(weights.values()), allow_unused=True
                )
        finally:
            handle.remove()
        found = [n for n, g in zip(weights, reached, strict=True) if g is not None] if reached else []
        return found[-1] if found else None

    @contextmanager
    def evaluated(self) -> Iterator[None]:
        """Inside: evaluation mode. After: every mode as it was."""
        modes = [(module, module.training) for module in self.modules()]
        self.eval()
        try:
            yield
        finally:
            for module, training in modes:
                module.training = training

    @contextmanager
    def _watching(self, see: Callable[[Tensor], None]) -> Iterator[None]:
        def enter(module: nn.Module, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
            see(self._one_tensor(args, keywords))

        handle = self.model.get_submodule(self.head_name).register_forward_pre_hook(enter, with_kwargs=True)
        try:
            yield
        finally:
            handle.remove()

    def _called(self, x: Tensor) -> Any:
        """What the model makes of the images; those it can't take are refused with its own words."""
        try:
            return self.model(x)
        except (_Reached, UnseenError, torch.OutOfMemoryError, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # of a model that was written for other images, or not quite right
            kind = "" if isinstance(error, RuntimeError) else f"{type(error).__name__}: "
            raise InputError(
                f"the model can't take images of shape {tuple(x.shape[1:])} (channels, height, width): {kind}{error} "
                f"(in {_raised_at(error)}); resize the images, mend the model or use another"
            ) from error

    def _one_tensor(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Tensor:
        if len(args) == 1 and isinstance(args[0], Tensor) and not keywords:
            return args[0]
        got = [type(a).__name__ for a in args] + [f"{name}={type(a).__name__}" for name, a in keywords.items()]
        raise InputError(
            f'head "{self.head_name}": expected it to be fed by one tensor and no keyword, got ({", ".join(got)}); '
            f"{pass_head(self.model, self.head_name)}"
        )

    def _scores(self, out: Any) -> Tensor:
        if isinstance(out, Tensor) and out.ndim >= 2:
            return out
        got = tuple(out.shape) if isinstance(out, Tensor) else type(out).__name__
        raise InputError(
            f"{type(self.model).__name__} returned {got}, expected a tensor of scores, (N, classes) or for masks "
            "(N, classes, H, W); wrap it in a module whose forward returns the scores alone, such as "
            'model(x)["out"] of a torchvision network for masks'
        )

    def _never_called(self) -> str:
        return (
            f'head "{self.head_name}": the model\'s forward never calls it, so nothing enters it; '
            f"{pass_head(self.model, self.head_name)}"
        )

    def _called_often(self, times: int) -> str:
        return (
            f'head "{self.head_name}": one forward calls it {times} times, expected once, so that one tensor is '
            f"the features; {pass_head(self.model, self.head_name)}"
        )

    def _check_coupling(self) -> None:
        for name, parameter in self.model.named_parameters():
            if is_lazy(parameter):
                raise InputError(f'"{name}" has no shape yet: run one batch of images through the model first')
        for name, module in self.model.named_modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.running_mean is None:
                raise InputError(
                    f'"{name}" is a {type(module).__name__} without running statistics: it mixes the samples of a '
                    "batch even in evaluation, so the ascent of one image would depend on the others; make it with "
                    "track_running_stats=True or use GroupNorm"
                )


def split(model: nn.Module, head: str | nn.Module | None = None) -> Split:
    """See any torch model as features | head, where z = features(x) is what enters the head module.

    The head of timm, torchvision, segmentation-models and plain Sequential models is found by itself; for
    others pass ``head=``, the module's name (as in ``model.named_modules()``) or the module.
    """
    if isinstance(model, Split):
        return model if head is None else split(model.model, head)
    if not isinstance(model, nn.Module):
        near = "; give its .net" if isinstance(getattr(model, "net", None), Split) else ""
        raise InputError(f"the network: expected a torch.nn.Module, got {type(model).__name__}{near}")
    if head is None:
        return Split(model, find_head(model))
    modules = dict(model.named_modules(remove_duplicate=False))
    if isinstance(head, nn.Module):
        for name, module in modules.items():
            if module is head:
                return Split(model, name)
        raise InputError(f"head=: the {type(head).__name__} given is not part of the model; {pass_head(model)}")
    if head not in modules or head == "":
        raise InputError(f'head="{head}": the model has no module of that name{did_you_mean(head, candidates(model))}')
    return Split(model, head)


def _raised_at(error: BaseException) -> str:
    """``nets.py, line 12``: where an error was raised, as far as it is the user's or a library's own Python."""
    frames = traceback.extract_tb(error.__traceback__)
    last = next((f for f in reversed(frames) if "/torch/" not in f.filename), frames[-1])
    return f"{last.filename}, line {last.lineno}"


def count_classes(net: Split, x: Images, *, pixels: bool | None = False) -> int:
    """How many scores the model gives for each image, or for each of its pixels; refuses images it can't take.

    ``pixels`` says which of the two it has to be; None takes either.
    """
    first = next((m for m in net.modules() if isinstance(m, nn.Conv2d)), None)
    if first is not None and x.shape[1] != first.in_channels:
        fix = "convert the images or change the model's first layer"
        if x.shape[1] == 1:
            fix = "repeat a grey channel with images.expand(-1, 3, -1, -1)"
        elif x.shape[3] == first.in_channels:
            fix = "the channels seem to come last: images.permute(0, 3, 1, 2)"
        raise InputError(
            f"the images have {x.shape[1]} channels, expected {first.in_channels}, what the model's first "
            f"convolution takes; {fix}"
        )
    with net.frozen(), torch.no_grad():
        _, scores = net.features_and_scores(to_device_of(net, x[:1]))
    if pixels and scores.shape[2:] != x.shape[2:]:
        raise InputError(
            f"the model gives scores of shape {tuple(scores.shape[1:])} for an image of {tuple(x.shape[2:])} (height, "
            "width) whose labels are masks, expected (classes, height, width); let it end at the image's size, for "
            "instance with torch.nn.functional.interpolate"
        )
    if (pixels is False and scores.ndim != 2) or scores.ndim not in (2, 4):
        raise InputError(
            f"the model gives scores of shape {tuple(scores.shape[1:])} for an image, expected one number for each "
            "class; let it average over the image, for instance with nn.AdaptiveAvgPool2d(1) and nn.Flatten(), or give "
            "masks as labels, with a class for each pixel"
        )
    return scores.shape[1]


def refuse_other_heads(net: Split, x: Images) -> None:
    """Refuse a head whose output isn't what the scores are made of: features are what enters the last layer."""
    weight = net.bypassing(x[:1])
    if weight is not None:
        raise InputError(
            f'head "{net.head_name}": the scores also depend on "{weight}", which isn\'t in it; expected the layer '
            f"whose output is the scores; {pass_head(net.model, net.head_name)}"
        )


def refuse_probabilities(net: Split, x: Images) -> None:
    """Refuse a model that ends in a softmax, before it is trained: the loss has one of its own."""
    with net.frozen(), torch.no_grad():
        scores = net(to_device_of(net, x[:1])).float()
    if scores.shape[1] > 1 and scores.min() >= 0 and (scores.sum(1) - 1).abs().max() < 1e-3:
        raise InputError(
            "the model's scores are probabilities: none is negative and they sum to 1; expected raw scores, because "
            "the loss takes the softmax itself: leave out the model's last softmax"
        )
