"""What the charts of dots show."""

import pytest
from matplotlib.colors import to_hex

from unseen.reporting.kit.dots import DotGroup, Dots, dot_chart
from unseen.reporting.kit.measure import MIOU
from unseen.reporting.kit.scores import DomainScores, score_chart
from unseen.reporting.kit.statistics import Interval, wilson
from unseen.reporting.kit.theme import method_colour


def texts(figure):
    return [text.get_text().strip() for text in figure.axes[0].texts]


def drawn(figure, marker):
    """The places of a marker, line by line."""
    return [list(line.get_xdata()) for line in figure.axes[0].lines if line.get_marker() == marker]


def rows(*made, limits=(-10, 10)):
    return dot_chart([DotGroup("USPS", made, "20 images")], limits, "{:g}".format)


def test_every_seed_is_a_dot_and_the_mean_a_bar():
    figure = rows(Dots(0, [1.0, 3.0], 2.0, "+2.0"), Dots(1, [4.0, 8.0], 6.0, "+6.0"))
    assert drawn(figure, "s") == [[1.0, 3.0]]
    assert drawn(figure, "o") == [[4.0, 8.0]]
    assert drawn(figure, "|") == [[2.0], [6.0]]
    assert {"USPS", "20 images", "+2.0", "+6.0"} <= set(texts(figure))


def test_one_value_has_no_bar_for_its_mean():
    assert drawn(rows(Dots(1, [4.0], 4.0, "")), "|") == []


def test_methods_are_told_apart_by_colour_and_shape_and_the_baseline_is_open():
    figure = rows(*(Dots(style, [style], style, "") for style in range(4)))
    dots = [line for line in figure.axes[0].lines if line.get_linestyle() == "None"]
    assert [line.get_marker() for line in dots] == ["s", "o", "D", "^"]
    assert [to_hex(line.get_color()) for line in dots] == [method_colour(style) for style in range(4)]
    assert [to_hex(line.get_markerfacecolor()) == to_hex(line.get_color()) for line in dots] == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("interval", "line", "ends"),
    [
        (Interval(-2, 5), [-2, 5], {"|": [[-2], [5]]}),
        (Interval(-30, 5), [-10, 5], {"<": [[-10]], "|": [[5]]}),
        (Interval(-2, 30), [-2, 10], {"|": [[-2]], ">": [[10]]}),
    ],
    ids=["inside", "goes on to the left", "goes on to the right"],
)
def test_an_interval_ends_upright_or_in_an_arrow_where_it_goes_on(interval, line, ends):
    figure = rows(Dots(1, [1.0], 1.0, "", interval, "its ends"))
    assert line in [list(each.get_xdata()) for each in figure.axes[0].lines]
    assert {marker: drawn(figure, marker) for marker in ends} == ends
    assert "its ends" in texts(figure)


def test_an_empty_row_keeps_its_place():
    figure = rows(None, Dots(1, [1.0], 1.0, "x"))
    full = rows(Dots(0, [1.0], 1.0, "y"), Dots(1, [1.0], 1.0, "x"))
    (one, two) = (next(t for t in f.axes[0].texts if t.get_text() == "x").xy for f in (figure, full))
    assert one == two


# Of scores.


def test_an_accuracy_is_in_percent_and_alone_has_its_interval_over_images():
    domain = DomainScores("USPS", 50, 10, {"ERM": {0: 0.5}, "ADA": {0: 0.6, 1: 0.7}})
    figure = score_chart([domain], {"ERM": 0, "ADA": 1})
    assert {"50.0 %", "65.0 %", "chance", "50 images"} <= set(texts(figure))
    assert figure.axes[0].get_xlim() == (0, 100)
    around = wilson(0.5, 50)
    lines = [list(line.get_xdata()) for line in figure.axes[0].lines]
    assert [100 * around.low, 100 * around.high] in lines
    assert drawn(figure, "|") == [[100 * around.low], [100 * around.high], [pytest.approx(65)]]


def test_an_miou_has_neither_chance_nor_an_interval_and_its_own_scale():
    domain = DomainScores("far", 50, 4, {"ERM": {0: 0.31}}, measure=MIOU)
    figure = score_chart([domain], {"ERM": 0})
    assert "chance" not in texts(figure)
    assert drawn(figure, "|") == []
    assert figure.axes[0].get_xlim() == (0, 40)


def test_held_out_source_is_set_apart():
    domains = [DomainScores(name, 9, 4, {"ERM": {0: 0.3}}, name == "own") for name in ("far", "own")]
    figure = score_chart(domains, {"ERM": 0})
    assert len(figure.axes[0].patches) == 1
    assert "9 images, held-out source: not unseen" in texts(figure)
