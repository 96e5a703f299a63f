"""Recipes, carried out small: everything real but the size."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from reproducing import TINY, carry_out, tiny_lab

import unseen
from unseen.errors import InputError, RunsFailed
from unseen.paper import reproduce
from unseen.paper.cells import Cell
from unseen.paper.defaults import RESULTS
from unseen.paper.digits.lab import SOURCE, DigitLab
from unseen.paper.digits.recipes import DIGIT_RECIPES, DigitRecipe
from unseen.paper.lab import Source
from unseen.paper.methods import Adapted, Ensembled, Measurement, Trained
from unseen.paper.recipes import recipe
from unseen.paper.reproduce import show, write
from unseen.paper.results import Results
from unseen.paper.tables import sheets

PAIR = DigitRecipe(
    name="pair",
    what="two trainings",
    methods=(Trained("ERM", "erm", {"K": 0}), Trained("K=1", "ada", {"K": 1, "gamma": 1.0})),
)
ENSEMBLE = DigitRecipe(
    name="ensemble",
    what="ensembles",
    methods=(
        Ensembled("ERM", "erm", ({"K": 0},) * 2, seeds_each=True),
        Ensembled("K=1", "ada", ({"K": 1, "gamma": 1.0}, {"K": 1, "gamma": 0.1})),
    ),
)


def source_of(lab: DigitLab) -> Source:
    (source,) = lab.sources
    return source


@pytest.fixture
def lab(tmp_path: Path) -> DigitLab:
    return tiny_lab(tmp_path)


@pytest.fixture(scope="module")
def ensembles(tmp_path_factory: pytest.TempPathFactory) -> tuple[DigitLab, Results]:
    lab = tiny_lab(tmp_path_factory.mktemp("ensembles"))
    return lab, carry_out(ENSEMBLE, lab, seeds=1)


def test_every_figure_and_table_of_the_digit_experiments_is_a_recipe() -> None:
    assert set(DIGIT_RECIPES) == {
        "figure1-top", "figure2a-top", "figure2a-bottom", "figure2b-top", "figure2b-middle", "figure2b-bottom",
        "table1", "figure4", "readings",
    }  # fmt: skip


def test_a_training_is_measured_as_soon_as_it_ends_and_ensembles_when_all_have(
    lab: DigitLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(Exception):
        pass

    def killed(measurements: list[Measurement], *rest: object) -> None:
        raise Killed([len(m.needs) for m in measurements])

    monkeypatch.setattr(reproduce, "_measure", killed)
    with pytest.raises(Killed, match=r"\[2\]"):
        carry_out(replace(ENSEMBLE, methods=ENSEMBLE.methods[1:]), lab, seeds=1)
    assert [line["kind"] for line in Results(lab.results)] == ["run", "run"], "what was killed took no line along"


def test_an_unknown_recipe_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r'no recipe is called "figure2b-topp".*did you mean "figure2b-top"'):
        recipe("figure2b-topp")


def test_the_recipes_are_the_papers_experiments(tmp_path: Path) -> None:
    lab = tiny_lab(tmp_path)
    assert len(recipe("table1").measurements(lab, 1)) == 1 + 44
    assert len(recipe("figure2a-bottom").measurements(lab, 1)) == 12
    assert len(recipe("figure2b-top").measurements(lab, 1)) == 6
    ensembles = [m for m in recipe("figure2b-bottom").measurements(lab, 1) if len(m.needs) > 1]
    assert [len(m.needs) for m in ensembles] == [7] * 5


def test_a_run_that_two_recipes_take_is_one_run(tmp_path: Path) -> None:
    lab = tiny_lab(tmp_path)
    keys = {name: {m.key for m in recipe(name).measurements(lab, 2)} for name in DIGIT_RECIPES}
    assert keys["figure2b-top"] - {m.key for m in recipe("table1").measurements(lab, 2)}, "dropout is not in Table 1"
    assert len(keys["figure2b-top"] & keys["table1"]) == 2 * 5
    assert keys["figure2a-bottom"] <= keys["table1"]


def test_a_recipe_gives_cells_for_every_method_and_seed(figure2b_top: tuple[DigitLab, Results]) -> None:
    lab, results = figure2b_top
    cells = recipe("figure2b-top").cells(lab, results, 2)
    assert [cell.method for cell in cells] == ["ERM", "Dropout", "K=1", "K=2", "K=3", "K=4"]
    assert all(set(cell.accuracies) == {0, 1} for cell in cells)
    assert all(cell.published is None for cell in cells), "a stand-in is not the paper's set"


def test_the_table_of_rounds_has_the_means_over_seeds_of_what_the_runs_recorded(
    figure2b_top: tuple[DigitLab, Results],
) -> None:
    lab, results = figure2b_top
    table = replace(recipe("figure2b-top"), rounds=True).sheets(lab, results, 2)[-1]
    assert [row[:3] for row in table.rows] == [(f"K={K}", str(k), "2") for K in range(1, 5) for k in range(1, K + 1)]
    runs = [line for line in results if line["kind"] == "run" and line["ada"]["K"] == 2]
    for row, k in zip(table.rows[1:3], (0, 1), strict=True):
        for text, name in zip(row[3:], ("loss_before", "loss_after", "moved"), strict=True):
            expected = sum(run["rounds"][k][name] for run in runs) / 2
            assert float(text) == pytest.approx(expected, rel=5e-3, abs=5e-3)


def test_a_line_says_what_the_run_was_and_its_accuracy_is_that_of_its_weights(
    figure2b_top: tuple[DigitLab, Results],
) -> None:
    lab, results = figure2b_top
    method = recipe("figure2b-top").methods[0]
    (measurement,) = method.measurements(source_of(lab), 1)
    line = results.find(measurement.key)
    assert line is not None
    assert (line["kind"], line["seed"], line["selection"]) == ("run", 1, "last iterate")
    assert {"ada", "job", "versions", "created", "engine", "source"} <= set(line)
    net = unseen.load(measurement.needs[0].out)
    assert method.accuracy(results, source_of(lab), 1, "uci-8x8") == unseen.evaluate(net, unseen.domain("uci-8x8"))


def test_what_a_run_no_longer_needs_is_let_go(figure2b_top: tuple[DigitLab, Results]) -> None:
    lab, _ = figure2b_top
    assert not list(lab.runs.rglob("checkpoints/*.safetensors"))
    assert not list(lab.runs.rglob("rounds/**/*.safetensors"))
    assert list(lab.runs.glob("*/weights.safetensors"))


def test_what_was_measured_is_not_trained_again_even_without_its_folders(lab: DigitLab) -> None:
    first = carry_out(PAIR, lab, seeds=1)
    before = (lab.out / RESULTS).read_bytes()
    lab.runs.rename(lab.out / "elsewhere")
    again = carry_out(PAIR, lab, seeds=1)
    assert not lab.runs.exists()
    assert (lab.out / RESULTS).read_bytes() == before
    assert PAIR.cells(lab, again, 1) == PAIR.cells(lab, first, 1)


def test_without_training_what_is_there_is_measured_and_the_rest_is_left_open(lab: DigitLab) -> None:
    carry_out(replace(PAIR, methods=PAIR.methods[:1]), lab, seeds=1)
    (lab.out / RESULTS).unlink()
    cells = PAIR.cells(lab, carry_out(PAIR, lab, seeds=1, train=False), 1)
    assert [len(cell.accuracies) for cell in cells] == [1, 0]


def test_a_run_that_fails_takes_no_other_ones_result_along(lab: DigitLab) -> None:
    good, bad = (method.measurements(source_of(lab), 0)[0] for method in PAIR.methods)
    bad.needs[0].out.mkdir(parents=True)
    (bad.needs[0].out / "notes.txt").write_text("mine")
    with pytest.raises(RunsFailed, match="1 of 2 runs failed, the others are finished"):
        carry_out(PAIR, lab, seeds=1)
    assert [line["key"] for line in Results(lab.out / RESULTS)] == [good.key]


def test_an_ensemble_is_measured_under_every_rule_and_its_members_too(ensembles: tuple[DigitLab, Results]) -> None:
    lab, results = ensembles
    lines = list(results)
    assert sorted(line["kind"] for line in lines) == ["ensemble"] * 2 + ["run"] * 4
    assert all({"versions", "created"} <= line.keys() for line in lines)
    ensemble = next(line for line in lines if line["kind"] == "ensemble")
    assert {score["rule"] for score in ensemble["scores"]} == set(unseen.rules.RULES)
    assert all(cell.accuracies for cell in ENSEMBLE.cells(lab, results, 1))


def test_an_ensembles_accuracy_is_that_of_its_members_together(ensembles: tuple[DigitLab, Results]) -> None:
    lab, results = ensembles
    method = ENSEMBLE.methods[1]
    assert isinstance(method, Ensembled)
    ensemble = unseen.Ensemble.of_runs([request.out for request in method.requests(source_of(lab), 0)])
    expected = unseen.evaluate(ensemble, unseen.domain("uci-8x8"))
    assert method.accuracy(results, source_of(lab), 0, "uci-8x8") == pytest.approx(expected, abs=0.002)


def test_a_table_has_every_rule_beside_what_a_member_reaches_alone(ensembles: tuple[DigitLab, Results]) -> None:
    lab, results = ensembles
    table = ENSEMBLE.sheets(lab, results, 1)[-1]
    assert table.headings[4:] == tuple(unseen.rules.RULES)
    assert [row[:3] for row in table.rows] == [("uci-8x8", "ERM", "1"), ("uci-8x8", "K=1", "1")]
    method = ENSEMBLE.methods[1]
    assert isinstance(method, Ensembled)
    members = [unseen.load(request.out) for request in method.requests(source_of(lab), 0)]
    domain = unseen.domain("uci-8x8")
    alone = sum(unseen.evaluate(member, domain) for member in members) / 2
    assert float(table.rows[1][3]) == pytest.approx(100 * alone, abs=0.06)
    for rule, text in zip(unseen.rules.RULES, table.rows[1][4:], strict=True):
        expected = unseen.evaluate(unseen.Ensemble(members, rule=rule), domain)
        assert float(text) == pytest.approx(100 * expected, abs=0.3), rule


def test_ensembles_are_not_said_to_be_paired_by_the_same_draws(lab: DigitLab) -> None:
    setting = ENSEMBLE.setting(lab, Results(lab.out / RESULTS))
    assert setting.protocol.endswith(
        "the ERM ensemble it is paired with has the seeds 2s to 2s + 1: not the same draws."
    )
    shares = {0: 0.5, 1: 0.6}
    cells = [Cell("ERM", "SVHN", shares, kind="erm"), Cell("K=1", "SVHN", shares)]
    assert sheets(cells, setting)[1].title == "Difference from ERM"
    assert not PAIR.setting(lab, Results(lab.out / RESULTS)).pairs


def test_members_of_an_erm_ensemble_have_seeds_of_their_own_and_no_two_ensembles_share_one(lab: DigitLab) -> None:
    method = ENSEMBLE.methods[0]
    assert isinstance(method, Ensembled)
    assert [request.seed for seed in (0, 1, 2) for request in method.requests(source_of(lab), seed)] == list(range(6))


def test_an_adaptation_is_measured_on_the_target_it_saw(lab: DigitLab) -> None:
    adapted = replace(PAIR, methods=(PAIR.methods[0], Adapted("ADDA, 40", "adda", 40, at=40)))
    results = carry_out(adapted, lab, seeds=1)
    (line,) = [line for line in results if line["kind"] == "adda"]
    assert line["adda"]["target_images"] == 40
    assert {"engine", "versions", "created", "unlabelled"} <= line.keys()
    assert {path.name for path in lab.out.iterdir() if not path.name.startswith(".")} == {"runs", RESULTS}
    assert [score["domain"] for score in line["scores"]] == ["uci-8x8"]
    assert all(cell.accuracies for cell in adapted.cells(lab, results, 1))


def test_a_recipe_writes_its_table_and_its_figure_and_says_that_stand_ins_are_none(
    figure2b_top: tuple[DigitLab, Results],
) -> None:
    lab, results = figure2b_top
    files = write(recipe("figure2b-top"), lab, results, 2)
    assert {file.name for file in files} == {"figure2b-top.md", "figure2b-top.svg", "figure2b-top.png"}
    text = (lab.out / "figure2b-top.md").read_text()
    for said in ("2 seeds", "14 steps", "last iterate", "64", "not the paper's sets", "uci-8x8 for USPS"):
        assert said in text
    assert show(recipe("figure2b-top"), lab, results, 2, 80).renderables


def test_samples_of_the_domains_need_no_training(lab: DigitLab) -> None:
    what = recipe("figure1-top")
    results = carry_out(what, lab)
    files = write(what, lab, results, 1)
    assert not lab.runs.exists()
    assert all(file.stat().st_size > 1000 for file in files if file.suffix != ".md")


def test_results_on_fewer_images_than_the_set_has_say_so(lab: DigitLab) -> None:
    results = Results(lab.out / RESULTS)
    results.add({"key": "x", "kind": "run", "scores": [{"domain": "svhn-test", "accuracy": 0.3, "images": 11_420}]})
    real = DigitLab(out=lab.out, rows={SOURCE: ("SVHN", "SYN")}, absent=("SYN",))
    setting = recipe("figure2b-top").setting(real, results)
    assert setting.data == {"SVHN": "11,420 of the 26,032 test images"}
    assert setting.source == "the first 10,000 MNIST training images, resized with the bilinear kernel"
    assert not setting.departures
    assert not setting.stand_ins


def test_another_scale_is_a_departure_from_the_paper(lab: DigitLab) -> None:
    setting = recipe("table1").setting(lab, Results(lab.out / RESULTS))
    assert setting.departures == (
        "64 source images instead of 10,000",
        f"a network of {TINY.width:g} times the paper's width",
    )
    assert setting.steps == 14


def test_results_hold_no_path_and_can_be_read_by_any_json_reader(figure2b_top: tuple[DigitLab, Results]) -> None:
    lab, _ = figure2b_top
    for text in (lab.out / RESULTS).read_text().splitlines():
        line = json.loads(text)
        assert str(lab.out) not in text
        assert torch.tensor([score["accuracy"] for score in line["scores"]]).le(1).all()
