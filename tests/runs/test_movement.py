"""The remark on rounds that hardly move an image."""

import pytest

import unseen
from unseen.runs.movement import grey_levels, remark_on
from unseen.runs.rounds import AscentRecord, RoundRecord


def moved(distance):
    return AscentRecord(loss_before=1.0, loss_after=1.1, cost=0.0, moved=distance)


def test_the_papers_distance_on_digits_is_half_a_grey_level():
    assert grey_levels(moved(0.1), 3 * 32 * 32) == pytest.approx(0.46, abs=0.005)


def test_less_than_a_grey_level_is_remarked_with_what_to_do():
    text = remark_on(moved(0.1), 3 * 32 * 32, unseen.ADA())
    assert text.startswith("round 1 moved its images by 0.46 of 255 grey levels (root mean square)")
    assert 'over="standard"' in text
    assert 'scale="paper"' in text
    assert "eta=3 (for about one level; it is 1 now)" in text


@pytest.mark.parametrize(
    ("distance", "settings"),
    [(0.3, {}), (0.1, {"over": "standard"}), (0.0, {"T_max": 0})],
    ids=["far enough", "transformations", "no ascent"],
)
def test_otherwise_nothing_is_said(distance, settings):
    assert remark_on(moved(distance), 3 * 32 * 32, unseen.ADA(**settings)) is None


def test_an_ascent_that_moved_nothing_gets_no_eta_to_try():
    assert "eta=" not in remark_on(moved(0.0), 12, unseen.ADA(eta=0.0, scale="paper"))


@pytest.mark.parametrize(("eta", "said"), [(1.0, True), (500.0, False)], ids=["at the defaults", "with a great eta"])
def test_a_run_makes_the_remark_once(eta, said, make_net, digits):
    heard = []
    unseen.fit(make_net(), digits, unseen.ADA(K=2, T_min=2, T_max=2, T=6, batch=4, eta=eta), warn=heard.append)
    assert ["grey levels" in text for text in heard] == [True] * said


def test_the_eta_that_the_remark_names_does_what_it_says(make_net, digits):
    heard, settings = [], {"K": 1, "T_min": 1, "T_max": 3, "T": 3, "batch": 4, "gamma": 0.1}
    run = unseen.fit(make_net(), digits, unseen.ADA(**settings, eta=0.3), warn=heard.append)
    named = float(heard[0].partition("eta=")[2].split()[0])
    again = unseen.fit(make_net(), digits, unseen.ADA(**settings, eta=named))
    rounds = [RoundRecord.read(each.metrics)[0] for each in (run, again)]
    before, after = (grey_levels(made, 3 * 8 * 8) for made in rounds)
    assert before < 1 <= after < 3
