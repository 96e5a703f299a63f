"""Transformations by name: ours, sets of them, a user's own; and what is refused."""

import pytest
import torch

import unseen
from unseen.errors import InputError
from unseen.transforms import SETS, Transform, catalogue, named, register

MINE = """
from pathlib import Path

from unseen.transforms import Transform

with (Path(__file__).parent / "imports").open("a") as file:
    file.write("x")

fog = Transform("fog", lambda images, w: images + w[:, :1, None, None] * (0.8 - images), {"thickness": (0.0, 0.6)},
                kind="light")
number = 3
"""


@pytest.fixture(autouse=True)
def _registry(monkeypatch):
    """What a test registers, the next doesn't know."""
    monkeypatch.setattr(catalogue, "_KNOWN", dict(catalogue._KNOWN))


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path / "mine.py"


def fog(name="fog", **options):
    ranges = {"thickness": (0.0, 0.6)}
    return Transform(name, lambda x, w: x + w[:, :1, None, None] * (0.8 - x), ranges, kind="light", **options)


def names_of(transforms):
    return [each.name for each in transforms]


def test_a_name_a_set_and_several_of_them_give_each_once_in_order():
    assert names_of(named("tone")) == ["tone"]
    assert tuple(names_of(named("photometric"))) == SETS["photometric"]
    assert names_of(named(["warp", "photometric", "tone"])) == ["warp", *SETS["photometric"]]


def test_every_set_has_only_what_there_is_and_the_standard_one_is_all_ascended():
    for name, members in SETS.items():
        assert names_of(named(name)) == list(members)
    assert all(each.ascended for each in named("standard"))
    assert not any(each.moves for each in named("photometric"))


def test_a_registered_transformation_is_one_of_the_names():
    mine = register(fog())
    assert named("fog") == [mine]
    assert unseen.ADA(over=("standard", "fog")).ascended.transforms[-1] is mine
    again = register(fog())
    assert named("fog") == [again], "a notebook's cell is run twice"


@pytest.mark.parametrize(
    ("transform", "said"),
    [
        pytest.param(fog("colour"), 'register: "colour" is ours; call it something else', id="ours"),
        pytest.param(fog("standard"), 'register: "standard" is ours; call it something else', id="a set"),
        pytest.param(fog("pixels"), 'register: "pixels" is ours; call it something else', id="pixels"),
        pytest.param(fog("a.py:b"), 'register: "a.py:b" is no name; call it something else', id="a place"),
        pytest.param(lambda x, w: x, r"expected an unseen.transforms.Transform, got function", id="a function"),
    ],
)
def test_register_refuses(transform, said):
    with pytest.raises(InputError, match=said):
        register(transform)


def test_one_in_a_file_is_found_by_its_place(mine):
    assert names_of(named(["tone", f"{mine}:fog"])) == ["tone", "fog"]
    ada = unseen.ADA(over=f"{mine}:fog", augment=("tone", f"{mine}:fog"))
    assert names_of(ada.ascended.transforms) == ["fog"]
    assert names_of(ada.augmented.transforms) == ["tone", "fog"]


def test_a_file_is_run_once_however_many_steps_ask_for_it(mine, make_net, digits):
    ada = unseen.ADA(K=1, T_min=2, T=4, T_max=1, batch=4, n=4, over=f"{mine}:fog", augment=f"{mine}:fog")
    unseen.fit(make_net(), digits, ada)
    assert (mine.parent / "imports").read_text() == "x"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("colur", 'over: no transformation or set is called "colur"; did you mean "colour"?'),
        ("standart", 'over: no transformation or set is called "standart"; did you mean "standard"?'),
        ("vignette", "known are affine, blur, colour"),
        ("{mine}:fogg", 'has no "fogg"; did you mean "fog"?'),
        ("{mine}:number", "is a int, expected an unseen.transforms.Transform"),
        ("nowhere.py:fog", "nowhere.py can't be imported"),
    ],
)
def test_an_unknown_one_is_refused_with_the_nearest(mine, name, said):
    with pytest.raises(InputError) as caught:
        unseen.ADA(over=name.format(mine=mine))
    assert said in str(caught.value)
    assert str(caught.value).startswith("ADA: over: ")
    assert "\n" not in str(caught.value), "one mistake, one problem"


@pytest.mark.parametrize("setting", ["over", "augment"])
def test_an_empty_list_is_refused(setting):
    with pytest.raises(InputError, match=f"{setting}: expected one name or more, got none"):
        unseen.ADA(**{setting: ()})


def test_pixels_are_no_transformation_that_can_be_drawn():
    with pytest.raises(InputError, match='augment: no transformation or set is called "pixels"'):
        unseen.ADA(augment="pixels")


def test_a_list_of_names_is_as_good_as_a_tuple():
    ada = unseen.ADA(over=["affine", "tone"], augment=["hue"])
    assert (ada.over, ada.augment) == (("affine", "tone"), ("hue",))
    assert ada == unseen.ADA(over=("affine", "tone"), augment=("hue",))


RANGES = {
    "none": ({}, r'expected ranges by name, such as \{"strength": \(0.0, 0.5\)\}, got none'),
    "a list": ([("a", 0.0, 1.0)], r"expected ranges by name, such as .*, got \[\('a', 0.0, 1.0\)\]"),
    "empty": ({"a": (0.0, 0.0)}, r"range of a=\(0.0, 0.0\): empty; expected the least value before the greatest"),
    "the wrong way round": ({"a": (1.0, -1.0)}, "empty; expected the least value before the greatest"),
    "not finite": ({"a": (0.0, float("inf"))}, r"range of a=\(0.0, inf\): expected two finite numbers"),
    "not a number": ({"a": (float("nan"), 1.0)}, "expected two finite numbers"),
    "without 0": ({"a": (0.5, 1.0)}, r"range of a=\(0.5, 1.0\): expected 0 in it, which leaves the image as it is"),
    "one number": ({"a": (1.0,)}, "expected two finite numbers"),
    "no tuple": ({"a": 0.5}, "range of a=0.5: expected two finite numbers"),
    "text": ({"a": ("0", "1")}, "expected two finite numbers"),
    "none of it": ({"a": (0.0, 1.0, 0)}, "expected a count of 1 or more"),
    "half of one": ({"a": (0.0, 1.0, 1.5)}, "expected a count of 1 or more"),
}


@pytest.mark.parametrize(("ranges", "said"), RANGES.values(), ids=RANGES)
def test_a_range_that_makes_no_sense_is_refused(ranges, said):
    with pytest.raises(InputError, match=r'^transformation "mine": ') as caught:
        Transform("mine", lambda x, w: x, ranges, kind="light")
    assert caught.match(said)
    assert "\n" not in str(caught.value)


def test_an_unknown_kind_is_refused_with_the_nearest():
    with pytest.raises(InputError, match=r'kind="ligth": expected light, colour, .*; did you mean "light"\?'):
        Transform("mine", lambda x, w: x, {"a": (0.0, 1.0)}, kind="ligth")


def test_a_kind_has_to_be_said():
    with pytest.raises(InputError, match=r'kind="": expected light, colour, texture, viewpoint$'):
        Transform("mine", lambda x, w: x, {"a": (0.0, 1.0)})


def test_the_digest_is_that_of_ranges_and_code_and_not_of_lines():
    def first(x, w):
        return x + w[:, :, None, None]

    def same(x, w):
        # another line, the same code
        return x + w[:, :, None, None]

    def other(x, w):
        return x - w[:, :, None, None]

    digests = [
        Transform("mine", apply, {"a": (0.0, end)}, kind="light").digest
        for apply, end in ((first, 1.0), (same, 1), (other, 1.0), (first, 0.5))
    ]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_all_problems_of_one_transformation_are_in_one_message():
    with pytest.raises(InputError, match="3 problems"):
        Transform("mine", lambda x, w: x, {"a": (0.0, 0.0), "b": (1.0, 2.0)}, kind="?")


def test_its_parameters_are_counted_in_the_order_of_its_ranges():
    mine = Transform("mine", lambda x, w: x, {"a": (-1.0, 2.0), "b": (0.0, 3.0, 2)}, kind="light")
    assert mine.parameters == 3
    assert torch.equal(mine.bounds, torch.tensor([[-1.0, 0.0, 0.0], [2.0, 3.0, 3.0]]))
    assert torch.equal(mine.identity, torch.zeros(3))


def test_a_transformation_in_place_of_its_name_is_refused_with_what_to_do(mine):
    (fog,) = named(f"{mine}:fog")
    for given in (fog, ["tone", fog]):
        with pytest.raises(InputError, match=r'over: got the transformation "fog" itself, expected its name; call'):
            unseen.ADA(over=given)
