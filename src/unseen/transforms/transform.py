"""What a transformation is: a function of images and parameters, its ranges, and what it does to masks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any

import torch
from torch import Generator, Tensor

from unseen.base.randomness import generator
from unseen.errors import InputError, all_problems, did_you_mean

KINDS = ("light", "colour", "texture", "viewpoint")
"""in what domains differ"""

Range = tuple[float, float] | tuple[float, float, int]
Apply = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Transform:
    """A label-preserving transformation T_w of images, with parameters w for each sample; T_0 is the identity.

    ``apply(images, w)`` takes images (N, C, H, W) in [0, 1] and w (N, P), in the order of ``ranges``, and gives images
    of the same shape. Each sample is transformed by its own row of w and by nothing else.
    """

    name: str
    apply: Apply
    ranges: Mapping[str, Range]
    """each parameter's least and greatest value, 0 among them; a third number says how many of it there are"""
    kind: str = ""
    """in what it makes domains differ: light, colour, texture or viewpoint; it has to be said"""
    moves: bool | None = None
    """whether it moves pixels, and masks have to move with them; where labels are masks, a viewpoint has to say so"""
    masks: Apply | None = None
    """for one that moves pixels: ``masks(masks, w)`` moves (N, H, W) class numbers, void where nothing is known"""
    ascended: bool = True
    """whether its gradient is of use to the ascent; where not, its parameters stay as they were drawn"""
    bounded: bool = True
    """whether what it gives is kept in [0, 1]"""
    draw: Callable[[int, Generator], Tensor] | None = field(default=None, repr=False)
    """``draw(n, generator)`` gives w (n, P) within the ranges; uniform over them when not given"""

    def __post_init__(self) -> None:
        all_problems(f'transformation "{self.name}"', _problems(self))

    def __call__(self, images: Tensor, w: Tensor) -> Tensor:
        """T_w of each image. One that isn't ascended passes the gradient straight on to what came before it."""
        if self.ascended:
            made = self.apply(images, w)
        else:
            made = self.apply(images.detach(), w.detach()) + (images - images.detach())
        return _bounded(made) if self.bounded else made

    @cached_property
    def bounds(self) -> Tensor:
        """The least and the greatest value of every parameter: (2, P)."""
        rows = [(r[0], r[1]) for r in self.ranges.values() for _ in range(_count(r))]
        return torch.tensor(rows, dtype=torch.float32).T.contiguous()

    @property
    def parameters(self) -> int:
        """P: how many numbers say what becomes of one image."""
        return sum(map(_count, self.ranges.values()))

    @property
    def identity(self) -> Tensor:
        """The parameters that change nothing: zeros."""
        return torch.zeros(self.parameters)

    def drawn(self, n: int, generator: Generator) -> Tensor:
        """Parameters for n images, within the ranges: (n, P)."""
        if self.draw is not None:
            return self.draw(n, generator)
        least, greatest = self.bounds
        share = torch.rand(n, self.parameters, generator=generator)
        return torch.lerp(least.expand_as(share), greatest.expand_as(share), share)

    def move_masks(self, masks: Tensor, w: Tensor) -> Tensor:
        """The masks of the transformed images: where pixels stay, so do their labels."""
        if not self.moves:
            return masks
        if self.masks is None:
            raise InputError(self.needs_mask_rule)
        return self.masks(masks, w)

    @property
    def needs_mask_rule(self) -> str:
        """What is said where it would move images and leave their masks behind."""
        return (
            f'transformation "{self.name}" moves pixels, the labels are masks, and it has no rule for masks; give it '
            "masks=, a function of masks (N, H, W) and parameters, or leave it out"
        )

    @property
    def digest(self) -> str:
        """Of its ranges, what it says of itself, and its function's own code: by it a resume knows another one."""
        said = (self.kind, self.moves, self.ascended, self.bounded)
        ranges = [(name, list(map(float, each))) for name, each in self.ranges.items()]
        code = [_code_of(getattr(each, "__code__", None)) for each in (self.apply, self.masks, self.draw)]
        return hashlib.sha256(repr((ranges, said, code)).encode()).hexdigest()


def _bounded(made: Tensor) -> Tensor:
    if not made.requires_grad:
        return made.clamp(0, 1)
    kept: Tensor = _Bounded.apply(made)  # type: ignore[no-untyped-call]
    return kept


class _Bounded(torch.autograd.Function):
    """clamp(0, 1) with its own gradient, which torch computes in four passes over the images, here in one."""

    @staticmethod
    def forward(ctx: Any, made: Tensor) -> Tensor:
        ctx.save_for_backward(made)
        return made.clamp(0, 1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (made,), kind = ctx.saved_tensors, torch.finfo(gradients[0].dtype)
        # that of hardtanh is 0 at its bounds, clamp's is not: so these are the next numbers outside
        inside: Tensor = torch.ops.aten.hardtanh_backward(gradients[0], made, -kind.tiny, 1 + kind.eps)
        return inside


def _code_of(code: object) -> object:
    """What a function does, whatever line it stands on; of what isn't written in Python nothing is known."""
    if not isinstance(code, CodeType):
        return repr(code)
    return (code.co_code, code.co_names, [_code_of(constant) for constant in code.co_consts])


def _count(each: Range) -> int:
    return each[2] if len(each) == 3 else 1


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _problems(transform: Transform) -> list[str]:
    found = []
    given = transform.ranges if isinstance(transform.ranges, Mapping) else {}
    if not given:
        got = "none" if transform.ranges == {} else repr(transform.ranges)
        found.append(f'expected ranges by name, such as {{"strength": (0.0, 0.5)}}, got {got}')
    for name, each in given.items():
        if not isinstance(each, tuple | list) or len(each) not in (2, 3) or not all(map(_finite, each)):
            found.append(f"range of {name}={each}: expected two finite numbers, least and greatest")
        elif not each[0] < each[1]:
            found.append(f"range of {name}={each}: empty; expected the least value before the greatest")
        elif not each[0] <= 0 <= each[1]:
            found.append(f"range of {name}={each}: expected 0 in it, which leaves the image as it is")
        elif not isinstance(_count(each), int) or _count(each) < 1:
            found.append(f"range of {name}={each}: expected a count of 1 or more")
    if transform.kind not in KINDS:
        near = did_you_mean(str(transform.kind), KINDS, listed=True) if transform.kind else ""
        found.append(f'kind="{transform.kind}": expected {", ".join(KINDS)}{near}')
    return found


def check_on(transform: Transform, images: Tensor, *, ascended: bool) -> None:
    """Refuse a transformation that doesn't keep its promises on these images, before anything is trained with it."""
    free, steepest = ascended and transform.ascended, 0.0
    for x, w in _probes(transform, images):
        w = w.to(x).requires_grad_(free)
        made = _called(transform, x, w)
        off = float((made.detach() - x).abs().max())
        if not w.any() and off > TOLERANCE:
            raise _broken(transform, f"changes images by up to {off:.2g} at w = 0; expected the identity there")
        if free:
            steepest = max(steepest, _steepness(transform, made, w))
        alone = _called(transform, x[:1], w[:1])
        if (alone - made[:1]).detach().abs().max() > TOLERANCE:
            raise _broken(
                transform,
                "gives one image by itself and in a batch different values; expected each by itself, and nothing "
                "drawn inside: what it draws from has to be one of its parameters",
            )
    if free and not steepest:
        raise _broken(
            transform,
            "is to be ascended over, and its gradient with respect to w is 0 wherever it was tried; say "
            "ascended=False, and it is only drawn",
        )


def _probes(transform: Transform, images: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Images, and parameters to try on them: no change and some; on a part, where an ascent may end and what is drawn.

    Of large images a part is enough to see where values aren't finite, and takes a part of the time.
    """
    (least, greatest), n = transform.bounds, len(images)
    yield images, transform.identity.repeat(n, 1)
    yield images, (((least + greatest) / 2 + greatest) / 2).repeat(n, 1)  # inside the range, and not the identity
    part = images[..., :PART, :PART]
    ends = [least.repeat(n, 1), greatest.repeat(n, 1)] * transform.ascended
    drawn = transform.drawn(n * TRIED, generator(0, "transformations tried"))
    for w in (*ends, *torch.split(drawn, n)):
        yield part, w


def _called(transform: Transform, images: Tensor, w: Tensor) -> Tensor:
    """What it gives, a finite tensor of the images' shape, with the images as they were."""
    given = images.clone()
    try:
        with torch.enable_grad():
            made = transform.apply(given, w)
    except Exception as error:  # it may be the user's code: whatever it raises is for them to see
        shapes = f"images {tuple(images.shape)} and w {tuple(w.shape)}"
        only = "; what isn't written with differentiable torch operations says ascended=False" * w.requires_grad
        raise InputError(
            f'transformation "{transform.name}": called with {shapes} it raised {type(error).__name__}: {error}{only}'
        ) from error
    if not isinstance(made, Tensor) or made.shape != images.shape:
        got = tuple(made.shape) if isinstance(made, Tensor) else type(made).__name__
        raise _broken(transform, f"gave {got} for images {tuple(images.shape)}; expected the same shape")
    if made.dtype != images.dtype:
        raise _broken(transform, f"gave {_named(made)} for images in {_named(images)}; expected the same type")
    if not torch.equal(given, images):
        raise _broken(transform, "changes the images it is given; expected new ones: no += and no function like add_")
    broken = ~torch.isfinite(made).flatten(1).all(1)
    if broken.any():
        where = [round(value, 4) for value in w[broken][0].tolist()[:5]]
        raise _broken(transform, f"gave values that are not finite at w={where}; mend it or its ranges")
    return made


def _named(images: Tensor) -> str:
    return str(images.dtype).removeprefix("torch.")


def _broken(transform: Transform, promise: str) -> InputError:
    return InputError(f'transformation "{transform.name}" {promise}')


TOLERANCE = 1e-4
"""how far two images may differ that should be the same"""
TRIED, PART = 16, 256
"""how many draws are tried for each image, and on how many of its pixels a side"""


def _steepness(transform: Transform, made: Tensor, w: Tensor) -> float:
    """The greatest entry of the gradient; one that isn't there or isn't finite is refused."""
    gradient = torch.autograd.grad(made.sum(), w, allow_unused=True)[0] if made.requires_grad else None
    if gradient is None or not torch.isfinite(gradient).all():
        raise _broken(
            transform,
            f"is to be ascended over, and has {'no' if gradient is None else 'a non-finite'} gradient with respect to "
            "w; write it with differentiable torch operations, or say ascended=False, and it is only drawn",
        )
    return float(gradient.abs().max())
