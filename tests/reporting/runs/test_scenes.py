import base64
import io

import pytest
import torch
from PIL import Image

from unseen import Domain
from unseen.base.labels import VOID
from unseen.reporting.finished.methods import read_methods
from unseen.reporting.kit.palette import colours_of
from unseen.reporting.kit.pictures import map_picture
from unseen.reporting.runs.gallery import make_gallery
from unseen.reporting.runs.scenes import AGREEMENT, agreement, evenly_spaced, make_scenes
from unseen.runs.folder import RunFolder


def decoded(shown):
    return Image.open(io.BytesIO(base64.b64decode(shown.uri.partition(",")[2])))


def pixel(shown, row, column):
    return "#" + bytes(decoded(shown).convert("RGB").getpixel((column, row))).hex()


@pytest.mark.parametrize(
    ("size", "count", "places"),
    [(9, 3, [1, 4, 7]), (24, 3, [4, 12, 20]), (2, 3, [0, 1]), (1, 3, [0]), (3, 3, [0, 1, 2])],
)
def test_places_are_the_middles_of_equal_parts(size, count, places):
    assert evenly_spaced(size, count) == places


@pytest.mark.parametrize(
    ("answer", "base", "truth", "kind"),
    [
        (1, 1, 1, "both right"), (1, 2, 1, "only {method} right"), (2, 1, 1, "only {baseline} right"),
        (2, 0, 1, "both wrong, not alike"), (2, 2, 1, "both wrong, alike"), (2, 2, VOID, None), (2, 1, VOID, None),
    ],
)  # fmt: skip
def test_a_pixel_is_of_one_kind(answer, base, truth, kind):
    found = agreement(*(torch.tensor([[value]], dtype=torch.uint8) for value in (answer, base, truth)))
    assert [*AGREEMENT, None][int(found)] == kind


def test_a_map_has_its_colours_and_a_hole_where_there_is_no_label():
    shown = map_picture(torch.tensor([[0, 1, 2], [2, 1, 0]]), ["#102030", "#ff0080"])
    drawn = decoded(shown)
    assert (drawn.mode, drawn.size) == ("P", (3, 2))
    assert pixel(shown, 0, 0) == "#102030"
    assert pixel(shown, 1, 1) == "#ff0080"
    assert [drawn.convert("RGBA").getpixel((column, 0))[3] for column in range(3)] == [255, 255, 0]


def test_a_large_map_is_reduced_without_colours_in_between():
    numbers = torch.randint(2, (300, 480), generator=torch.Generator().manual_seed(0))
    drawn = decoded(map_picture(numbers, ["#000000", "#ffffff"], 240)).convert("RGB")
    assert drawn.size == (240, 150)
    assert {colour for _, colour in drawn.getcolors()} == {(0, 0, 0), (255, 255, 255)}


@pytest.fixture
def made(street_runs, far_street, load_street_net):
    erm, ada = read_methods([street_runs / "erm-0", street_runs / "ada-0"])
    nets = [(method, load_street_net(method.runs[0].folder)) for method in (erm, ada)]
    return nets, make_scenes(far_street, nets, erm, far_street.classes)


def test_images_are_evenly_spaced_among_those_that_are_labelled(made):
    assert [scene.number for scene in made[1].shown] == [1, 4, 6]  # of 0, 1, 2, 4, 5, 6


def test_the_pictures_are_the_truth_the_answers_and_where_they_differ(made, far_street):
    nets, scenes = made
    colours, kinds = colours_of(far_street.classes), list(AGREEMENT.values())
    for scene in scenes.shown:
        truth = far_street.labels[scene.number]
        answers = [net(far_street.images[[scene.number]]).argmax(1)[0] for _, net in nets]
        (difference,) = scene.differences
        known = truth != VOID
        for drawn, answer in zip(scene.answers, answers, strict=True):
            assert drawn.right == pytest.approx(float((answer == truth)[known].double().mean()))
        assert difference.method_only - difference.baseline_only == pytest.approx(
            scene.answers[1].right - scene.answers[0].right
        )
        for place in ((0, 0), (5, 3), (7, 11)):
            if known[place]:
                assert pixel(scene.truth, *place) == colours[int(truth[place])]
                assert pixel(scene.answers[1].mask, *place) == colours[int(answers[1][place])]
                kind = agreement(answers[1], answers[0], truth)[place]
                assert pixel(difference.map, *place) == kinds[int(kind)]


def test_the_share_right_is_the_mean_over_the_images_shown(made):
    nets, scenes = made
    expected = sum(scene.answers[0].right for scene in scenes.shown) / 3
    assert scenes.right(nets[0][0]) == pytest.approx(expected)


def test_without_a_baseline_there_is_no_map_of_differences(street_runs, far_street, load_street_net):
    (ada,) = read_methods([street_runs / "ada-0"])
    scenes = make_scenes(far_street, [(ada, load_street_net(street_runs / "ada-0"))], None, far_street.classes)
    assert [scene.differences for scene in scenes.shown] == [[], [], []]


def test_a_single_image_is_enough(far_street):
    alone = Domain("alone", far_street.images[:1], far_street.labels[:1], far_street.classes)
    assert [scene.number for scene in make_scenes(alone, [], None, alone.classes).shown] == [0]


def test_the_gallery_of_scenes_goes_from_small_changes_to_great_ones(street_runs, street):
    (ada,) = read_methods([street_runs / "ada-0"])
    gallery = make_gallery(ada, street)
    made, parents = RunFolder(street_runs / "ada-0").read_round(1)
    labelled = street.labelled[parents]
    moved = dict(
        zip(labelled.tolist(), (made.images - street.images[labelled]).flatten(1).norm(dim=1).tolist(), strict=True)
    )
    shown = [row.steps[0].moved for row in gallery.rows]
    assert len(shown) == 3
    assert shown == sorted(shown)
    assert shown == pytest.approx([moved[row.number] for row in gallery.rows])
    assert not {0, 5} & {row.number for row in gallery.rows}  # those have no label, and no training
    assert "evenly spaced from the one that changed least" in gallery.choice
