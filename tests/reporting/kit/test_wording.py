import pytest

from unseen.reporting.kit.wording import compare, headline, listed, sentence, short, signed


def against_erm(ada, erm, domain="photo-blend", method="ADA"):
    """A comparison of accuracies in percent, seed by seed."""
    return compare(
        domain, method, "ERM", {i: a / 100 for i, a in enumerate(ada)}, {i: e / 100 for i, e in enumerate(erm)}
    )


UP = [53.1, 54.0, 53.6], [50.0, 50.5, 51.0]
DOWN = [49.6, 50.0, 50.7], [50.0, 50.5, 51.0]
ONE_SEED = "with one seed: no interval"
TIED = [52.0, 50.0, 51.5], [50.0, 51.5, 51.0]


@pytest.mark.parametrize(
    ("scores", "outcome", "words"),
    [
        (UP, "above", "On photo-blend ADA is 3.1 points above ERM (95 % interval +1.9 to +4.2, 3 seeds)."),
        (
            DOWN,
            "below",
            "On photo-blend ADA does NOT beat ERM: 0.4 points below (95 % interval −0.6 to −0.2, 3 seeds).",
        ),
        (
            TIED,
            "unclear",
            "On photo-blend ADA is 0.3 points above ERM on average, but the 95 % interval includes zero "
            "(−4.0 to +4.7, 3 seeds).",
        ),
        (
            TIED[::-1],
            "unclear",
            "On photo-blend ADA does NOT beat ERM: 0.3 points below on average, but the 95 % interval includes zero "
            "(−4.7 to +4.0, 3 seeds).",
        ),
        (([53], [50]), "unclear", "On photo-blend ADA is 3.0 points above ERM (1 seed: no interval can be given)."),
        (
            ([49], [50]),
            "unclear",
            "On photo-blend ADA does NOT beat ERM: 1.0 points below (1 seed: no interval can be given).",
        ),
        (
            ([50], [50]),
            "unclear",
            "On photo-blend ADA does NOT beat ERM: no difference (1 seed: no interval can be given).",
        ),
    ],
    ids=["above", "below", "tie above", "tie below", "one seed above", "one seed below", "equal"],
)
def test_a_comparison_says_what_its_numbers_allow(scores, outcome, words):
    comparison = against_erm(*scores)
    assert comparison.outcome == outcome
    assert sentence(comparison) == words


def test_equal_accuracies_are_no_win_and_no_riddle():
    assert sentence(against_erm([50, 51], [50, 51])) == (
        "On photo-blend ADA does NOT beat ERM: the same accuracy with each of 2 seeds."
    )


def test_only_seeds_that_both_have_are_paired():
    comparison = compare("d", "ADA", "ERM", {0: 0.5, 1: 0.6, 2: 0.9}, {0: 0.4, 1: 0.5, 7: 0.1})
    assert list(comparison.differences) == [0, 1]
    assert comparison.gap == pytest.approx(10)


def test_without_a_common_seed_there_is_no_interval_and_it_says_so():
    comparison = compare("d", "ADA", "ERM", {0: 0.5}, {1: 0.4, 2: 0.5})
    assert comparison.interval is None
    assert sentence(comparison) == "On d ADA is 5.0 points above ERM (no seed in common: no interval can be given)."


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([UP, UP, UP], "ADA beats ERM on all 3 unseen domains"),
        ([UP, DOWN, TIED], "ADA beats ERM on A; does worse on B; no clear difference on C"),
        ([UP, UP, DOWN], "ADA beats ERM on A and B; does worse on C"),
        ([DOWN, DOWN], "ADA does worse than ERM on all 2 unseen domains"),
        ([DOWN, TIED], "ADA does worse than ERM on A; no clear difference on B"),
        ([TIED, TIED], "With 3 seeds there is no clear difference between ADA and ERM on any of the 2 unseen domains"),
        ([TIED], "With 3 seeds there is no clear difference between ADA and ERM on A"),
        ([UP], "ADA beats ERM on A"),
        ([([53], [50]), ([49], [50])], f"ADA scores above ERM on 1 of 2 unseen domains, {ONE_SEED}"),
        ([([49], [50])], f"ADA scores above ERM on none of 1 unseen domain, {ONE_SEED}"),
    ],
)
def test_the_headline_leaves_no_domain_out(scores, words):
    assert headline([against_erm(*pair, domain) for pair, domain in zip(scores, "ABC", strict=False)]) == words


def headline_of(**methods):
    """The headline for methods with their scores on the domains A, B, ..."""
    return headline(
        [
            against_erm(*pair, domain, method)
            for domain, pairs in zip("ABC", zip(*methods.values(), strict=True), strict=False)
            for method, pair in zip(methods, pairs, strict=True)
        ]
    )


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (
            [TIED, TIED, TIED], [UP, UP, UP],
            "two beats ERM on all 3 unseen domains. No clear difference between one and ERM on any of the 3 unseen "
            "domains",
        ),
        (
            [UP, TIED, DOWN], [UP, TIED, UP],
            "two beats ERM on A and C; no clear difference on B. one beats ERM on A; does worse on C; "
            "no clear difference on B",
        ),
        ([UP], [TIED], "one beats ERM on A. No clear difference between two and ERM on A"),
        ([TIED], [DOWN], "No clear difference between one and ERM on A. two does worse than ERM on A"),
        ([TIED, TIED], [TIED, TIED], "None of 2 methods clearly beats ERM on any of the 2 unseen domains"),
        ([TIED], [TIED], "None of 2 methods clearly beats ERM on A"),
        (
            [([53], [50])], [([49], [50])],
            f"one scores above ERM on 1 of 1 unseen domain, {ONE_SEED}. "
            f"two scores above ERM on none of 1 unseen domain, {ONE_SEED}",
        ),
    ],
)  # fmt: skip
def test_the_headline_of_a_few_methods_says_what_the_intervals_say_of_each(one, two, words):
    assert headline_of(one=one, two=two) == words


def test_the_headline_of_many_methods_counts_them_on_every_domain():
    found = headline_of(
        one=[UP, UP, DOWN], two=[TIED, UP, TIED], three=[TIED, TIED, TIED], four=[TIED, TIED, DOWN]
    )  # fmt: skip
    assert found == "ERM is clearly beaten by 1 of 4 methods on A, 2 on B and none on C"


@pytest.mark.parametrize(("value", "text"), [(3.14, "+3.1"), (-0.42, "−0.4"), (0.03, "+0.03"), (0, "±0.0")])
def test_a_small_difference_keeps_a_digit(value, text):
    assert signed(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.234, "1.23"), (0.0771, "0.077"), (9.3e-5, "9.3×10⁻⁵"), (0, "0.00"), (float("nan"), "nan")]
)
def test_sizes_have_two_digits(value, text):
    assert short(value) == text


def test_lists_read_as_sentences():
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
