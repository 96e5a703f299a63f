"""The paper's claims, judged on hand-made cells."""

import pytest

from unseen.paper.cells import Cell
from unseen.paper.claims import CLAIMS, Claim, judge
from unseen.paper.recipes import RECIPES

CLAIM = Claim("ours is better", "Section 0", (("r/ours", "r/plain"),), ("SVHN", "USPS"))


def cells(**accuracies: tuple[list[float], list[float]]) -> dict[str, list[Cell]]:
    made = []
    for domain, (ours, plain) in accuracies.items():
        made += [Cell("ours", domain, dict(enumerate(ours))), Cell("plain", domain, dict(enumerate(plain)))]
    return {"r": made}


CLEARLY = ([0.40, 0.41, 0.42], [0.30, 0.31, 0.325])
HARDLY = ([0.40, 0.30, 0.42], [0.39, 0.41, 0.30])
WORSE = (CLEARLY[1], CLEARLY[0])


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({"SVHN": CLEARLY, "USPS": CLEARLY}, "holds"),
        ({"SVHN": CLEARLY, "USPS": HARDLY}, "holds in part"),
        ({"SVHN": CLEARLY, "USPS": WORSE}, "contradicted in part"),
        ({"SVHN": HARDLY, "USPS": WORSE}, "does not hold"),
        ({"SVHN": HARDLY, "USPS": HARDLY}, "can't tell"),
        ({"SVHN": ([0.9], [0.1])}, "can't tell"),
        ({}, "not measured"),
    ],
)
def test_every_comparison_counts_for_the_verdict(found: dict, verdict: str) -> None:
    assert judge(CLAIM, cells(**found)).verdict == verdict


def test_a_comparison_that_was_not_run_keeps_a_claim_from_holding() -> None:
    two = Claim("two", "w", (("r/ours", "r/plain"), ("r/more", "r/plain")), ("SVHN", "USPS"))
    judged = judge(two, cells(SVHN=CLEARLY))
    assert judged.verdict == "not all measured"
    assert judged.evidence.endswith("Not run: 1 of 2 comparisons. No data for USPS.")


def test_the_evidence_has_every_column_with_its_interval_and_seeds() -> None:
    evidence = judge(CLAIM, cells(SVHN=CLEARLY, USPS=HARDLY)).evidence
    assert evidence.startswith("SVHN: ours over plain +9.8 (")
    assert "USPS: " in evidence
    assert evidence.count("3 seeds") == 2


def test_a_claim_nobody_measured_says_so() -> None:
    assert judge(CLAIM, {"r": [Cell("ours", "SVHN"), Cell("plain", "SVHN")]}).evidence == "No result on SVHN and USPS."
    only_plain = {"r": [Cell("ours", "SVHN"), Cell("plain", "SVHN", {0: 0.5})]}
    assert judge(CLAIM, only_plain).evidence == "No run of it is finished."


def test_many_comparisons_are_told_by_their_range() -> None:
    many = Claim("m", "w", tuple((f"r/g{i}", "r/plain") for i in range(5)), ("SVHN",))
    made = [Cell(f"g{i}", "SVHN", {0: 0.4 + i / 100, 1: 0.41 + i / 100}) for i in range(5)]
    made.append(Cell("plain", "SVHN", {0: 0.3, 1: 0.3101}))
    evidence = judge(many, {"r": made}).evidence
    assert evidence == "SVHN: +10.0 to +14.0 points over 5 comparisons of 2 seeds, 5 clearly above and 0 clearly below."


def test_comparisons_of_unequal_seeds_say_from_how_few_to_how_many() -> None:
    many = Claim("m", "w", tuple((f"r/g{i}", "r/plain") for i in range(5)), ("SVHN",))
    made = [Cell(f"g{i}", "SVHN", {seed: 0.4 + seed / 100 for seed in range(1 + i)}) for i in range(5)]
    made.append(Cell("plain", "SVHN", dict.fromkeys(range(9), 0.3)))
    assert "over 5 comparisons of 1 to 5 seeds," in judge(many, {"r": made}).evidence


def test_a_claim_can_compare_methods_of_two_recipes() -> None:
    claim = Claim("c", "w", (("a/K=1", "b/K=1"),), ("SVHN",), named=("ensemble", "network"))
    found = {"a": [Cell("K=1", "SVHN", {0: 0.5})], "b": [Cell("K=1", "SVHN", {0: 0.4})]}
    assert judge(claim, found).evidence == "SVHN: ensemble K=1 over network K=1 +10.0 (1 seed)."


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text[:40])
def test_every_method_that_a_claim_names_is_in_its_recipe(claim: Claim) -> None:
    assert claim.pairs
    for name in {name for pair in claim.pairs for name in pair}:
        recipe, _, method = name.partition("/")
        assert method in {m.label for m in RECIPES[recipe].methods}
        assert set(claim.columns) <= set(RECIPES[recipe].columns)
