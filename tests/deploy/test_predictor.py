"""A picture goes in, the answer comes out: prepared as the source was, in whatever form the picture is."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from configs import rewrite
from PIL import Image

import unseen
from unseen import Predictor
from unseen.ensembles.rules import PIXEL_RULES, RULES
from unseen.errors import InputError, RunFolderError


@pytest.fixture
def shades(trained):
    return Predictor.load(trained / "shades")


def test_a_file_is_prepared_as_the_source_was_to_the_bit(shades, photos):
    source = unseen.folder(photos, size=(10, 12))
    files = sorted(photos.glob("*/*.png"))
    assert torch.equal(torch.stack([shades.prepare(file) for file in files]), source.images)
    assert shades.size == (10, 12)
    assert shades.classes == source.classes == ("dark", "grey", "light")


def test_the_answers_are_the_network_s(trained, photos, shades):
    source, files = unseen.folder(photos, size=(10, 12)), sorted(photos.glob("*/*.png"))
    net = unseen.load(trained / "shades")
    with torch.no_grad():
        softmax = net(source.images).softmax(1)
    predictions = shades(files)
    assert [p.label for p in predictions] == [source.classes[i] for i in softmax.argmax(1).tolist()]
    for prediction, expected in zip(predictions, softmax, strict=True):
        assert list(prediction.probabilities) == ["dark", "grey", "light"]
        assert torch.allclose(torch.tensor(list(prediction.probabilities.values())), expected)
        assert prediction.confidence == max(prediction.probabilities.values())
        assert (prediction.answered_by, prediction.agreement, prediction.members, prediction.mask) == (
            None,
            None,
            {},
            None,
        )
    assert torch.allclose(shades.scores(source.images).softmax(1), softmax)


def test_every_form_of_a_picture_gives_the_same_answer(shades, photos):
    file = photos / "grey" / "1.png"
    image = Image.open(file)
    array = np.asarray(image)
    tensor = torch.from_numpy(array.copy()).movedim(2, 0)
    expected = shades(file).probabilities
    for picture in (str(file), image, array):
        assert shades(picture).probabilities == expected
    for picture in (tensor, tensor / 255, array / 255, (array / 255).astype(np.float32)):  # floats aren't rounded
        assert shades(picture).probabilities == pytest.approx(expected, abs=0.02)


def test_an_image_of_the_right_size_stays_as_it_is(shades, photos):
    images = unseen.folder(photos, size=(10, 12)).images
    assert torch.equal(shades.prepare(images[3]), images[3])


def test_grey_and_transparent_pictures_become_rgb(shades):
    grey = np.full((10, 12), 60, np.uint8)
    for picture in (grey, grey[:, :, None], torch.full((1, 10, 12), 60 / 255), Image.fromarray(grey)):
        assert torch.allclose(shades.prepare(picture), torch.full((3, 10, 12), 60 / 255))
    clear = np.zeros((10, 12, 4), np.uint8)
    assert torch.equal(shades.prepare(clear), torch.ones(3, 10, 12))  # over white


def test_a_list_gives_a_list_in_its_order_and_an_empty_one_an_empty_one(shades, photos):
    files = sorted(photos.glob("*/*.png"))[::-1]
    assert [p.probabilities for p in shades(files)] == [pytest.approx(shades(file).probabilities) for file in files]
    assert shades([]) == []


@pytest.mark.parametrize("rule", RULES)
def test_an_ensemble_says_who_answered_and_how_many_agree(trained, photos, rule):
    predictor = Predictor.load(trained / "ensemble")
    predictor.net.rule = RULES[rule]
    images = torch.stack([predictor.prepare(file) for file in sorted(photos.glob("*/*.png"))])
    choice = predictor.net.predict(images)
    assert list(predictor.members) == ["convnet", "convnet-1"]
    for i, prediction in enumerate(predictor(list(images))):
        assert prediction.label == predictor.classes[choice.classes[i]]
        assert prediction.answered_by == predictor.net.names[choice.member[i]]
        assert prediction.confidence == pytest.approx(float(choice.confidence[i]))
        assert prediction.probabilities[prediction.label] == pytest.approx(prediction.confidence)
        assert sum(prediction.probabilities.values()) == pytest.approx(1)
        own = [answer.label for answer in prediction.members.values()]
        assert prediction.agreement == own.count(prediction.label) / 2
    assert predictor.scores(images).shape == (2, 12, 3)


def test_a_mask_has_a_class_for_each_pixel(trained, views):
    prediction = Predictor.load(trained / "pixels")(views / "images" / "0.png")
    assert prediction.mask.shape == prediction.confidences.shape == (12, 16)
    assert prediction.mask.dtype == torch.uint8
    right = float(prediction.mask.double().mean())
    assert prediction.shares == pytest.approx({"left": 1 - right, "right": right})
    assert prediction.label == max(prediction.shares, key=prediction.shares.get)
    assert prediction.confidence == pytest.approx(float(prediction.confidences.mean()))
    assert sum(prediction.probabilities.values()) == pytest.approx(1)


@pytest.mark.parametrize("rule", PIXEL_RULES)
def test_an_ensemble_for_masks_answers_by_its_rule(trained, views, rule):
    predictor = Predictor.load(trained / "pixel-ensemble")
    predictor.net.rule = PIXEL_RULES[rule]
    image = predictor.prepare(views / "images" / "1.png")
    choice, prediction = predictor.net.predict(image[None]), predictor(image)
    assert torch.equal(prediction.mask.long(), choice.classes[0])
    assert torch.equal(prediction.confidences, choice.confidence[0])
    assert prediction.answered_by in ("pixels", "pixels-1")
    assert 0.5 <= prediction.agreement <= 1


def test_a_run_from_python_needs_its_model_and_knows_its_size(tmp_path, make_net, make_bars):
    bars = make_bars("bars", 12)
    unseen.fit(make_net("plain"), bars, unseen.ERM(T=2), folder=tmp_path / "run")
    with pytest.raises(RunFolderError, match="started from Python"):
        Predictor.load(tmp_path / "run")
    predictor = Predictor.load(tmp_path / "run", make_net("plain", seed=5))
    assert predictor.size == (8, 8)
    assert predictor(np.zeros((30, 40, 3), np.uint8)).label in bars.classes
    with pytest.raises(InputError, match="holds one run: expected model= to be one network, got a list"):
        Predictor.load(tmp_path / "run", [make_net("plain")])


def test_an_ensemble_of_networks_that_never_had_a_folder_numbers_its_classes(tmp_path, make_net, digits):
    nets = [make_net("plain", seed=seed) for seed in (0, 1)]
    unseen.Ensemble(nets).save(tmp_path / "both")
    predictor = Predictor.load(tmp_path / "both", [make_net("plain"), make_net("plain")])
    assert predictor.classes == ("0", "1", "2", "3")
    assert predictor.size is None
    assert predictor(digits[0][0]).answered_by in ("0", "1")
    with pytest.raises(InputError, match="can't take images of shape \\(3, 9, 30\\)"):
        predictor(torch.zeros(3, 9, 30))
    with pytest.raises(InputError, match="a list with a network for each member"):
        Predictor.load(tmp_path / "both", make_net("plain"))


def test_a_run_from_before_sizes_were_written_down_has_its_job_s_size(trained, photos):
    rewrite(trained / "shades", lambda config: config["source"].pop("shape") and None)
    assert Predictor.load(trained / "shades").size == (10, 12)


def test_an_unfinished_run_is_refused_with_the_command_to_resume(trained):
    (trained / "shades" / "weights.safetensors").unlink()
    with pytest.raises(RunFolderError, match="not finished; resume with: unseen train --resume"):
        Predictor.load(trained / "shades")
    with pytest.raises(RunFolderError, match="holds no run"):
        Predictor.load(trained / "nothing")
    with pytest.raises(RunFolderError, match=r"give the folder of a run, such as .*convnet, or start one there"):
        Predictor.load(trained)


def test_pictures_that_can_t_be_used_are_named_together(shades, photos, tmp_path):
    (tmp_path / "text.png").write_text("no picture")
    shutil.copy(photos / "dark" / "0.png", tmp_path / "good.png")
    with pytest.raises(InputError) as refused:
        shades([tmp_path / "text.png", tmp_path / "good.png", tmp_path / "gone.png", tmp_path])
    message = str(refused.value)
    assert "pictures: 3 problems" in message
    assert "text.png can't be read (cannot identify image file" in message
    assert "gone.png: expected an image file, found nothing there" in message
    assert f"{tmp_path}: expected an image file, found a folder" in message


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        (torch.zeros(2, 3, 8, 8), "for several pictures give a list"),
        (torch.zeros(2, 8, 8), "has 2 channels, expected 3 or 1"),
        (torch.full((3, 8, 8), 200.0), "in \\[200, 200\\], expected floats in \\[0, 1\\]; for 0..255 divide by 255"),
        (torch.full((3, 8, 8), torch.nan), "expected floats in \\[0, 1\\]"),
        (torch.ones(3, 8, 8, dtype=torch.long), "values are torch.int64"),
        (np.zeros((3, 8, 8), np.uint8), "channels seem to come first: array.transpose\\(1, 2, 0\\)"),
        (np.zeros((8, 8, 3), np.int64), "the array is int64, expected uint8"),
        (np.zeros((0, 8, 3), np.uint8), "the array has shape \\(0, 8, 3\\)"),
        (7, "expected a path, a PIL image, a numpy array .* got int"),
    ],
    ids=["batch", "channels", "bytes", "nan", "whole", "first", "int64", "empty", "number"],
)
def test_what_is_no_picture_is_refused_with_what_was_expected(shades, picture, message):
    with pytest.raises(InputError, match=message):
        shades(picture)


@pytest.mark.parametrize("count", [2, 4])
def test_classes_and_scores_of_a_folder_have_to_fit(trained, tmp_path, count):
    run = Path(shutil.copytree(trained / "shades", tmp_path / "run"))
    rewrite(run, lambda config: config["source"].update(classes=list("abcd"[:count])))
    if count > 3:
        with pytest.raises(RunFolderError, match=r"its head gives 3 scores for 4 classes"):
            unseen.Predictor.load(run, run_model_code=True)
    else:
        assert unseen.Predictor.load(run, run_model_code=True).classes == ("a", "b", "2")
