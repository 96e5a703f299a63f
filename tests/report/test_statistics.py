import math

import pytest
from scipy import stats

from unseen.report.statistics import Interval, mean, t_interval, t_quantile, wilson


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 9, 10, 30, 101])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_t_quantiles_are_scipys(confidence, degrees):
    assert t_quantile(confidence, degrees) == pytest.approx(stats.t.ppf((1 + confidence) / 2, degrees), rel=1e-9)


def test_the_interval_of_a_mean_is_scipys():
    values = [3.1, 2.0, 4.7, -0.4]
    expected = stats.t.interval(0.95, 3, loc=mean(values), scale=stats.sem(values))
    interval = t_interval(values)
    assert (interval.low, interval.high) == pytest.approx(expected)


@pytest.mark.parametrize("values", [[], [1.0]])
def test_fewer_than_two_values_have_no_interval(values):
    assert t_interval(values) is None


def test_equal_values_have_an_interval_without_width():
    assert t_interval([2.0, 2.0, 2.0]) == Interval(2.0, 2.0)


@pytest.mark.parametrize(("right", "count"), [(0, 10), (7, 10), (507, 1000), (10, 10)])
def test_wilson_is_scipys(right, count):
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    interval = wilson(right / count, count)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_ends_of_an_interval_are_in_it():
    assert Interval(0.0, 1.0).includes(0.0)
    assert not Interval(0.1, 1.0).includes(0.0)
    assert not Interval(-1.0, 1.0).includes(math.inf)
