"""What happens on the page, without a page: the answers are the predictor's, the ascent is the method's."""

import numpy as np
import pytest
import torch
from configs import replaced, rewrite
from PIL import Image

import unseen
from unseen import Predictor
from unseen.deploy.play.examples import examples
from unseen.deploy.play.players import load_players
from unseen.deploy.play.sitting import AT_REST, Shown
from unseen.deploy.play.sliders import SLIDERS
from unseen.errors import InputError
from unseen.reporting.kit.links import how_far

TURN = next(slider for slider in SLIDERS if slider.label == "turn")


def at(**values: float) -> list[float]:
    return [values.get(slider.label, 0.0) for slider in SLIDERS]


def test_runs_play_under_their_methods_names_and_together_as_an_ensemble(runs, sitting):
    players = sitting.players.each
    assert [player.name for player in players] == ["ERM", "ADA over affine and tone", "ensemble"]
    assert [player.style for player in players] == [0, 1, 2]
    assert str(runs / "ada") in players[1].about
    assert "2 members, greatest-softmax" in players[2].about
    assert [ascent.name for ascent in sitting.players.ascents] == ["ADA over affine and tone", "ERM"]


def test_beside_an_ensemble_none_is_made_and_two_seeds_go_by_their_folders(trained):
    players = load_players([trained / "convnet", trained / "convnet-1", trained / "ensemble"])
    assert [player.name for player in players.each] == ["ERM convnet", "ERM convnet-1", "ensemble"]
    assert len(players.ascents) == 4


def test_networks_that_take_other_images_or_know_other_classes_are_refused(trained, runs):
    with pytest.raises(InputError, match=r"takes images of 32x32 .* 10x12 .* those that belong together"):
        load_players([runs / "erm", trained / "shades"])
    with pytest.raises(InputError, match=r"knows the classes dark, grey, light, .* left, right; expected the same"):
        load_players([runs / "erm", trained / "pixels"])


def test_the_answers_are_those_of_each_predictor(runs, sitting, photos):
    file = photos / "light" / "0.png"
    shown = sitting.show(file)
    for said, name in zip(sitting.answers(shown, AT_REST), ("erm", "ada"), strict=False):
        alone = Predictor.load(runs / name)(file)
        assert said.label == alone.label
        assert said.probabilities == pytest.approx(alone.probabilities, abs=1e-6)
    together = sitting.answers(shown, AT_REST)[2]
    assert set(together.members) == {"ERM", "ADA over affine and tone"}


def test_what_is_on_a_picture_is_what_they_say_until_somebody_says_it(sitting, photos):
    shown = sitting.show(photos / "dark" / "0.png")
    said = sitting.answers(shown, AT_REST)
    means = {name: sum(each.probabilities[name] for each in said) for name in ("dark", "grey", "light")}
    assert means[shown.label] == max(means.values())
    assert sitting.look(Shown(shown.image, "grey")).label == "grey"


def test_a_strip_has_the_probability_of_the_class_at_every_value(sitting, photos):
    shown = sitting.look(Shown(sitting.show(photos / "grey" / "1.png").image, "grey"))
    strip = sitting.strip(shown, TURN, at(contrast=0.3))
    for i in (0, 4, 12):
        said = sitting.answers(shown, at(contrast=0.3, turn=float(TURN.values()[i])))
        assert strip.held[:, i].tolist() == pytest.approx([each.probabilities["grey"] for each in said], abs=1e-5)
        assert strip.right is not None
        assert strip.right[:, i].tolist() == [each.label == "grey" for each in said]


def test_the_fictitious_image_is_the_one_that_the_runs_own_ascent_makes(sitting, photos):
    shown = sitting.show(photos / "light" / "2.png")
    ascent = sitting.players.ascents[0]
    made = sitting.make_fictitious(shown, ascent, seed=3)
    y = torch.tensor([sitting.players.predictor.classes.index(shown.label)])
    expected = unseen.fictitious(ascent.net, shown.image[None], y, ascent.ada, seed=3)
    assert made.image.equal(expected.images[0])
    assert made.went == how_far(ascent.ada.ascended, expected.links)[0]
    assert made.moved == pytest.approx(float((expected.images[0] - shown.image).norm()))
    assert made.before == pytest.approx([each.probabilities[shown.label] for each in sitting.answers(shown, AT_REST)])
    after = sitting.answers(Shown(made.image), AT_REST)
    assert made.after == pytest.approx([each.probabilities[shown.label] for each in after])


def test_a_run_without_rounds_makes_them_by_the_papers_ascent_over_pixels(sitting, photos):
    made = sitting.make_fictitious(sitting.show(photos / "light" / "2.png"), sitting.players.ascents[1])
    assert made.went == ()
    assert made.moved > 0


def test_a_mask_that_nobody_knows_is_held_against_their_own(mask_sitting, views):
    shown = mask_sitting.show(views / "images" / "0.png")
    assert shown.label is None
    strip = mask_sitting.strip(shown, TURN, AT_REST)
    assert strip.right is None
    assert strip.held[:, 6].tolist() == [1.0, 1.0, 1.0]
    assert float(strip.held.min()) < 1


def test_a_mask_that_is_known_is_held_against_it(mask_sitting, views):
    image = mask_sitting.show(views / "images" / "1.png").image
    mask = torch.from_numpy(np.array(Image.open(views / "masks" / "1.png")))
    shown = mask_sitting.look(Shown(image, mask=mask))
    strip = mask_sitting.strip(shown, TURN, AT_REST)
    said = mask_sitting.answers(shown, AT_REST)
    assert strip.held[:, 6].tolist() == pytest.approx([float((each.mask == mask).float().mean()) for each in said])
    made = mask_sitting.make_fictitious(shown, mask_sitting.players.ascents[0])
    assert made.image.shape == image.shape


def test_examples_are_files_of_each_class_in_turn(sitting):
    found = examples(sitting.players)
    assert [each.label for each in found] == ["dark", "grey", "light"] * 2 + ["dark", "grey"]
    assert all(each.image.shape == (3, 32, 32) for each in found)


def test_examples_of_masks_are_pictures_alone(mask_sitting):
    assert [each.label for each in examples(mask_sitting.players)] == [None] * 4


def test_without_the_source_there_are_no_examples(trained, photos, tmp_path):
    moved = trained / "convnet"
    rewrite(moved, replaced(str(photos), str(tmp_path / "gone")))
    assert examples(load_players([moved])) == []
