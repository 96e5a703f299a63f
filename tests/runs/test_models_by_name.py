"""Runs of models by name: their settings, their folders, and what is refused before the first step."""

import json
import shutil
from pathlib import Path

import pytest
import safetensors.torch
import torch
from PIL import Image
from torch import nn

import unseen
from unseen.errors import InputError, RunFolderError
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job, as_the_model_expects
from unseen.runs.request import Request, read_request, request_of, train

pytest.importorskip("timm")

MODEL = "timm:test_resnet"
SMALL = {"model": MODEL, "size": 16, "K": 1, "T_min": 2, "T": 4, "T_max": 1, "batch": 4, "threads": 1, "device": "cpu"}


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    for label, grey in (("dark", 40), ("light", 210)):
        (tmp_path / "photos" / label).mkdir(parents=True)
        for i in range(3):
            Image.new("RGB", (20, 20), (grey + i, grey, grey)).save(tmp_path / "photos" / label / f"{i}.png")
    return tmp_path / "photos"


def request(photos: Path, **settings) -> Request:
    return read_request(None, SMALL | {"source": str(photos), "out": photos.parent / "run"} | settings)


def test_a_folders_images_get_the_size_and_the_kernel_that_the_model_was_made_for(photos):
    job = read_request(None, {"source": str(photos), "model": "timm:tf_efficientnet_lite0"}).job
    assert (job.size, job.resize) == (224, "bicubic")
    given = read_request(None, {"source": str(photos), "model": MODEL, "size": 16, "resize": "lanczos"}).job
    assert (given.size, given.resize) == (16, "lanczos")
    digits = read_request(None, {"model": MODEL}).job
    assert (digits.size, digits.resize) == (None, "bilinear")


def test_a_kernel_that_images_cannot_be_resized_with_is_said(monkeypatch):
    monkeypatch.setattr("unseen.runs.job.KERNELS", ("lanczos",))
    said: list[str] = []
    assert as_the_model_expects({"source": "photos", "model": MODEL}, said.append)["size"] == 160
    assert said == ["timm:test_resnet was made for images resized by bilinear; lanczos is used, of lanczos"]


def test_the_run_is_rebuilt_from_its_folder_alone(photos):
    weights = photos.parent / "start.safetensors"
    safetensors.torch.save_file(unseen.model(MODEL, 2, seed=9).model.model.state_dict(), weights)
    asked = request(photos, weights=str(weights))
    run = train(asked, warn=lambda _: None)
    weights.unlink()
    net = unseen.load(asked.out)
    x = torch.rand(2, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    assert net.classes == ("dark", "light")
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), run.net.parameters(), strict=True))
    assert torch.equal(net.model.mean, run.net.model.mean)
    assert net(x).shape == (2, 2)
    assert request_of(asked.out).job == asked.job


def test_a_model_made_in_python_in_place_of_the_runs_is_refused_in_a_few_words(photos):
    asked = request(photos)
    train(asked, warn=lambda _: None)
    with pytest.raises(RunFolderError, match="another model") as refused:
        unseen.load(asked.out, unseen.model("timm:test_resnet", 2).model.model)
    said = str(refused.value)
    assert "are missing (bn1.bias, " in said
    assert "are none of the model's (deviation, mean, model." in said
    assert said.endswith("leave the model out: the folder says what it is")
    assert len(said) < 700


def test_a_run_begins_with_the_weights_of_the_file(photos):
    weights = photos.parent / "start.pth"
    start = unseen.model(MODEL, 2, seed=9).model.model.state_dict()
    torch.save(start, weights)
    net = request(photos, weights=str(weights)).training().net
    assert all(torch.equal(a, b) for a, b in zip(net.model.model.state_dict().values(), start.values(), strict=True))


def test_new_fields_at_their_defaults_leave_a_run_the_name_and_the_config_it_had():
    assert {"weights", "pretrained"}.isdisjoint(Job().asdict())
    assert Job(weights="a.pth").asdict()["weights"] == "a.pth"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "timm:test_resnt"}, "near are timm:test_resnet"),
        ({"model": "nets.py:make"}, "can't be imported"),
        ({"weights": "none.pth"}, "none.pth' is not a file"),
        ({"weights": "none.pth", "pretrained": True}, "expected one of them"),
        ({"model": "convnet", "pretrained": True, "size": None}, "is no model of a library"),
    ],
)
def test_a_model_that_is_not_there_is_found_before_an_image_is_read(settings, said, photos):
    (photos / "dark" / "0.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match=said):
        request(photos, **settings).training()


NETS = """
from torch import nn

def make(classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(768, classes))
"""


def test_a_models_file_is_found_again_after_both_were_moved(photos, tmp_path):
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    (there / "nets.py").write_text(NETS)
    train(request(photos, model=f"{there / 'nets.py'}:make", out=there / "runs" / "a"))
    before = unseen.load(there / "runs" / "a")
    unseen.Ensemble.of_runs([there / "runs" / "a"]).save(there / "ensemble")
    there.rename(here)
    net = unseen.load(here / "runs" / "a", run_model_code=True)
    (member,) = unseen.Ensemble.load(here / "ensemble", run_model_code=True).members
    assert torch.equal(net.model[1].weight, before.model[1].weight)
    assert torch.equal(member.model[1].weight, before.model[1].weight)
    assert request_of(here / "runs" / "a").job.model == f"{here / 'nets.py'}:make"
    config = json.loads((here / "runs" / "a" / "config.json").read_text())
    assert config["places"][str(there / "nets.py")] == "../../nets.py"
    shutil.move(here / "runs" / "a", tmp_path / "alone")
    with pytest.raises(InputError, match=r"there/nets.py can't be imported"):
        unseen.load(tmp_path / "alone")


def test_a_source_is_found_again_after_both_were_moved(photos, tmp_path):
    there, here = tmp_path / "there", tmp_path / "here"
    shutil.copytree(photos, there / "photos")
    train(request(there / "photos", out=there / "runs" / "a"))
    there.rename(here)
    moved = request_of(here / "runs" / "a")
    assert moved.job.source == str(here / "photos")
    assert train(moved, resume=True).config.source.sha256 == moved.job.load_source().fingerprint
    (here / "photos" / "dark" / "0.png").unlink()
    with pytest.raises(RunFolderError, match="the source's images or labels are others than there"):
        train(request_of(here / "runs" / "a"), resume=True)


def test_a_file_that_is_where_it_was_is_used_whatever_lies_beside_the_run(photos, tmp_path):
    (tmp_path / "nets.py").write_text(NETS)
    train(request(photos, model=f"{tmp_path / 'nets.py'}:make", out=tmp_path / "runs" / "a"))
    shutil.copytree(tmp_path / "runs", tmp_path / "copy" / "runs")
    (tmp_path / "copy" / "nets.py").write_text("raise RuntimeError")
    assert request_of(tmp_path / "copy" / "runs" / "a").job.model == f"{tmp_path / 'nets.py'}:make"


def source(classes: int, labels: torch.Tensor) -> tuple[unseen.Domain, tuple[torch.Tensor, torch.Tensor]]:
    images = torch.rand(len(labels), 3, 8, 8, generator=torch.Generator().manual_seed(0))
    return unseen.Domain("photos", images, labels, tuple("abcdefgh"[:classes])), (images, labels)


def linear(scores: int) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        return nn.Sequential(nn.Flatten(), nn.Linear(192, scores))


def test_a_model_with_other_scores_than_the_domain_has_classes_is_refused():
    domain, pair = source(7, torch.arange(14) % 7)
    with pytest.raises(InputError, match=r"photos has 7 classes and the model gives 1,000 scores.*classes=7"):
        unseen.fit(linear(1000), domain, unseen.ERM(T=1, batch=2))
    said: list[str] = []
    unseen.fit(linear(1000), pair, unseen.ERM(T=1, batch=2), warn=said.append)
    assert said == [
        "source: labels lie in 0..6, and the model gives 1,000 scores: those of the other classes only learn to be "
        "low; make the model with one score for each class"
    ]


def test_labels_that_begin_at_1_are_remarked_on():
    said: list[str] = []
    _, pair = source(8, 1 + torch.arange(14) % 7)
    unseen.fit(linear(8), pair, unseen.ERM(T=1, batch=2), warn=said.append)
    assert said == ["source: no image is of class 0; are the classes numbered from 1? expected 0, 1, 2, ..."]


def test_a_single_class_is_remarked_on():
    said: list[str] = []
    _, pair = source(1, torch.zeros(14, dtype=torch.long))
    unseen.fit(linear(1), pair, unseen.ERM(T=1, batch=2), warn=said.append)
    assert len(said) == 1
    assert said[0].startswith("source: every image is of one class, 0, and a network learns to say nothing else")


def test_batchnorm_over_a_single_value_is_refused_before_the_first_step():
    _, pair = source(2, torch.arange(6) % 2)
    with torch.random.fork_rng(devices=[]):
        net = nn.Sequential(nn.Conv2d(3, 4, 8), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(4, 2))
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    with pytest.raises(InputError, match=r"batch=1: the model has BatchNorm.*raise batch to 2 or more"):
        unseen.fit(net, pair, unseen.ERM(T=1, batch=1))
    assert all(torch.equal(tensor, before[name]) for name, tensor in net.state_dict().items())
    unseen.fit(net, pair, unseen.ERM(T=1, batch=2))


def test_a_size_that_the_convnet_cannot_take_says_what_it_takes():
    with pytest.raises(InputError, match=r"images are 64x64, and the convnet takes 32x32: resize them"):
        unseen.models.ConvNet(width=1 / 64)(torch.zeros(1, 3, 64, 64))


def test_resuming_a_model_by_name_gives_the_same_bits(photos):
    whole, cut = photos.parent / "whole", photos.parent / "cut"
    train(request(photos, out=whole, cadence={"save": 1, "record": 1, "watch": 1}))
    shutil.copytree(whole, cut)
    (cut / "weights.safetensors").unlink()
    last = sorted((cut / "checkpoints").glob("*.safetensors"))[-1]
    if len(list((cut / "checkpoints").iterdir())) > 1:
        last.unlink()
    train(request_of(cut), resume=True, warn=lambda _: None)
    assert (cut / "weights.safetensors").read_bytes() == (whole / "weights.safetensors").read_bytes()
    assert RunFolder(cut).metrics() == RunFolder(whole).metrics()
