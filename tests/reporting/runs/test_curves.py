"""The curves over the training's steps."""

import numpy as np
import pytest

from unseen.reporting.finished.methods import read_methods
from unseen.reporting.runs.curves import line_chart, marked_above, thin


@pytest.fixture
def ada(runs):
    (method,) = read_methods([runs / "ada-0"])
    return method


def test_a_long_curve_is_thinned_to_means():
    assert thin([(0, 1), (1, 3), (2, 5), (3, 7)], most=2) == [(0.5, 2), (2.5, 6)]
    assert len(thin([(i, 0) for i in range(1001)])) <= 240
    assert thin([(1, 2)]) == [(1, 2)]


@pytest.mark.parametrize(("last", "names"), [(10_000, ["rounds 1 to 2"]), (6, ["round 1", "round 2"])])
def test_rounds_close_together_share_one_name(ada, last, names):
    (axes,) = line_chart([(ada, {0: [(0, 1.0), (last, 0.1)]})]).axes
    assert [text.get_text() for text in axes.texts] == names
    lines = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"]
    assert lines == [2, 4], "each round has its line"


def test_many_rounds_are_marked_above_the_chart_each_method_in_its_colour(ada, train, tmp_path):
    (many,) = read_methods([train(tmp_path / "many", K=9, spread=True, T=40)])
    few, curve = ada, {0: [(0, 1.0), (40, 0.1)]}
    assert (marked_above([few]), marked_above([few, many])) == (False, True)
    (axes,) = line_chart([(few, curve), (many, curve)]).axes
    assert [text.get_text() for text in axes.texts] == ["rounds"]
    assert not [line for line in axes.lines if line.get_linestyle() == "--"]
    marks = [[segment[0][0] for segment in row.get_segments()] for row in axes.collections]
    assert marks == [[4, 8, 12, 16, 20, 24, 28, 32, 36], [2, 4]]
    assert all(segment[0][1] > 1 for row in axes.collections for segment in row.get_segments())


def test_the_mean_over_seeds_is_drawn_over_each_seed(ada):
    (axes,) = line_chart([(ada, {0: [(0, 1.0), (4, 0.1)], 1: [(0, 3.0), (4, 0.3)]})]).axes
    (mean,) = [line for line in axes.lines if line.get_label() == ada.label]
    assert list(mean.get_ydata()) == pytest.approx([2.0, 0.2])
    assert sum(line.get_alpha() == 0.5 for line in axes.lines) == 2


def test_a_loss_of_0_lies_at_the_bottom_of_the_logarithmic_axis(ada):
    (axes,) = line_chart([(ada, {0: [(0, 1.0), (4, 0.0)]})]).axes
    (curve,) = [line for line in axes.lines if line.get_label() == ada.label]
    assert curve.get_ydata()[-1] == axes.get_ylim()[0] > 0


@pytest.mark.parametrize(
    ("losses", "ticks"), [((0.03, 1.4), [0.05, 0.1, 0.2, 0.5, 1]), ((1e-5, 0.95), [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1])]
)
def test_the_ticks_of_a_loss_get_sparser_on_a_long_axis(ada, losses, ticks):
    (axes,) = line_chart([(ada, {0: list(enumerate(losses))})]).axes
    low, high = axes.get_ylim()
    shown = np.array([tick for tick in axes.get_yticks() if low <= tick <= high])
    assert shown == pytest.approx(ticks)
    assert [axes.yaxis.get_major_formatter()(tick) for tick in shown[-2:]] == [f"{tick:g}" for tick in ticks[-2:]]


def test_shares_are_in_percent(ada):
    (axes,) = line_chart([(ada, {0: [(0, 0.3), (4, 0.5)]})], share=True).axes
    assert axes.yaxis.get_major_formatter()(0.4) == "40 %"
    assert axes.get_yscale() == "linear"
