"""Runs that were started from Python, on the command line; evaluation class by class."""

import shutil
import sys

import pytest
import torch
from configs import rewrite
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import nn

import unseen

NETS = """
from torch import nn

def small(classes):
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, classes))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two folders of pictures, of which the second lacks a class, a file that makes a model, and a run from Python."""
    root = tmp_path_factory.mktemp("own")
    draw = torch.Generator().manual_seed(0)
    for domain, classes in {"studio": ("cat", "cup", "key"), "street": ("cat", "key")}.items():
        for name in classes:
            (root / domain / name).mkdir(parents=True)
            for i in range(4):
                pixels = torch.randint(256, (12, 12, 3), generator=draw, dtype=torch.uint8)
                Image.fromarray(pixels.numpy()).save(root / domain / name / f"{i}.png")
    (root / "nets.py").write_text(NETS)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 3))
    ada = unseen.ADA(K=1, T_min=2, T_max=1, T=4, batch=4)
    engine = unseen.Engine("cpu", "float32", threads=1)
    unseen.fit(net, unseen.folder(root / "studio", 8), ada, folder=root / "run", engine=engine, warn=lambda _: None)
    return root


def test_a_run_from_python_is_evaluated_with_what_makes_its_model_and_in_its_size(shell, place):
    code, text = shell(
        "evaluate", place / "run", "--target", place / "street", "--model", f"{place}/nets.py:small", "--per-class"
    )
    assert code == 0, text
    street = unseen.folder(place / "street", 8, classes=("cat", "cup", "key"))
    trained = unseen.load(place / "run", nn.Sequential(*_layers()))
    text = " ".join(text.split())
    assert f"{unseen.evaluate(trained, street):.1%}" in text
    assert "street: accuracy of each class" in text
    assert "none there" in text
    assert "warning: street has none of cup: its score says nothing about that class" in text
    assert "Most frequent mistakes of run on street: " in text


def test_a_score_no_better_than_guessing_is_said(shell, place, tmp_path):
    trained = nn.Sequential(*_layers())
    unseen.fit(trained, unseen.folder(place / "studio", 8), unseen.ERM(T=1, batch=4), folder=tmp_path / "same")
    weights = load_file(tmp_path / "same/weights.safetensors")
    weights["3.weight"].zero_()
    save_file(weights, tmp_path / "same/weights.safetensors")
    given = ("--target", place / "studio", "--model", f"{place}/nets.py:small")
    code, text = shell("evaluate", tmp_path / "same", *given)
    assert code == 0, text
    assert "same on studio: 33.3% is no better than guessing among 3 classes (33.3%)" in " ".join(text.split())


def test_a_target_that_is_named_twice_is_scored_once(shell, place):
    given = ("--target", place / "street", "--model", f"{place}/nets.py:small")
    assert shell("evaluate", place / "run", *given, *given[:2]) == shell("evaluate", place / "run", *given)


def test_folders_of_the_same_name_are_told_apart_and_one_under_two_names_is_one(shell, place, tmp_path):
    other = shutil.copytree(place / "street", tmp_path / "other" / "street")
    (other / "cat").rename(other / "was a cat")
    (other / "key").rename(other / "cat")
    (other / "was a cat").rename(other / "key")
    model = ("--model", f"{place}/nets.py:small", "--per-class")
    code, text = shell("evaluate", place / "run", "--target", place / "street", "--target", other, *model)
    letters = "".join(text.split())
    assert code == 0, text
    assert f"{place / 'street'}:accuracyofeachclass" in letters
    assert f"{other}:accuracyofeachclass" in letters
    code, text = shell("evaluate", place / "run", "--target", place / "street", "--target", f"{place}/street/", *model)
    assert (code, "".join(text.split()).count("accuracyofeachclass")) == (0, 1), text


def test_its_transformations_are_not_needed_to_evaluate_it(shell, place, tmp_path):
    shutil.copytree(place / "run", tmp_path / "run")
    rewrite(tmp_path / "run", lambda config: config["ada"].update(over="ghost"))
    given = ("--target", place / "street", "--model", f"{place}/nets.py:small")
    code, text = shell("evaluate", "run", *given)
    assert (code, "%" in text) == (0, True), text
    code, text = shell("report", "run", *given, "--source", place / "studio")
    assert (code, "ghost" in text) == (3, True), text


def test_files_that_cant_be_read_may_be_left_out_of_the_target(shell, place, tmp_path):
    shutil.copytree(place / "street", tmp_path / "street")
    (tmp_path / "street" / "cat" / "bad.png").write_bytes(b"no picture")
    words = ("evaluate", place / "run", "--target", "street", "--model", f"{place}/nets.py:small")
    code, text = shell(*words)
    assert (code, "--skip-bad" in " ".join(text.split())) == (2, True), text
    code, text = shell(*words, "--skip-bad")
    assert code == 0, text


def _layers():
    with torch.random.fork_rng(devices=[]):
        return nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 3)


def test_it_is_reported_and_diagnosed(shell, place, tmp_path):
    given = ("--target", place / "street", "--model", f"{place}/nets.py:small", "--source", place / "studio")
    code, text = shell("report", place / "run", *given, "--out", "page.html")
    assert code == 0, text
    assert "What the models get wrong" in (tmp_path / "page.html").read_text()
    code, text = shell("diagnose", place / "run", *given, "--out", "diagnosis.html")
    assert code == 0, text


def test_it_predicts_and_plays_and_is_exported_and_handed_over(shell, place, tmp_path, monkeypatch):
    made_by = ("--model", f"{place}/nets.py:small")
    code, text = shell("predict", place / "run", place / "street" / "cat", *made_by)
    assert (code, "4 pictures" in text) == (0, True), text
    code, text = shell("export", place / "run", "--torch", "graph.pt2", "--folder", "handed", *made_by)
    assert code == 0, text
    code, text = shell("predict", "handed", place / "street" / "cat", *made_by)
    assert (code, "4 pictures" in text) == (0, True), text
    played = []
    monkeypatch.setattr("unseen.deploy.play.serving._need_gradio", lambda: None)
    monkeypatch.setattr("unseen.deploy.play.serving.Sitting", lambda players: played.append(players) or sys.exit())
    shell("play", place / "run", "--no-browser", *made_by)
    assert played[0].predictor.classes == ("cat", "cup", "key")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate"], "what makes such a model, with --model FILE.py:FUNCTION"),
        (["evaluate", "--size", "8"], "give --model as well"),
        (["report", "--model", "nets.py:small"], "on studio: say where that is, with --source FOLDER"),
    ],
    ids=["no model", "a size alone", "no source"],
)
def test_what_it_lacks_is_said(shell, place, words, said, monkeypatch):
    verb, *flags = words
    monkeypatch.chdir(place)
    code, text = shell(verb, "run", "--target", "street", *flags)
    assert (code in (2, 3), said in " ".join(text.split())) == (True, True), text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--batch 4", "No such option: --batch; batch has no flag: put a line such as batch = 32 into a TOML file"),
        ("--lr 1", "did you mean --alpha?"),
        ("--ridge 1", "ridge has no flag: put a line such as ridge = 0.0 into a TOML file and give it with --config"),
        ("--watch street", "watch has no flag: put a line such as watch = ..."),
    ],
)
def test_a_setting_without_a_flag_is_pointed_to_the_file(shell, words, said):
    code, text = shell("train", *words.split())
    assert code == 2
    assert said in " ".join(text.split())


def test_the_steps_before_each_round_have_a_flag(shell):
    code, text = shell("train", "--K", 3, "--T-min", 50, "--T", 100)
    assert code == 2
    assert "K=3 rounds of T_min=50 steps need more than 150 steps" in " ".join(text.split())
