"""The benchmarks' slow twins do what the library does, and what the benchmarks say follows from what they measure."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import unseen

ROOT = Path(__file__).parents[1]

from benchmarks import (  # noqa: E402
    ascent,
    denormals,
    measure,
    newton,
    page,
    profiles,
    sides,
    table1,
    transforms,
    twins,
)
from benchmarks.measure import Result  # noqa: E402


@pytest.mark.parametrize("T_max", [1, 2, 5])
@pytest.mark.parametrize("detached", [False, True], ids=["reference in the graph", "reference detached"])
def test_the_plain_ascent_takes_the_librarys_steps(make_net, digits, T_max, detached):
    x, y = digits
    ada, net = unseen.ADA(T_max=T_max, eta=8.0), unseen.split(make_net())
    ours, theirs = unseen.ascend(net, x, y, ada), twins.ascend(net, x, y, ada, detached=detached)
    assert not torch.equal(theirs, x)
    assert torch.allclose(ours, theirs, atol=1e-6)


def test_on_digits_the_two_ascents_move_the_images_alike():
    with sides.plain_ascent(8, 3, 1 / 8) as plain, sides.our_ascent(8, 3, 1 / 8) as ours:
        assert sides.apart(ours(), plain(), sides.digits(8).images.numpy()) < 0.05


def test_the_plain_run_takes_the_librarys_steps(make_net, digits):
    ada = unseen.ADA(K=2, T_min=2, T=7, T_max=2, batch=8, alpha=1e-2)
    source = unseen.Domain("bars", *digits, classes=("0", "1", "2", "3"))
    cadence = unseen.Cadence(record=1, watch=1)
    run = unseen.fit(make_net(), source, ada, seed=3, cadence=cadence, engine=unseen.Engine("cpu"))
    plain = unseen.split(make_net())
    losses = twins.run(plain, source, ada, seed=3, watch={"source": source}, every=2)
    assert losses == pytest.approx([line["loss"] for line in run.metrics if "loss" in line], rel=1e-4)
    assert twins.accuracy(plain, source) == unseen.evaluate(run.net, source)


@pytest.mark.parametrize(("dtype", "apart"), [(torch.float32, 1e-4), (torch.float64, 1e-10)])
def test_the_dense_newton_point_is_the_librarys(dtype, apart):
    net, z0, y, gamma = newton.problem(6, 32, dtype)
    ours, dense = unseen.theory.newton_point(net, z0, y, gamma), twins.newton_point(net, z0, y, gamma)
    assert ours.dtype == dense.dtype == dtype
    torch.testing.assert_close(ours - z0, dense - z0, rtol=apart, atol=apart)
    assert (ours - z0).norm(dim=1).min() > 100 * apart


def test_sides_are_timed_in_turn_and_give_their_results():
    tooks = measure.interleave({"small": measure.gemm(8), "large": measure.gemm(32)}, threads=1, repeats=2)
    assert {name: [took.result for took in of] for name, of in tooks.items()} == {"small": [8, 8], "large": [32, 32]}
    assert all(took.seconds > 0 and took.peak > 2**20 for of in tooks.values() for took in of)


def test_the_least_disturbed_counts():
    tooks = [measure.Took(seconds, 0.0, 0, 0, None) for seconds in (3.0, 1.0, 2.0)]
    assert measure.best(tooks).seconds == 1


def test_an_ascent_step_is_a_forward_pass_and_the_inputs_gradient():
    forward = 2 * (28 * 28 * 64 * 75 + 10 * 10 * 128 * 1600 + 3200 * 1024 + 1024 * 1024 + 1024 * 10)
    assert ascent.operations(sides.convnet(), torch.zeros(1, 3, 32, 32)) == 2 * forward


def test_denormals_are_neither_zero_nor_normal():
    assert denormals.denormal_share([torch.tensor([0.0, 1.0]), torch.tensor([1e-40, -1e-40, -1e-30, -0.0])]) == 1 / 3


def test_a_profile_has_every_second_once():
    step = SimpleNamespace(name="Optimizer.step#Adam.step", self_cpu_time_total=1e5, cpu_parent=None)
    events = [
        step,
        SimpleNamespace(name="aten::sqrt", self_cpu_time_total=1e5, cpu_parent=step),
        SimpleNamespace(name="aten::mm", self_cpu_time_total=5e5, cpu_parent=None),
        SimpleNamespace(name="aten::copy_", self_cpu_time_total=1e5, cpu_parent=None),
        SimpleNamespace(name="aten::add", self_cpu_time_total=0, cpu_parent=None),
        SimpleNamespace(name="AddmmBackward0", self_cpu_time_total=7e4, cpu_parent=None),
    ]
    shares = profiles.shares_of(events, seconds=1.0)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["optimizer"] == pytest.approx(0.2)
    assert shares["arithmetic"] == pytest.approx(0.5)
    assert shares[profiles.OTHER] == pytest.approx(0.2)


def test_shared_rounds_are_4_of_10():
    after, before = table1.counts("shared"), table1.counts("run after run")
    assert (after["image-step"], before["image-step"]) == (11 * 10 * 4 * 150_000, 11 * 10 * 10 * 150_000)
    assert after["training step"] == before["training step"] == 440 * 10_000


def test_each_transformation_that_kornia_has_is_timed_alone():
    with transforms.each_alone("ours", images=2, calls=1) as work:
        seconds = work()
    assert list(seconds) == list(transforms.KORNIAS)
    assert min(seconds.values()) >= 0


@pytest.mark.parametrize("name", transforms.KORNIAS)
def test_kornias_way_gives_images_that_differ_from_the_originals(name):
    pytest.importorskip("kornia")
    x, draw = sides.digits(2).images, torch.Generator().manual_seed(0)
    (transform,) = unseen.transforms.named(name)
    w = torch.rand(2, 2 * 32 * 32, generator=draw) if name == "warp" else transform.drawn(2, draw)
    made = transforms.kornias(name)(x, w)
    assert made.shape == x.shape
    assert torch.equal(made, made.clamp(0, 1))
    if name != "hue":  # digits are grey
        assert (made - x).abs().max() > 0.01


@pytest.mark.parametrize(("micros", "met"), [(129.0, True), (131.0, False)])
def test_a_round_over_transformations_may_take_130_percent_of_one_over_pixels(monkeypatch, micros, met):
    took = {"pixels": 100.0, "standard": micros}
    monkeypatch.setattr(transforms, "_best_seconds", lambda makes, threads, repeats: {n: took[n] for n in makes})
    assert transforms._rounds(1, 1.0, 1, "float32", 1).met is met


def test_kornia_is_left_out_where_it_is_not_installed_and_a_busy_machine_is_recorded(monkeypatch):
    result = Result("", "", "", "", "", None, {"threads": 1})
    for part in ("_rounds", "_steps"):
        monkeypatch.setattr(transforms, part, lambda *_: result)
    monkeypatch.setattr(transforms, "find_spec", lambda _: None)
    monkeypatch.setattr(transforms.os, "getloadavg", lambda: (2.0, 0.0, 0.0))
    made = transforms.run(quick=True)
    assert [each.numbers for each in made] == [{"threads": 1, "load_before": 2.0, "busy": True}] * len(made)
    assert made


def test_the_table_shows_the_newest_run(tmp_path, monkeypatch):
    for at, reached in (("2026-01-01", "1x"), ("2026-01-02", "7x")):
        monkeypatch.setattr(measure, "machine", lambda at=at: {"at": at})
        results = [Result(what, "9 s", "1 s", reached, "6x", reached == "7x", {}) for what in ("ascent", "step")]
        measure.append("ascent", results, tmp_path)
    lines = measure.newest("ascent", tmp_path)
    assert [line["what"] for line in lines] == ["ascent", "step"]
    assert page.bars(lines).splitlines()[2] == "| ascent | 9 s | 1 s | 6x | 7x | yes |"
    assert measure.newest("nothing yet", tmp_path) == []


def test_a_result_says_on_what_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "commit", lambda: "abc")
    measure.append("ascent", [Result("a", "", "", "", "", None, {})], tmp_path)
    here = json.loads((tmp_path / "ascent.jsonl").read_text())["machine"]
    assert here["torch"] == torch.__version__
    assert here["cores"] >= 1
    assert here["commit"] == "abc"
    assert here["cpu"] in page.machine({"machine": here})


def test_a_quick_benchmark_runs_and_keeps_nothing():
    before = sorted(ROOT.glob("benchmarks/results/*"))
    command = [sys.executable, "-m", "benchmarks", "memory", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "| peak memory of a K=4 run on 64 digits | " in done.stdout
    assert sorted(ROOT.glob("benchmarks/results/*")) == before


def test_an_unknown_benchmark_is_refused_with_those_there_are():
    command = [sys.executable, "-m", "benchmarks", "asent"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no benchmark asent; there are ascent, step" in done.stderr
