"""The paper's claims of its digit experiments."""

import pytest

from unseen.paper.claims import Claim
from unseen.paper.digits.claims import DIGIT_CLAIMS
from unseen.paper.digits.recipes import DIGIT_RECIPES


@pytest.mark.parametrize("claim", DIGIT_CLAIMS, ids=lambda claim: claim.text[:40])
def test_every_method_that_a_claim_names_is_in_its_recipe(claim: Claim) -> None:
    assert claim.pairs
    for name in {name for pair in claim.pairs for name in pair}:
        recipe, _, method = name.partition("/")
        assert method in {m.label for m in DIGIT_RECIPES[recipe].methods}
        assert set(claim.columns) <= set(DIGIT_RECIPES[recipe].columns)
