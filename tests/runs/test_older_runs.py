"""Runs and ensembles of older versions: they open, resume and are evaluated.

``older/bce79ef`` was made by the version of that commit, before the modules moved: a run of the command line, a run
from Python, the same interrupted after its round, and an ensemble. Its numbers are that version's.
"""

import shutil
from pathlib import Path

import pytest
import safetensors.torch
import torch
from typer.testing import CliRunner

import unseen
from unseen.cli.app import app
from unseen.runs.folder import RunFolder

OLDER = Path(__file__).parent / "older" / "bce79ef"
HELD_OUT = "mnist5k-heldout"
ADA = unseen.ADA(K=1, n=2, T_min=3, T_max=2, T=12, batch=4)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    shutil.copytree(OLDER, tmp_path / "older")
    return tmp_path / "older"


def resume(folder: Path) -> unseen.Run:
    pixels = torch.randint(256, (20, 3, 32, 32), generator=torch.Generator().manual_seed(0))
    source = (pixels / 256, torch.arange(20) % 10)  # exact on every machine
    net = unseen.models.ConvNet(10, width=1 / 64, seed=0)
    cadence, engine = unseen.Cadence(record=4, watch=4, save=4), unseen.Engine("cpu", "float32", threads=1)
    return unseen.fit(net, source, ADA, folder=folder, cadence=cadence, engine=engine, resume=True, warn=lambda _: None)


def test_its_config_is_typed(older):
    config = RunFolder(older / "finished-0").config()
    assert (config.format, config.ada) == (1, ADA)
    assert (config.job.width, config.source.images, config.engine.precision) == (1 / 64, 20, "float32")
    assert config.model.classes == 10


def test_a_finished_run_is_loaded_and_evaluated(older):
    accuracy = unseen.evaluate(unseen.load(older / "finished-0"), unseen.domain(HELD_OUT))
    assert accuracy == pytest.approx(0.101, abs=0.005)
    printed = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["evaluate", str(older / "finished-0"), "--target", HELD_OUT]
    )
    assert f"{accuracy:.1%}" in printed.output


def test_an_ensemble_is_loaded_and_evaluated(older):
    ensemble = unseen.Ensemble.load(older / "ensemble")
    assert ensemble.names == ("finished-0", "finished-1")
    assert unseen.evaluate(ensemble, unseen.domain(HELD_OUT)) == pytest.approx(0.094, abs=0.005)


def test_an_interrupted_run_resumes_to_the_weights_it_would_have_had(older):
    resume(older / "python-unfinished")
    here, there = (older / name for name in ("python-unfinished", "python-finished"))
    ours, theirs = (safetensors.torch.load_file(folder / "weights.safetensors") for folder in (here, there))
    assert ours.keys() == theirs.keys()
    for name in ours:
        torch.testing.assert_close(ours[name], theirs[name], rtol=0, atol=1e-5)  # another CPU has other last bits
    for mine, old in zip(RunFolder(here).metrics(), RunFolder(there).metrics(), strict=True):
        assert mine == pytest.approx(old, rel=1e-4)
