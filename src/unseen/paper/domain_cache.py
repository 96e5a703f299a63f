"""Domains kept in memory, so that a process loads or renders each once for all the runs it scores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from unseen.data.domain import Domain

CAPACITY = 4 * 2**30  # bytes: all domains of the small scale; of the paper's, which take 0.7 GB each, the last used


class DomainCache:
    """The domains used last, at least one, in no more than ``capacity`` bytes; ``lru_cache`` counts entries instead."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._domains: OrderedDict[Hashable, Domain] = OrderedDict()

    def get(self, key: Hashable, load: Callable[[], Domain]) -> Domain:
        """The domain of that key, loaded if it isn't here."""
        if key not in self._domains:
            self._domains[key] = load()
        self._domains.move_to_end(key)
        while len(self._domains) > 1 and sum(map(_size, self._domains.values())) > self._capacity:
            self._domains.popitem(last=False)
        return self._domains[key]

    def __len__(self) -> int:
        return len(self._domains)


def _size(domain: Domain) -> int:
    return domain.images.nbytes + domain.labels.nbytes
