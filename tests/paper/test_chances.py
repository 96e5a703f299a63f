"""What so many seeds would make of a claim: the simulation judges as claims are judged."""

import numpy as np
import pytest

from unseen.paper.cells import Cell
from unseen.paper.chances import Chances, chances, clear_on_its_side
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.findings import MARGIN
from unseen.paper.published import Published
from unseen.reporting.kit.power import MOST_PAIRS, POWER, power


@pytest.mark.parametrize(("alike", "edge"), [(False, 0.0), (True, MARGIN)])
def test_the_simulation_counts_what_judging_calls_clear(*, alike: bool, edge: float) -> None:
    """Drawn near the edge, so that all, some and none are clear, on either side."""
    draw = np.random.default_rng(0)
    centres = edge + draw.choice([-2.0, 0.0, 2.0], size=(300, 1, 1)) + draw.normal(size=(300, 4, 1))
    differences = draw.choice([-1.0, 1.0], size=(300, 4, 1)) * (centres + draw.normal(size=(300, 4, 5)))
    claim = Claim("c", "w", tuple((f"r/{i}", "r/b") for i in range(4)), ("d",), alike=alike)
    expected = []
    for result in differences:
        cells = [Cell(str(i), "d", dict(enumerate(0.5 + each / 100))) for i, each in enumerate(result)]
        cells.append(Cell("b", "d", dict.fromkeys(range(5), 0.5)))
        expected.append(judge(claim, {"r": cells}).outcomes.count("above"))
    assert clear_on_its_side(differences, alike=alike).tolist() == expected
    assert set(expected) == {0, 1, 2, 3, 4}


def claimed(*, methods: int = 1, theirs: float | None = 3.0, seeds: int = 6, **options: bool) -> Judged:
    """Methods whose differences have a deviation of two points."""
    draw = np.random.default_rng(1)
    named = [f"m{i}" for i in range(methods)]
    paper = Published(0.5, 0.01, (10,), "") if theirs is not None else None
    cells = [Cell("b", "d", dict.fromkeys(range(seeds), 0.5), paper)]
    for name in named:
        shares = draw.normal(size=seeds)
        shares = 0.5 + 0.02 * (shares - shares.mean()) / (shares.std(ddof=1) if seeds > 1 else 1)
        above = Published(0.5 + theirs / 100, 0.01, (10,), "") if theirs is not None else None
        cells.append(Cell(name, "d", dict(enumerate(shares.tolist())), above))
    return judge(Claim("c", "w", tuple((f"r/{name}", "r/b") for name in named), ("d",), **options), {"r": cells})


def found(judged: Judged, planned: int | None = None) -> Chances:
    chance = chances(judged, planned)
    assert chance is not None
    return chance


def test_one_comparison_has_the_power_of_its_t_test() -> None:
    chance = found(claimed())
    for seeds in (4, 8, 15):
        assert chance.whole[seeds] == chance.part[seeds] == pytest.approx(power(3.0, 2.0, seeds), abs=0.03)
    needed = chance.seeds_whole
    assert needed is not None
    assert power(3.0, 2.0, needed + 1) > POWER > power(3.0, 2.0, needed - 2)


def test_where_nothing_differs_a_claim_is_shown_in_few_of_a_hundred_cases() -> None:
    chance = found(claimed(methods=6, theirs=0.0))
    assert max(chance.part.values()) < 0.04, "half of 5 of 100: the other half is on the other side"
    assert chance.seeds_whole is chance.seeds_in_part is None


def test_some_of_many_comparisons_are_clear_sooner_than_one_and_all_of_them_later() -> None:
    one, many = found(claimed()), found(claimed(methods=6))
    assert many.part[6] > many.whole[6]
    assert many.whole[6] < one.whole[6]


def test_where_the_paper_only_draws_bars_three_points_are_asked_for() -> None:
    assert found(claimed(theirs=None)) == found(claimed(theirs=3.0))


def test_the_planned_number_of_seeds_is_tried_even_if_it_is_odd() -> None:
    assert 23 in found(claimed(), planned=23).whole
    assert max(found(claimed()).whole) == MOST_PAIRS


def test_differences_without_a_spread_say_nothing_about_more_of_them() -> None:
    cells = [Cell(name, "d", dict.fromkeys(range(3), level)) for name, level in (("a", 0.6), ("b", 0.5))]
    assert chances(judge(Claim("c", "w", (("r/a", "r/b"),), ("d",)), {"r": cells})) is None


def test_one_seed_says_nothing_about_more_of_them() -> None:
    assert chances(claimed(seeds=1)) is None


def test_mostly_takes_more_than_half_of_the_comparisons_and_has_no_part() -> None:
    every, mostly = found(claimed(methods=5)), found(claimed(methods=5, mostly=True))
    assert mostly.part == mostly.whole
    assert every.whole[6] < mostly.whole[6] < every.part[6]


def test_that_two_hardly_differ_is_shown_sooner_the_smaller_the_spread() -> None:
    judged = claimed(theirs=None, alike=True)
    chance, wide = found(judged), chances(judged, wide=True)
    assert wide
    assert chance.seeds_whole
    assert wide.seeds_whole
    assert chance.seeds_whole < wide.seeds_whole
    assert chance.whole[MOST_PAIRS] == 1.0, "nothing differs: with enough seeds every interval is within the margin"
