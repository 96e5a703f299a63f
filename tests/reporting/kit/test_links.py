"""Which transformations an image went through, and how far."""

import pytest
import torch

from unseen.reporting.kit.links import how_far, in_words
from unseen.transforms import Chains, Links, named


def test_each_image_has_its_own_chain_and_the_mean_over_a_transformations_own_parameters():
    chains = Chains(named(["affine", "warp"]), links=2)
    u = torch.zeros(2, 2, chains.width)
    u[0, 0, :5] = torch.tensor([1.0, -1.0, 0.5, -0.5, 0.0])  # affine has five parameters
    u[0, 0, 5:] = 9.0  # what no parameter reads
    u[0, 1] = -0.25
    u[1, 0] = 0.75
    first, second = how_far(chains, Links(torch.tensor([[0, 1], [1, -1]]), u))
    assert first == [("affine", pytest.approx(0.6)), ("warp", pytest.approx(0.25))]
    assert second == [("warp", pytest.approx(0.75))]
    assert in_words(first) == "affine 0.6 · warp 0.2"
    assert in_words(second) == "warp 0.8"
