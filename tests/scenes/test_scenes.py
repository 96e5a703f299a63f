"""The built-in scenes: the same bits every time, the right classes, and pictures that look as they are called."""

import hashlib
import subprocess
import sys
from functools import cache
from itertools import product

import numpy as np
import pytest

from unseen import scenes
from unseen.data.streets.classes import CLASSES, CONDITIONS, PLACES, SYNTHIA_IDS, SYNTHIA_VOID
from unseen.errors import InputError

DOMAINS = list(product(PLACES, CONDITIONS))
SMALL = (96, 160)
ON_FOOT = {"pedestrian", "bicycle", "traffic light"}
"""what a highway doesn't have"""


@cache
def drawn(place, condition, count=6):
    return [scenes.render(place, condition, index=index, size=SMALL) for index in range(count)]


def brightness(place, condition, name):
    """The mean of a class's pixels over some scenes."""
    pixels = [scene.image[scene.ids == SYNTHIA_IDS[name]] for scene in drawn(place, condition)]
    return np.concatenate(pixels).mean()


def by_name(ids):
    return {name for name in CLASSES if (ids == SYNTHIA_IDS[name]).any()}


@pytest.mark.parametrize(("place", "condition"), DOMAINS)
def test_a_scene_has_a_picture_ids_and_instances_of_the_size_asked_for(place, condition):
    scene = drawn(place, condition)[0]
    assert (scene.image.shape, scene.image.dtype) == ((*SMALL, 3), np.uint8)
    assert (scene.ids.shape, scene.ids.dtype) == (SMALL, np.uint8)
    assert (scene.instances.shape, scene.instances.dtype) == (SMALL, np.uint16)


@pytest.mark.parametrize(("place", "condition"), DOMAINS)
def test_ids_are_synthias_and_nothing_in_between(place, condition):
    seen = set(np.concatenate([scene.ids.ravel() for scene in drawn(place, condition)]).tolist())
    assert seen <= {*SYNTHIA_IDS.values(), SYNTHIA_VOID}


@pytest.mark.parametrize("place", PLACES)
def test_every_class_appears_and_a_highway_has_nobody_on_foot(place):
    found = set()
    for condition in CONDITIONS:
        for scene in drawn(place, condition):
            found |= by_name(scene.ids)
    assert found == set(CLASSES) - (ON_FOOT if place == "highway" else set())


def test_the_default_size_is_the_papers():
    assert scenes.render("old-town", "fog", index=0).image.shape == (192, 320, 3)


@pytest.mark.parametrize("size", [(16, 16), (97, 161), (64, 300), (200, 40)], ids=str)
def test_other_sizes_are_drawn(size):
    scene = scenes.render("new-york", "night", index=1, size=size)
    assert scene.image.shape == (*size, 3)
    assert len(by_name(scene.ids)) >= 3


def test_another_size_is_the_same_street():
    large = scenes.render("new-york", "spring", index=2, size=(192, 320)).ids[::2, ::2]
    assert (large == drawn("new-york", "spring")[2].ids).mean() > 0.93


def test_a_scene_does_not_depend_on_what_was_drawn_before():
    alone = scenes.render("old-town", "dawn", index=3, size=SMALL)
    scenes.render("highway", "night", index=9, size=SMALL)
    again = scenes.render("old-town", "dawn", index=3, size=SMALL)
    assert np.array_equal(alone.image, again.image)
    assert np.array_equal(alone.ids, again.ids)
    assert np.array_equal(alone.instances, again.instances)


def test_another_process_draws_the_same_bits():
    program = (
        "import hashlib\nfrom unseen import scenes\n"
        "scene = scenes.render('new-york', 'winter', index=4, seed=7, size=(96, 160))\n"
        "print(hashlib.sha256(scene.image.tobytes() + scene.ids.tobytes()).hexdigest())\n"
    )
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    here = scenes.render("new-york", "winter", index=4, seed=7, size=SMALL)
    assert there.strip() == hashlib.sha256(here.image.tobytes() + here.ids.tobytes()).hexdigest()


@pytest.mark.parametrize(
    "other",
    [
        {"index": 1},
        {"seed": 1},
        {"condition": "winter"},
        {"place": "highway"},
    ],
    ids=["index", "seed", "condition", "place"],
)
def test_each_index_seed_condition_and_place_is_another_street(other):
    asked = {"place": "old-town", "condition": "spring", "index": 0, "seed": 0, "size": SMALL}
    one, two = (scenes.render(**options) for options in (asked, asked | other))
    assert (one.ids != two.ids).mean() > 0.1


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["sky", "road", "building"])
def test_night_is_darker_than_any_day(place, name):
    night = brightness(place, "night", name)
    assert all(night < 0.85 * brightness(place, day, name) for day in ("dawn", "fog", "spring", "winter"))


def test_the_sky_has_the_colour_its_label_and_condition_promise():
    red, _, blue = _mean_colour("highway", "spring", "sky")
    assert blue > 1.2 * red
    red, _, blue = _mean_colour("highway", "dawn", "sky")
    assert red > 1.15 * blue
    red, _, blue = _mean_colour("highway", "fog", "sky")
    assert abs(red - blue) < 10


def _mean_colour(place, condition, name):
    return np.concatenate([s.image[s.ids == SYNTHIA_IDS[name]] for s in drawn(place, condition)]).mean(0)


@pytest.mark.parametrize(("place", "name"), [("highway", "vegetation"), ("old-town", "sidewalk"), ("new-york", "road")])
def test_snow_makes_the_ground_brighter_than_fog_leaves_it(place, name):
    near = [
        np.concatenate([s.image[60:][s.ids[60:] == SYNTHIA_IDS[name]] for s in drawn(place, condition)]).mean()
        for condition in ("winter", "fog")
    ]
    assert near[0] > near[1] + 5


def test_winter_trees_are_not_green_and_spring_trees_are():
    _, green, blue = _mean_colour("highway", "spring", "vegetation")
    assert green > 1.3 * blue
    _, green, blue = _mean_colour("highway", "winter", "vegetation")
    assert green < 1.1 * blue


@pytest.mark.parametrize("place", PLACES)
def test_fog_takes_the_contrast_with_the_distance(place):
    near, far = _road_against_sky(place, "fog")
    assert far < 0.5 * near
    clear = _road_against_sky(place, "spring")
    assert far < 0.5 * clear[1]


def _road_against_sky(place, condition):
    """How much the road differs in brightness from the sky: where it is nearest in the picture, and where farthest."""
    differences = []
    for scene in drawn(place, condition):
        grey, road = scene.image.mean(2), scene.ids == SYNTHIA_IDS["road"]
        rows = np.flatnonzero(road.sum(1) > 5)
        sky = grey[scene.ids == SYNTHIA_IDS["sky"]].mean()
        differences.append([abs(np.median(grey[row][road[row]]) - sky) for row in (rows[-1], rows[0])])
    return np.mean(differences, 0)


def test_labels_line_up_with_the_picture_to_the_pixel():
    """Across the sky's edge the picture changes, and one pixel further on either side it hardly does."""
    steps = {"at the edge": [], "beside it": []}
    for scene in drawn("new-york", "spring"):
        grey, sky = scene.image.mean(2), scene.ids == SYNTHIA_IDS["sky"]
        change, edge = np.abs(np.diff(grey, axis=1)), sky[:, 1:] != sky[:, :-1]
        steps["at the edge"].append(change[edge].mean())
        steps["beside it"].append(change[:, 3:][edge[:, :-3] & ~edge[:, 3:]].mean())
    assert np.mean(steps["at the edge"]) > 2 * np.mean(steps["beside it"])


def test_countable_things_have_numbers_and_each_number_is_one_class():
    for scene in drawn("old-town", "spring"):
        assert (scene.instances[scene.ids == SYNTHIA_IDS["car"]] > 0).all()
        assert not scene.instances[scene.ids == SYNTHIA_IDS["road"]].any()
        numbers = set(scene.instances.ravel().tolist()) - {0}
        assert len(numbers) > 3
        assert all(len(np.unique(scene.ids[scene.instances == number])) == 1 for number in numbers)


def test_every_problem_of_a_call_is_named_at_once():
    with pytest.raises(InputError) as refusal:
        scenes.render("new york", "nite", index=-1, seed=0.5, size=(192,))
    message = str(refusal.value)
    assert "scenes: 5 problems" in message
    assert 'place is "new york", expected one of highway, new-york, old-town; did you mean "new-york"?' in message
    assert 'did you mean "night"?' in message
    assert "index is -1, expected a whole number from 0 on" in message
    assert "seed is 0.5, expected a whole number" in message
    assert "size is (192,), expected (height, width) in pixels, each at least 16, for instance (192, 320)" in message


@pytest.mark.parametrize("size", [(8, 320), (192, 0), [192, 320], (192.0, 320), 192], ids=str)
def test_a_size_that_cannot_be_drawn_is_refused(size):
    with pytest.raises(InputError, match=r"size is .*expected"):
        scenes.render("highway", "fog", index=0, size=size)
