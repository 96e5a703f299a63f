"""The command line, as a person in a shell meets it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from unseen.cli import demo
from unseen.data.catalogue import targets
from unseen.method.settings import ADA, ERM
from unseen.reporting.evaluation import result_line
from unseen.runs.config import Cadence
from unseen.runs.folder import RunFolder

FEW_STEPS = """T = 12
T_min = 4
T_max = 2
n = 8
batch = 4
threads = 1
precision = "float32"
watch = []

[cadence]
record = 2
watch = 4
save = 4
"""
SMALL = f"width = 0.05\n{FEW_STEPS}"
"""the convnet, so narrow that an evaluation takes no time"""


@pytest.fixture
def shell(shell, tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "few-steps.toml").write_text(FEW_STEPS)  # for other networks, which have no width
    return shell


def start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "unseen", *words],
        cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env=os.environ | {"COLUMNS": "200"},
    )  # fmt: skip


def wait_for(condition, process: subprocess.Popen[str], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def test_the_help_of_train_fits_on_a_screen(shell):
    code, text = shell("train", "--help")
    assert code == 0
    assert len(text.strip().splitlines()) <= 34
    assert "0 is ERM" in text


def test_the_help_of_sweep_fits_in_80_columns(shell):
    code, text = shell("sweep", "--help")
    assert code == 0
    assert max(map(len, text.splitlines())) <= 80
    assert "[grid]" in text
    assert "…" not in text


def test_a_training_is_evaluated_and_reported_on(shell, tmp_path):
    code, text = shell("train", "--config", "small.toml", "--out", "runs/a")
    assert (code, "Done: runs/a" in text) == (0, True)
    code, text = shell("evaluate", "runs/a")
    assert code == 0
    for name in ("mnist5k-held", *targets()):
        assert name in text
    code, text = shell("report", "runs/a", "--out", "page.html")
    assert code == 0
    assert "photo-blend" in (tmp_path / "page.html").read_text()


def test_what_the_sources_validation_selected_is_said_with_the_result(shell, tmp_path):
    text = SMALL.replace("T = 12\n", "images = 60\nK = 0\n")
    (tmp_path / "chosen.toml").write_text(f'select = "source-validation"\n{text}')
    flags = [
        "--epochs",
        "1",
        "--optimizer",
        "sgd",
        "--alpha",
        "0.01",
        "--augment",
        "crop,jitter",
        "--validation",
        "0.2",
        "--out",
        "runs/chosen",
    ]
    code, text = shell("train", "--config", "chosen.toml", *flags)
    assert code == 0, text
    said = re.search(r"Result: (best on the source's validation \(step \d+ of 1\d, [\d.]+%\))\.", text)[1]
    code, text = shell("evaluate", "runs/chosen", "--target", "photo-blend")
    assert "Accuracy of the best on the source's validation (images)" in " ".join(text.split())
    assert f"chosen: {said}" in text
    assert result_line(Path("runs/chosen"))["selection"] == said


def test_an_evaluation_measures_nothing_twice(shell, monkeypatch):
    shell("train", "--config", "small.toml", "--out", "runs/a")
    first = shell("evaluate", "runs/a", "--target", "photo-blend")
    monkeypatch.setattr("unseen.reporting.evaluation.evaluate", lambda *_, **__: pytest.fail("measured again"))
    assert shell("evaluate", "runs/a", "--target", "photo-blend") == first
    monkeypatch.undo()


def test_what_can_be_evaluated_is_and_the_rest_is_reported(shell):
    shell("train", "--config", "small.toml", "--out", "runs/a")
    (Path("runs/a") / "evaluation.json").write_text("{")
    code, text = shell("evaluate", "runs/a", "absent", "--target", "photo-blend")
    assert (code, "photo-blend (1,000)" in text, "absent holds no run" in text) == (3, True, True)


def test_resuming_a_finished_run_says_it_is_done(shell):
    shell("train", "--config", "small.toml", "--out", "runs/a")
    before = RunFolder(Path("runs/a")).weights.read_bytes()
    code, text = shell("train", "--resume", "runs/a")
    assert (code, "Done" in text) == (0, True)
    assert RunFolder(Path("runs/a")).weights.read_bytes() == before


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT], ids=lambda sign: sign.name)
def test_a_stopped_training_resumes_to_the_same_bits(shell, tmp_path, sign):
    longer = SMALL.replace("T = 12", "T = 40")
    (tmp_path / "longer.toml").write_text(longer)
    process = start("train", "--config", "longer.toml", "--out", "killed", cwd=tmp_path)
    wait_for(lambda: (tmp_path / "killed/rounds/1/0000.safetensors").exists(), process)
    process.send_signal(sign)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == (130 if sign == signal.SIGINT else -signal.SIGKILL), text
    assert ("unseen train --resume killed" in text) == (sign == signal.SIGINT)
    assert not RunFolder(tmp_path / "killed").finished
    assert shell("train", "--resume", "killed")[0] == 0
    assert shell("train", "--config", "longer.toml", "--out", "whole")[0] == 0
    for name in ("weights.safetensors", "metrics.jsonl", "checkpoints/00000040-002.safetensors"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_a_folder_in_use_is_refused_with_the_number_of_the_process_that_trains_there(shell):
    shell("train", "--config", "small.toml", "--out", "one")
    RunFolder(Path("one")).weights.unlink()
    with RunFolder(Path("one")).locked():  # tests/runs/test_resume.py has two real processes
        code, text = shell("train", "--resume", "one")
    assert (code, f"in use by process {os.getpid()}" in text) == (3, True), text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["train", "--gamma", "-1", "--T", "50"], 2, ["2 problems", "gamma=-1.0", "raise T above 200"]),
        (["train", "--source", "mnist5k-trian"], 2, ['did you mean "mnist5k-train", "mnist-train" or']),
        (["train", "--source", "svhn"], 2, ["svhn-train and svhn-test", "folder:PATH"]),
        (["train", "--source", "svhn-train"], 2, ["UNSEEN_DATA", "unseen download svhn-train --data FOLDER"]),
        (["train", "--model", "convnext"], 2, ["FILE.py:FUNCTION", 'did you mean "convnet"?']),
        (["train", "--model", "absent.py:make"], 2, ["absent.py"]),
        (["train", "--device", "abacus"], 2, ['device="abacus"', '"cpu"']),
        (["train", "--config", "absent.toml"], 2, ["absent.toml", "TOML"]),
        (["train", "--resume", "absent"], 3, ["absent", "holds no run", "unseen train --out absent"]),
        (["train", "--resume", "x", "--gamma", "2"], 2, ["--resume", "leave out --gamma"]),
        (["sweep", "absent.toml"], 2, ["absent.toml", "TOML"]),
        (["sweep", "small.toml", "--engine", "rya"], 2, ['did you mean "ray"?']),
        (["sweep", "small.toml", "--address", "auto"], 2, ['only engine="ray" has one']),
        (["evaluate", "absent"], 3, ["holds no run"]),
        (["report", "absent"], 3, ["holds no run"]),
        (["train", "--gama", "1"], 2, ["--gamma"]),
        (["trian"], 2, ["train"]),
    ],
    ids=lambda value: (
        " ".join(value) if isinstance(value, list) and value[0] in ("train", "evaluate", "report", "sweep") else ""
    ),
)
def test_bad_input_gets_one_message_and_an_exit_code_and_leaves_nothing_behind(shell, tmp_path, words, code, said):
    before = set(tmp_path.iterdir())
    got, text = shell(*words)
    assert got == code, text
    for part in said:
        assert part in text
    assert "Traceback" not in text
    assert set(tmp_path.iterdir()) == before


def test_a_folder_that_holds_a_run_is_refused_with_the_command_that_resumes(shell):
    shell("train", "--config", "small.toml", "--out", "runs/a")
    code, text = shell("train", "--config", "small.toml", "--out", "runs/a")
    assert (code, "unseen.load('runs/a')" in text) == (3, True)
    (Path("runs/a") / "weights.safetensors").unlink()
    code, text = shell("train", "--config", "small.toml", "--out", "runs/a")
    assert (code, "unseen train --resume runs/a" in text) == (3, True)


def test_a_diverging_training_has_its_own_exit_code_and_names_step_and_samples(shell):
    Path("wild.py").write_text(
        "import torch\n"
        "class Wild(torch.nn.Sequential):\n"
        "    def forward(self, x):\n"
        "        return super().forward(x) * float('inf')\n"
        "def make(classes):\n"
        "    return Wild(torch.nn.Flatten(), torch.nn.Linear(3072, classes))\n"
    )
    code, text = shell("train", "--config", "few-steps.toml", "--model", "wild.py:make", "--out", "wild")
    assert code == 4
    assert "minimization step 1" in text
    assert "source image" in text


def test_an_own_model_and_an_own_folder_train_and_evaluate_from_anywhere(shell, tmp_path, monkeypatch):
    from PIL import Image

    shades = {"dark": 20, "light": 200}
    for tint, place in enumerate(("here", "there")):
        for label, shade in shades.items():
            (tmp_path / place / label).mkdir(parents=True)
            for i in range(4):
                Image.new("RGB", (20, 16), (shade, shade + 9 * i, 25 * tint)).save(
                    tmp_path / place / label / f"{i}.png"
                )
    (tmp_path / "mine.py").write_text(
        "from torch import nn\n"
        "def make(classes):\n"
        "    return nn.Sequential(nn.Flatten(), nn.Linear(12 * 12 * 3, 8), nn.ReLU(), nn.Linear(8, classes))\n"
    )
    words = ["--source", "here", "--size", "12", "--model", "mine.py:make", "--out", "own"]
    assert shell("train", "--config", "few-steps.toml", *words)[0] == 0
    code, text = shell("evaluate", "own")
    assert (code, "--target" in text) == (2, True)
    code, text = shell("evaluate", "own", "--target", "there", "--run-model-code")
    assert (code, "there (8)" in text) == (0, True)
    page = ("--target", "there", "--out", "new folder/page.html")
    assert shell("report", "own", *page, "--run-model-code")[0] == 0
    shutil.rmtree("here")
    monkeypatch.chdir(tmp_path / "there")
    assert shell("evaluate", "../own", "--target", ".", "--model", "../mine.py:make")[0] == 0


def test_the_domains_are_listed_with_their_counts_and_what_is_missing(shell):
    code, text = shell("domains")
    assert code == 0
    for word in ("mnist5k-train", "4,000", "uci-8x8", "1,797", "SVHN", "unseen download"):
        assert word in text


def test_a_demo_that_is_stopped_says_how_to_resume_and_its_workers_end(tmp_path):
    process = start("demo", "--seeds", "1", "--out", "my demo", cwd=tmp_path)
    wait_for(lambda: (tmp_path / "my demo/ada-seed0/metrics.jsonl").exists(), process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers, too
    text, _ = process.communicate(timeout=30)
    assert process.returncode == 130, text
    assert "Interrupted. Resume with: unseen demo --seeds 1 --out 'my demo'" in text
    assert "Traceback" not in text
    with RunFolder(tmp_path / "my demo/ada-seed0").locked():  # nobody trains there any more
        assert not RunFolder(tmp_path / "my demo/ada-seed0").finished


def test_the_demo_prints_the_table_writes_the_page_and_a_second_one_trains_nothing(shell, monkeypatch, tmp_path):
    small = {
        "transformations": replace(demo.METHODS["transformations"], T=22, T_max=1, n=8, batch=4),
        "ada": ADA(T=22, T_min=2, T_max=2, n=8, batch=4),
        "erm": ERM(T=22, batch=4),
    }
    monkeypatch.setattr(demo, "METHODS", small)
    monkeypatch.setattr(demo, "JOB", replace(demo.JOB, width=1 / 16, watch_images=20))
    monkeypatch.setattr("unseen.sweep.workers.default_jobs", lambda *_: 1)  # each worker would build the domains anew
    monkeypatch.setattr(demo, "CADENCE", Cadence(record=4, watch=4, save=4))
    code, text = shell("demo", "--out", "demo", "--seeds", "2")
    assert code == 0, text
    for word in ("ERM", "ADA over standard", *targets(), "95 % interval", "2 seeds", "demo/report.html"):
        assert word in text
    assert "…" not in text, "the table fits into 80 columns"
    headline = next(line for line in text.splitlines() if line.endswith("domains."))
    assert headline.removesuffix(".") in (tmp_path / "demo/report.html").read_text()
    results = [json.loads(line) for line in (tmp_path / "demo/results.jsonl").read_text().splitlines()]
    rounds = [(line["ada"]["over"], line["ada"]["K"], line["seed"]) for line in results]
    assert rounds == [
        (over, K, seed) for over, K in (("standard", 10), ("pixels", 2), ("pixels", 0)) for seed in (0, 1)
    ]
    assert {score["domain"] for score in results[0]["scores"]} == {"mnist5k-heldout", *targets()}
    page = (tmp_path / "demo/report.html").read_bytes()
    lines = (tmp_path / "demo/ada-seed1/metrics.jsonl").read_bytes()
    code, text = shell("demo", "--out", "demo", "--seeds", "2")
    assert (code, (tmp_path / "demo/report.html").read_bytes()) == (0, page)
    assert (tmp_path / "demo/ada-seed1/metrics.jsonl").read_bytes() == lines
    assert "0 of 22 steps" not in text
