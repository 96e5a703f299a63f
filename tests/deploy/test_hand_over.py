"""The folder to hand over: moved anywhere it answers the same, without run and data; its card says whence."""

import json
import shutil

import pytest
import torch

import unseen
from unseen import Predictor
from unseen.errors import RunFolderError
from unseen.reporting.evaluation import score_run
from unseen.reporting.kit.statistics import t_interval, wilson


@pytest.fixture
def moved(trained, photos, tmp_path):
    """Call it with a run's name: what it says of the pictures, and the folder that was handed over and moved."""

    def hand_over(name):
        expected = Predictor.load(trained / name)(sorted(photos.glob("*/*.png")))
        unseen.export(trained / name, folder=tmp_path / "out" / "shade-model")
        shutil.move(tmp_path / "out", tmp_path / "elsewhere")
        shutil.rmtree(trained)
        return expected, tmp_path / "elsewhere" / "shade-model"

    return hand_over


@pytest.mark.parametrize("name", ["convnet", "shades", "ensemble"])
def test_it_answers_the_same_after_a_move_without_the_run(moved, photos, name):
    expected, folder = moved(name)
    given = Predictor.load(folder, run_model_code=True)(sorted(photos.glob("*/*.png")))
    assert [p.probabilities for p in given] == [p.probabilities for p in expected]
    assert [p.answered_by for p in given] == [p.answered_by for p in expected]
    assert not list(folder.parent.glob(".*"))


def test_a_file_that_is_missing_or_another_is_named(moved):
    _, folder = moved("convnet")
    (folder / "README.md").write_text("a note of one's own")
    Predictor.load(folder)
    (folder / "weights.safetensors").unlink()
    with pytest.raises(RunFolderError, match=r"is damaged:\n  - .*weights.safetensors is missing\ncopy the whole"):
        Predictor.load(folder)
    (folder / "handover.json").write_text("{")
    with pytest.raises(RunFolderError, match=r"handover.json is damaged"):
        Predictor.load(folder)


def test_a_file_that_is_another_is_found_by_whoever_evaluates(moved, photos, shell):
    _, folder = moved("convnet")
    assert shell("evaluate", folder, "--target", photos)[0] == 0
    config = json.loads((folder / "config.json").read_text())
    config["source"]["classes"].reverse()
    config.pop("sha256", None)
    (folder / "config.json").write_text(json.dumps(config))
    code, text = shell("evaluate", folder, "--target", photos)
    assert (code, "config.json is not what was saved" in " ".join(text.split())) == (3, True), text


def test_its_own_folder_is_replaced_and_nothing_else_is(trained, tmp_path):
    to = tmp_path / "model"
    unseen.export(trained / "convnet", folder=to)
    unseen.export(trained / "ensemble", folder=to)
    assert sorted(path.name for path in to.iterdir()) == ["README.md", "ensemble.json", "handover.json", "members"]
    for other in (trained / "convnet-1", tmp_path):
        before = sorted(path.name for path in other.iterdir())
        with pytest.raises(RunFolderError, match="exists and is not empty; choose a new or empty folder"):
            unseen.export(trained / "convnet", folder=other)
        assert sorted(path.name for path in other.iterdir()) == before
    with pytest.raises(RunFolderError, match="is the folder to hand over itself"):
        unseen.export(to, folder=to)


def test_it_can_be_handed_on(trained, tmp_path):
    unseen.export(trained / "shades", folder=tmp_path / "first")
    shutil.rmtree(trained)
    unseen.export(tmp_path / "first", folder=tmp_path / "second")
    shutil.rmtree(tmp_path / "first")
    assert Predictor.load(tmp_path / "second").classes == ("dark", "grey", "light")


def test_the_card_of_one_run_has_binomial_intervals(trained, photos):
    (score,) = score_run(trained / "shades", [unseen.folder(photos, size=(10, 12), name="studio")])
    unseen.export(trained / "shades", folder=trained / "handed")
    card = (trained / "handed" / "README.md").read_text()
    interval = wilson(score.value, 12)
    assert f"| studio | 12 | accuracy | {score.value:.1%} | {interval.low:.1%} to {interval.high:.1%} | " in card
    assert "the images, of one training (binomial, Wilson)" in card
    assert "| shades | photos (SHA-256 " in card
    assert "last iterate" in card
    assert "| `T` | `40` |" in card
    assert "it answers with one of its classes whatever the picture shows" in card
    assert score_run(trained / "handed", [unseen.folder(photos, size=(10, 12), name="studio")]) == [score]


def test_the_card_of_a_run_with_other_seeds_beside_it_has_an_interval_over_seeds(trained, photos):
    studio = unseen.folder(photos, size=32, name="studio")
    values = [score_run(trained / name, [studio])[0].value for name in ("convnet", "convnet-1")]
    unseen.export(trained / "convnet", folder=trained / "handed")
    card = (trained / "handed" / "README.md").read_text()
    interval = t_interval(values)
    assert f"| {interval.low:.1%} to {interval.high:.1%} | 2 seeds, mean {sum(values) / 2:.1%} (Student's t) |" in card
    assert "The other seeds, with the same settings and source: convnet-1 (seed 1)." in card


def test_the_card_of_an_ensemble_for_masks_names_its_members_and_rule(trained, views):
    score_run(trained / "pixel-ensemble", [unseen.domain(f"masks:{views}")])
    unseen.export(trained / "pixel-ensemble", folder=trained / "handed")
    card = (trained / "handed" / "README.md").read_text()
    assert (
        "An ensemble of 2 networks (rule: surest-region) for pictures of 2 classes: left, right; it answers for each"
        in card
    )
    assert "| pixels-1 | views (SHA-256 " in card
    assert "an mIoU has no binomial interval" in card


def test_a_failed_write_leaves_nothing(trained, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("unseen.deploy.hand_over.write_atomically", full)
    with pytest.raises(unseen.errors.SaveFailed, match=r"could not save .*No space left on device"):
        unseen.export(trained / "convnet", folder=tmp_path / "model")
    assert not (tmp_path / "model").exists()
    assert not list(tmp_path.glob(".*"))


def test_a_run_from_python_is_handed_over_and_still_needs_its_model(tmp_path, make_net, make_bars):
    unseen.fit(make_net("plain"), make_bars("bars", 8), unseen.ERM(T=1), folder=tmp_path / "run")
    unseen.export(tmp_path / "run", model=make_net("plain"), folder=tmp_path / "model")
    assert 'unseen.Predictor.load("model", model)' in (tmp_path / "model" / "README.md").read_text()
    predictor = Predictor.load(tmp_path / "model", make_net("plain"))
    assert predictor(torch.zeros(3, 8, 8)).label in "0123"
    assert json.loads((tmp_path / "model" / "handover.json").read_text())["format"] == 1
