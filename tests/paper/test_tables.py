from dataclasses import replace

import pytest

from unseen.paper.cells import Cell, Setting
from unseen.paper.published import Published
from unseen.paper.tables import NONE, matrix, sheets

SETTING = Setting(title="Figure 2b, top", source="the first 10,000 MNIST images", data={"SVHN": "11,420 images"})
PAPER = Published(0.306, 0.008, (20, 10), "Table 1")


def cell(method, *percents, domain="SVHN", **options):
    return Cell(method, domain, {seed: percent / 100 for seed, percent in enumerate(percents)}, **options)


CELLS = [
    cell("ERM", 28, 29, 27, published=Published(0.283, 0.032, (10,), "text"), kind="erm"),
    cell("Dropout", 28.5, 29.5, kind="dropout"),
    cell("K=2", 32, 35, 32, published=PAPER),
    cell("K=4", published=PAPER),
    cell("ERM", domain="SYN", kind="erm"),
    cell("K=2", domain="SYN", published=PAPER),
]


def rows(sheet):
    return {row[:2]: dict(zip(sheet.headings, row, strict=True)) for row in sheet.rows}


# What the tables say.


def test_a_row_has_our_number_the_papers_the_difference_and_the_agreement():
    accuracies, _ = sheets(CELLS, SETTING)
    assert rows(accuracies)["SVHN", "K=2"] == {
        "domain": "SVHN", "method": "K=2", "seeds": "3", "accuracy": "33.0 ± 1.7", "range": "32.0 to 35.0",
        "bootstrap 95 %": "32.0 to 35.0", "paper": "30.6 ± 0.8", "here − paper (95 %)": "+2.4 (−1.6 to +6.4)",
        "agreement": "not decided with 3 seeds",
    }  # fmt: skip


def test_a_row_against_the_baseline_has_difference_interval_and_both_ps():
    _, differences = sheets(CELLS, SETTING)
    assert differences.title == "Difference from ERM, same seeds"
    assert rows(differences) == {
        ("SVHN", "Dropout"): {
            "domain": "SVHN", "method": "Dropout", "pairs": "2", "difference": "+0.5", "95 %": "+0.5 to +0.5",
            "p": "0.5", "p, Holm": "0.5",
        },
        ("SVHN", "K=2"): {
            "domain": "SVHN", "method": "K=2", "pairs": "3", "difference": "+5.0", "95 %": "+2.5 to +7.5",
            "p": "0.25", "p, Holm": "0.5",
        },
    }  # fmt: skip


def test_what_was_not_run_keeps_its_row_and_a_domain_without_results_has_one():
    accuracies, _ = sheets(CELLS, SETTING)
    assert rows(accuracies)["SVHN", "K=4"]["agreement"] == "not run"
    assert rows(accuracies)["SVHN", "K=4"]["paper"] == "30.6 ± 0.8"
    assert [row for row in accuracies.rows if row[0] == "SYN"] == [("SYN", "not here", "0", *[NONE] * 6)]


def test_one_seed_has_no_deviation_no_range_and_no_interval():
    accuracies, differences = sheets([cell("ERM", 28), cell("K=2", 33, published=PAPER)], SETTING)
    assert rows(accuracies)["SVHN", "K=2"] == {
        "domain": "SVHN", "method": "K=2", "seeds": "1", "accuracy": "33.0", "range": NONE, "bootstrap 95 %": NONE,
        "paper": "30.6 ± 0.8", "here − paper (95 %)": "+2.4", "agreement": "not decided with 1 seed",
    }  # fmt: skip
    assert differences.rows == [("SVHN", "K=2", "1", "+5.0", NONE, "1", "1")]
    assert "Bootstrap" not in accuracies.caption


def test_without_published_numbers_there_are_no_columns_for_them():
    (accuracies,) = sheets([cell("Dropout", 28)], SETTING)
    assert accuracies.headings == ("domain", "method", "seeds", "accuracy", "range", "bootstrap 95 %")
    assert "Verdict" not in accuracies.caption


def test_rows_with_different_baselines_name_theirs():
    cells = [cell("ERM", 28), cell("ridge", 30), cell("ridge + ADA", 33, against="ridge")]
    _, differences = sheets(cells, SETTING)
    assert [row[1:3] for row in differences.rows] == [("ridge", "ERM"), ("ridge + ADA", "ridge")]
    assert differences.title == "Difference from the baseline, same seeds"


# What must be said with them.


def test_every_table_states_seeds_data_scale_rule_and_steps():
    accuracies, differences = sheets(CELLS, SETTING)
    for sheet in (accuracies, differences):
        for words in ("first 10,000 MNIST images", "10,000 steps", "released scale", "last iterate", "11,420 images"):
            assert words in sheet.caption
    assert "Mean of 2 to 3 seeds: compare by the table of differences" in accuracies.caption
    assert "No result on SYN." in accuracies.caption


def test_every_table_says_what_stands_in():
    setting = replace(SETTING, stand_ins={"SVHN": "the real SVHN"})
    for sheet in sheets(CELLS, setting):
        assert "Stand-ins, which are not the paper's sets: SVHN for the real SVHN." in sheet.caption
    accuracies, _ = sheets(CELLS, setting)
    assert "Not comparable with the paper: SVHN is a stand-in." in accuracies.caption
    assert "Welch" not in accuracies.caption


def test_the_margin_the_runs_and_the_meaning_of_agreement_are_stated():
    accuracies, _ = sheets(CELLS, SETTING)
    assert "agrees when it lies within 3 points of 0" in accuracies.caption
    assert "10 runs in one place and 20 in another; 10 are counted" in accuracies.caption


def test_two_seeds_against_the_paper_come_with_a_warning():
    warning = "With 2 seeds that interval is too narrow"
    assert warning in sheets([cell("K=2", 32, 33, published=PAPER)], SETTING)[0].caption
    assert warning not in sheets([cell("K=2", 32, 33, 34, published=PAPER)], SETTING)[0].caption


def caption_of_differences(seeds, methods):
    cells = [cell("ERM", *[30] * seeds), *(cell(f"m{i}", *range(31, 31 + seeds)) for i in range(methods))]
    return sheets(cells, SETTING)[1].caption


@pytest.mark.parametrize(
    ("seeds", "methods", "words"),
    [
        (1, 1, "The smallest p that this test can give is 1 with 1 pair"),
        (2, 1, "The smallest p that this test can give is 0.5 with 2 pairs"),
        (
            5,
            1,
            "The smallest p that this test can give is 0.0625 with 5 pairs: whatever the difference, not below 0.05",
        ),
        (6, 1, None),
        (6, 2, "The smallest corrected p that 6 pairs can give here is 0.0625: not below 0.05"),
        (17, 2, "100,000 patterns drawn above 16 pairs"),
    ],
)
def test_the_caption_says_what_so_few_seeds_can_not_show(seeds, methods, words):
    caption = caption_of_differences(seeds, methods)
    assert words in caption if words else "smallest" not in caption


def test_pairs_of_several_numbers_each_have_their_smallest_p():
    cells = [cell("ERM", 30, 30, 30, 30, 30, 30), cell("a", 31, 32), cell("b", 31, 32, 33, 34, 35, 36)]
    caption = sheets(cells, SETTING)[1].caption
    assert "is 0.5 with 2 pairs: whatever" in caption


# A matrix.


def test_the_matrix_has_our_numbers_with_seeds_and_the_papers_with_a_mark():
    cells = [
        cell("ERM", 28, 29, 27),
        cell("a", 30.5, 30.7, 30.6, group="γ=1", at=1, published=PAPER),
        cell("b", 36, 35, 36, group="γ=1", at=2, published=PAPER),
        cell("c", 31, group="γ=10", at=1, published=PAPER),
        cell("d", group="γ=10", at=2, published=PAPER),
        cell("e", 40, group="γ=100", at=2),
        cell("f", domain="SYN", group="γ=1", at=1, published=PAPER),
    ]
    sheet = matrix(cells, SETTING)
    assert sheet.headings == ("domain", "", "K=1", "K=2")
    assert sheet.rows == [
        ("SVHN", "γ=1", "30.6 (3) · 30.6 =", "35.7 (3) · 30.6 ≠"),
        ("SVHN", "γ=10", "31.0 (1) · 30.6 ?", NONE),
        ("SVHN", "γ=100", NONE, "40.0 (1)"),
        ("SYN", "not here", NONE, NONE),
    ]
    assert "ERM: SVHN 28.0 (3). Mean of 1 to 3 seeds: compare by" in sheet.caption


def test_a_matrix_that_is_not_comparable_has_no_marks():
    sheet = matrix([cell("a", 30, 31, group="γ=1", at=1, published=PAPER)], replace(SETTING, steps=100))
    assert sheet.rows == [("SVHN", "γ=1", "30.5 (2) · 30.6")]
