"""The parts of the page that we draw: what they say, and that nothing in them is taken for HTML or fetched."""

import re

import pytest
import torch

from unseen.deploy.play import drawing
from unseen.deploy.play.sitting import AT_REST, Shown, Strip
from unseen.deploy.play.sliders import SLIDERS
from unseen.deploy.prediction import Prediction


def said(probabilities: dict[str, float]) -> Prediction:
    label = max(probabilities, key=probabilities.__getitem__)
    return Prediction(label=label, confidence=probabilities[label], probabilities=probabilities)


@pytest.mark.parametrize(
    ("share", "words"), [(0.0, "0 %"), (0.001, "<1 %"), (0.5, "50 %"), (0.9999, ">99 %"), (1.0, "100 %")]
)
def test_what_is_not_certain_is_never_rounded_to_certainty(share, words):
    assert drawing._percent(share) == words


def test_few_classes_keep_their_order_so_that_no_bar_jumps():
    bars = drawing.bars(said({"a": 0.1, "b": 0.7, "c": 0.2}))
    assert [(bar.name, bar.first) for bar in bars] == [("a", False), ("b", True), ("c", False)]


def test_of_many_classes_the_first_few_are_shown():
    bars = drawing.bars(said({str(i): i / 4950 for i in range(100)}))
    assert [bar.name for bar in bars] == ["99", "98", "97", "96", "95", "94"]


def test_the_name_of_a_class_is_not_taken_for_html(sitting):
    player = sitting.players.each[0]
    html = drawing.answers([player], [said({"<script>alert(1)</script>": 1.0})], torch.zeros(3, 8, 8))
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_line_is_solid_where_the_answer_is_right_and_dotted_where_it_is_not():
    held = torch.tensor([0.0, 0.5, 1.0, 0.5])
    pieces = drawing._pieces(held, torch.tensor([False, True, True, False]))
    assert [right for _, right in pieces] == [False, True, False]
    assert pieces[1][0] == "33.3,50.0 66.7,0.0"
    assert drawing._pieces(held, None) == [("0.0,100.0 33.3,50.0 66.7,0.0 100.0,50.0", True)]


def test_a_strip_says_in_words_where_each_one_breaks(sitting):
    players, slider = sitting.players.each[:2], SLIDERS[0]
    right = torch.stack([torch.ones(13, dtype=torch.bool), torch.arange(13) > 5])
    strip = Strip(slider, torch.rand(2, 13, generator=torch.Generator().manual_seed(0)), right)
    assert drawing.breaks(strip, players) == [
        ("ERM", "right everywhere"),
        ("ADA over affine and tone", "right at 7 of 13 values, from 0.00 to 1.00"),
    ]
    html = drawing.strip(strip, 0.5, players)
    assert "left: 75.0%" in html
    assert "ERM: right everywhere" in html


def test_a_mask_lies_over_its_picture_in_the_colours_of_the_classes(mask_sitting, views):
    shown = mask_sitting.show(views / "images" / "0.png")
    html = drawing.answers(mask_sitting.players.each, mask_sitting.answers(shown, AT_REST), shown.image)
    assert html.count("u-over") >= 3
    assert "mean over pixels" in html
    assert "surest-region" not in html


def test_the_fictitious_image_comes_with_what_it_went_through(sitting, photos):
    shown = sitting.look(Shown(sitting.show(photos / "light" / "0.png").image, "light"))
    made = sitting.make_fictitious(shown, sitting.players.ascents[0])
    html = drawing.fictitious(made, shown, sitting.players.each)
    assert "2 ascent steps over affine, tone" in html
    assert "probability of light" in html
    for name, _ in made.went:
        assert name in html
    pixels = drawing.fictitious(sitting.make_fictitious(shown, sitting.players.ascents[1]), shown, sitting.players.each)
    assert "made none in its own training" in pixels


def test_nothing_is_fetched_from_anywhere(sitting, photos):
    shown = sitting.show(photos / "light" / "0.png")
    html = drawing.answers(sitting.players.each, sitting.answers(shown, AT_REST), shown.image) + drawing.seen(
        shown.image
    )
    html += drawing.heading(sitting.players.each) + drawing.style_sheet()
    assert not re.search(r"(https?:)?//[a-z]", html)
    assert "url(" not in html
