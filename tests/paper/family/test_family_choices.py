"""The criterion of a choice beside the targets, from lines made by hand."""

import numpy as np
import pytest
from family_results import MEANS, trials_of, write_trials
from scipy.stats import spearmanr

from unseen.errors import InputError
from unseen.paper.family.choices import candidate_of, criteria, how_chosen, read_choices, tried_sheets
from unseen.paper.family.criterion import Point, _apart, scatter, spearman, spearman_interval, verdict
from unseen.paper.family.methods import ASCENDED, OURS, digit_methods
from unseen.paper.methods import Trained

BASE = {"over": "standard", "K": 20, "spread": True, "keep": 5, "sampling": "source", "T_max": 5, "gamma": 1.0}
METHODS = digit_methods(BASE)
NUMBER = {method.label: str(i) for i, method in enumerate(METHODS)}


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    return trials_of(METHODS, tmp_path_factory.mktemp("choice"), MEANS)


def points(criterion, target):
    return [Point(f"m{i}", "", ASCENDED, c, t) for i, (c, t) in enumerate(zip(criterion, target, strict=True))]


def test_a_seed_counts_where_the_candidate_was_judged_without_each_kind(lines):
    assert criteria(lines)[NUMBER["ERM"]] == pytest.approx({0: 0.54})
    assert NUMBER["ERM"] not in criteria([x for x in lines if (x["candidate"], x["without"]) != ("0", "light")])


def test_a_method_is_found_among_the_candidates_by_its_settings_at_another_scale(lines):
    found = {m.label: candidate_of(m, lines) for m in METHODS}
    assert found == {m.label: NUMBER[m.label] if isinstance(m, Trained) else None for m in METHODS}


def test_a_candidate_with_one_other_setting_is_another_method(lines):
    others = [line | {"ada": {**line["ada"], "alpha": 5e-4}} for line in lines]
    assert not any(candidate_of(method, others) for method in METHODS)


def test_the_page_says_whether_the_criterion_chose_the_settings(lines):
    (ours,) = (method for method in METHODS if method.label == OURS)
    best, own = NUMBER["Transformations + consistency"], NUMBER[OURS]
    alone = [line for line in lines if line["candidate"] == own]
    assert how_chosen(ours, lines, "digits").endswith(
        f"; in the table below {best} has the highest criterion, so that table did not choose them."
    )
    assert how_chosen(ours, alone, "digits").endswith(
        f"settings are those of {own}; {own} has the highest criterion (1 seed)."
    )
    assert how_chosen(ours, [], "digits").startswith("On digits, no candidate of the choice has")


def test_rounds_that_are_spread_over_other_steps_may_be_fewer_and_the_page_says_so(lines):
    (ours,) = (method for method in METHODS if method.label == OURS)
    half = [line | {"ada": {**line["ada"], "K": line["ada"]["K"] // 2}} for line in lines if line["ada"]["spread"]]
    alone = [line for line in half if line["candidate"] == NUMBER[OURS]]
    assert candidate_of(ours, alone) == NUMBER[OURS]
    assert "but for the number of rounds (K=20 here, 10 there)" in how_chosen(ours, alone, "digits")


def test_candidates_are_compared_with_those_of_their_scale_alone(lines):
    """Of two with the method's settings, the one with more steps stands for it: the others had fewer."""
    (ours,) = (method for method in METHODS if method.label == OURS)
    longer = [line | {"candidate": "longer", "ada": {**line["ada"], "T": 4_000}} for line in lines]
    both = [*lines, *(line for line, short in zip(longer, lines, strict=True) if short["candidate"] == NUMBER[OURS])]
    assert candidate_of(ours, both) == "longer"
    assert how_chosen(ours, both, "digits").endswith("those of longer; longer has the highest criterion (1 seed).")
    assert [sheet.title[-11:] for sheet in tried_sheets(both, "All")] == ["2,000 steps", "4,000 steps"]
    assert [row[0] for row in tried_sheets(both, "All")[1].rows] == ["longer"]


def test_every_setting_that_was_tried_is_listed_with_what_it_was(lines):
    (sheet,) = tried_sheets(lines, "Every setting that was tried on digits")
    assert sheet.title == "Every setting that was tried on digits, 2,000 steps"
    rows = {row[0]: row for row in sheet.rows}
    assert len(rows) == sum(isinstance(method, Trained) for method in METHODS)
    assert "over=standard + pixels" in rows[NUMBER["Transformations + pixels"]][-1]
    assert rows[NUMBER["Dropout"]][-1] == "K=0, dropout=0.5"
    assert rows[NUMBER["ADA, K=2"]][-1] == "the paper's"


def test_a_line_that_is_no_trial_is_refused_with_its_number(lines, tmp_path):
    file = write_trials(lines[:2], tmp_path / "choice-digits.jsonl")
    assert len(read_choices([file])) == 2
    file.write_text(file.read_text() + '{"candidate": "x"}\n')
    with pytest.raises(InputError, match=r"choice-digits\.jsonl, line 3: expected a JSON object with"):
        read_choices([file])


def test_spearman_is_scipys_ties_included():
    draw = np.random.default_rng(0)
    for n in (3, 8, 15):
        first, second = draw.integers(0, 6, n).astype(float), draw.normal(size=n)
        expected = spearmanr(first, second).statistic
        assert spearman(list(first), list(second)) == pytest.approx(expected)


def test_the_interval_has_the_correlation_in_it_and_is_the_same_each_time():
    first, second = [1.0, 2, 3, 4, 5, 6], [1.0, 3, 2, 5, 4, 6]
    reach = spearman_interval(first, second)
    assert reach == spearman_interval(first, second)
    assert reach.low < spearman(first, second) < reach.high


def test_too_few_methods_have_no_correlation_and_few_a_warning():
    assert "too few for a rank correlation" in verdict(points([1, 2], [1, 2]))
    assert verdict([]).startswith("0 methods")
    said = verdict(points([50, 60, 70, 65], [54, 60, 75, 76]))
    assert "With so few methods (4) that interval is rough" in said
    assert "The method with the highest criterion is m2: on the targets, 1.0 points below the best there (m3)." in said
    assert "whether the two agree is not decided" in verdict(points([1, 2, 3, 4], [2, 4, 1, 3]))


def test_two_clusters_are_told_apart_from_agreement_and_the_worst_rank_is_named():
    said = verdict(points([10, 11, 12, 90, 91, 92], [3, 2, 1, 9, 8, 7]))
    assert "rank correlation of criterion and mean target accuracy over 6 methods: +0.54" in said
    assert "It is −1.00 among the 3 with the highest criterion and −1.00 among the 3 others." in said
    assert said.endswith("They differ most on m0: number 6 by the criterion, number 4 on the targets.")


def test_names_beside_the_plot_stay_apart_and_in_order_even_at_its_top():
    placed = _apart([0.0, 0.01, 3.9, 4.0, 4.0], 4.0)
    assert placed == sorted(placed)
    assert min(np.diff(placed)) > 0.18
    assert placed[-1] == 4.0


def test_the_plot_is_drawn_for_any_number_of_points():
    for n in (1, 2, 12):
        scatter(points(range(n), range(n)), "mean of SVHN, USPS")
