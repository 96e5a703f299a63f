"""Domains kept in memory."""

import pytest
import torch

import unseen
from unseen.paper.domain_cache import DomainCache


def domain_of(images: int) -> unseen.Domain:
    return unseen.Domain("d", torch.zeros(images, 1, 10, 10), torch.zeros(images, dtype=torch.long), ("a",))


def test_what_was_used_last_is_kept_within_the_capacity() -> None:
    cache, loaded = DomainCache(capacity=3 * 408), []
    for name in "abacd":
        cache.get(name, lambda name=name: loaded.append(name) or domain_of(1))
    assert loaded == ["a", "b", "c", "d"]
    cache.get("a", lambda: pytest.fail("a was used after b"))
    cache.get("b", lambda: loaded.append("again") or domain_of(1))
    assert loaded[-1] == "again"
    assert len(cache) == 3


def test_a_domain_larger_than_the_capacity_is_kept_alone() -> None:
    cache = DomainCache(capacity=10)
    kept = cache.get("a", lambda: domain_of(5))
    assert cache.get("a", lambda: pytest.fail("it was here")) is kept
