"""The power of the paired t test."""

import numpy as np
import pytest
from scipy import stats

from unseen.reporting.kit.power import MOST_PAIRS, POWER, pairs_needed, power, spread_bound
from unseen.reporting.kit.statistics import t_test_p


@pytest.mark.parametrize(("difference", "spread", "pairs"), [(1.0, 1.0, 5), (0.3, 2.0, 40), (5.0, 1.0, 3), (0, 1, 4)])
def test_the_power_is_scipys(difference: float, spread: float, pairs: int) -> None:
    law = stats.nct(pairs - 1, difference / spread * pairs**0.5)
    edge = stats.t.ppf(0.975, pairs - 1)
    assert power(difference, spread, pairs) == pytest.approx(law.sf(edge) + law.cdf(-edge), rel=1e-6)


def test_simulated_tests_see_a_difference_as_often_as_the_power_says() -> None:
    draws = np.random.default_rng(0).normal(1.0, 1.2, (2_000, 8))
    seen = np.mean([(t_test_p(list(row)) or 1) < 0.05 for row in draws])
    assert seen == pytest.approx(power(1.0, 1.2, 8), abs=0.03)


def test_the_pairs_needed_are_the_fewest() -> None:
    needed = pairs_needed(2.3, 4.2)
    assert needed is not None
    assert power(2.3, 4.2, needed) >= POWER > power(2.3, 4.2, needed - 1)


def test_a_difference_out_of_reach_has_no_number_of_pairs() -> None:
    assert pairs_needed(0.1, 4.0) is None
    assert power(0.1, 4.0, MOST_PAIRS) < POWER
    assert pairs_needed(0.0, 0.0) is None


@pytest.mark.parametrize("ratio", [10, 40, 100, 1000])
def test_far_out_where_scipy_has_no_number_the_power_is_one(ratio: float) -> None:
    assert [power(ratio, 1.0, pairs) > 0.99 for pairs in (10, 50, MOST_PAIRS)] == [True] * 3
    assert pairs_needed(ratio, 1.0) == (3 if ratio == 10 else 2)


def test_few_pairs_leave_the_spread_open() -> None:
    draws = np.random.default_rng(1).normal(0, 1, (4_000, 3)).std(axis=1, ddof=1)
    below = np.mean([spread_bound(s, 3) > 1 for s in draws])
    assert below == pytest.approx(0.9, abs=0.015)
    assert spread_bound(1.0, 2) > 7
    assert spread_bound(1.0, 1) is None
