"""How claims are judged, and what other ways of judging would say."""

import json
from pathlib import Path

import numpy as np
import pytest
from digit_lines import add_results

from unseen.paper.cells import Cell
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.judging import judged_otherwise
from unseen.paper.page import read_page


def judged(differences: list[float], name: str = "a beats e") -> Judged:
    """One comparison with these differences, in points."""
    base = dict.fromkeys(range(len(differences)), 0.5)
    better = {seed: 0.5 + difference / 100 for seed, difference in enumerate(differences)}
    claim = Claim("a does better", "w", (("r/a", "r/e"),), ("SVHN",), name)
    return judge(claim, {"r": [Cell("e", "SVHN", base), Cell("a", "SVHN", better)]})


def test_five_seeds_are_clear_by_the_t_test_and_never_by_the_permutation_test() -> None:
    ten, five = judged(list(np.linspace(1, 2, 10))), judged([1.0, 1.1, 1.2, 0.9, 1.0], "few")
    said = judged_otherwise([ten, five])
    assert "how many of the 2 clear comparisons stay so?" in said
    assert "with 5 seeds or fewer, 1: few has 0 in place of 1." in said
    assert said.endswith("(Pocock's level), 2.")


def test_what_is_barely_clear_is_not_clear_at_the_stricter_level() -> None:
    barely = judged([2 - 0.8, 2.0, 2 + 0.8])
    assert 0.0294 < barely.corrected[0] < 0.05
    assert judged_otherwise([barely]).endswith("(Pocock's level), 0: a beats e has 0 in place of 1.")


def test_where_nothing_is_clear_nothing_is_judged_again() -> None:
    assert judged_otherwise([judged([1.0, -1.0, 0.5])]) == ""


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("judging")
    return read_page(add_results(folder / "digits.jsonl", ["figure2b-top", "figure2b-bottom"], 2).path).judging


def test_ensembles_of_the_same_runs_are_counted_by_themselves(points: list[str]) -> None:
    (said,) = [point for point in points if point.startswith("Claims are not independent.")]
    direct, *_ = said.partition(" have ensembles or adaptations of ERM runs on a side.")
    assert direct.endswith(" 8 more, in 1 claim,"), "the ensembles over γ against those of ERM: K = 1 to 4, two domains"
    assert "10 more, in 2 claims, have ensembles or adaptations of ADA (γ=1) runs on a side." in said


def test_runs_that_nobody_made_are_not_counted_as_shared(tmp_path: Path) -> None:
    results = add_results(tmp_path / "digits.jsonl", ["figure2a-bottom"], 2)
    kept = [line for line in results if line["ada"]["K"] == 0 or line["ada"]["gamma"] == 1e4]
    (tmp_path / "few.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in kept))
    (said,) = [p for p in read_page(tmp_path / "few.jsonl").judging if p.startswith("Claims are not independent.")]
    assert said.startswith("Claims are not independent. 2 of the 2 comparisons, in 1 claim, are differences from")
    assert "ADA (γ=1)" not in said
