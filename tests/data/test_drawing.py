"""Some of a domain's images: which ones they are."""

import pytest
import torch

from unseen import Domain
from unseen.data.drawing import comes_by_class, even_order, some_of
from unseen.errors import InputError


def numbered(labels, classes="abc"):
    """A domain whose i-th image has the value i / 100."""
    images = torch.arange(len(labels)).div(100).view(-1, 1, 1, 1).expand(-1, 1, 2, 2)
    return Domain("photos", images, torch.tensor(labels), tuple(classes))


def numbers(domain):
    return (domain.images[:, 0, 0, 0] * 100).round().int().tolist()


@pytest.mark.parametrize(
    ("labels", "sorted_in"),
    [
        ([0, 0, 1, 1, 2], True),
        ([2, 2, 0, 0, 1], True),
        ([0, 1, 0, 1, 2], False),
        ([0, 0, 0], False),
        ([0, 1, 2], False),
    ],
    ids=["sorted", "in another order of classes", "shuffled", "one class", "one image of each"],
)
def test_whether_images_come_class_by_class_is_seen_from_their_labels(labels, sorted_in):
    assert comes_by_class(numbered(labels)) is sorted_in


def test_images_that_come_shuffled_are_taken_in_their_order():
    shuffled = numbered([0, 2, 1, 0, 1, 2, 0, 1])
    assert numbers(some_of(shuffled, 3)) == [0, 1, 2]
    assert numbers(some_of(shuffled, 3, offset=2)) == [2, 3, 4]
    assert numbers(some_of(shuffled, None, offset=6)) == [6, 7]
    assert numbers(some_of(shuffled, 100)) == list(range(8))


@pytest.mark.parametrize("start", [0, 17, 80])
def test_every_stretch_of_the_even_order_has_the_share_of_each_class(start):
    labels = torch.tensor([0] * 10 + [1] * 60 + [2] * 50)
    order = even_order(labels)
    assert sorted(order.tolist()) == list(range(120))
    counts = labels[order[start : start + 24]].bincount(minlength=3)
    assert (counts - torch.tensor([2, 12, 10])).abs().max() <= 1


def test_the_same_images_are_drawn_each_time_and_not_the_first_of_each_class():
    photos = numbered([0] * 30 + [1] * 30)
    assert numbers(some_of(photos, 10)) == numbers(some_of(photos, 10)) == sorted(numbers(some_of(photos, 10)))
    assert numbers(some_of(photos, 10)) != [0, 1, 2, 3, 4, 30, 31, 32, 33, 34]


def test_the_rarest_class_is_among_as_many_images_as_there_are_classes():
    assert some_of(numbered([0] * 50 + [1] * 49 + [2]), 3).labels.tolist() == [0, 1, 2]


def test_images_that_would_lack_a_class_are_refused():
    with pytest.raises(InputError, match=r"watch_images=2: photos comes class by class.*none of c; ask for 3"):
        some_of(numbered([0, 0, 1, 1, 2, 2]), 2, what="watch_images")


def test_a_class_that_the_whole_domain_lacks_is_not_missed():
    assert some_of(numbered([0, 0, 2, 2]), 2).labels.tolist() == [0, 2]
