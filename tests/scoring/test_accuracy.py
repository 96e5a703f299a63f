import copy

import pytest
import torch
from torch import nn

from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.models.split import split
from unseen.scoring.accuracy import evaluate, hits, raw_scores, softmax_scores


class Reads(nn.Module):
    """Its scores are the first four pixels of an image."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4, bias=False, device="meta").to_empty(device="cpu")
        with torch.no_grad():
            self.head.weight.copy_(torch.eye(4))

    def forward(self, x):
        return self.head(x[:, 0, 0, :4])


def told_to_predict(predictions):
    images = torch.zeros(len(predictions), 1, 4, 4)
    for i, label in enumerate(predictions):
        images[i, 0, 0, label] = 1.0
    return images


@pytest.mark.parametrize(
    ("predicted", "labels", "accuracy"),
    [([0, 1, 2, 3], [0, 1, 2, 3], 1.0), ([0, 1, 2, 3], [1, 2, 3, 0], 0.0), ([0, 1, 2, 2, 2], [0, 1, 1, 2, 3], 0.6)],
    ids=["all right", "all wrong", "three of five"],
)
def test_accuracy_is_the_share_of_right_predictions(predicted, labels, accuracy):
    assert evaluate(Reads(), (told_to_predict(predicted), torch.tensor(labels))) == accuracy


@pytest.mark.parametrize("batch", [1, 5, 7, 24, 256])
def test_accuracy_is_that_of_a_hand_computation_whatever_the_batch(make_net, digits, batch):
    (x, y), net = digits, make_net("normalized").train()
    with torch.no_grad():
        right = sum(int(copy.deepcopy(net).eval()(x[i : i + 1]).argmax()) == int(y[i]) for i in range(len(x)))
    assert evaluate(net, (x, y), batch=batch) == right / len(x)
    assert 0 < right < len(x)


def test_a_domain_a_pair_and_a_split_are_all_taken(make_net, digits):
    net, domain = make_net(), Domain("bars", *digits, tuple("abcd"))
    assert evaluate(net, digits) == evaluate(net, domain) == evaluate(split(net), domain)


def test_evaluating_leaves_the_model_as_it_was(make_net, digits):
    net = make_net("normalized").train()
    net[1].eval()
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    modes = [m.training for m in net.modules()]
    evaluate(net, digits)
    assert [m.training for m in net.modules()] == modes
    assert all(p.requires_grad and p.grad is None for p in net.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in net.state_dict().items())


def test_softmax_scores_sum_to_one_and_carry_no_gradient(make_net, digits):
    net = split(make_net())
    scores = softmax_scores(net, digits[0], batch=7)
    assert scores.shape == (24, 4)
    assert not scores.requires_grad
    torch.testing.assert_close(scores, net(digits[0]).softmax(1).detach())
    torch.testing.assert_close(scores.sum(1), torch.ones(24))


def test_a_target_with_more_classes_than_the_model_is_refused(make_net, digits):
    x, y = digits
    with pytest.raises(InputError, match=r"target: labels lie in 1\.\.4, expected 0\.\.3 \(the model gives 4 scores\)"):
        evaluate(make_net(), (x, y + 1))


@pytest.mark.parametrize("batch", [None, 7])
def test_raw_scores_are_the_models_before_any_softmax(make_net, digits, batch):
    net = split(make_net("normalized").train())
    scores = raw_scores(net, digits[0], batch=batch)
    assert not scores.requires_grad
    torch.testing.assert_close(scores, copy.deepcopy(net).eval()(digits[0]).detach())
    assert torch.equal(hits(net, *digits, batch=batch), scores.argmax(1) == digits[1])


def test_what_is_no_network_is_refused(digits):
    with pytest.raises(InputError, match=r"expected a torch\.nn\.Module, got str"):
        evaluate("runs/a", digits)
