"""A run folder of somebody else's: the code that it names is run only for a user who says so."""

import json
import shutil
import sys

import pytest
import torch
from configs import replaced, rewrite
from PIL import Image

import unseen
from unseen.base import imports
from unseen.base.reading import digest_of
from unseen.errors import RunFolderError
from unseen.runs import places
from unseen.runs.request import read_request, train

NETS = """
from pathlib import Path
from torch import nn

Path(__file__).with_suffix(".ran").touch()

def make(classes):
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, classes))

def same(image):
    return image.clone()
"""
SETTINGS = {"K": 0, "T": 2, "batch": 2, "size": 8, "precision": "float32", "device": "cpu", "threads": 1}


@pytest.fixture(scope="module")
def _received(tmp_path_factory):
    root = tmp_path_factory.mktemp("received")
    for name, shade in {"dark": 20, "light": 200}.items():
        for place, tint in {"photos": 0, "street": 40}.items():
            (root / place / name).mkdir(parents=True)
            for i in range(3):
                Image.new("RGB", (8, 8), (shade, shade + 9 * i, tint)).save(root / place / name / f"{i}.png")
    (root / "nets.py").write_text(NETS)
    given = SETTINGS | {"source": str(root / "photos"), "model": f"{root}/nets.py:make", "out": root / "run"}
    train(read_request(None, given))
    train(read_request(None, given | {"model": "convnet", "width": 1 / 64, "size": 32, "out": root / "plain"}))
    unseen.Ensemble.of_runs([root / "run"]).save(root / "ensemble")
    (root / "nets.ran").unlink()
    return root


@pytest.fixture
def received(_received, tmp_path, monkeypatch):
    """A folder with "run", its "ensemble", "nets.py" that makes its model, "plain" without code, "photos" and "street".

    Nothing in it was given to this process.
    """
    place = shutil.copytree(_received, tmp_path / "received")
    for config in place.rglob("config.json"):
        rewrite(config.parent, replaced(str(_received), str(place)))
    record, member = place / "ensemble" / "ensemble.json", place / "ensemble" / "members" / "0" / "config.json"
    content = json.loads(record.read_text())
    content["members"][0]["sha256"]["config.json"] = digest_of(member)
    record.write_text(json.dumps(content))
    monkeypatch.setattr(imports, "_given", set())
    monkeypatch.setattr("unseen.deploy.play.serving._need_gradio", lambda: None)  # importing it takes seconds
    return place


def _change(run, **parts):
    """Another content for parts of the config, such as ``job={"model": ...}``."""
    rewrite(run, lambda content: content | {part: content.get(part, {}) | new for part, new in parts.items()})


VERBS = {
    "evaluate": ("evaluate", "run", "--target", "street"),
    "evaluate an ensemble": ("evaluate", "ensemble", "--target", "street"),
    "report": ("report", "run", "--target", "street"),
    "diagnose": ("diagnose", "run"),
    "predict": ("predict", "run", "photos"),
    "predict by an ensemble": ("predict", "ensemble", "photos"),
    "export": ("export", "run", "--folder", "handed"),
    "ensemble": ("ensemble", "run", "--out", "new"),
    "play": ("play", "run", "--no-browser"),
    "train": ("train", "--resume", "run"),
}


@pytest.mark.parametrize("words", VERBS.values(), ids=VERBS)
def test_no_verb_runs_code_that_a_folder_names_and_each_says_what_would(shell, received, words, monkeypatch):
    monkeypatch.chdir(received)
    code, text = shell(*words)
    assert code == 3, text
    assert f"unseen {' '.join(words)} --run-model-code" in " ".join(text.split()), text
    assert not (received / "nets.ran").exists()


@pytest.mark.parametrize("name", ["evaluate", "evaluate an ensemble", "predict", "export", "ensemble", "train"])
def test_the_flag_allows_it(shell, received, name, monkeypatch):
    monkeypatch.chdir(received)
    (received / "run" / "weights.safetensors").rename(received / "kept")
    if name != "train":
        (received / "kept").rename(received / "run" / "weights.safetensors")
    code, text = shell(*VERBS[name], "--run-model-code")
    assert code == 0, text
    assert (received / "nets.ran").exists()


@pytest.mark.parametrize("name", ["evaluate", "evaluate an ensemble", "report", "predict", "export", "play"])
def test_naming_the_file_on_the_command_line_allows_that_file_and_no_other(shell, received, name, monkeypatch):
    monkeypatch.chdir(received)
    monkeypatch.setattr("unseen.deploy.play.serving.Sitting", lambda players: sys.exit(0))
    (received / "mine.py").write_text(NETS)
    code, text = shell(*VERBS[name], "--model", "mine.py:make")
    assert code == 0, text
    assert not (received / "nets.ran").exists()
    assert (received / "mine.ran").exists()


def beside(run):
    shutil.move(run.parent / "nets.py", run / "nets.py")
    return run / "nets.ran"


def moved_by_places(run):
    _change(run, job={"model": "/gone/nets.py:make"}, places={"/gone/nets.py": "../nets.py"})
    return run.parent / "nets.ran"


def in_a_module(run):
    _change(run, job={"model": "nets:make"})
    return run.parent / "nets.ran"


def drawn_at_each_step(run):
    shutil.copytree(run.parent / "plain", run, dirs_exist_ok=True)
    _change(run, ada={"augment": [f"{run.parent}/nets.py:same"]})
    return run.parent / "nets.ran"


def moved_by_the_ascent(run):
    shutil.copytree(run.parent / "plain", run, dirs_exist_ok=True)
    _change(run, ada={"over": f"{run.parent}/nets.py:same"})
    return run.parent / "nets.ran"


MODELS, TRANSFORMATIONS = (beside, moved_by_places, in_a_module), (drawn_at_each_step, moved_by_the_ascent)


@pytest.mark.parametrize("smuggle", TRANSFORMATIONS, ids=lambda f: f.__name__)
def test_to_evaluate_a_network_its_transformations_are_not_even_imported(shell, received, smuggle, monkeypatch):
    monkeypatch.chdir(received)
    ran = smuggle(received / "run")
    code, text = shell(*VERBS["evaluate"])
    assert code == 0, text
    assert not ran.exists()


@pytest.mark.parametrize(
    ("verb", "smuggle"),
    [*(("evaluate", each) for each in MODELS), *(("train", each) for each in (*MODELS, *TRANSFORMATIONS))],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_however_the_folder_names_it(shell, received, smuggle, verb, monkeypatch):
    monkeypatch.chdir(received)
    monkeypatch.syspath_prepend(received)
    ran = smuggle(received / "run")
    code, text = shell(*VERBS[verb])
    assert (code, "--run-model-code" in text) == (3, True), text
    assert not ran.exists()


@pytest.mark.parametrize(
    "load",
    [
        lambda place, **allowed: unseen.load(place / "run", **allowed),
        lambda place, **allowed: unseen.Predictor.load(place / "run", **allowed),
        lambda place, **allowed: unseen.Ensemble.load(place / "ensemble", **allowed),
        lambda place, **allowed: unseen.Ensemble.of_runs([place / "run"], **allowed),
        lambda place, **allowed: unseen.export(place / "run", folder=place / "handed", **allowed),
        lambda place, **allowed: unseen.report(place / "run", str(place / "street"), **allowed),
        lambda place, **allowed: unseen.diagnose(place / "run", **allowed),
    ],
    ids=["load", "Predictor.load", "Ensemble.load", "Ensemble.of_runs", "export", "report", "diagnose"],
)
def test_in_python_it_takes_an_argument(received, load, monkeypatch):
    monkeypatch.chdir(received)
    with pytest.raises(RunFolderError, match="give run_model_code=True"):
        load(received)
    assert not (received / "nets.ran").exists()
    load(received, run_model_code=True)
    assert (received / "nets.ran").exists()


def test_what_is_allowed_for_a_folder_is_not_for_those_that_lie_beside_it(received):
    (received / "evil.py").write_text(NETS)
    _change(received / "plain", ada={"augment": [f"{received}/evil.py:same"]})
    _change(received / "run", ada={"K": 1, "T_min": 1})
    unseen.export(received / "run", folder=received / "handed", run_model_code=True)
    unseen.diagnose(received / "run", run_model_code=True)
    assert not (received / "evil.ran").exists()


def test_a_name_given_to_this_process_needs_no_flag(received):
    images = torch.rand(4, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    ada = unseen.ERM(T=1, batch=2, augment=f"{received}/nets.py:same")
    net = unseen.model(f"{received}/nets.py:make", 2)
    unseen.fit(net, (images, torch.tensor([0, 1, 0, 1])), ada, folder=received / "mine")
    unseen.load(received / "mine", net)
    assert unseen.Predictor.load(received / "run").classes == ("dark", "light")


@pytest.mark.parametrize(
    ("model", "over", "to_use", "to_resume"),
    [
        ("convnet", "tone", False, False),
        ("convnet", ["tone", "mine.py:fog"], False, True),
        ("mine.py:make", "tone", True, True),
    ],
)
def test_using_a_network_runs_its_models_code_and_no_transformations(model, over, to_use, to_resume):
    content = {"job": {"model": model}, "ada": {"over": over}}
    assert places.names_model_code(content) == to_use
    assert places.names_code(content) == to_resume


def test_the_command_that_resumes_has_the_flag_where_it_needs_it(shell, received, monkeypatch):
    monkeypatch.chdir(received)
    (received / "run" / "weights.safetensors").unlink()
    code, text = shell("evaluate", "run", "--target", "street")
    assert (code, "unseen train --resume run --run-model-code" in " ".join(text.split())) == (3, True), text
