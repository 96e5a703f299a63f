"""A sweep that takes no time: eight small images, a model of a few weights, and models that go wrong on purpose."""

from pathlib import Path
from typing import Any

from PIL import Image

MODELS = """
import os, pathlib, signal
from torch import nn

def make(classes):
    return nn.Sequential(
        nn.Flatten(), nn.Linear(6 * 6 * 3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, classes)
    )

def broken(classes):
    if not pathlib.Path(__file__).with_name("mended").exists():
        raise RuntimeError("a part is missing")
    return make(classes)

def deadly(classes):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def settings(home: Path, **changes: Any) -> dict[str, Any]:
    """What the runs share; the images and the models are written to ``home``."""
    for label, shade in {"dark": 20, "light": 200}.items():
        (home / "images" / label).mkdir(parents=True, exist_ok=True)
        for i in range(4):
            Image.new("RGB", (6, 6), (shade, shade + 9 * i, 25 * i)).save(home / "images" / label / f"{i}.png")
    (home / "models.py").write_text(MODELS)
    shared = {"source": str(home / "images"), "size": 6, "model": f"{home}/models.py:make", "precision": "float32"}
    steps = {"T": 14, "T_min": 3, "T_max": 2, "batch": 4, "alpha": 0.01, "eta": 5.0, "device": "cpu"}
    return shared | steps | {"cadence": {"record": 2, "watch": 2, "save": 5}} | changes
