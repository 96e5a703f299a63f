"""A run's config: typed, written and read in one place, and refused by name where it isn't one."""

import dataclasses
import shutil

import pytest
from configs import rewrite

import unseen
from unseen.errors import RunFolderError
from unseen.runs.folder import RunFolder

ADA = unseen.ADA(K=1, T=4, T_min=2, T_max=1, batch=4, n=3)


@pytest.fixture(scope="module")
def trained(make_net, make_digits, tmp_path_factory) -> unseen.Run:
    folder = tmp_path_factory.mktemp("config") / "run"
    cadence, engine = unseen.Cadence(record=2, watch=2), unseen.Engine("cpu", "float32", threads=1)
    return unseen.fit(make_net(), make_digits(8), ADA, seed=3, folder=folder, cadence=cadence, engine=engine)


@pytest.fixture
def run(trained, tmp_path) -> unseen.Run:
    shutil.copytree(trained.folder, tmp_path / "run")
    return dataclasses.replace(trained, folder=tmp_path / "run")


def test_the_file_has_what_the_run_has(run):
    assert RunFolder(run.folder).config() == run.config
    assert (run.config.ada, run.config.seed, run.config.round_size) == (ADA, 3, 3)
    assert list(run.config.asdict())[:3] == ["format", "ada", "watch"]


def test_a_setting_that_an_older_version_lacked_has_its_default(run):
    rewrite(run.folder, lambda content: content["ada"].pop("clip") and None)
    assert RunFolder(run.folder).config() == run.config


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda content: [1], "expected an object, got list"),
        (lambda content: content.update(format=7), "format 7 is of another version of unseen, expected 1"),
        (lambda content: content["ada"].update(beta=1), "beta means nothing to this version of unseen"),
        (lambda content: content["ada"].update(K=-1), "K=-1: expected 0 or more"),
        (lambda content: content["source"].pop("classes") and None, "classes"),
        (lambda content: content.update(engine="fast"), "expected an object with device"),
        (lambda content: content.pop("ada") and None, "holds nothing that says how it was trained, expected a run"),
    ],
    ids=["a list", "format", "unknown setting", "impossible setting", "no classes", "engine", "no settings"],
)
def test_what_is_no_config_is_refused_with_what_was_found(run, edit, message):
    rewrite(run.folder, edit)
    with pytest.raises(RunFolderError, match=message):
        RunFolder(run.folder).config()
