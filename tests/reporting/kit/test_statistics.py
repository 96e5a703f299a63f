import itertools
import math
import statistics

import numpy as np
import pytest
from scipy import stats

from unseen.reporting.kit.statistics import (
    EXACT_UP_TO,
    Interval,
    bootstrap_interval,
    correlation,
    crossed,
    deviation,
    holm,
    mean,
    seed_means,
    sign_flip_p,
    smallest_p,
    t_interval,
    t_quantile,
    t_test_p,
    welch_interval,
    welch_p,
    wilson,
)

FIVE = [0.312, 0.298, 0.334, 0.305, 0.327]


def test_the_correlation_is_scipys_and_there_is_none_with_what_does_not_vary():
    others = [0.61, 0.55, 0.67, 0.58, 0.60]
    assert correlation(FIVE, others) == pytest.approx(stats.pearsonr(FIVE, others).statistic)
    assert correlation(FIVE, [0.5] * 5) is None


def ends(interval):
    return interval.low, interval.high


@pytest.mark.parametrize("degrees", [1, 1.3, 2, 3, 4, 4.7, 5, 9, 10, 13.25, 30, 101])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_t_quantiles_are_scipys(confidence, degrees):
    assert t_quantile(confidence, degrees) == pytest.approx(stats.t.ppf((1 + confidence) / 2, degrees), rel=1e-9)


def test_the_interval_of_a_mean_is_scipys():
    values = [3.1, 2.0, 4.7, -0.4]
    expected = stats.t.interval(0.95, 3, loc=mean(values), scale=stats.sem(values))
    assert ends(t_interval(values)) == pytest.approx(expected)


@pytest.mark.parametrize("values", [[], [1.0]])
@pytest.mark.parametrize("of", [t_interval, bootstrap_interval, deviation, lambda v: welch_interval(v, 0.5, 0.1, 10)])
def test_fewer_than_two_values_have_no_spread(of, values):
    assert of(values) is None


@pytest.mark.parametrize("of", [t_interval, bootstrap_interval, lambda v: welch_interval(v, 0.0, 0.0, 10)])
def test_equal_values_have_an_interval_without_width(of):
    assert of([2.0, 2.0, 2.0]) == Interval(2.0, 2.0)


def test_the_deviation_is_that_of_a_sample():
    assert deviation(FIVE) == pytest.approx(statistics.stdev(FIVE))


# Ours against a mean that somebody else published.


@pytest.mark.parametrize(
    ("published", "runs"),
    [((0.306, 0.008), 10), ((0.283, 0.032), 20), ((0.35, 0.0), 10)],
    ids=["10", "20", "no spread"],
)
@pytest.mark.parametrize("values", [FIVE, FIVE[:2]], ids=["five seeds", "two seeds"])
def test_welchs_interval_is_scipys(values, published, runs):
    test = stats.ttest_ind_from_stats(
        mean(values), deviation(values), len(values), *published, runs, equal_var=False
    )  # fmt: skip
    error = (mean(values) - published[0]) / test.statistic
    own, other = deviation(values) ** 2 / len(values), published[1] ** 2 / runs
    degrees = (own + other) ** 2 / (own**2 / (len(values) - 1) + other**2 / (runs - 1))
    assert 2 * stats.t.sf(abs(test.statistic), degrees) == pytest.approx(test.pvalue)
    expected = stats.t.interval(0.95, degrees, loc=mean(values) - published[0], scale=error)
    assert ends(welch_interval(values, *published, runs)) == pytest.approx(expected)


def test_a_single_published_run_gives_no_interval():
    assert welch_interval(FIVE, 0.3, 0.0, 1) is None


# The bootstrap.


def test_the_bootstraps_interval_is_the_exact_one_nearly():
    every = [mean(resample) for resample in itertools.product(FIVE, repeat=5)]
    assert ends(bootstrap_interval(FIVE)) == pytest.approx(np.quantile(every, [0.025, 0.975]), abs=5e-4)


def test_the_bootstrap_gives_the_same_interval_again_and_in_any_order():
    values = list(np.random.default_rng(0).normal(size=9))
    assert bootstrap_interval(values) == bootstrap_interval(values) == bootstrap_interval(values[::-1])


def test_the_bootstrap_of_two_values_is_their_range():
    assert ends(bootstrap_interval([0.3, 0.4])) == pytest.approx((0.3, 0.4))


def test_the_bootstrap_is_as_narrow_for_five_values_as_its_promise_says():
    draw = np.random.default_rng(0)
    hits = [bootstrap_interval(draw.normal(size=5)).includes(0) for _ in range(1000)]
    assert np.mean(hits) == pytest.approx(0.84, abs=0.035)


# The permutation test.


def by_hand(differences):
    """Every pattern of signs, one after another."""
    patterns = list(itertools.product([1, -1], repeat=len(differences)))
    sums = [abs(math.fsum(s * d for s, d in zip(signs, differences, strict=True))) for signs in patterns]
    return sum(s >= abs(math.fsum(differences)) - 1e-12 for s in sums) / len(patterns)


@pytest.mark.parametrize(
    "differences",
    [
        [3.0],
        [3.0, 1.0],
        [8.0, 3.7, 5.1, 4.4, 6.0],
        [0.1, 0.2, -0.3, 0.4],
        [1.0, -2.0, 0.5, 0.25, -0.1, 3.0],
        [0.0, 0.0],
    ],
    ids=["one", "two", "all above", "ties", "mixed", "zeros"],
)
def test_the_exact_p_is_a_count_over_every_pattern_of_signs(differences):
    assert sign_flip_p(differences) == by_hand(differences)
    assert sign_flip_p([-d for d in differences]) == by_hand(differences)


def test_the_exact_p_is_scipys():
    differences = [1.2, -0.4, 0.9, 2.2, 0.3, -0.1, 1.7]
    test = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_p(differences) == pytest.approx(test.pvalue)


@pytest.mark.parametrize("count", [1, 2, 5, 6, EXACT_UP_TO])
def test_differences_of_one_sign_give_the_smallest_p(count):
    assert sign_flip_p([1.0 + 0.1 * i for i in range(count)]) == smallest_p(count) == 2 / 2**count


def test_many_differences_have_a_p_from_drawn_signs_that_is_never_zero():
    draw = np.random.default_rng(3)
    differences = list(draw.normal(0.35, 1.0, EXACT_UP_TO + 4))
    test = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=200_000, rng=np.random.default_rng(1)
    )  # fmt: skip
    assert sign_flip_p(differences) == pytest.approx(test.pvalue, rel=0.05)
    assert sign_flip_p(differences) == sign_flip_p(differences)
    assert 0 < sign_flip_p([1.0] * 40) < 1e-4


def test_without_differences_there_is_no_p():
    assert sign_flip_p([]) is None


# Holm.


@pytest.mark.parametrize(
    ("ps", "corrected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.5, 0.01], [1.0, 1.0, 0.03]),
        ([0.02, 0.02], [0.04, 0.04]),
    ],
    ids=["none", "one", "in order again, never falling", "never above 1", "ties"],
)
def test_holm_corrects_for_the_number_of_comparisons(ps, corrected):
    assert holm(ps) == pytest.approx(corrected)


# Over test images.


@pytest.mark.parametrize(("right", "count"), [(0, 10), (7, 10), (507, 1000), (10, 10)])
def test_wilson_is_scipys(right, count):
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    interval = wilson(right / count, count)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_ends_of_an_interval_are_in_it():
    assert Interval(0.0, 1.0).includes(0.0)
    assert not Interval(0.1, 1.0).includes(0.0)
    assert not Interval(-1.0, 1.0).includes(math.inf)


def test_the_p_of_the_t_test_is_scipys_and_goes_with_the_interval():
    values = [3.1, 2.0, 4.7, -0.4]
    assert t_test_p(values, 1.0) == pytest.approx(stats.ttest_1samp(values, 1.0).pvalue)
    low, high = ends(t_interval(values))
    assert t_test_p(values, low) == pytest.approx(0.05) == t_test_p(values, high)
    assert t_test_p([1.0]) is None
    assert t_test_p([2.0, 2.0]) == 0
    assert t_test_p([0.0, 0.0]) == 1


def test_the_p_of_welchs_test_is_scipys_and_goes_with_the_interval():
    values, others = [3.1, 2.0, 4.7, -0.4], [0.5, 1.0, 0.2]
    other = (float(np.mean(others)), float(np.std(others, ddof=1)), len(others))
    p = welch_p(values, *other)
    assert p == pytest.approx(stats.ttest_ind(values, others, equal_var=False).pvalue)
    low, _ = ends(welch_interval(values, *other, confidence=1 - p))
    assert low == pytest.approx(0)
    assert welch_p([1.0], *other) is None
    assert welch_p([2.0, 2.0], 1.0, 0.0, 2) == 0
    assert welch_p([2.0, 2.0], 2.0, 0.0, 2) == 1


def test_each_seed_counts_once_with_the_repetitions_it_has():
    assert seed_means([{0: 1.0, 1: 5.0}, {0: 3.0}, {0: 5.0, 2: 7.0}]) == {0: 3.0, 1: 5.0, 2: 7.0}


def test_the_crossed_analysis_is_that_of_a_blocked_design():
    table = [[1.0, 4.0, 2.0], [2.0, 6.0, 2.5], [1.5, 4.5, 4.0], [0.5, 5.0, 1.0]]
    found = crossed(table)
    values = np.array(table)
    residual = values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()
    ratio = 3 * values.mean(1).var(ddof=1) / (np.square(residual).sum() / 6)
    assert (found.settings, found.seeds, found.ratio) == (4, 3, pytest.approx(ratio))
    assert found.p == pytest.approx(stats.f.sf(ratio, 3, 6))
    assert found.between == pytest.approx(values.mean(0).std(ddof=1))
    assert found.within == pytest.approx(np.sqrt(values.var(0, ddof=1).mean()))


def test_settings_that_do_nothing_have_ps_spread_evenly():
    generator = np.random.default_rng(4)
    seeds = 3 * generator.standard_normal((300, 1, 2))
    ps = [crossed(table).p for table in seeds + generator.standard_normal((300, 8, 2))]
    assert stats.kstest(ps, "uniform").pvalue > 0.01
