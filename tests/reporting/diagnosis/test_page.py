import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest

from unseen.reporting.diagnosis.charts import figures
from unseen.reporting.diagnosis.page import write_diagnosis
from unseen.reporting.diagnosis.panels import panels
from unseen.reporting.diagnosis.record import FILE
from unseen.reporting.runs.page import write_page
from unseen.runs.job import load


def shown(path):
    return unescape(path.read_text()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def test_the_page_has_every_number_and_every_word_of_the_terminal_and_fetches_nothing(diagnosis, tmp_path):
    text = shown(write_diagnosis(diagnosis, tmp_path / "new" / "page.html"))
    for panel in panels(diagnosis):
        assert panel.meaning in text
        for row in panel.rows:
            for cell in row:
                assert cell.replace("->", "→") in text
    assert not re.search(r"(https?:)?//\w|@import|url\(|<script", text)


@pytest.mark.parametrize("name", ["erm", "ada"])
def test_a_run_without_a_plain_one_and_without_domains_has_a_page(look_at, runs, tmp_path, name):
    other = runs / ("ada" if name == "erm" else "erm")
    other.rename(tmp_path / "away")
    found = look_at(runs / name)
    text = shown(write_diagnosis(found, tmp_path / "page.html"))
    assert ("--plain RUN" in text) == (name == "ada")
    assert "Accuracy there" not in text


def test_names_are_text_never_markup(diagnosis, tmp_path):
    nasty = "<script>alert('1')</script>"
    domains = tuple(replace(away, domain=nasty, classes={nasty: 1.0}) for away in diagnosis.model.domains)
    page = write_diagnosis(replace(diagnosis, model=replace(diagnosis.model, domains=domains)), tmp_path / "page.html")
    assert "<script" not in page.read_text()


def test_a_dot_is_where_its_domain_is(diagnosis):
    chart = figures(diagnosis).curves
    far, near = (dot for dot in chart.dots if dot.style == 1)
    (a, b) = diagnosis.model.domains
    assert (far.x > near.x) == (a.radius > b.radius)
    assert (far.y < near.y) == (a.loss > b.loss)
    assert all(chart.left <= dot.x <= chart.right and chart.top <= dot.y <= chart.bottom for dot in chart.dots)
    assert len(chart.dots) == 4
    assert [curve.style for curve in chart.curves] == [1, 0]


def test_labels_of_domains_at_one_place_do_not_lie_on_each_other(diagnosis):
    away = diagnosis.model.domains[0]
    crowd = tuple(replace(away, domain=f"domain {i}") for i in range(8))
    model = replace(diagnosis.model, domains=crowd)
    labels = figures(replace(diagnosis, model=model, plain=None)).curves.labels
    places = {(label.x, label.y, label.anchor) for label in labels}
    assert len(places) == 8
    for anchor in ("start", "middle", "end"):
        heights = sorted(label.y for label in labels if label.anchor == anchor)
        assert all(low - high >= 17 for high, low in pairwise(heights))


@pytest.fixture
def report(make_net, source, target, tmp_path):
    return lambda *folders: shown(
        write_page(
            folders, tmp_path / "report.html", targets=[target], source=source,
            load_net=lambda folder: load(folder, make_net("plain")),
        )
    )  # fmt: skip


def test_the_report_has_a_section_for_a_run_that_was_diagnosed(report, diagnosed, diagnosis):
    text = report(diagnosed / "erm", diagnosed / "ada")
    assert 'id="diagnosis"' in text
    for panel in panels(diagnosis):
        assert panel.meaning in text
    assert 'id="diagnosis"' not in report(diagnosed / "erm")


def test_the_report_has_none_of_a_diagnosis_that_is_out_of_date(report, diagnosed):
    path = diagnosed / "ada" / FILE
    path.write_text(path.read_text().replace('"sha256": "', '"sha256": "0'))
    assert 'id="diagnosis"' not in report(diagnosed / "ada")


def test_a_second_diagnosed_method_is_folded_away_behind_the_first(report, diagnosed, look_at):
    look_at(diagnosed / "erm")
    text = report(diagnosed / "erm", diagnosed / "ada")
    first, second = text.index("<h3>", text.index('id="diagnosis"')), text.index("The same for 1 other method")
    assert "ADA (K=2, γ=1), seed 0" in text[first:second]
    assert "Plain training has no rounds" in text[second:]
