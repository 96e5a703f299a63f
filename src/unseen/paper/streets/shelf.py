"""Domains kept in memory, so that a process loads or renders each once for all the runs it scores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from unseen.data.domain import Domain

ROOM = 4 * 2**30  # bytes: all domains of the small scale; of the paper's, which take 0.7 GB each, the last used


class Shelf:
    """The domains that were asked for last, at least one, in no more than so many bytes."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._kept: OrderedDict[Hashable, Domain] = OrderedDict()

    def get(self, key: Hashable, load: Callable[[], Domain]) -> Domain:
        """The domain of that key, loaded if it isn't here."""
        if key not in self._kept:
            self._kept[key] = load()
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and sum(map(_size, self._kept.values())) > self._room:
            self._kept.popitem(last=False)
        return self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)


def _size(domain: Domain) -> int:
    return domain.images.nbytes + domain.labels.nbytes
