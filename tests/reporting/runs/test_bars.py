import pytest

from unseen.reporting.finished.methods import Method
from unseen.reporting.runs.bars import bar_chart

ERM, ADA = (Method(label, label, (), style) for style, label in enumerate(("ERM", "ADA")))
CLASSES = ("road", "car", "boat", "sky")


def chart(erm, ada, methods=(ERM, ADA), true=(True, True, False, True)):
    """Of IoUs by seed, one for each class."""
    return bar_chart("far", CLASSES, true, {"ERM": dict(enumerate(erm)), "ADA": dict(enumerate(ada))}, methods)


def test_a_bar_is_the_mean_over_seeds_and_ends_where_the_axis_says():
    made = chart([(0.5, 0.0, None, 1.0), (0.7, 0.2, None, 1.0)], [(0.6, 0.4, None, 0.9)] * 2)
    road, car, sky = made.rows
    assert [bar.text for bar in road.bars] == ["60.0", "60.0"]
    assert [bar.text for bar in car.bars] == ["10.0", "40.0"]
    assert sky.bars[0].end == made.axis[-1].at == made.right
    assert [text for _, text in car.bars[0].seeds] == ["ERM, seed 0: 0.0 %", "ERM, seed 1: 20.0 %"]
    assert (car.bars[0].end - made.left) / (made.right - made.left) == pytest.approx(0.1, abs=1e-3)


def test_a_class_that_nobody_has_is_left_out_and_named():
    made = chart([(0.5, 0.1, None, 1.0)], [(0.6, 0.4, None, 0.9)])
    assert [row.name for row in made.rows] == ["road", "car", "sky"]
    assert made.absent == ["boat"]


def test_a_class_that_only_an_answer_has_is_marked_and_the_others_have_no_bar():
    made = chart([(0.5, 0.1, None, 1.0)], [(0.6, 0.4, 0.0, 0.9)])
    (boat,) = [row for row in made.rows if row.name == "boat"]
    assert boat.missing
    assert [(bar.style, bar.text) for bar in boat.bars] == [(1, "0.0")]
    assert made.absent == []


@pytest.mark.parametrize(
    ("ada", "words"),
    [
        (
            (0.6, 0.1, None, 0.7),
            "above ERM in 1 and below in 1 of 3 classes; the most: road +10.0 and sky −30.0",
        ),
        ((0.4, 0.1, None, 1.0), "above ERM in 0 and below in 1 of 3 classes; the most: road −10.0"),
        ((0.5, 0.1, None, 1.0), "above ERM in 0 and below in 0 of 3 classes"),
    ],
    ids=["both ways", "down", "equal"],
)
def test_each_chart_says_what_it_shows(ada, words):
    assert chart([(0.5, 0.1, None, 1.0)], [ada]).sentences == [f"ADA is {words}."]


def test_without_a_baseline_nothing_is_compared():
    assert chart([(0.5, 0.1, None, 1.0)], [(0.6, 0.4, None, 0.9)], methods=(ADA,)).sentences == []


def test_rows_do_not_overlap_and_fit_into_the_chart():
    made = chart([(0.5, 0.1, 0.2, 1.0)], [(0.6, 0.4, 0.1, 0.9)])
    edges = [edge for row in made.rows for bar in row.bars for edge in (bar.y, bar.y + made.thickness)]
    assert edges == sorted(edges)
    assert edges[-1] < made.height - 20
