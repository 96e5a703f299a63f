"""Runs that take no time to train, an ensemble of them, and pictures in files."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from unseen import ERM, Cadence, Engine, Ensemble
from unseen.base import imports
from unseen.runs.job import Job
from unseen.runs.request import Request, train

SHADES = ("dark", "grey", "light")
NETWORKS = """
from torch import nn

def shades(classes):
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, stride=2), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(4, classes),
    )

def pixels(classes):
    return nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, classes, 1))
"""


@pytest.fixture(scope="session")
def photos(tmp_path_factory):
    """A labelled folder: noise of three shades, 20 pixels high and 24 wide, four PNG files of each."""
    root, draw = tmp_path_factory.mktemp("data") / "photos", np.random.default_rng(0)
    for number, shade in enumerate(SHADES):
        (root / shade).mkdir(parents=True)
        for i in range(4):
            pixels = 90 * number + draw.integers(60, size=(20, 24, 3))
            Image.fromarray(pixels.astype(np.uint8)).save(root / shade / f"{i}.png")
    return root


@pytest.fixture(scope="session")
def views(tmp_path_factory):
    """A folder with masks: four pictures that are dark on the left and light on the right."""
    root, draw = tmp_path_factory.mktemp("data") / "views", np.random.default_rng(0)
    for part in ("images", "masks"):
        (root / part).mkdir(parents=True)
    (root / "classes.txt").write_text("left\nright\n")
    for i in range(4):
        mask = (np.arange(16) >= 5 + i).astype(np.uint8) * np.ones((12, 1), np.uint8)
        pixels = 150 * mask[:, :, None] + draw.integers(80, size=(12, 16, 3))
        Image.fromarray(pixels.astype(np.uint8)).save(root / "images" / f"{i}.png")
        Image.fromarray(mask).save(root / "masks" / f"{i}.png")
    return root


@pytest.fixture(scope="session")
def _trained(tmp_path_factory, photos, views):
    root = tmp_path_factory.mktemp("trained")
    (root / "networks.py").write_text(NETWORKS)
    imports.give(f"{root}/networks.py:shades", f"{root}/networks.py:pixels")
    jobs = {
        "shades": (Job(source=str(photos), size=(10, 12), model=f"{root / 'networks.py'}:shades"), 0),
        "convnet": (Job(source=str(photos), width=1 / 64), 0),
        "convnet-1": (Job(source=str(photos), width=1 / 64), 1),
        "pixels": (Job(source=str(views), model=f"{root / 'networks.py'}:pixels"), 0),
        "pixels-1": (Job(source=str(views), model=f"{root / 'networks.py'}:pixels"), 1),
    }
    for name, (job, seed) in jobs.items():
        ada, engine = ERM(T=40, batch=4, alpha=1e-2), Engine(device="cpu", threads=1)
        train(Request(ada, job, seed, root / name, engine, Cadence()), resume=False)
    Ensemble.of_runs([root / "convnet", root / "convnet-1"]).save(root / "ensemble")
    Ensemble.of_runs([root / "pixels", root / "pixels-1"], rule="surest-region").save(root / "pixel-ensemble")
    return root


@pytest.fixture
def trained(_trained, tmp_path):
    """Run folders "shades", "convnet", "convnet-1" and, for masks, "pixels"; "ensemble" and "pixel-ensemble" of two."""
    return Path(shutil.copytree(_trained, tmp_path / "trained"))
