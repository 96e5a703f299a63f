"""What is attacked: small runs, finished and not, an ensemble, a hand-over, and data in every format that is read.

It is made by the verbs themselves, once for all attacks that need it.
"""

from __future__ import annotations

import bz2
import gzip
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import kill_points
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.io import savemat

import unseen
from attacks import ROOT
from attacks.harness import done
from attacks.processes import Conditions, run, verb
from unseen.data.formats.png16 import write_png16
from unseen.data.streets.classes import LABELS, PICTURES, SYNTHIA_IDS, sequence

CLASSES = ("cat", "dog", "owl")
SETTINGS = """\
source = "animals"
width = 0.05
T = 14
K = 2
T_min = 4
T_max = 1
n = 6
batch = 4
device = "cpu"
precision = "float32"
threads = 1
watch = ["street"]

[cadence]
record = 2
watch = 4
save = 4
"""
SWEEP = SETTINGS.replace("[cadence]", "[grid]\ngamma = [1.0, 2.0]\nseed = [0, 1]\n\n[cadence]")
CANDIDATES = SETTINGS.replace(
    "[cadence]", "hold_out = 0.25\n\n[candidates.erm]\nK = 0\n\n[candidates.ada]\nK = 1\n\n[cadence]"
)
SMALL = """\
width = 0.05
K = 0
T = 2
device = "cpu"
"""
"""for a training that only has to begin: the network of the paper has 90 MB of weights and moments"""
NET = """\
from torch import nn


def make(classes):
    return nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, classes, 1))
"""
"""a network for masks, a tenth of a second faster to build than the smallest by name"""
PARTS = (
    *("train.toml", "small.toml", "net.py", "sweep.toml", "choose.toml", "animals", "street", "masks", "data"),
    *("results", "ensemble", "handed-over", "runs", "cache"),
)
"""all that is made"""
CUT_AT = 11
"""steps after which the unfinished run was killed: it has two rounds and two checkpoints"""
_NO_LIMIT = 600.0


def make(home: Path) -> None:
    """Everything, in processes of their own."""
    conditions = Conditions(home, patience=_NO_LIMIT, memory=None)
    done(run(lambda: _data(home), conditions))
    done(run(lambda: _fill_the_cache(home), conditions))
    for words in (
        ("train", "--config", "train.toml", "--out", "runs/done"),
        ("train", "--config", "train.toml", "--out", "runs/other", "--seed", "1"),
        ("train", "--config", "train.toml", "--out", "runs/erm", "--K", "0"),
        ("evaluate", "runs/done", "runs/other", "runs/erm", "--target", "street", "--per-class"),
        ("ensemble", "runs/done", "runs/other", "--out", "ensemble"),
        ("evaluate", "ensemble", "--target", "street"),
        ("diagnose", "runs/done", "--target", "street", "--plain", "runs/erm"),
        ("export", "runs/done", "--folder", "handed-over"),
    ):
        done(run(verb(words), conditions))
    words = ("train", "--config", "train.toml", "--out", "runs/unfinished")
    ended = run(lambda: kill_points.command(words, CUT_AT), conditions)
    assert ended.code < 0, ended
    done(run(verb(("train", "--resume", _copied(home, "runs/unfinished", "runs/finished"))), conditions))


def _fill_the_cache(home: Path) -> None:
    with cached():
        unseen.folder(home / "animals", size=32)


@contextmanager
def cached() -> Iterator[None]:
    """Inside: what is decoded of a folder is kept in ``cache/`` however small it is."""
    with mock.patch("unseen.data.decoded.SMALL", 0), mock.patch.dict("os.environ", UNSEEN_CACHE="cache"):
        yield


def _copied(home: Path, path: str, to: str) -> str:
    shutil.copytree(home / path, home / to)
    return to


def copy(prepared: Path, folder: Path, *parts: str) -> None:
    """These parts of a playground, each a file or a folder, to a folder of one's own."""
    for part in parts:
        to = folder / part
        to.parent.mkdir(parents=True, exist_ok=True)
        if (prepared / part).is_dir():
            shutil.copytree(prepared / part, to)
        else:
            shutil.copy2(prepared / part, to)


def _data(home: Path) -> None:
    texts = {"train.toml": SETTINGS, "sweep.toml": SWEEP, "choose.toml": CANDIDATES, "small.toml": SMALL, "net.py": NET}
    for name, text in texts.items():
        (home / name).write_text(text)
    draws = np.random.default_rng(0)
    for place, shade in (("animals", 0), ("street", 40)):
        for number, label in enumerate(CLASSES):
            (home / place / label).mkdir(parents=True)
            for i in range(4):
                pixels = draws.integers(60 * number + shade, 60 * number + 80 + shade, (8, 8, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(home / place / label / f"{i}.{'jpg' if i % 2 else 'png'}")
    _masks(home / "masks", draws)
    _digits(home / "data", draws)
    _synthia(home / "data" / "synthia" / sequence("highway", "dawn"), draws)
    _results(home / "results")


def _masks(folder: Path, draws: np.random.Generator) -> None:
    for part in ("images", "masks"):
        (folder / part).mkdir(parents=True)
    (folder / "classes.txt").write_text("ground = 0\nwall = 1, 2\nvoid = 255\n")
    for i in range(4):
        Image.fromarray(draws.integers(0, 256, (16, 16, 3), dtype=np.uint8)).save(folder / "images" / f"{i}.png")
        Image.fromarray(draws.integers(0, 3, (16, 16), dtype=np.uint8)).save(folder / "masks" / f"{i}.png")


def _digits(folder: Path, draws: np.random.Generator) -> None:
    """A few images of four sets, in the formats they are published in, and one as an npz file of ours."""
    labels = np.arange(12, dtype=np.uint8) % 10
    for name in ("mnist", "svhn", "usps", "syn"):
        (folder / name).mkdir(parents=True)
    grey = draws.integers(0, 256, (12, 28, 28), dtype=np.uint8)
    (folder / "mnist" / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(_idx(grey)))
    (folder / "mnist" / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(_idx(labels)))
    colours = draws.integers(0, 256, (12, 32, 32, 3), dtype=np.uint8)
    content = {"X": colours.transpose(1, 2, 3, 0), "y": np.where(labels == 0, 10, labels)[:, None]}
    savemat(folder / "svhn" / "test_32x32.mat", content, do_compression=True)
    np.savez_compressed(folder / "syn" / "syn_test.npz", images=colours, labels=labels)
    rows = draws.uniform(-1, 1, (12, 256))
    text = "".join(
        f"{label + 1} " + " ".join(f"{i}:{value:.6f}" for i, value in enumerate(row, 1)) + " \n"
        for label, row in zip(labels, rows, strict=True)
    )
    (folder / "usps" / "usps.t.bz2").write_bytes(bz2.compress(text.encode()))


def _idx(array: NDArray[np.uint8]) -> bytes:
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


def _synthia(folder: Path, draws: np.random.Generator) -> None:
    for part in (PICTURES, LABELS):
        (folder / part).mkdir(parents=True)
    for i in range(3):
        Image.fromarray(draws.integers(0, 256, (24, 40, 3), dtype=np.uint8)).save(folder / PICTURES / f"{i:06d}.png")
        ids = draws.choice(list(SYNTHIA_IDS.values()), (24, 40, 3)).astype(np.uint16)
        write_png16(folder / LABELS / f"{i:06d}.png", ids)


def _results(folder: Path) -> None:
    """Some lines of the results that the project publishes."""
    folder.mkdir()
    for name in ("digits", "streets", "choice-digits"):
        lines = (ROOT / "results" / f"{name}.jsonl").read_text().splitlines(keepends=True)
        (folder / f"{name}.jsonl").write_text("".join(lines[:12]))
