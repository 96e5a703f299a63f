"""The paper's claims, judged on hand-made cells."""

import pytest

from unseen.paper.cells import Cell
from unseen.paper.claims import Claim, judge
from unseen.paper.published import Published

CLAIM = Claim("ADA is better", "Section 0", (("r/ADA", "r/ERM"),), ("SVHN", "USPS"))


def cells(**accuracies: tuple[list[float], list[float]]) -> dict[str, list[Cell]]:
    made = []
    for domain, (ada, erm) in accuracies.items():
        made += [Cell("ADA", domain, dict(enumerate(ada))), Cell("ERM", domain, dict(enumerate(erm)))]
    return {"r": made}


ABOVE = ([0.40, 0.41, 0.42], [0.30, 0.31, 0.325])
UNCLEAR = ([0.40, 0.30, 0.42], [0.39, 0.41, 0.30])
BELOW = (ABOVE[1], ABOVE[0])
BEYOND = ([0.436, 0.440, 0.446], [0.40, 0.41, 0.41])
"""3.4 points in the mean: farther apart than the margin, and an interval that reaches into it"""
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
    assert judge(two, cells(SVHN=ABOVE)).verdict == "not all measured"


def test_one_clear_comparison_among_many_has_to_be_clear_among_all() -> None:
    """Its p by itself is 0.009: below 0.05, and not below 0.05 / 8."""
    lucky, unlucky = [0.40, 0.44, 0.42, 0.45], [0.35, 0.45, 0.36, 0.46]
    made = [Cell(f"g{i}", "SVHN", dict(enumerate(lucky if i == 0 else unlucky))) for i in range(8)]
    made.append(Cell("ERM", "SVHN", {0: 0.38, 1: 0.40, 2: 0.39, 3: 0.405}))
    alone = Claim("one", "w", (("r/g0", "r/ERM"),), ("SVHN",))
    among = Claim("many", "w", tuple((f"r/g{i}", "r/ERM") for i in range(8)), ("SVHN",))
    assert alone.tested(judge(alone, {"r": made}).comparisons[0])[0] == pytest.approx(0.009, abs=0.0005)
    assert judge(alone, {"r": made}).verdict == "holds"
    assert judge(among, {"r": made}).verdict == "not decided"


def test_near_repetitions_are_one_comparison_with_each_seed_counted_once() -> None:
    pairs = tuple((f"r/g{i}", "r/ERM") for i in range(3))
    claim = Claim("near", "w", pairs, ("SVHN",), near={f"r/g{i}": "all γ" for i in range(2)})
    made = [
        Cell("g0", "SVHN", {0: 0.40, 1: 0.50, 2: 0.60}),
        Cell("g1", "SVHN", {0: 0.44, 1: 0.52}),
        Cell("g2", "SVHN", {0: 0.30, 1: 0.30}),
        Cell("ERM", "SVHN", {0: 0.30, 1: 0.30, 2: 0.30}),
    ]
    judged = judge(claim, {"r": made})
    pooled, other = judged.comparisons
    assert judged.wanted == 2
    assert pooled.method == "all γ"
    assert pooled.differences == pytest.approx({0: 12.0, 1: 21.0, 2: 30.0})
    assert other.differences == {0: 0.0, 1: 0.0}


def test_the_effect_is_the_mean_of_the_comparisons_over_the_seeds_that_all_have() -> None:
    claim = Claim("two", "w", (("r/a", "r/ERM"), ("r/b", "r/ERM")), ("SVHN",))
    made = [
        Cell("a", "SVHN", {0: 0.40, 1: 0.42, 2: 0.90}, Published(0.35, 0.01, (10,), "")),
        Cell("b", "SVHN", {0: 0.44, 1: 0.50}, Published(0.37, 0.01, (10,), "")),
        Cell("ERM", "SVHN", {0: 0.30, 1: 0.30, 2: 0.30}, Published(0.30, 0.01, (10,), "")),
    ]
    (effect,) = judge(claim, {"r": made}).effects
    assert effect.comparison.differences == pytest.approx({0: 12.0, 1: 16.0})
    assert effect.theirs == pytest.approx(6.0)


def test_a_claim_can_compare_methods_of_two_recipes() -> None:
    claim = Claim("c", "w", (("a/K=1", "b/K=1"),), ("SVHN",), named=("ensemble", "network"))
    found = {"a": [Cell("K=1", "SVHN", {0: 0.5})], "b": [Cell("K=1", "SVHN", {0: 0.4})]}
    (comparison,) = judge(claim, found).comparisons
    assert (comparison.method, comparison.baseline) == ("ensemble K=1", "network K=1")


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
        ({"a": BEYOND}, "not decided"),
        ({"a": ([0.4], [0.4])}, "not decided"),
    ],
)
def test_no_strong_difference_is_an_interval_within_the_margin(found: dict, expected: str) -> None:
    claim = Claim("alike", "w", (("r/ADA", "r/ERM"),), ("a", "b"), alike=True)
    assert judge(claim, cells(**found)).verdict == expected


def test_a_claim_of_independent_sides_is_also_counted_without_pairs() -> None:
    claim = Claim("a does better", "w", (("r/a", "r/e"), ("r/b", "r/e")), ("SVHN",), independent=True)
    worse = {0: 0.30, 1: 0.34, 2: 0.32}
    crossed = {0: 0.44, 1: 0.40, 2: 0.42}  # far above, and paired so that the differences scatter
    alike = {0: 0.31, 1: 0.33, 2: 0.32}
    found = judge(claim, {"r": [Cell("e", "SVHN", worse), Cell("a", "SVHN", crossed), Cell("b", "SVHN", alike)]})
    assert found.clear_without_pairs == 1
    assert found.outcomes == ["unclear", "unclear"], "pairs this unlucky show nothing"


def test_an_interval_excludes_what_lies_outside_as_it_is_printed() -> None:
    better, worse = {0: 0.51, 1: 0.52, 2: 0.53}, {0: 0.50, 1: 0.50, 2: 0.50}
    claim = Claim("a does better", "w", (("r/a", "r/e"),), ("SVHN",))
    (effect,) = judge(claim, {"r": [Cell("e", "SVHN", worse), Cell("a", "SVHN", better)]}).effects
    interval = effect.comparison.interval
    assert interval
    assert (round(interval.low, 1), round(interval.high, 1)) == (-0.5, 4.5)
    assert [effect.excludes(points) for points in (-0.56, -0.5, 4.54, 4.56)] == [True, False, False, True]
