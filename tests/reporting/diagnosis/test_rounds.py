import pytest

from unseen import ADA
from unseen.reporting.diagnosis.record import Round
from unseen.reporting.diagnosis.rounds import read_rounds
from unseen.runs.folder import RunFolder

LINE = {
    "step": 9, "round": 1, "fictitious": 50, "loss_before": 1.0, "loss_after": 2.0, "cost": 0.25, "moved": 3.0,
    "radius": 0.7, "supremum": 4.0, "supremum_most": 6.0,
}  # fmt: skip
ADDED_LATER = ("radius", "supremum", "supremum_most")


def test_a_round_has_what_was_recorded_and_the_share_that_was_reached():
    (made,) = read_rounds([{"step": 3, "loss": 1.0}, LINE], ADA(gamma=2.0), 4)
    # The objective rose by 2 - 2 * 0.25 - 1 = 0.5, of 3 that could be had at least and 5 at most.
    assert made == Round(1, 50, 0.7, 3.0, 1.0, 2.0, 0.5, (pytest.approx(0.1), pytest.approx(0.5 / 3)))


@pytest.mark.parametrize(
    ("settings", "radius"), [({}, 0.5), ({"scale": "paper"}, 0.25), ({"cost": "pixel"}, None)],
    ids=["released", "paper", "pixel"],
)  # fmt: skip
def test_a_run_older_than_the_radius_has_it_from_its_cost_where_that_is_in_features(settings, radius):
    older = {name: value for name, value in LINE.items() if name not in ADDED_LATER}
    (made,) = read_rounds([older], ADA(**settings), 4)
    assert (made.radius, made.reached) == (radius, None)


@pytest.mark.parametrize("scale", ["released", "paper"])
def test_the_radius_from_the_cost_is_the_one_that_is_recorded(train, tmp_path, scale):
    metrics = RunFolder(train(tmp_path / "run", scale=scale)).metrics()
    older = [{name: value for name, value in line.items() if name not in ADDED_LATER} for line in metrics]
    now, then = (read_rounds(lines, ADA(scale=scale), 10) for lines in (metrics, older))
    assert len(now) == 2
    assert [each.radius for each in then] == pytest.approx([each.radius for each in now], rel=1e-5)
    assert all(each.reached and each.reached[0] <= 1 for each in now)


def test_where_nothing_could_be_reached_no_share_of_it_is_given():
    (made,) = read_rounds([LINE | {"supremum": 1.0}], ADA(), 4)
    assert made.reached is None


def test_an_ascent_that_ends_below_where_it_began_has_overshot():
    short, long = (read_rounds([LINE], ADA(gamma=gamma), 4)[0] for gamma in (3.9, 4.1))
    assert (short.overshot, long.overshot) == (False, True)


@pytest.mark.parametrize("settings", [{"over": "standard"}, {"over": ("standard", "pixels")}, {"entropy": 1.0}])
def test_of_another_ascent_than_the_papers_neither_a_share_nor_overshooting_is_said(settings):
    (made,) = read_rounds([LINE], ADA(gamma=4.1, **settings), 4)
    assert (made.gain, made.reached, made.overshot) == (None, None, False)
    assert (made.radius, made.moved, made.loss_after) == (0.7, 3.0, 2.0)
