import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest

from unseen.reporting.diagnosis.charts import figures, spread_apart
from unseen.reporting.diagnosis.page import write_diagnosis
from unseen.reporting.diagnosis.record import FILE
from unseen.reporting.diagnosis.tables import sheets
from unseen.reporting.runs.page import write_page
from unseen.runs.loading import load


def shown(path):
    return unescape(path.read_text()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def test_the_page_has_every_number_and_every_word_of_the_terminal_and_fetches_nothing(diagnosis, tmp_path):
    text = shown(write_diagnosis(diagnosis, tmp_path / "new" / "page.html"))
    for sheet in sheets(diagnosis).values():
        assert sheet.caption in text
        for row in sheet.rows:
            for cell in row:
                assert cell in text
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
    domains = tuple(replace(there, domain=nasty, classes={nasty: 1.0}) for there in diagnosis.model.domains)
    page = write_diagnosis(replace(diagnosis, model=replace(diagnosis.model, domains=domains)), tmp_path / "page.html")
    assert "<script" not in page.read_text()


def test_a_mark_is_where_its_domain_is(diagnosis):
    (axes,) = figures(diagnosis).certificate.axes
    marks = {(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() in ("o", "s")}
    assert marks == {(each.radius / it.spread, each.loss) for it in diagnosis.networks for each in it.domains}
    assert len(marks) == 4
    curves = {line.get_label(): line for line in axes.lines}
    for label, it in zip(("ADA (K=2, γ=1)", "ERM"), diagnosis.networks, strict=True):
        assert list(curves[label].get_ydata()) == list(it.curve.bound)
        assert list(curves[label].get_xdata()) == it.shares
    assert next(text.get_text() for text in axes.texts) == "guessing"


def test_names_of_domains_at_one_place_do_not_lie_on_each_other(diagnosis):
    crowd = tuple(replace(diagnosis.model.domains[0], domain=f"domain {i}") for i in range(8))
    (axes,) = figures(replace(diagnosis, model=replace(diagnosis.model, domains=crowd), plain=None)).certificate.axes
    names = {text.get_text(): text.xyann[1] for text in axes.texts}
    heights = sorted(height * axes.bbox.height / 100 * 72 for name, height in names.items() if name != "guessing")
    assert len(heights) == 8
    assert all(after - height >= 16.9 for height, after in pairwise(heights))


@pytest.mark.parametrize(
    ("places", "apart"),
    [([1, 5, 9], [1, 5, 9]), ([1, 1, 1], [1, 3, 5]), ([9, 9.5, 10], [6, 8, 10]), ([0, 10, 10], [0, 8, 10]), ([], [])],
)
def test_places_are_moved_as_little_as_keeps_them_apart(places, apart):
    assert spread_apart(places, 2, 10) == apart


def test_the_distances_of_all_classes_are_drawn(diagnosis):
    (axes,) = figures(diagnosis).distances.axes
    circles = [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"]
    model = diagnosis.model
    assert circles == [[d / model.spread for d in each.classes.values()] for each in model.domains]


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
    for sheet in sheets(diagnosis).values():
        assert sheet.caption in text
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
    assert "ERM has no rounds" in text[second:]
