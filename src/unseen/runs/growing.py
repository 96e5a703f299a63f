"""The pool for a training loop of one's own: a torch Dataset that rounds of fictitious images are added to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from unseen.base.randomness import Draws
from unseen.data.domain import Domain, Source, as_domain
from unseen.engine import Engine, to_device_of, to_host
from unseen.errors import InputError
from unseen.method.ascent import fictitious
from unseen.method.moves import Fictitious, together
from unseen.method.settings import ADA
from unseen.models.split import Split, split

KEPT = ("images", "labels", "parents")
"""what is kept of each round"""


class GrowingPool(Dataset[tuple[Tensor, Tensor]]):
    """The source, then every round's fictitious images: a Dataset of (image, label) for a training loop of one's own.

    ``grow`` makes one round of Algorithm 1 with the network as it is then, by the settings ``ada``, and appends it; the
    loop decides when. A torch Dataset as ``source`` is read item by item and never whole; its images are floats in
    [0, 1], so normalization belongs inside the network. Every draw follows from ``seed``, and with the same one a round
    starts from the images that ``unseen.fit`` would start from.
    """

    def __init__(self, source: Source, ada: ADA, *, seed: int = 0) -> None:
        self.source, self.ada = _indexed(source), ada
        self.rounds = 0
        """how many were made"""
        self._size = len(self.source)
        self._draws = Draws(seed)
        self._kept: list[dict[str, Tensor]] = []

    def __len__(self) -> int:
        return self._size + sum(len(made["images"]) for made in self._kept)

    def __getitem__(self, row: int) -> tuple[Tensor, Tensor]:
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of a pool of {len(self)}")
        row %= len(self)
        if row < self._size:
            image, label = self.source[row]
            return image, torch.as_tensor(label)
        made, i = self._made(row)
        return made["images"][i], made["labels"][i]

    def _made(self, row: int) -> tuple[dict[str, Tensor], int]:
        """The round that a row belongs to, and its place there."""
        round_, i = divmod(row - self._size, self._n)
        return self._kept[round_], i

    @property
    def parents(self) -> Tensor:
        """The rows that the last round was made from; they lay in the pool as it was before it."""
        if not self._kept:
            raise InputError("the pool has no round yet; call grow(net) first")
        return self._kept[-1]["parents"]

    @property
    def _n(self) -> int:
        return self.ada.n or self._size

    def grow(
        self,
        net: Split | nn.Module,
        *,
        engine: Engine | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Fictitious:
        """One round: the ascent from images drawn from the pool, by the network as it is now; they join the pool.

        The network is left as it was, weights, statistics, modes and gradients. ``engine`` says in which precision;
        without one it is float32. ``progress`` is called with the size of each batch done.
        """
        net, engine = split(net), engine or Engine(precision="float32")
        starts, k = self._starts(), self.rounds + 1
        size = engine.part_size(self[0][0])
        parts, labels = [], []
        for part, rows in enumerate(torch.split(starts, size)):
            x, y = (torch.stack(each) for each in zip(*(self[row] for row in rows.tolist()), strict=True))
            with engine.seeded(self._draws.seed_for(f"round {k} part {part}")):
                made = self._ascended(net, x, y, f"transformations {k} part {part}", engine, progress)
            parts.append(made)
            labels.append(y if made.labels is None else made.labels)
        made = together(parts)
        self._kept.append({"images": made.images, "labels": torch.cat(labels), "parents": starts})
        self._kept = self._kept[-(self.ada.keep or len(self._kept)) :]
        self.rounds = k
        return made

    def _ascended(
        self, net: Split, x: Tensor, y: Tensor, occasion: str, engine: Engine, progress: Callable[[int], None] | None
    ) -> Fictitious:
        chains, links = self.ada.ascended, None
        if chains is not None:
            links = chains.draw(len(x), self._draws.generator_for(occasion), self.ada.start)
        x, y = to_device_of(net, x), to_device_of(net, y)
        made = fictitious(net, x, y, self.ada, engine=engine, progress=progress, links=links)
        return Fictitious.of({name: to_host(tensor) for name, tensor in made.tensors().items()})

    def _starts(self) -> Tensor:
        """The rows that the next round starts from, as ``ada.sampling`` has it."""
        if self.ada.sampling == "chain" and self._kept:
            return torch.arange(len(self) - self._n, len(self))
        size = self._size if self.ada.sampling == "source" else len(self)
        return self._draws.without_replacement(size, self._n)

    def state_dict(self) -> dict[str, Any]:
        """Its rounds and its generators, as tensors: what a checkpoint of one's own needs besides the network's."""
        kept = {f"{i}.{name}": tensor for i, made in enumerate(self._kept) for name, tensor in made.items()}
        drawn = {f"draws.{purpose}": state for purpose, state in self._draws.state().items()}
        return {"rounds": torch.tensor(self.rounds), **kept, **drawn}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what ``state_dict`` gave, with the same source."""
        count = sum(name.endswith(".images") for name in state)
        kept = [{name: state[f"{i}.{name}"] for name in KEPT} for i in range(count)]
        if any(len(made["images"]) != self._n for made in kept):
            raise InputError(
                f"the state has rounds of {', '.join(str(len(made['images'])) for made in kept)} images, expected "
                f"{self._n}: it is of another pool; give the source and the settings it was saved with"
            )
        self._kept, self.rounds = kept, int(state["rounds"])
        self._draws.restore({n.removeprefix("draws."): s for n, s in state.items() if n.startswith("draws.")})


def _indexed(source: Source) -> Any:
    """What gives (image, label) for a row; a torch Dataset as it is."""
    if isinstance(source, Domain | tuple | list):
        domain = as_domain(source)
        return domain.part(domain.labelled)
    if not (hasattr(source, "__getitem__") and hasattr(source, "__len__")):
        as_domain(source)  # says what was expected
    if not len(source):  # type: ignore[arg-type]
        raise InputError("source: the data set is empty; expected at least one (image, label)")
    image = source[0][0]
    if not (isinstance(image, Tensor) and image.is_floating_point()):
        raise InputError(
            f"source: its first image is {getattr(image, 'dtype', type(image).__name__)}, expected a float tensor "
            "(C, H, W) in [0, 1]; add a transform that makes one, and put normalization inside the network"
        )
    if float(image.min()) < 0 or float(image.max()) > 1:
        raise InputError(
            f"source: its first image has values from {float(image.min()):.3g} to {float(image.max()):.3g}, expected "
            "[0, 1]; leave normalization out of the transform and put it inside the network"
        )
    return source
