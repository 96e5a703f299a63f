"""The figure of all claims."""

from itertools import combinations

import pytest
from colour_vision import from_hex, least_distances
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from unseen.paper.cells import Cell
from unseen.paper.claim_chart import OUTCOMES, claims_chart
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.findings import MARGIN
from unseen.paper.prospects import prospect
from unseen.paper.published import Published
from unseen.reporting.kit.theme import CARD

ERM = [0.30, 0.31, 0.32]


def chart(judged: list[Judged], planned: int | None = None) -> Figure:
    return claims_chart([prospect(each, {"r": planned} if planned else {}) for each in judged], "accuracy")


METHODS = {"above": [0.40, 0.42, 0.41], "below": [0.20, 0.22, 0.21], "unclear": [0.30, 0.35, 0.30]}


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    cells = [
        Cell(name, "SVHN", dict(enumerate(shares)), Published(0.35, 0.01, (10,), ""))
        for name, shares in METHODS.items()
    ]
    cells.append(Cell("ERM", "SVHN", dict(enumerate(ERM)), Published(0.30, 0.01, (10,), "")))
    claims = [Claim(name, "w", ((f"r/{name}", "r/ERM"),), ("SVHN",), name=f"it is {name}") for name in METHODS]
    wide = Claim("wide", "w", (("r/above", "r/ERM"), ("r/below", "r/ERM")), ("SVHN",), name="both at once")
    nothing = Claim("none", "w", (("r/x", "r/ERM"),), ("SYN",), name="nobody knows")
    return [judge(claim, {"r": cells}) for claim in (*claims, wide, nothing)]


def test_every_claim_is_there_with_its_verdict_and_the_papers_number(judged: list[Judged]) -> None:
    figure = chart(judged)
    (axes,) = figure.axes
    words = [text.get_text() for text in figure.findobj(Text)]
    for each in judged:
        assert each.claim.name in words
        some = " (1 of 2)" if each.verdict == "contradicted in part" else ""
        assert any(word.endswith(f" {each.verdict}{some}") for word in words)
    diamonds = [line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "D"]
    assert diamonds == pytest.approx([5.0] * 4)
    assert "no result" in words


def test_an_interval_wider_than_the_axis_ends_in_arrows(judged: list[Judged]) -> None:
    claim = Claim("wide", "w", (("r/a", "r/b"),), ("SVHN",), name="two seeds")
    cells = [Cell("a", "SVHN", {0: 0.3, 1: 0.5}), Cell("b", "SVHN", {0: 0.3, 1: 0.3})]
    (axes,) = chart([judge(claim, {"r": cells})]).axes
    assert {"<", ">"} <= {line.get_marker() for line in axes.get_lines()}
    (whole,) = chart(judged[:1]).axes
    assert not {"<", ">"} & {line.get_marker() for line in whole.get_lines()}


def test_nothing_lies_on_another_and_nothing_outside(judged: list[Judged]) -> None:
    figure = chart(judged, planned=10)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    shown = [t for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in shown]
    for name, box in boxes:
        assert box.x0 >= 0, name
        assert box.x1 <= figure.bbox.x1, name
    for (one, first), (other, second) in combinations(boxes, 2):
        assert not first.padded(-1).overlaps(second.padded(-1)), (one, other)


def test_a_row_of_two_seeds_is_pale_and_has_no_verdicts_colour(judged: list[Judged]) -> None:
    claim = Claim("few", "w", (("r/a", "r/b"),), ("SVHN",), name="two seeds")
    cells = [Cell("a", "SVHN", {0: 0.40, 1: 0.41}), Cell("b", "SVHN", {0: 0.3, 1: 0.31})]
    (few,), (enough,) = chart([judge(claim, {"r": cells})]).axes, chart(judged[:1]).axes
    pale = [line for line in few.get_lines() if line.get_alpha() not in (None, 1.0)]
    assert pale, "its interval"
    assert all(line.get_color() == OUTCOMES["unclear"][1] for line in pale)
    assert not [line for line in enough.get_lines() if line.get_alpha() not in (None, 1.0)]


def test_what_makes_a_claim_of_no_difference_hold_is_shaded_and_numbers_that_do_not_compare_say_so() -> None:
    claim = Claim("same", "w", (("r/a", "r/b"),), ("SVHN", "SYN"), name="all the same", alike=True)
    cells = [Cell("a", "SVHN", {0: 0.30, 1: 0.31, 2: 0.33}), Cell("b", "SVHN", {0: 0.3, 1: 0.31, 2: 0.32})]
    figure = claims_chart([prospect(judge(claim, {"r": cells}), {})], "accuracy", "The paper has other data.")
    (axes,) = figure.axes
    (shade,) = axes.collections
    assert set(shade.get_paths()[0].vertices[:, 0]) == {-MARGIN, MARGIN}
    (footnote,) = (text.get_text().replace("\n", " ") for text in figure.texts if "t-interval" in text.get_text())
    assert footnote.endswith("within 3 points of 0. No data on SYN. The paper has other data.")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "the paper (not comparable)"


def test_a_claim_that_holds_in_part_has_a_mark_of_its_own_and_says_how_much_of_it_does(judged: list[Judged]) -> None:
    claim = Claim("part", "w", (("r/above", "r/ERM"), ("r/unclear", "r/ERM")), ("SVHN",), name="in part")
    cells = [Cell(name, "SVHN", dict(enumerate(METHODS[name]))) for name in ("above", "unclear")]
    figure = chart([judge(claim, {"r": [*cells, Cell("ERM", "SVHN", dict(enumerate(ERM)))]})])
    assert "◐ holds in part (1 of 2)" in [text.get_text() for text in figure.findobj(Text)]


def test_a_verdict_before_the_planned_seeds_are_there_is_called_interim(judged: list[Judged]) -> None:
    def verdicts(planned: int) -> list[str]:
        return [text.get_text() for text in chart(judged[:1], planned).findobj(Text) if "holds" in text.get_text()]

    assert verdicts(4) == ["● holds, interim"]
    assert verdicts(3) == ["● holds"]
    notes = [" ".join(text.get_text() for text in chart(judged[:1], planned).texts) for planned in (4, 3)]
    assert ["Interim: " in note for note in notes] == [True, False]


def test_outcomes_are_apart_for_every_eye_and_by_their_marks() -> None:
    colours = [colour for _, colour, _ in OUTCOMES.values()]
    apart = least_distances(from_hex(colours), from_hex(colours))
    assert min(apart[i, j] for i, j in combinations(range(len(colours)), 2)) > 0.1
    assert len({(marker, outcome == "unclear") for outcome, (marker, _, _) in OUTCOMES.items()}) == len(OUTCOMES)
    assert least_distances(from_hex(colours), from_hex([CARD])).min() > 0.35, "against the ground"


def test_a_comparison_that_decides_is_on_the_axis_however_far_it_lies() -> None:
    shares = {"far": [0.20, 0.21, 0.22], "near": [0.37, 0.31, 0.36], "other": [0.23, 0.31, 0.28], "ERM": ERM}
    cells = [Cell(name, "SVHN", dict(enumerate(some))) for name, some in shares.items()]
    claim = Claim("c", "w", tuple((f"r/{name}", "r/ERM") for name in ("far", "near", "other")), ("SVHN",), name="far")
    found = judge(claim, {"r": cells})
    assert found.effects[0].comparison.interval
    assert found.effects[0].comparison.interval.low > -5, "the mean alone would leave it out"
    figure = chart([found])
    assert "✖ does not hold (1 of 3)" in [text.get_text() for text in figure.findobj(Text)]
    (axes,) = figure.axes
    ticks = [line for line in axes.get_lines() if line.get_marker() == "|"]
    (red,) = (line for line in ticks if line.get_color() == OUTCOMES["below"][1])
    assert axes.get_xlim()[0] < red.get_xdata()[0] == pytest.approx(-10)
