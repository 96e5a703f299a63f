"""``unseen diagnose``, as a person in a shell meets it: a small network on the built-in digits."""

import json
from pathlib import Path

import pytest

SMALL = """T = 40
T_min = 10
T_max = 3
n = 50
images = 200
batch = 8
width = 0.05
threads = 1
precision = "float32"
watch = []
"""


@pytest.fixture
def shell(shell, tmp_path, monkeypatch):
    (tmp_path / "small.toml").write_text(SMALL)
    monkeypatch.setattr("unseen.reporting.diagnosis.matching.IN_ALL", 60)
    return shell


def test_two_trainings_are_diagnosed_beside_each_other_in_80_columns(shell, tmp_path):
    assert shell("train", "--config", "small.toml", "--out", "runs/ada")[0] == 0
    assert shell("train", "--config", "small.toml", "--K", "0", "--out", "runs/erm")[0] == 0
    code, text = shell("diagnose", "runs/ada", "--target", "uci-8x8")
    assert code == 0, text
    assert max(map(len, text.splitlines())) <= 80
    for words in (
        "How far the rounds went", "reached", "times below L1", "R / (2 gamma)", "worst mean loss", "run erm, found",
        "uci-8x8", "mnist5k-heldout is held-out source", "Class by class", "Wrote runs/ada/diagnosis.html",
    ):  # fmt: skip
        assert words in " ".join(text.split()), words
    kept = json.loads(Path("runs/ada/diagnosis.json").read_text())
    assert [there["domain"] for there in kept["model"]["domains"]] == ["uci-8x8", "mnist5k-heldout"]
    assert "uci-8x8" in (tmp_path / "runs/ada/diagnosis.html").read_text()
    code, text = shell("diagnose", "runs/ada", "--plain", "runs/erm", "--out", "new/page.html")
    assert (code, "run erm, as given" in " ".join(text.split()), Path("new/page.html").exists()) == (0, True, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["diagnose", "absent"], 3, "absent holds no run"),
        (["diagnose", "absent", "--data", "nowhere"], 2, "expected a folder with data sets"),
        (["diagnose"], 2, "RUN"),
    ],
    ids=["no run", "no data", "nothing"],
)
def test_bad_input_gets_one_message_and_an_exit_code(shell, tmp_path, words, code, said):
    before = set(tmp_path.iterdir())
    got, text = shell(*words)
    assert (got, said in text, "Traceback" in text) == (code, True, False), text
    assert set(tmp_path.iterdir()) == before


def test_the_help_fits_in_80_columns(shell):
    code, text = shell("diagnose", "--help")
    assert code == 0
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
