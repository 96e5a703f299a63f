"""Accuracy per class, the confusion matrix, and the images a model gets wrong."""

import pytest
import torch
from torch import nn

import unseen
from unseen.base.labels import VOID
from unseen.errors import InputError
from unseen.scoring.mistakes import missing_classes

PETS = ("cat", "dog", "fox")


def identity():
    """A head that gives back what enters it."""
    head = nn.utils.skip_init(nn.Linear, 3, 3, bias=False)
    nn.init.eye_(head.weight)
    return head


class Says(nn.Module):
    """Answers with the class that an image's first pixel says, in tenths, and is as sure as the second says."""

    def __init__(self):
        super().__init__()
        self.head = identity()

    def forward(self, x):
        answer, sure = (x[:, 0, 0, 0] * 10).round().long(), x[:, 0, 0, 1:2] * 10
        return self.head(nn.functional.one_hot(answer, 3) * sure)


def pets(labels, answers, sure=None):
    images = torch.zeros(len(labels), 1, 2, 2)
    images[:, 0, 0, 0] = torch.tensor(answers) / 10
    images[:, 0, 0, 1] = torch.tensor(sure or [0.5] * len(labels))
    return unseen.Domain("pets", images, torch.tensor(labels), PETS)


def test_a_confusion_counts_what_was_taken_for_what():
    found = unseen.confusion(Says(), pets([0, 0, 0, 1, 1, 2], [0, 1, 1, 1, 0, 2]))
    assert found.matrix.tolist() == [[1, 2, 0], [1, 1, 0], [0, 0, 1]]
    assert found.accuracy == pytest.approx(0.5)
    assert found.per_class == {"cat": pytest.approx(1 / 3), "dog": 0.5, "fox": 1.0}
    assert found.mistakes() == [("cat", "dog", 2), ("dog", "cat", 1)]
    assert found.mistakes(1) == [("cat", "dog", 2)]


def test_it_agrees_with_evaluate(make_net, make_bars):
    net, domain = make_net("normalized"), make_bars("bars", 30, seed=3)
    found = unseen.confusion(net, domain, batch=7)
    assert found.accuracy == unseen.evaluate(net, domain)
    assert len(found.wrong) == 30 - int(found.matrix.diagonal().sum())


def test_the_surest_mistake_comes_first():
    found = unseen.confusion(Says(), pets([0, 0, 0, 1], [1, 0, 2, 0], [0.2, 0.9, 0.4, 0.3]))
    assert found.wrong.tolist() == [2, 3, 0]


def test_a_class_that_a_domain_has_none_of_is_named_and_not_scored():
    found = unseen.confusion(Says(), pets([0, 0, 2], [0, 1, 2]))
    assert found.per_class["dog"] is None
    assert found.missing == missing_classes(pets([0, 0, 2], [0, 1, 2])) == ("dog",)
    assert str(found) == (
        "pets: 66.7% of 3 right\n  cat   50.0% of 2\n  dog  none there\n  fox  100.0% of 1\n  1 of cat taken for dog"
    )


def test_an_ensemble_has_a_confusion_too(make_net, make_bars):
    domain, ensemble = make_bars("bars", 12), unseen.Ensemble([make_net(seed=0), make_net(seed=1)])
    assert unseen.confusion(ensemble, domain).accuracy == unseen.evaluate(ensemble, domain)


def test_of_masks_pixels_are_counted_and_the_worst_image_comes_first():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(3, 2, 1))
        images = torch.rand(3, 3, 4, 4)
    given = net(images).argmax(1)
    masks = given.clone().byte()
    masks[1, 0], masks[2, :2] = 1 - masks[1, 0], 1 - masks[2, :2]
    masks[0, 0, 0] = VOID
    found = unseen.confusion(net, unseen.Domain("street", images, masks, ("road", "sky")))
    assert found.matrix.sum() == 47
    assert found.matrix.diagonal().sum() == 47 - 4 - 8
    assert found.wrong.tolist() == [2, 1]


def test_progress_is_told_the_size_of_each_batch(make_net, make_bars):
    seen = []
    unseen.evaluate(make_net(), make_bars("bars", 10), batch=4, progress=seen.append)
    assert seen == [4, 4, 2]


@pytest.mark.parametrize("wrapped", [True, False], ids=["the split", "the model itself"])
def test_a_network_that_was_fit_refuses_other_classes(wrapped):
    model, source = Says(), pets([0, 1, 2], [0, 1, 2])
    unseen.fit(model, source, unseen.ERM(T=1, batch=2))
    net = unseen.split(model) if wrapped else model
    assert 0 <= unseen.evaluate(net, source) <= 1
    reordered = unseen.Domain("others", source.images, source.labels, ("dog", "cat", "fox"))
    lacking = unseen.Domain("few", source.images[:2], source.labels[:2], ("cat", "fox"))
    for target in (reordered, lacking):
        for measure in (unseen.evaluate, unseen.confusion):
            with pytest.raises(InputError, match=r"its classes are .*; expected those of the source, cat, dog, fox"):
                measure(net, target)
    assert 0 <= unseen.evaluate(net, (source.images, source.labels)) <= 1, "numbers have no names to compare"


def test_a_new_head_knows_no_classes():
    model, source = Says(), pets([0, 1, 2], [0, 1, 2])
    assert unseen.fit(model, source, unseen.ERM(T=1, batch=2)).net.classes == PETS
    model.head = identity()
    assert unseen.split(model).classes is None
