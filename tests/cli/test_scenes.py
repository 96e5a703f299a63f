"""`unseen train` and `evaluate` where labels are masks."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unseen.runs.folder import RunFolder

SCENES = """
source = "old-town-fog"
model = "fcn-resnet18"
size = [16, 24]
images = 6
K = 1
T = 30
T_min = 3
T_max = 2
batch = 2
eta = 2.0
watch = ["highway-night"]
threads = 1
precision = "float32"
[cadence]
record = 5
watch = 10
save = 5
"""


@pytest.fixture
def scenes(tmp_path):
    (tmp_path / "scenes.toml").write_text(SCENES)


@pytest.mark.usefixtures("scenes")
def test_a_training_on_scenes_is_killed_resumes_to_the_same_bits_and_is_evaluated(shell, tmp_path):
    assert shell("train", "--config", "scenes.toml", "--out", "runs/whole")[0] == 0
    killed = subprocess.Popen(
        [sys.executable, "-m", "unseen", "train", "--config", "scenes.toml", "--out", "runs/cut"], cwd=tmp_path
    )
    metrics, end = tmp_path / "runs" / "cut" / "metrics.jsonl", time.monotonic() + 120
    while not (metrics.exists() and '"step": 10,' in metrics.read_text()):
        assert killed.poll() is None
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not RunFolder("runs/cut").finished
    code, text = shell("train", "--resume", "runs/cut")
    assert (code, "Next: unseen evaluate runs/cut\n" in text) == (0, True)
    for name in ("weights.safetensors", "metrics.jsonl"):
        assert Path("runs/cut", name).read_bytes() == Path("runs/whole", name).read_bytes(), name
    code, text = shell("evaluate", "runs/whole", "--target", "highway-night", "--target", "new-york-spring")
    assert (code, "mIoU of the last iterate" in text, "highway-night (6)" in text) == (0, True, True)
    kept = json.loads(Path("runs/whole/evaluation.json").read_text())["scores"]
    last = json.loads(Path("runs/whole/metrics.jsonl").read_text().splitlines()[-1])
    assert kept[0]["miou"] == pytest.approx(last["miou"]["highway-night"])
    assert len(kept[0]["iou"]) == 13


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "96by160"], "--size 96by160: expected a side in pixels or HEIGHTxWIDTH, for instance 32 or 96x160"),
        (["--size", "0x4"], "size=(0, 4): expected a side in pixels or (height, width)"),
        (
            ["--model", "fcn-resnet20"],
            'model="fcn-resnet20": expected convnet, fcn-resnet50, fcn-resnet18, timm:NAME, torchvision:NAME, smp:',
        ),
        (
            ["--model", "fcn-resnet18:no.pth"],
            "no.pth is not a file; expected a model's weights, .safetensors, .pth or .pt",
        ),
        ([], 'the convnet gives one for each image; use a model for masks: model = "fcn-resnet18"'),
    ],
    ids=["size", "an empty side", "model", "weights", "a network for digits"],
)
def test_bad_settings_for_scenes_get_one_message(shell, tmp_path, words, said):
    (tmp_path / "few.toml").write_text('source = "highway-dawn"\nimages = 2\nsize = [32, 32]\n')
    code, text = shell("train", "--config", "few.toml", *words)
    assert code == 2
    assert said in " ".join(text.split())
    assert text.count("error:") == 1
