"""Charts inside a page."""

import html
import re
from xml.etree import ElementTree

import pytest

from unseen.reporting.kit.dots import DotGroup, Dots, dot_chart
from unseen.reporting.kit.inline import inline
from unseen.reporting.kit.palette import COLOURS
from unseen.reporting.kit.theme import THEME


def chart(name="USPS"):
    rows = [Dots(0, [50.0, 52.0], 51.0, "51.0 %"), Dots(1, [60.0], 60.0, "60.0 %")]
    return dot_chart([DotGroup(name, rows, "20 images")], (0, 100), "{:g} %".format, line=(10, "chance"))


def test_a_chart_is_an_element_that_says_what_it_shows():
    root = ElementTree.fromstring(inline(chart(), 'Accuracy of "both" <methods>'))
    assert (root.tag, root.get("role"), root.get("aria-label")) == ("svg", "img", 'Accuracy of "both" <methods>')
    assert root.get("width") is None, "the page decides how large it is"
    assert re.fullmatch(r"0 0 460 \d+(\.\d+)?", root.get("viewBox"))


def test_every_colour_is_the_pages_own_so_that_it_follows_light_and_dark():
    text = inline(chart(), "")
    assert not re.findall(r"#[0-9a-f]{6}\b", text)
    for name in ("ink", "soft", "m0", "m1", "card", "grid", "faint"):
        assert f"var(--{name})" in text, name


def test_the_colours_of_classes_stay_what_they_are():
    assert not set(COLOURS.values()) & {light for light, _ in THEME.values()}


def test_words_are_text_in_the_pages_font_and_escaped():
    text = inline(chart("<script>&"), "")
    assert "&lt;script&gt;&amp;</text>" in text
    assert "font-family" not in text
    assert ">20 images</text>" in text


@pytest.mark.parametrize("name", ["$x_{$ and $y$", "\N{CJK UNIFIED IDEOGRAPH-6570}", "a_b^c \\frac"])
def test_any_name_is_shown_as_it_is(name):
    assert name in html.unescape(inline(chart(name), name))


def test_a_chart_reaches_nothing_outside_of_itself():
    text = inline(chart(), "")
    assert not re.search(r"//|url\(|<style|<metadata|@", text)
    ids = set(re.findall(r'\bid="([^"]*)"', text))
    assert ids == set(re.findall(r'href="#([^"]*)"', text))
    assert ids


@pytest.mark.parametrize("other", [lambda: (chart("SVHN"), "a"), lambda: (chart(), "b")], ids=["figure", "description"])
def test_two_charts_share_no_id(other):
    one, two = (re.findall(r'\bid="([^"]*)"', inline(*each)) for each in ((chart(), "a"), other()))
    assert not set(one) & set(two)


def test_the_same_chart_is_the_same_text():
    assert inline(chart(), "a") == inline(chart(), "a")
