"""Real commands on folders, files and classes whose names are escape codes, markup, HTML and bytes that are no text."""

import os

import numpy as np
import pytest
from PIL import Image

CLASSES = ("[red]t", "\x1b]0;x\x07", "<script>|`$x_{$", os.fsdecode(b"raw\xff"))
SOURCE, TARGET, RUN = "s[/b]source\x1b[31m", "t[/b]target[red]\x07", "run[red]\x1b"


@pytest.fixture
def place(tmp_path):
    draw = np.random.default_rng(0)
    for root in (SOURCE, TARGET):
        for name in CLASSES:
            (tmp_path / root / name).mkdir(parents=True)
            for i in range(2):
                noise = draw.integers(0, 256, (8, 8, 3), dtype=np.uint8)
                Image.fromarray(noise).save(tmp_path / root / name / f"{i}[b]\x1b.png")
    (tmp_path / "settings.toml").write_text(
        f'source = "{SOURCE}"\nwatch = ["{TARGET}"]\nout = "{RUN}"\n'.replace("\x1b", "\\u001b").replace(
            "\x07", "\\u0007"
        )
        + "size = 32\nwidth = 0.05\nK = 1\nT_min = 1\nT = 2\nT_max = 1\nbatch = 4\n[cadence]\nwatch = 1\nrecord = 1\n"
    )
    return tmp_path


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "plain"])
def test_train_evaluate_and_predict_show_them_as_they_are_written(terminal, place, shell, monkeypatch):
    if terminal:
        monkeypatch.setattr("unseen.cli.app.out._force_terminal", True)
        monkeypatch.setattr("unseen.cli.app.out._color_system", None)
    code, printed = shell("train", "--config", "settings.toml")
    assert code == 0, printed
    assert f"Done: {shown(RUN)}" in printed
    if not terminal:
        assert shown(TARGET.rpartition("/")[2]) in printed  # the watched one, in the lines of progress
        code, more = shell("evaluate", RUN, "--target", TARGET, "--per-class")
        assert code == 0, more
        for name in CLASSES:
            assert shown(name) in more
        code, answers = shell("predict", RUN, TARGET)
        assert code == 0, answers
        assert r"raw\udcff/1[b]\x1b.png: " in answers
        assert shell("predict", RUN, TARGET, "--csv", "answers.csv")[0] == 0
        assert r"raw\udcff/1[b]\x1b.png" in (place / "answers.csv").read_text()
        printed += more + answers
    for control in ("\x1b]0", "\x1b[31m", "\x07", "\udcff"):
        assert control not in printed


def test_errors_about_them_are_printed_as_they_are_written(place, shell):
    (place / TARGET / CLASSES[0] / "0[b]\x1b.png").write_bytes(b"\x1b[31mno picture")
    code, printed = shell("train", "--source", TARGET, "--size", "32")
    assert code == 2
    assert r"[red]t/0[b]\x1b.png can't be read" in printed
    assert "\x1b" not in printed
    code, printed = shell("train", "--source", "\x1b[2J[/b]gone")
    assert (code, "\x1b" in printed) == (2, False)
    assert r"\x1b[2J[/b]gone" in printed


def shown(text):
    return text.replace("\x1b", r"\x1b").replace("\x07", r"\x07").replace("\udcff", r"\udcff")
