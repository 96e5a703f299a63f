"""Bad input: one message each, with what was expected, what came, and what to do."""

import pytest
import torch
from torch import nn

import unseen
from unseen.errors import InputError
from unseen.theory import (
    certificate,
    constants,
    newton_point,
    paper_gamma,
    regularizer,
    surrogate,
    theorem1_bound,
    theorem2_bracket,
)

from .cases import linear, random_case, trained

NUMBERS = pytest.mark.parametrize("number", [0, 0.0, -1.0, float("nan"), float("inf")])


@pytest.fixture(scope="module")
def case():
    return random_case("4 classes, 3 features", 4, 3)


class Scaled(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, scores):
        return self.factor * scores


def of_a_batch(case, net=None, gamma=100.0, x=None, y=None):
    """Everything that takes a net and samples."""
    net, x, y = net or case.net, case.z0 if x is None else x, case.y if y is None else y
    return {
        "surrogate": lambda: surrogate(net, x, y, gamma),
        "newton_point": lambda: newton_point(net, x, y, gamma),
        "regularizer": lambda: regularizer(net, x, y),
        "theorem2_bracket": lambda: theorem2_bracket(net, x, y, gamma),
    }


BATCHED = pytest.mark.parametrize("what", ["surrogate", "newton_point", "regularizer", "theorem2_bracket"])


@pytest.mark.parametrize("what", ["surrogate", "newton_point", "theorem2_bracket"])
@NUMBERS
def test_a_gamma_that_is_no_positive_number(case, what, number):
    with pytest.raises(InputError, match=rf"gamma={number}: expected a finite number above 0"):
        of_a_batch(case, gamma=number)[what]()


@NUMBERS
def test_a_tolerance_that_is_no_positive_number(case, number):
    with pytest.raises(InputError, match=rf"tolerance={number}: expected a finite number above 0"):
        surrogate(case.net, case.z0, case.y, 1.0, tolerance=number)


def test_all_of_them_at_once(case):
    with pytest.raises(InputError, match=r"(?s)2 problems.*gamma=-1.*tolerance=0"):
        surrogate(case.net, case.z0, case.y, -1, tolerance=0)


@NUMBERS
def test_a_radius_that_is_no_positive_number(number):
    for rho in (number, [0.1, number]):
        with pytest.raises(InputError, match=rf"rho={float(number)}: expected a finite number above 0"):
            certificate(trained().net, trained().heldout, rho)


@pytest.mark.parametrize("epsilon", [-1e-9, float("nan")])
def test_an_epsilon_below_zero(case, epsilon):
    with pytest.raises(InputError, match=rf"epsilon={epsilon}: expected 0 or more"):
        theorem1_bound(case.net, 100.0, epsilon=epsilon)


@pytest.mark.parametrize("times", [0.5, 1.0])
def test_theorem_1_below_L1(case, times):
    gamma = times * case.constants.L1
    with pytest.raises(InputError, match=rf"gamma={gamma:g}: Theorem 1 needs gamma above L1 = "):
        theorem1_bound(case.net, gamma)


def test_a_newton_point_where_the_quadratic_model_has_no_maximum(case):
    middle = torch.linalg.pinv(case.weight) @ -case.net.head(torch.zeros(1, 3, dtype=torch.float64))[0]
    x, y = torch.stack([100 * case.weight[0], middle]), torch.tensor([0, 1])
    message = r"gamma=0.01: the loss curves upwards by .* at sample 1.*expected gamma above .*L1 = "
    with pytest.raises(InputError, match=message):
        newton_point(case.net, x, y, 0.01)
    assert newton_point(case.net, x[:1], y[:1], 0.01).isfinite().all(), "far from the others the loss is flat"


def test_theorem_2_below_the_papers_constant_has_our_bracket_only(case):
    bracket = theorem2_bracket(case.net, case.z0, case.y, 0.99 * case.constants.L_theta)
    assert bracket.stated is None
    assert bracket.proof is None
    assert (bracket.proved.lower <= bracket.proved.upper).all()


@BATCHED
@pytest.mark.parametrize(
    "after",
    [nn.Softmax(dim=1), Scaled(2.0), Scaled(1.005), Scaled(-1.0), nn.ReLU()],
    ids=["Softmax", "twice", "1.005 times", "negated", "ReLU"],
)
def test_something_after_the_head(case, what, after):
    net = linear(case.weight, torch.ones(4, dtype=torch.float64), after=after)
    with pytest.raises(InputError, match=r'after head "1" the model changes the scores.*take out what follows it'):
        of_a_batch(case, net)[what]()


def test_a_softmax_after_a_head_of_tiny_weights(case):
    net = linear(1e-5 * case.weight, after=nn.Softmax(dim=1))
    with pytest.raises(InputError, match='after head "1" the model changes the scores'):
        surrogate(net, case.z0, case.y, 1.0)


def test_a_certificate_for_a_model_with_something_after_the_head(make_net, digits):
    net = nn.Sequential(*make_net(), nn.Softmax(dim=1))
    domain = unseen.Domain("bars", *digits, classes=("0", "1", "2", "3"))
    with pytest.raises(InputError, match=r"after head .* the model changes the scores"):
        certificate(unseen.split(net, head="6"), domain, 1.0)


def heads_that_are_not_linear():
    convolution = nn.utils.skip_init(nn.Conv2d, 3, 4, 8)
    inner = nn.Sequential(nn.ReLU(), nn.utils.skip_init(nn.Linear, 3, 4))
    return {
        "Conv2d": unseen.split(nn.Sequential(nn.Identity(), convolution, nn.Flatten()), head="1"),
        "Sequential": unseen.split(nn.Sequential(nn.Identity(), inner), head="1"),
    }


@pytest.mark.parametrize("kind", ["Conv2d", "Sequential"])
def test_a_head_that_is_not_linear(case, kind):
    net = heads_that_are_not_linear()[kind]
    domain = unseen.Domain("noise", torch.zeros(2, 3, 8, 8), torch.tensor([0, 1]), ("a", "b", "c", "d"))
    calls = [
        *of_a_batch(case, net).values(),
        lambda: constants(net),
        lambda: theorem1_bound(net, 1.0),
        lambda: certificate(net, domain, 1.0),
    ]
    for call in calls:
        with pytest.raises(InputError, match=rf'head "1" is a {kind}, expected torch.nn.Linear.*unseen.split'):
            call()


@BATCHED
def test_labels_out_of_range(case, what):
    with pytest.raises(InputError, match=r"labels lie in 0\.\.4, expected 0\.\.3"):
        of_a_batch(case, x=case.z0[:2], y=torch.tensor([0, 4]))[what]()


@BATCHED
@pytest.mark.parametrize("shape", [(59,), (60, 1), (0,)], ids=["one too few", "a column", "none"])
def test_labels_of_another_length(case, what, shape):
    with pytest.raises(InputError, match=r"60 images but labels of shape \(.*expected one label for each image"):
        of_a_batch(case, y=torch.zeros(shape, dtype=torch.long))[what]()


@BATCHED
def test_a_linear_head_at_each_place(case, what):
    x = case.z0[:, None].expand(-1, 5, -1)
    with pytest.raises(InputError, match=r'what enters head "1" has shape \(60, 5, 3\), expected \(N, 3\)'):
        of_a_batch(case, x=x)[what]()


def test_a_run_whose_gamma_weighs_pixels():
    with pytest.raises(InputError, match='cost="pixel": expected "semantic"'):
        paper_gamma(unseen.ADA(cost="pixel"), 64)


def test_images_that_give_no_finite_scores_are_named_as_such(case):
    with pytest.raises(InputError, match=r"scores are NaN or infinite for some images; expected finite ones"):
        surrogate(case.net, case.z0 * float("nan"), case.y, 1.0)


def test_a_certificate_takes_a_pair_of_tensors():
    net, heldout = trained().net, trained().heldout.head(20)
    assert certificate(net, (heldout.images, heldout.labels), 0.1) == certificate(net, heldout, 0.1)
    with pytest.raises(InputError, match=r"expected data, got the name 'mnist5k-train'"):
        certificate(net, "mnist5k-train", 0.1)
