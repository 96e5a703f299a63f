"""How many seeds would decide a claim."""

import pytest

from unseen.paper.cells import Cell
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.deciding import deciding, power_sheet
from unseen.paper.findings import LEAST_PAIRS, MARGIN
from unseen.paper.published import Published
from unseen.paper.tables import NONE
from unseen.reporting.kit.power import pairs_needed
from unseen.reporting.kit.statistics import deviation

CLAIM = Claim("c", "w", (("r/a", "r/e"), ("r/b", "r/e")), ("SVHN",), name="a and b beat e")


def published(mean: float, printed: bool) -> Published | None:
    return Published(mean, 0.01, (10,), "") if printed else None


def judged(*, printed: bool, seeds: int = 3) -> Judged:
    shares = {"a": [0.34, 0.38, 0.33], "b": [0.36, 0.37, 0.38], "e": [0.30, 0.31, 0.32]}
    theirs = {"a": 0.301, "b": 0.33, "e": 0.30}
    cells = [
        Cell(name, "SVHN", dict(enumerate(shares[name][:seeds])), published(theirs[name], printed)) for name in shares
    ]
    return judge(CLAIM, {"r": cells})


def test_the_papers_difference_and_the_measured_spread_give_the_seeds() -> None:
    found = deciding(judged(printed=True).effects[0])
    differences = [5.0, 6.5, 3.5]
    assert found.spread == pytest.approx(deviation(differences))
    assert found.difference == pytest.approx(1.55)
    assert found.seeds == pairs_needed(1.55, found.spread or 0)
    assert found.hardest is not None
    assert found.hardest.comparison.method == "a", "the paper has a at a tenth of a point"
    assert found.hardest_seeds is None


def test_where_the_paper_gives_no_number_the_margin_of_agreement_is_asked_for_and_put_in_brackets() -> None:
    assert deciding(judged(printed=False).effects[0]).difference == MARGIN
    (row,) = power_sheet([judged(printed=False)]).rows
    assert row[4] == "(3.0)"
    assert row[-1] == NONE, "no comparison is the hardest where the paper has no number"


def test_one_seed_has_no_spread_and_no_number_is_invented() -> None:
    (row,) = power_sheet([judged(printed=True, seeds=1)]).rows
    assert row[2:] == ("1", NONE, "+1.6", NONE, NONE, f"a over e: {NONE}")


def test_fewer_seeds_than_decide_anything_are_never_enough() -> None:
    cells = [Cell("a", "SVHN", {0: 0.40, 1: 0.41, 2: 0.4201}), Cell("e", "SVHN", {0: 0.30, 1: 0.31, 2: 0.32})]
    (effect,) = judge(Claim("c", "w", (("r/a", "r/e"),), ("SVHN",)), {"r": cells}).effects
    found = deciding(effect)
    assert pairs_needed(MARGIN, found.spread or 0) == 2
    assert found.seeds == found.wide_seeds == LEAST_PAIRS
