import pytest

from unseen.reporting.finished.methods import read_methods
from unseen.reporting.kit.scales import Scale, log_ticks, thin, ticks
from unseen.reporting.runs.curves import line_chart


def test_a_scale_maps_its_ends_to_its_ends():
    linear, logarithmic = Scale(0, 10, 100, 200), Scale(0.01, 1, 300, 0, logarithmic=True)
    assert [linear(0), linear(5), linear(10)] == [100, 150, 200]
    assert [logarithmic(0.01), logarithmic(0.1), logarithmic(1)] == [300, 150, 0]
    assert logarithmic(0) == 300  # a loss of 0 has no logarithm and lies at the bottom


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [(0, 100, [0, 20, 40, 60, 80, 100]), (-2.3, 2.3, [-2, -1, 0, 1, 2]), (0, 0.6, [0, 0.2, 0.4, 0.6])],
)
def test_ticks_are_round_numbers_within_the_axis(low, high, marks):
    assert ticks(low, high) == marks


def test_logarithmic_ticks_get_sparser_on_a_long_axis():
    assert log_ticks(0.03, 1.5) == pytest.approx([0.05, 0.1, 0.2, 0.5, 1])
    assert log_ticks(1e-5, 1) == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1])


def test_a_long_curve_is_thinned_to_means():
    assert thin([(0, 1), (1, 3), (2, 5), (3, 7)], most=2) == [(0.5, 2), (2.5, 6)]
    assert len(thin([(i, 0) for i in range(1001)])) <= 240
    assert thin([(1, 2)]) == [(1, 2)]


def test_rounds_close_together_share_one_word(runs):
    (ada,) = read_methods([runs / "ada-0"])
    near = line_chart([(ada, {0: [(0, 1.0), (10_000, 0.1)]})])
    assert [tick.text for tick in near.rounds] == ["rounds 1 to 2", ""]
    far = line_chart([(ada, {0: [(0, 1.0), (6, 0.1)]})])
    assert [tick.text for tick in far.rounds] == ["round 1", "round 2"]
