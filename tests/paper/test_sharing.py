"""What claims share: runs, luck, domains."""

import numpy as np
import pytest

from unseen.paper.cells import Cell
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.sharing import alike_in_words

CLAIM = Claim("c", "w", (("r/a", "r/b"),), ("SVHN", "MNIST-M"))


def judged(luck: float, seeds: int = 400) -> Judged:
    """Both sides share a seed's luck to that share of their variance, and so do the differences on two domains."""
    draw = np.random.default_rng(0).standard_normal
    together, between = draw(seeds), draw(seeds)
    cells = []
    for domain in CLAIM.columns:
        base = luck**0.5 * together + (1 - luck) ** 0.5 * draw(seeds)
        cells.append(Cell("b", domain, dict(enumerate(0.5 + 0.01 * base))))
        above = 0.01 * (luck**0.5 * between + (1 - luck) ** 0.5 * draw(seeds))
        cells.append(Cell("a", domain, dict(enumerate(0.5 + 0.01 * base + above))))
    return judge(CLAIM, {"r": cells})


def test_two_sides_with_the_same_base_are_alike_and_domains_as_far_as_they_share_their_luck() -> None:
    some = judged(0.8)
    assert [each.alike for each in some.compared] == pytest.approx([0.5**0.5] * 2, abs=0.05)
    said = alike_in_words([some])
    assert "the two sides of a comparison correlate at 0.7" in said
    assert "(2 comparisons with 5 seeds or more)" in said
    assert "The differences on a claim's first two domains correlate at 0.8" in said
    assert "correlate at 0.0" in alike_in_words([judged(0.0)]) or "correlate at -0.0" in alike_in_words([judged(0.0)])


def test_of_few_seeds_nothing_is_said() -> None:
    assert alike_in_words([judged(0.8, seeds=4)]) == ""
    assert [each.alike for each in judged(0.8, seeds=2).compared] == [None, None]
