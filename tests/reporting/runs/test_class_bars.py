import pytest
from matplotlib.colors import to_hex

from unseen.reporting.finished.methods import Method
from unseen.reporting.kit.palette import colours_of
from unseen.reporting.kit.theme import method_colour
from unseen.reporting.runs.class_bars import class_chart

ERM, ADA = (Method(label, label, (), style) for style, label in enumerate(("ERM", "ADA")))
CLASSES = ("road", "car", "boat", "sky")


def chart(erm, ada, methods=(ERM, ADA), true=(True, True, False, True)):
    """Of IoUs by seed, one for each class."""
    return class_chart("far", CLASSES, true, {"ERM": dict(enumerate(erm)), "ADA": dict(enumerate(ada))}, methods)


def names(made):
    return [label.get_text() for label in made.figure.axes[0].get_yticklabels()]


def bars(made):
    """Width and colour of each bar from top to bottom."""
    patches = sorted(made.figure.axes[0].patches, key=lambda patch: patch.get_y())
    return [(patch.get_width(), to_hex(patch.get_facecolor())) for patch in patches]


def test_a_bar_is_the_mean_over_seeds_with_a_dot_for_each_seed():
    made = chart([(0.5, 0.0, None, 1.0), (0.7, 0.2, None, 1.0)], [(0.6, 0.4, None, 0.9)] * 2)
    (axes,) = made.figure.axes
    assert names(made) == ["road", "car", "sky"]
    assert [width for width, _ in bars(made)] == pytest.approx([60, 60, 10, 40, 100, 90])
    assert [colour for _, colour in bars(made)] == [method_colour(0), method_colour(1)] * 3
    assert axes.get_xlim() == (0, 100)
    dots = [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"]
    assert dots[2] == pytest.approx([0, 20])
    assert [text.get_text() for text in axes.texts] == ["60.0", "60.0", "10.0", "40.0", "100.0", "90.0"]


def test_each_class_has_the_colour_that_it_has_in_the_pictures():
    made = chart([(0.5, 0.1, 0.3, 1.0)], [(0.6, 0.4, 0.2, 0.9)])
    chips = [to_hex(line.get_color()) for line in made.figure.axes[0].lines if line.get_marker() == "s"]
    assert chips == colours_of(CLASSES)


def test_a_class_that_nobody_has_is_left_out_and_named():
    made = chart([(0.5, 0.1, None, 1.0)], [(0.6, 0.4, None, 0.9)])
    assert names(made) == ["road", "car", "sky"]
    assert (made.absent, made.missing) == (["boat"], False)


def test_a_class_that_only_an_answer_has_is_marked_and_the_others_have_no_bar():
    made = chart([(0.5, 0.1, None, 1.0)], [(0.6, 0.4, 0.0, 0.9)])
    assert names(made) == ["road", "car", "boat †", "sky"]
    assert (made.absent, made.missing) == ([], True)
    assert len(bars(made)) == 7
    assert bars(made)[4] == (0, method_colour(1))


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
    (axes,) = chart([(0.5, 0.1, 0.2, 1.0)], [(0.6, 0.4, 0.1, 0.9)]).figure.axes
    edges = [edge for bar in axes.patches for edge in (bar.get_y(), bar.get_y() + bar.get_height())]
    assert edges == sorted(edges)
    assert edges[-1] < axes.get_ylim()[0]
