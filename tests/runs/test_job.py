"""Jobs: a training in words, and the network of a finished run."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import unseen
from unseen.base import imports
from unseen.base.records import from_json
from unseen.errors import InputError, RunFolderError
from unseen.runs.job import Job
from unseen.runs.training import Training

SETTINGS = unseen.ADA(K=1, T=6, T_min=2, T_max=2, n=4, batch=4)


def test_the_same_job_and_seed_give_the_same_initial_weights_and_touch_no_global_generator(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from torch import nn\ndef make(classes):\n    return nn.Sequential(nn.Linear(3, classes))\n"
    )
    imports.give(f"{tmp_path}/mine.py:make")
    job = Job(model=f"{tmp_path}/mine.py:make")
    one, two, other = (job.build_model(4, seed).model[0].weight for seed in (0, 0, 1))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("mine.py:mkae", 'did you mean "make"?'),
        ("mine.py:number", "gave a int, expected a torch.nn.Module"),
        ("broken.py:make", "can't be imported"),
        ("no_such_module_at_all:make", "can't be imported"),
        ("mine.py:picky", "calling it with classes=3 failed: TypeError"),
    ],
)
def test_a_model_that_cannot_be_made_is_refused_with_the_reason(tmp_path, monkeypatch, model, said):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def make(classes): ...\ndef number(classes):\n    return 3\ndef picky(): ...\n")
    Path("broken.py").write_text("import no_such_module_at_all\n")
    imports.give(model)
    with pytest.raises(InputError) as caught:
        Job(model=model).build_model(3, 0)
    assert said in str(caught.value)


OWN = """
from torch import nn
import unseen

class Twice(nn.Module):
    def __init__(self, scores):
        super().__init__()
        self.classifier = nn.Conv2d(3, scores, 1)
    def forward(self, x):
        return self.classifier(x)

class Wrong(Twice):
    def forward(self, x):
        return self.clasifier(x)

def good(classes):
    return Twice(classes)
def more(classes):
    return Twice(classes + 2)
def wrong(classes):
    return Wrong(classes)
"""


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("convnet", 'highway-dawn has masks, a class for each pixel, .* model = "fcn-resnet18", fcn-resnet50 or'),
        ("own.py:more", "called with classes=13 it gives 15 scores, expected 13, one for each class of highway-dawn"),
        ("own.py:wrong", r"AttributeError: 'Wrong' object has no attribute 'clasifier' \(in .*own.py, line 14\)"),
        ("own.py:nosuch", 'has no "nosuch"; known are Twice, Wrong, good, more, wrong'),
    ],
)
def test_a_model_that_does_not_suit_the_source_is_refused_before_training(tmp_path, monkeypatch, model, said):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    imports.give("own.py:good", model)
    source = unseen.domain("highway-dawn", size=(32, 32), images=1)
    assert Job(model="own.py:good").build_model_for(source, 0).head_name == "classifier"
    with pytest.raises(InputError, match=said):
        Job(model=model).build_model_for(source, 0)


def test_a_loaded_network_knows_its_classes_and_refuses_a_domain_with_others(tmp_path):
    dawn = unseen.domain("highway-dawn", size=(16, 24), images=2)
    with torch.random.fork_rng(devices=[]):
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 13, 1))
    unseen.fit(net, dawn, unseen.ERM(T=2, batch=2), folder=tmp_path / "run")
    loaded = unseen.load(tmp_path / "run", net)
    assert loaded.classes == dawn.classes
    assert 0 <= unseen.evaluate(loaded, dawn) <= 1
    assert 0 <= unseen.evaluate(loaded, (dawn.images, dawn.labels)) <= 1, "numbers have no names to compare"
    other = unseen.Domain("mine", dawn.images, dawn.labels.clamp(max=1), ("road", "sky"))
    with pytest.raises(InputError, match="mine: its classes are road, sky; expected those of the source, sky"):
        unseen.evaluate(loaded, other)
    with pytest.raises(InputError, match="mine: its classes are road, sky; expected those of the source, sky"):
        unseen.evaluate(unseen.Ensemble([loaded]), other)
    assert 0 <= unseen.evaluate(unseen.Ensemble([loaded]), dawn) <= 1


@pytest.fixture
def six_grey_images(tmp_path):
    for i in range(6):
        place = tmp_path / "grey" / "ab"[i // 3] / f"{i}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 4), (40 * i,) * 3).save(place)
    return str(tmp_path / "grey")


@pytest.mark.parametrize(
    ("given", "of_each_class"),
    [({}, 3), ({"images": 2}, 1), ({"images": 4}, 2), ({"images": 2, "offset": 2}, 1), ({"offset": 4}, 1)],
    ids=["all", "two", "four", "two from number 2", "the rest from number 4"],
)
def test_a_job_draws_so_many_of_a_folders_images_evenly_over_its_classes(six_grey_images, given, of_each_class):
    source = Job(source=six_grey_images, **given).load_source()
    assert source.labels.tolist() == [0] * of_each_class + [1] * of_each_class
    numbers = (source.images[:, 0, 0, 0] * 255 / 40).round().int().tolist()
    assert [number // 3 for number in numbers] == source.labels.tolist()
    assert source.classes == ("a", "b")


def test_jobs_with_other_offsets_share_no_image_of_a_folder(six_grey_images):
    parts = [Job(source=six_grey_images, images=2, offset=offset).load_source() for offset in (0, 2, 4)]
    assert sorted(image[0, 0, 0].item() * 255 / 40 for part in parts for image in part.images) == pytest.approx(
        range(6)
    )


def test_fewer_images_of_a_folder_than_it_has_classes_are_refused(six_grey_images):
    with pytest.raises(InputError, match=r"images=1: grey comes class by class.*none of b; ask for 2 images or more"):
        Job(source=six_grey_images, images=1).load_source()


def test_so_many_watched_images_of_a_folder_are_drawn_evenly_too(six_grey_images):
    job = Job(source=six_grey_images, watch=(six_grey_images,), watch_images=4)
    (watched,) = job.watched(job.load_source()).values()
    assert watched.labels.tolist() == [0, 0, 1, 1]


def test_the_images_that_a_job_uses_are_told_in_the_origin(six_grey_images):
    origin = Job(source=six_grey_images, images=2, offset=2).load_source().origin
    assert origin.endswith("; 2 of these, drawn evenly over the classes, from number 2")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"images": 7}, "7 of them from number 0: grey has 6 images"),
        ({"images": 3, "offset": 4}, "3 of them from number 4: grey has 6 images"),
        ({"offset": 6}, "the rest from number 6: grey has 6 images"),
    ],
    ids=["too many", "too far", "nothing left"],
)
def test_more_images_than_the_source_has_are_refused(six_grey_images, given, said):
    with pytest.raises(InputError, match=said):
        Job(source=six_grey_images, **given).load_source()


def test_every_field_that_is_wrong_is_told_at_once():
    with pytest.raises(InputError) as caught:
        Job(images=0, offset=-1, resize="nearest", size=0)
    for problem in ("images=0: expected 1 or more", "offset=-1: expected 0 or more", "size=0", "resize='nearest'"):
        assert problem in str(caught.value)
    with pytest.raises(InputError, match=r"settings: resize=3: expected a name$"):
        Job(resize=3)


def test_a_target_is_resized_as_the_source_is_and_never_cut(tmp_path, six_grey_images):
    Image.effect_noise((9, 9), 90).save(tmp_path / "grey" / "a" / "0.png")
    job = Job(source=six_grey_images, images=2, resize="lanczos")
    target = job.load_target(six_grey_images, ("a", "b"))
    assert len(target) == 6
    for image in job.load_source().images:
        assert (target.images == image).flatten(1).all(1).any()
    assert not torch.equal(target.images, Job(source=six_grey_images).load_target(six_grey_images, ("a", "b")).images)


@pytest.mark.parametrize("source", ["mnist-train", "MNIST-train"])
def test_mnists_test_part_is_watched_when_its_training_part_is_the_source(source, tmp_path, monkeypatch):
    images = np.random.default_rng(0).integers(0, 256, (30, 28, 28), dtype=np.uint8)
    for part in ("train", "test"):
        np.savez(tmp_path / f"mnist_{part}.npz", images=images, labels=np.arange(30) % 10)
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    job = Job(source=source, images=20, watch_images=5)
    watched = job.watched(job.load_source())
    assert {name: len(domain) for name, domain in watched.items()} == {"mnist-test": 5}


def test_a_job_of_an_older_run_is_read_with_the_defaults_of_the_fields_it_lacks():
    older = {name: value for name, value in Job().asdict().items() if name not in ("images", "offset", "resize")}
    assert from_json(Job, older) == Job()


def test_dropout_is_refused_for_a_model_that_does_not_take_it():
    with pytest.raises(InputError, match=r"dropout=0\.5: only the convnet takes it"):
        Job(model="mine.py:make", dropout=0.5).build_model(3, 0)


def test_a_finished_run_from_python_loads_into_the_same_model_only(tmp_path, make_net, make_digits):
    source = make_digits(16)
    trained = make_net("normalized")
    unseen.fit(trained, source, SETTINGS, folder=tmp_path / "run")
    loaded = unseen.load(tmp_path / "run", make_net("normalized", seed=5))
    assert not loaded.training
    for name, tensor in trained.state_dict().items():
        assert torch.equal(tensor, loaded.model.state_dict()[name]), name
    with pytest.raises(RunFolderError, match="another model"):
        unseen.load(tmp_path / "run", make_net("plain"))
    with pytest.raises(RunFolderError, match=r"unseen\.load\(.*model\)"):
        unseen.load(tmp_path / "run")


def test_an_unfinished_run_is_not_loaded(tmp_path, make_net, make_digits):
    unseen.fit(make_net(), make_digits(16), SETTINGS, folder=tmp_path / "run")
    (tmp_path / "run/weights.safetensors").unlink()
    with pytest.raises(RunFolderError, match="resume=True"):
        unseen.load(tmp_path / "run", make_net())


def test_damaged_weights_are_refused_by_name(tmp_path, make_net, make_digits):
    unseen.fit(make_net(), make_digits(16), SETTINGS, folder=tmp_path / "run")
    (tmp_path / "run/weights.safetensors").write_bytes(b"<html>not found</html>")
    with pytest.raises(RunFolderError, match=r"weights\.safetensors is damaged"):
        unseen.load(tmp_path / "run", make_net())


def test_a_loaded_convnet_has_the_layout_it_was_trained_in_and_so_the_same_bits(tmp_path, make_digits):
    job = Job(width=1 / 16)
    images = torch.nn.functional.interpolate(make_digits(8)[0], size=32)
    trained = job.build_model(4, 0)
    source = unseen.Domain("digits", images, make_digits(8)[1], tuple("0123"))
    Training(net=trained, source=source, ada=unseen.ERM(T=1, batch=4), folder=tmp_path / "run", job=job).run()
    loaded = unseen.load(tmp_path / "run")
    assert loaded.model.body[0].weight.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(loaded(images), trained(images))


def class_folder(place: Path, counts: dict[str, int]) -> Path:
    for name, count in counts.items():
        (place / name).mkdir(parents=True)
        for i in range(count):
            Image.fromarray(np.full((8, 8, 3), i, np.uint8)).save(place / name / f"{i:03d}.png")
    return place


def test_a_held_out_share_is_drawn_evenly_over_the_classes_and_never_trained_on(tmp_path):
    place = class_folder(tmp_path / "photos", {"cat": 20, "dog": 40})
    job = Job(source=str(place), size=8, hold_out=0.25, watch=())
    kept, held = job.load_source(), job.load_held_out()
    assert [int((held.labels == c).sum()) for c in (0, 1)] == [5, 10]
    assert [int((kept.labels == c).sum()) for c in (0, 1)] == [15, 30]
    pictures = [{(int(y), float(x[0, 0, 0])) for x, y in zip(d.images, d.labels, strict=True)} for d in (kept, held)]
    assert not pictures[0] & pictures[1]
    assert len(pictures[0] | pictures[1]) == 60
    assert torch.equal(job.load_held_out().images, held.images)


def test_a_source_without_a_held_out_part_says_how_to_have_one(tmp_path):
    place = class_folder(tmp_path / "photos", {"cat": 2, "dog": 2})
    with pytest.raises(InputError, match=r"has no held-out part: .* hold_out = 0.1"):
        Job(source=str(place), size=8).load_held_out()
    with pytest.raises(
        InputError, match=r"hold_out=0.01 of the 4 images of photos leaves 4 to train on and 0 held out"
    ):
        Job(source=str(place), size=8, hold_out=0.01).load_source()
    with pytest.raises(InputError, match=r"hold_out=1.0: expected a share from 0 to 1, such as 0.1"):
        Job(hold_out=1.0)
