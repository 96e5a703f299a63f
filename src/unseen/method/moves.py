"""What the ascent moves: every pixel, as in the paper, or the parameters of transformations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from unseen.engine import in_float32
from unseen.method.cost import scale_of
from unseen.method.settings import ADA
from unseen.transforms.chains import Chains, Links


class Move(Protocol):
    """A batch of samples on their way from x0: what is free to move, and the images it makes."""

    at_source: bool
    """whether the first step is taken at x0 itself"""

    def free(self) -> list[Tensor]:
        """What gradients are taken of, anew for each step."""

    def images(self) -> Tensor:
        """x, as far as it has moved."""

    def labels(self) -> Tensor:
        """Their labels: those of x0, but for masks whose pixels moved."""

    def step(self, gradients: Sequence[Tensor]) -> None:
        """One step uphill."""

    def result(self) -> Fictitious:
        """What came of it."""

    def advice(self, bad: Tensor) -> str:
        """What to do where these samples leave the numbers."""


def move_from(x0: Tensor, y: Tensor, links: Links | None, ada: ADA) -> Move:
    """The move that the settings ask for; ``links`` are the chains drawn for these images, if it needs some."""
    if links is None:
        return Pixels(x0, y, ada)
    chains = ada.ascended
    assert chains is not None
    return Transformed(x0, y, chains, links, ada)


class Pixels:
    """x itself: x <- x + step * gradient, eq. (8)."""

    at_source = True

    def __init__(self, x0: Tensor, y: Tensor, ada: ADA) -> None:
        self.x, self.y, self.ada = x0.detach(), y, ada

    def free(self) -> list[Tensor]:
        """x."""
        self.x = self.x.detach().requires_grad_()
        return [self.x]

    def images(self) -> Tensor:
        """x."""
        return self.x

    def labels(self) -> Tensor:
        """Pixels change, and keep their labels."""
        return self.y

    def step(self, gradients: Sequence[Tensor]) -> None:
        """x + step * gradient, within [0, 1] if asked."""
        x = torch.add(self.x.detach(), gradients[0], alpha=scale_of(self.ada, 1).step)
        self.x = x.clamp(0, 1) if self.ada.clip else x

    def result(self) -> Fictitious:
        """The images."""
        return Fictitious(self.x.detach())

    def advice(self, bad: Tensor) -> str:
        """A shorter step."""
        return f"lower eta (now {self.ada.eta:g})"


class Transformed:
    """x = T_w(x0): each parameter goes a share of its range uphill, by the gradient's sign, and stays in its range.

    With pixels on top, x = T_w(x0) + d, and d goes as ``Pixels`` does.
    """

    def __init__(self, x0: Tensor, y: Tensor, chains: Chains, links: Links, ada: ADA) -> None:
        self.x0, self.y, self.chains, self.ada = x0.detach().contiguous(), y, chains, ada
        self.link = Links(links.which, links.u.to(self.x0))
        self.d = torch.zeros_like(self.x0) if ada.moves_pixels else None
        self.masks_move = y.ndim > 1 and chains.move
        self.at_source = ada.start == "identity"

    def free(self) -> list[Tensor]:
        """u, and d."""
        self.link = Links(self.link.which, self.link.u.detach().requires_grad_())
        if self.d is None:
            return [self.link.u]
        self.d = self.d.detach().requires_grad_()
        return [self.link.u, self.d]

    def images(self) -> Tensor:
        """T_w(x0), and d on top."""
        with in_float32(self.x0):
            x = self.chains.images(self.x0, self.link)
            if not x.requires_grad:  # all of them are only drawn: the ascent has nothing to move, and stays
                x = x + 0 * self.link.u.sum()
        if self.d is not None:
            x = x + self.d
            x = x.clamp(0, 1) if self.ada.clip else x
        return x

    def labels(self) -> Tensor:
        """Masks move with their pixels."""
        return self.chains.masks(self.y, self.link) if self.masks_move else self.y

    def result(self) -> Fictitious:
        """Images, masks that moved, and how."""
        links = Links(self.link.which, self.link.u.detach())
        return Fictitious(self.images(), self.labels() if self.masks_move else None, links)

    def step(self, gradients: Sequence[Tensor]) -> None:
        """u by the sign, d by the gradient."""
        self.link = self.chains.step(self.link, gradients[0].sign(), self.ada.step)
        if self.d is not None:
            self.d = torch.add(self.d.detach(), gradients[1], alpha=scale_of(self.ada, 1).step)

    def advice(self, bad: Tensor) -> str:
        """Less of each range, a shorter step of pixels, or a look at the transformations of these samples."""
        shorter = f" or eta (now {self.ada.eta:g})" if self.d is not None else ""
        names = ", ".join(self.chains.names(self.link[bad]))
        return f"lower strength (now {self.ada.strength:g}){shorter}, or look at what makes these images: {names}"


@dataclass(frozen=True)
class Fictitious:
    """What an ascent made: images and, where pixels moved, their masks; how, where transformations did it."""

    images: Tensor
    labels: Tensor | None = None
    """only masks that moved; any other sample has the label of what it was made from"""
    links: Links | None = None

    def tensors(self) -> dict[str, Tensor]:
        """By name, for a file."""
        named = {"images": self.images, "labels": self.labels}
        if self.links is not None:
            named |= {"which": self.links.which, "u": self.links.u}
        return {name: tensor for name, tensor in named.items() if tensor is not None}

    @classmethod
    def of(cls, tensors: dict[str, Tensor]) -> Fictitious:
        """From what ``tensors`` gave."""
        links = Links(tensors["which"], tensors["u"]) if "which" in tensors else None
        return cls(tensors["images"], tensors.get("labels"), links)


def together(parts: Sequence[Fictitious]) -> Fictitious:
    """Several as one."""
    names = parts[0].tensors()
    return Fictitious.of({name: torch.cat([part.tensors()[name] for part in parts]) for name in names})
