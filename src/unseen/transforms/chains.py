"""Chains of transformations: several in a row, drawn for each image by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Generator, Tensor

from unseen.transforms.transform import Transform

NONE = -1


@dataclass(frozen=True)
class Links:
    """For each image of a batch: which transformations it goes through, and with which parameters.

    ``u`` are parameters in units of their range, so that one step means the same to all of them: w = u * greatest for
    u > 0 and w = -u * least for u < 0.
    """

    which: Tensor
    """(N, L): numbers of transformations in their order, -1 where a chain is shorter"""
    u: Tensor
    """(N, L, P)"""

    def __getitem__(self, rows: slice | Tensor) -> Links:
        return Links(self.which[rows], self.u[rows])

    def __len__(self) -> int:
        return len(self.which)


class Chains:
    """Up to ``links`` different transformations in a row. ``strength`` is the share of each range that is used."""

    def __init__(self, transforms: Sequence[Transform], links: int = 3, strength: float = 1.0) -> None:
        self.transforms, self.links, self.strength = tuple(transforms), min(links, len(transforms)), strength
        self.width = max(each.parameters for each in self.transforms)
        self._ascended = torch.tensor([each.ascended for each in self.transforms])
        self._bounds = torch.zeros(2, len(self.transforms), self.width)
        for i, each in enumerate(self.transforms):
            self._bounds[:, i, : each.parameters] = each.bounds

    def draw(self, n: int, generator: Generator, start: str = "drawn") -> Links:
        """Chains for n images: of 1 to ``links`` transformations, none twice; ``start="identity"`` has u = 0."""
        order = torch.rand(n, len(self.transforms), generator=generator).argsort(1)[:, : self.links]
        length = torch.randint(1, self.links + 1, (n, 1), generator=generator)
        which = torch.where(torch.arange(self.links) < length, order, NONE)
        w = torch.zeros(n, self.links, self.width)
        if start == "drawn":
            for i, each in enumerate(self.transforms):
                rows, link = (which == i).nonzero(as_tuple=True)
                if len(rows):
                    w[rows, link, : each.parameters] = each.drawn(len(rows), generator)
        least, greatest = self._bounds[:, which.clamp_min(0)]
        return Links(which, self.strength * (w / torch.where(w < 0, -least, greatest)).nan_to_num())

    def images(self, x: Tensor, links: Links) -> Tensor:
        """Each image through its own chain; differentiable in ``links.u`` and in the image."""
        return self._along(x.contiguous(), links.which, links.u.to(x), lambda each, images, w: each(images, w))

    def masks(self, y: Tensor, links: Links) -> Tensor:
        """The masks of those images: where a transformation moves pixels, their labels go with them."""
        return self._along(y, links.which, links.u.detach(), lambda each, masks, w: each.move_masks(masks, w))

    def names(self, links: Links) -> list[str]:
        """Of those that these chains have."""
        return [self.transforms[i].name for i in sorted(set(links.which.flatten().tolist()) - {NONE})]

    @property
    def move(self) -> bool:
        """Whether one of them moves pixels."""
        return any(each.moves for each in self.transforms)

    def step(self, links: Links, direction: Tensor, size: float) -> Links:
        """u + size * direction for what is ascended, kept within the ranges."""
        which = links.which.clamp_min(0)
        used = (links.which >= 0).to(links.u)[..., None]
        free = self._ascended.to(links.u)[which][..., None] * used
        least, greatest = (self._bounds != 0).to(links.u)[:, which] * self.strength
        moved = links.u.detach() + size * direction * free
        return Links(links.which, torch.where(free > 0, moved.clamp(-least, greatest), links.u.detach()))

    def _along(self, x: Tensor, which: Tensor, u: Tensor, act: Callable[[Transform, Tensor, Tensor], Tensor]) -> Tensor:
        """Link by link: the images are sorted by their transformation, so that each is called once."""
        orders = which.argsort(dim=0, stable=True)
        places = torch.arange(len(which)).to(which)  # where each image is: between two orders all are moved once
        links = zip(which.unbind(1), self._values(which, u).unbind(1), orders.unbind(1), strict=True)
        for (numbers, w, order), back in zip(links, orders.argsort(dim=0).unbind(1), strict=True):
            x = self._through(_permuted(x, places[order]), numbers, _permuted(w, order), act)
            places = back
        return _permuted(x, places)

    def _through(
        self, x: Tensor, which: Tensor, w: Tensor, act: Callable[[Transform, Tensor, Tensor], Tensor]
    ) -> Tensor:
        """One link, of images and parameters that are sorted by it."""
        counts = torch.bincount(which + 1, minlength=len(self.transforms) + 1).tolist()
        images, parameters = torch.split(x, counts), torch.split(w, counts)
        made = [images[0]]
        for i, each in enumerate(self.transforms):
            if counts[i + 1]:
                made.append(act(each, images[i + 1], parameters[i + 1][:, : each.parameters]))
        return torch.cat(made)

    def _values(self, which: Tensor, u: Tensor) -> Tensor:
        """w from u, of all links."""
        least, greatest = self._bounds.to(u)[:, which.clamp_min(0)]
        return torch.where(u < 0, -u * least, u * greatest)


class _Permutation(torch.autograd.Function):
    """Rows in another order. torch's own gradient of an index adds up row by row, which a permutation doesn't need."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, order: Tensor) -> Tensor:
        ctx.order = order
        return _taken(rows, order)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _taken(gradients[0], ctx.order.argsort()), None


def _taken(rows: Tensor, order: Tensor) -> Tensor:
    """Whole rows at once, which torch does with contiguous ones alone."""
    return rows.contiguous().index_select(0, order.to(rows.device))


def _permuted(rows: Tensor, order: Tensor) -> Tensor:
    if not rows.requires_grad:
        return _taken(rows, order)
    made: Tensor = _Permutation.apply(rows, order)  # type: ignore[no-untyped-call]
    return made
