"""The leaderboard's tables and figure, from cells made by hand."""

from dataclasses import replace

import pytest
from family_results import digit_lab, street_lab
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from unseen.paper.cells import Cell, Setting
from unseen.paper.family import figures
from unseen.paper.family.leaderboard import _mean, mean_label
from unseen.paper.family.methods import ASCENDED, DRAWN, PLAIN
from unseen.paper.family.published import published_sheet, relatives
from unseen.paper.family.tables import MEAN, controls_sheet, not_run, ranked, room_sheet, run_of, standings, steps_sheet
from unseen.paper.tables import NONE

SETTING = Setting(title="Digits", source="the first 10,000 MNIST images")
GROUPS = {"ERM": PLAIN, "Random transformations": DRAWN, "Transformations": ASCENDED, "Jitter": DRAWN}
SHARES = {"ERM": (30, 50), "Random transformations": (54, 72), "Transformations": (56, 76), "Jitter": ()}
"""percent on SVHN and MNIST-M with seed 0; each seed more has one point more"""


def cell(method, target, percent, seeds):
    domain = "mean of SVHN, MNIST-M" if target == MEAN else target
    known = {seed: (percent + seed) / 100 for seed in range(seeds)}
    return Cell(method, domain, known, group=GROUPS[method], source="mnist-train", target=target)


def cells(seeds=3):
    found = []
    for method, shares in SHARES.items():
        own = [cell(method, t, p, seeds) for t, p in zip(("SVHN", "MNIST-M"), shares or (0, 0), strict=True)]
        own = own if shares else [cell(method, c.target, 0, 0) for c in own]
        empty = cell(method, "SYN", 0, 0)
        found += [*own, empty, _mean(own, "mean of SVHN, MNIST-M")]
    return found


def test_the_mean_is_of_seeds_that_have_every_target_and_says_of_which_it_is():
    whole = _mean([cell("ERM", "SVHN", 30, 3), cell("ERM", "MNIST-M", 50, 2)], "mean of SVHN, MNIST-M")
    assert whole.accuracies == pytest.approx({0: 0.40, 1: 0.41})
    assert (whole.domain, whole.target) == ("mean of SVHN, MNIST-M", MEAN)


def test_a_target_without_data_is_in_no_mean_and_the_label_shows_it(tmp_path):
    lab = digit_lab(tmp_path)
    (source,) = lab.sources
    assert mean_label(lab, source.name, list(source.targets)) == "mean of SVHN, MNIST-M, USPS"
    scenes = street_lab(tmp_path, "family-scenes")
    (night,) = scenes.sources
    assert mean_label(scenes, night.name, list(night.targets)) == "Highway/Night → mean of all 10 targets"


def test_methods_stand_by_their_mean_and_what_was_not_run_is_named_below():
    assert ranked(cells()) == ["Transformations", "Random transformations", "ERM"]
    sheet = standings(cells(), SETTING)
    assert sheet.headings[2:4] == ("mean of SVHN, MNIST-M", "− ERM (95 %)")
    assert sheet.rows[0][:4] == ("Transformations", "3", "67.0 ± 1.0", "+26.0 (+26.0 to +26.0)")
    assert [row[0] for row in sheet.rows] == ranked(cells())
    assert sheet.headings[4:] == ("SVHN", "MNIST-M"), "SYN has no result"
    assert "Not run: Jitter." in sheet.caption
    assert "No result on SYN." in sheet.caption
    assert "Highest on SVHN and MNIST-M: Transformations." in sheet.caption


def test_the_best_in_the_mean_need_not_be_the_best_on_each_target():
    svhn = [replace(c, accuracies={0: 0.9}) if (c.method, c.target) == ("ERM", "SVHN") else c for c in cells()]
    assert "Highest on SVHN: ERM; on MNIST-M: Transformations." in standings(svhn, SETTING).caption


def test_without_erm_its_row_stays_and_the_others_have_no_difference():
    alone = [replace(c, accuracies={}) if c.method == "ERM" else c for c in cells()]
    rows = {row[0]: row for row in standings(alone, SETTING).rows}
    assert rows["ERM"] == ("ERM", "0", *[NONE] * 4)
    assert rows["Transformations"][3] == NONE
    assert "Not run: ERM and Jitter." in standings(alone, SETTING).caption


def test_what_was_not_run_is_named_by_source_where_there_are_several():
    found = [
        drive("ERM", "0001TP", "noon", 15), drive("Jitter", "0001TP", "noon", 18), drive("ERM", "0016E5", "noon", 23),
        replace(drive("Jitter", "0016E5", "noon", 0), accuracies={}),
    ]  # fmt: skip
    assert not_run(found) == "Not run from 0016E5 (day): Jitter."
    assert not_run(found[:3]) == ""
    assert [cell.method for cell in run_of(found)] == ["ERM", "Jitter", "ERM"]


def test_each_method_is_paired_with_its_control_on_every_target_and_in_the_mean():
    pairs = (("Transformations", "Random transformations"), ("Transformations", "Jitter"))
    sheet = controls_sheet(cells(), SETTING, pairs)
    row = dict(zip(sheet.headings, sheet.rows[0], strict=True))
    assert row["difference"] == "Transformations − Random transformations"
    assert (row["pairs"], row["SVHN"], row["MNIST-M"]) == ("3", "+2.0 (+2.0 to +2.0)", "+4.0 (+4.0 to +4.0)")
    assert row["mean of SVHN, MNIST-M"].startswith("+3.0")
    assert len(sheet.rows) == 1, "a control that was not run has no row"
    assert "Not run: Jitter." in sheet.caption


LONGER = replace(SETTING, title="Digits, 50,000 steps", steps=50_000)


def longer():
    """Transformations alone, two seeds, two points above what three seeds have at the usual length."""
    return [
        replace(c, accuracies={s: share + 0.02 for s, share in c.accuracies.items() if s < 2 and c.group == ASCENDED})
        for c in cells()
    ]


def test_a_longer_training_is_compared_with_the_shorter_one_method_by_method_and_seed_by_seed():
    sheet = steps_sheet(longer(), cells(), LONGER, 10_000)
    assert sheet.title == "Digits, 50,000 steps minus 10,000"
    assert sheet.headings == ("method", "pairs", "mean of SVHN, MNIST-M", "SVHN", "MNIST-M")
    assert sheet.rows == [("Transformations", "2", *["+2.0 (+2.0 to +2.0)"] * 3)], "what was not run has no row"
    assert "after 50,000 steps − after 10,000" in sheet.caption


def test_the_figure_of_a_longer_training_has_what_was_run_its_difference_and_what_is_missing():
    figure = figures.lengths(longer(), cells(), LONGER, 10_000)
    FigureCanvasAgg(figure).draw()
    words = [text.get_text().replace("\n", " ") for text in figure.findobj(Text)]
    assert set(SHARES) & set(words) == {"Transformations"}
    assert words.count("+2.0") == 3, "the mean and two targets"
    assert any("Not run: ERM, Random transformations and Jitter." in text for text in words)
    assert any("a hollow dot is the mean of the same seeds after 10,000" in text for text in words)


@pytest.mark.parametrize("seeds", [1, 3])
def test_the_figure_has_every_method_that_was_run_its_mean_and_what_is_missing(seeds):
    figure = figures.dots(cells(seeds), SETTING)
    FigureCanvasAgg(figure).draw()
    words = {text.get_text().replace("\n", " ") for text in figure.findobj(Text)}
    assert set(SHARES) - words == {"Jitter"}
    assert {"Mean", "SVHN", "MNIST-M"} <= words
    assert any("Not run: Jitter." in text for text in words)
    assert "SYN" not in words, "a panel for each target that is here"
    assert not any("(n=" in text for text in words), "all have as many seeds"
    assert any("No result on SYN." in text for text in words)


def test_a_method_with_fewer_seeds_than_erm_says_how_many_beside_its_name():
    fewer = [
        replace(c, accuracies={0: 0.5, 1: 0.5}) if c.method == "Jitter" and c.target != "SYN" else c for c in cells()
    ]
    words = {text.get_text() for text in figures.dots(fewer, SETTING).findobj(Text)}
    assert "Jitter (n=2)" in words


# The published numbers.


def test_published_averages_are_those_of_their_rows_but_for_the_ones_in_brackets():
    rows = {row[0]: row for row in published_sheet(("SVHN", "MNIST-M", "USPS")).rows}
    bracketed = {method: row[5] for method, row in rows.items() if "(" in row[5]}
    assert bracketed == {"ADA": "55.67 (54.62)", "RandConv": "72.88 (73.14)"}
    assert rows["AdvST"][6] == "80.70"
    assert rows["ABA"][1:5] == (NONE,) * 4


def test_numbers_from_memory_are_marked_and_only_the_same_protocol_can_be_compared():
    assert {each.method for each in relatives() if "from memory" in each.read} == {"ME-ADA", "MCL", "AdvST"}
    assert all(each.read for each in relatives())
    comparable = {row[0] for row in published_sheet(("SVHN",)).rows if row[-1] == "yes"}
    assert comparable == {"M-ADA"}


def drive(method, source, target, percent):
    return Cell(method, f"{source} → {target}", {0: percent / 100}, source=source, target=target)


def test_what_there_is_to_gain_is_what_erm_has_from_a_nearer_source():
    found = [
        drive("ERM", "dusk", "noon", 15), drive("Jitter", "dusk", "noon", 18), drive("ERM", "day", "noon", 23),
        drive("Jitter", "day", "noon", 24), drive("ERM", "dusk", "day", 16), drive("ERM", "day", "dusk", 17),
    ]  # fmt: skip
    sheet = room_sheet(found, SETTING)
    assert sheet.rows == [("dusk → noon", "15.0", "18.0, Jitter", "23.0, day", "38 %")]
    assert room_sheet(cells(), SETTING).rows == []
