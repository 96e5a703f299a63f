import pytest

from unseen.errors import InputError
from unseen.paper.cells import Cell, Setting, describe_seeds
from unseen.paper.findings import agreement, findings
from unseen.paper.published import Published
from unseen.reporting.kit.statistics import Interval

SETTING = Setting(title="Figure 2b, top", source="the first 10,000 MNIST images")
PAPER = Published(0.30, 0.01, (20, 10), "Table 1")


def cell(method, *percents, domain="SVHN", **options):
    return Cell(method, domain, {seed: percent / 100 for seed, percent in enumerate(percents)}, **options)


def only(found, method, domain="SVHN"):
    (finding,) = [f for f in found if (f.cell.method, f.cell.domain) == (method, domain)]
    return finding


# Over seeds.


def test_a_cell_has_its_mean_deviation_range_and_interval_in_percent():
    (found,) = findings([cell("K=2", 30, 32, 34)], SETTING)
    assert (found.mean, found.deviation, found.range) == pytest.approx((32, 2, Interval(30, 34)))
    assert 30 <= found.bootstrap.low < 32 < found.bootstrap.high <= 34


def test_one_seed_has_a_mean_and_nothing_else():
    (found,) = findings([cell("K=2", 31, published=PAPER)], SETTING)
    assert (found.mean, found.range) == (31, Interval(31, 31))
    assert (found.deviation, found.bootstrap, found.paired, found.paper.interval) == (None, None, None, None)
    assert found.paper.gap == pytest.approx(1)


def test_two_seeds_have_no_bootstrap_interval_which_would_be_their_range():
    (two,), (three,) = (findings([cell("K=2", *percents)], SETTING) for percents in ((30, 32), (30, 32, 34)))
    assert (two.range, two.bootstrap) == (Interval(30, 32), None)
    assert three.bootstrap is not None


def test_cells_without_accuracies_have_no_finding_and_the_others_come_domain_by_domain():
    cells = [cell(m, *values, domain=d) for m, values in [("ERM", [30]), ("K=1", [31]), ("K=2", [])] for d in "AB"]
    found = [(f.cell.domain, f.cell.method) for f in findings(cells, SETTING)]
    assert found == [("A", "ERM"), ("A", "K=1"), ("B", "ERM"), ("B", "K=1")]


def test_a_percentage_is_no_accuracy():
    with pytest.raises(InputError, match=r"K=2 on SVHN, seed 1: accuracy is 31.5, expected a share from 0 to 1"):
        Cell("K=2", "SVHN", {0: 0.3, 1: 31.5})


# Against the baseline.


def test_the_difference_is_paired_by_seed_and_only_over_seeds_both_have():
    ada, erm = Cell("K=2", "SVHN", {2: 0.36, 0: 0.33, 7: 0.9}), cell("ERM", 30, 31, 32)
    paired = only(findings([erm, ada], SETTING), "K=2").paired
    assert paired.comparison.differences == pytest.approx({0: 3, 2: 4})
    assert (paired.comparison.gap, paired.p) == pytest.approx((3.5, 0.5))


def test_p_is_corrected_for_all_comparisons_of_the_table():
    cells = [cell("ERM", *[30] * 6, domain=d) for d in "AB"]
    cells += [cell("up", 31, 32, 33, 34, 35, 36, domain="A"), cell("mixed", 31, 29, 31, 29, 31, 30, domain="B")]
    found = findings(cells, SETTING)
    assert only(found, "up", "A").paired.p == 2 / 64
    assert only(found, "up", "A").paired.corrected == 4 / 64
    assert only(found, "mixed", "B").paired.corrected == only(found, "mixed", "B").paired.p > 0.5


def test_a_cell_may_have_a_baseline_of_its_own():
    cells = [cell("ERM", 30), cell("ridge", 32), cell("ridge + ADA", 35, against="ridge")]
    found = findings(cells, SETTING)
    gaps = {f.cell.method: f.paired.comparison.gap for f in found if f.paired}
    assert gaps == pytest.approx({"ridge": 2, "ridge + ADA": 3})


@pytest.mark.parametrize(
    ("cells", "baseline"),
    [
        ([cell("ERM", 30), cell("K=2", 32)], None),
        ([cell("K=2", 32)], "ERM"),
        ([cell("ERM"), cell("K=2", 32)], "ERM"),
        ([cell("ERM", 30, domain="USPS"), cell("K=2", 32)], "ERM"),
        ([Cell("ERM", "SVHN", {5: 0.3}), cell("K=2", 32)], "ERM"),
    ],
    ids=["none wanted", "none there", "not run", "on another domain", "other seeds"],
)
def test_without_a_baseline_to_pair_with_there_is_no_difference(cells, baseline):
    setting = Setting(title="", source="", baseline=baseline)
    assert only(findings(cells, setting), "K=2").paired is None


# Against the paper.


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        (Interval(0.1, 5.0), "differs"),
        (Interval(-5.0, -0.1), "differs"),
        (Interval(0.1, 0.3), "differs"),
        (Interval(-3.0, 3.0), "agrees"),
        (Interval(-0.5, 1.0), "agrees"),
        (Interval(-3.1, 1.0), "not decided with 5 seeds"),
        (Interval(-1.0, 3.1), "not decided with 5 seeds"),
        (None, "not decided with 5 seeds"),
    ],
    ids=["above", "below", "near but not 0", "the margin", "within", "too low", "too high", "no interval"],
)
def test_agreement_follows_from_the_interval_of_the_difference(interval, words):
    assert agreement(interval, 5) == words


@pytest.mark.parametrize(
    ("percents", "words"),
    [
        ([30.1, 29.8, 30.3, 30.0, 29.9], "agrees"),
        ([36.1, 35.8, 36.3, 36.0, 35.9], "differs"),
        ([24, 36, 30, 27, 33], "not decided with 5 seeds"),
        ([36.0], "not decided with 1 seed"),
    ],
    ids=["near", "far", "wide", "one seed"],
)
def test_a_mean_is_judged_against_the_papers_number(percents, words):
    (found,) = findings([cell("K=2", *percents, published=PAPER)], SETTING)
    assert found.paper.agreement == words


def test_the_fewer_of_two_stated_numbers_of_runs_makes_the_interval_wider():
    widths = []
    for runs in [(20,), (20, 10), (10,)]:
        (found,) = findings([cell("K=2", 30, 31, 32, published=Published(0.3, 0.03, runs, ""))], SETTING)
        widths.append(found.paper.interval.high - found.paper.interval.low)
    assert widths[0] < widths[1] == widths[2]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"stand_ins": {"SVHN": "the real one"}}, "SVHN is a stand-in"),
        ({"scale": "paper"}, "the published numbers come from the released scale"),
        ({"steps": 500}, "500 steps instead of 10,000"),
        ({"departures": ("2,000 source images",)}, "2,000 source images"),
    ],
    ids=["stand-in", "scale", "steps", "other"],
)
def test_what_was_done_otherwise_is_not_comparable(options, why):
    setting = Setting(title="", source="", **options)
    (found,) = findings([cell("K=2", 30, 30.1, 29.9, published=PAPER)], setting)
    assert found.paper.agreement == "not comparable"
    assert setting.departures_on("SVHN") == [why]


def test_a_stand_in_for_one_domain_leaves_the_others_comparable():
    setting = Setting(title="", source="", stand_ins={"typeset": "SYN"})
    assert setting.departures_on("SVHN") == []
    assert setting.departures_on("typeset")


def test_where_the_paper_gives_no_number_no_agreement_is_judged():
    (found,) = findings([cell("Dropout", 30, 31)], SETTING)
    assert found.paper is None


# What is said.


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([5, 5], "Mean of 5 seeds."),
        ([1, 5, 2], "Mean of 1 to 5 seeds: compare by the table of differences, which pairs them."),
        ([1, 0], "One seed."),
        ([0], "Nothing was run."),
    ],
)
def test_the_number_of_seeds_is_stated(counts, words):
    assert describe_seeds([cell(f"m{i}", *[30] * count) for i, count in enumerate(counts)]) == words


def test_the_setting_states_its_protocol_its_data_and_what_is_missing():
    setting = Setting(
        title="", source="the first 10,000 MNIST images", scale="paper", steps=500,
        data={"SVHN": "11,420 of the 26,032 test images", "SYN": "9,579 images"}, stand_ins={"typeset": "SYN"},
    )  # fmt: skip
    cells = [cell("ERM", 30), cell("ERM", 30, domain="typeset"), cell("ERM", domain="SYN")]
    assert setting.protocol == (
        "Trained on the first 10,000 MNIST images, 500 steps, paper scale of γ and η; last iterate."
    )
    assert setting.describe_data(cells) == (
        "SVHN: 11,420 of the 26,032 test images. No result on SYN. "
        "Stand-ins, which are not the paper's sets: typeset for SYN."
    )
    assert setting.describe_data([]) == ""
