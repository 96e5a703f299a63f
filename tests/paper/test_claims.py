"""The paper's claims, judged on hand-made cells."""

import pytest

from unseen.paper.cells import Cell
from unseen.paper.claims import Claim, judge

CLAIM = Claim("ADA is better", "Section 0", (("r/ADA", "r/ERM"),), ("SVHN", "USPS"))


def cells(**accuracies: tuple[list[float], list[float]]) -> dict[str, list[Cell]]:
    made = []
    for domain, (ada, erm) in accuracies.items():
        made += [Cell("ADA", domain, dict(enumerate(ada))), Cell("ERM", domain, dict(enumerate(erm)))]
    return {"r": made}


ABOVE = ([0.40, 0.41, 0.42], [0.30, 0.31, 0.325])
UNCLEAR = ([0.40, 0.30, 0.42], [0.39, 0.41, 0.30])
BELOW = (ABOVE[1], ABOVE[0])
NEARLY = ([0.40, 0.41, 0.42], [0.399, 0.411, 0.420])


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({"SVHN": ABOVE, "USPS": ABOVE}, "holds"),
        ({"SVHN": ABOVE, "USPS": UNCLEAR}, "holds in part"),
        ({"SVHN": ABOVE, "USPS": BELOW}, "contradicted in part"),
        ({"SVHN": UNCLEAR, "USPS": BELOW}, "does not hold"),
        ({"SVHN": UNCLEAR, "USPS": UNCLEAR}, "not decided"),
        ({"SVHN": ([0.9], [0.1])}, "not decided"),
        ({}, "not measured"),
    ],
)
def test_every_comparison_counts_for_the_verdict(found: dict, verdict: str) -> None:
    assert judge(CLAIM, cells(**found)).verdict == verdict


def test_a_comparison_that_was_not_run_keeps_a_claim_from_holding() -> None:
    two = Claim("two", "w", (("r/ADA", "r/ERM"), ("r/more", "r/ERM")), ("SVHN", "USPS"))
    judged = judge(two, cells(SVHN=ABOVE))
    assert judged.verdict == "not all measured"
    assert judged.evidence.endswith("Not run: 1 of 2 comparisons. No data for USPS.")


def test_the_evidence_has_every_column_with_its_interval_and_seeds() -> None:
    evidence = judge(CLAIM, cells(SVHN=ABOVE, USPS=UNCLEAR)).evidence
    assert evidence.startswith("SVHN: ADA over ERM +9.8 (")
    assert "USPS: " in evidence
    assert evidence.count("3 seeds") == 2


def test_a_claim_nobody_measured_says_so() -> None:
    assert judge(CLAIM, {"r": [Cell("ADA", "SVHN"), Cell("ERM", "SVHN")]}).evidence == "No result on SVHN and USPS."
    only_erm = {"r": [Cell("ADA", "SVHN"), Cell("ERM", "SVHN", {0: 0.5})]}
    assert judge(CLAIM, only_erm).evidence == "No run of it is finished."


def test_many_comparisons_are_reported_by_their_range() -> None:
    many = Claim("m", "w", tuple((f"r/g{i}", "r/ERM") for i in range(5)), ("SVHN",))
    made = [Cell(f"g{i}", "SVHN", {0: 0.4 + i / 100, 1: 0.41 + i / 100}) for i in range(5)]
    made.append(Cell("ERM", "SVHN", {0: 0.3, 1: 0.3101}))
    evidence = judge(many, {"r": made}).evidence
    assert evidence == "SVHN: +10.0 to +14.0 points over 5 comparisons of 2 seeds, 5 clearly above and 0 clearly below."


def test_comparisons_of_unequal_seeds_say_from_how_few_to_how_many() -> None:
    many = Claim("m", "w", tuple((f"r/g{i}", "r/ERM") for i in range(5)), ("SVHN",))
    made = [Cell(f"g{i}", "SVHN", {seed: 0.4 + seed / 100 for seed in range(1 + i)}) for i in range(5)]
    made.append(Cell("ERM", "SVHN", dict.fromkeys(range(9), 0.3)))
    assert "over 5 comparisons of 1 to 5 seeds," in judge(many, {"r": made}).evidence


def test_a_claim_can_compare_methods_of_two_recipes() -> None:
    claim = Claim("c", "w", (("a/K=1", "b/K=1"),), ("SVHN",), named=("ensemble", "network"))
    found = {"a": [Cell("K=1", "SVHN", {0: 0.5})], "b": [Cell("K=1", "SVHN", {0: 0.4})]}
    assert judge(claim, found).evidence == "SVHN: ensemble K=1 over network K=1 +10.0 (1 seed)."


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"a": ABOVE, "b": ABOVE, "c": BELOW}, "holds"),
        ({"a": BELOW, "b": BELOW, "c": ABOVE}, "does not hold"),
        ({"a": ABOVE, "b": UNCLEAR, "c": BELOW}, "not decided"),
        ({"a": ABOVE, "b": BELOW}, "not decided"),
        ({}, "not measured"),
    ],
)
def test_mostly_is_more_than_half(found: dict, expected: str) -> None:
    claim = Claim("mostly", "w", (("r/ADA", "r/ERM"),), ("a", "b", "c"), mostly=True)
    assert judge(claim, cells(**found)).verdict == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"a": NEARLY, "b": NEARLY}, "holds"),
        ({"a": NEARLY, "b": UNCLEAR}, "holds in part"),
        ({"a": ABOVE, "b": BELOW}, "does not hold"),
        ({"a": ([0.4], [0.4])}, "not decided"),
    ],
)
def test_no_strong_difference_is_an_interval_within_the_margin(found: dict, expected: str) -> None:
    claim = Claim("alike", "w", (("r/ADA", "r/ERM"),), ("a", "b"), alike=True)
    assert judge(claim, cells(**found)).verdict == expected
