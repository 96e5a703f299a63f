import numpy as np
import pytest
from colour_vision import VISIONS, distances, from_hex, least_distances, oklab, to_hex

from unseen.data.streets import camvid
from unseen.data.streets.classes import CLASSES
from unseen.reporting.kit.palette import COLOURS, colours_of
from unseen.reporting.runs.scenes import AGREEMENT

OKABE_ITO = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"]
# Classes that often touch: those that share most boundary pixels in the built-in scenes, and some by their nature.
NEIGHBOURS = (
    ("road", ("lane marking", "car", "sidewalk", "fence", "pedestrian", "bicycle")),
    ("building", ("vegetation", "pole", "sky", "car", "pedestrian", "sidewalk", "bicycle", "fence", "traffic sign")),
    ("traffic light", ("building", "pole", "sky")),
    ("vegetation", ("sky", "fence", "pole", "car", "traffic sign")),
    ("sidewalk", ("fence", "bicycle", "pedestrian", "lane marking", "car")),
    ("pole", ("sky", "traffic sign")),
    ("fence", ("car", "bicycle")),
    ("pedestrian", ("bicycle",)),
    ("sky", ("traffic sign",)),
)


def least(colours, vision):
    colours = from_hex(colours)
    return distances(colours, colours, vision)[np.triu_indices(len(colours), 1)].min()


# The eye.


@pytest.mark.parametrize(
    ("colour", "lab"),
    [
        ("#ffffff", (1, 0, 0)),
        ("#000000", (0, 0, 0)),
        ("#ff0000", (0.628, 0.225, 0.126)),
        ("#0000ff", (0.452, -0.032, -0.312)),
    ],
)
def test_oklab_is_that_of_its_author(colour, lab):
    assert oklab(from_hex([colour]))[0] == pytest.approx(lab, abs=1e-3)


@pytest.mark.parametrize("vision", VISIONS)
def test_greys_are_the_same_to_every_eye(vision):
    greys = from_hex(["#000000", "#404040", "#808080", "#ffffff"])
    assert oklab(greys, vision) == pytest.approx(oklab(greys), abs=1e-3)


@pytest.mark.parametrize(
    ("vision", "pair"),
    [
        ("protanopia", ["#0040e0", "#a000e0"]),
        ("deuteranopia", ["#208000", "#c00020"]),
        ("tritanopia", ["#e00080", "#e04000"]),
    ],
)
def test_colours_that_only_the_lacking_cone_tells_apart_become_one(vision, pair):
    assert least(pair, "full") > 0.15
    assert least(pair, vision) < 0.03


def test_hex_goes_there_and_back():
    assert [to_hex(row) for row in from_hex(OKABE_ITO)] == OKABE_ITO


# The palette.


@pytest.mark.parametrize("vision", VISIONS)
def test_thirteen_colours_are_farther_apart_than_the_eight_that_are_usually_advised(vision):
    assert least(list(COLOURS.values()), vision) > 0.105
    assert min(least(OKABE_ITO, each) for each in VISIONS) < 0.08


@pytest.mark.parametrize("vision", VISIONS)
def test_classes_that_touch_are_farther_apart_still(vision):
    apart = {
        (one, other): least([COLOURS[one], COLOURS[other]], vision) for one, others in NEIGHBOURS for other in others
    }
    assert min(apart.values()) > 0.17, min(apart, key=apart.get)


def test_lightness_alone_says_much():
    light = oklab(from_hex(list(COLOURS.values())))[:, 0]
    assert light.max() - light.min() > 0.9
    assert light.std() > 0.25


def test_every_street_class_has_its_colour_and_camvids_have_the_same():
    assert set(COLOURS) == set(CLASSES)
    synthia, cambridge = dict(zip(CLASSES, colours_of(CLASSES), strict=True)), colours_of(camvid.CLASSES)
    assert synthia == COLOURS
    same = {"pavement": "sidewalk", "tree": "vegetation", "sign": "traffic sign", "bicyclist": "bicycle"}
    assert cambridge == [synthia[same.get(name, name)] for name in camvid.CLASSES]


@pytest.mark.parametrize(
    "classes",
    [("a", "b"), ("road", "Road", "tree", "vegetation"), tuple(map(str, range(40))), tuple(map(str, range(255)))],
    ids=["strange", "one thing twice", "many", "as many as a mask can have"],
)
def test_any_other_list_gets_colours_of_its_own(classes):
    colours = colours_of(classes)
    assert len(set(colours)) == len(classes)
    assert colours == colours_of(classes)
    assert min(least(colours, vision) for vision in VISIONS) > (
        0.1 if len(classes) <= 13 else 0.03 if len(classes) <= 40 else 0
    )


def test_a_street_class_keeps_its_colour_among_strange_ones():
    assert colours_of(("boat", "road", "sky"))[1:] == [COLOURS["road"], COLOURS["sky"]]


@pytest.mark.parametrize("vision", VISIONS)
def test_the_map_of_differences_is_told_apart_by_every_eye(vision):
    assert least(list(AGREEMENT.values()), vision) > 0.1


def test_the_nearest_eye_decides():
    ours, others = from_hex(["#c0504d"]), from_hex(["#6b8e23", "#000000"])
    expected = [min(float(distances(ours, others, v)[0, i]) for v in VISIONS) for i in (0, 1)]
    assert least_distances(ours, others)[0].tolist() == pytest.approx(expected)
