"""Selection rules: hand-made scores, ties, and a slow twin of each."""

import math
from itertools import permutations

import pytest
import torch
from reference.rules import TWINS

from unseen.ensembles.rules import RULES, Choice, Selection, SurestImage, SurestRegion, as_rule
from unseen.errors import InputError

every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)


def random_scores(*shape, seed=0):
    return 4 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def of_shares(*members):
    """The scores of one sample whose softmax is, for each member, the shares given."""
    return torch.tensor(members, dtype=torch.float64).log().unsqueeze(1)


def first(choice):
    return int(choice.classes[0]), int(choice.member[0]), pytest.approx(float(choice.confidence[0]))


# Member 0 is the surest by softmax, 1 has the greatest score, 2 the greatest lead, 3 the least entropy.
SURE_BY_SOFTMAX = [math.log(0.60), math.log(0.20), math.log(0.20), -30.0]
GREAT_SCORE = [9.0, 9.0, 9.0, 8.0]
GREAT_LEAD = [math.log(0.06), math.log(0.59), math.log(0.175), math.log(0.175)]
LEAST_ENTROPY = [-30.0, -30.0, math.log(0.42), math.log(0.58)]


@pytest.mark.parametrize(
    ("name", "answer", "member", "confidence"),
    [
        ("greatest-softmax", 0, 0, 0.60),
        ("greatest-score", 0, 1, math.exp(9) / (3 * math.exp(9) + math.exp(8))),
        ("greatest-margin", 1, 2, 0.59),
        ("least-entropy", 3, 3, 0.58),
    ],
)
def test_each_selection_has_a_member_of_its_own(name, answer, member, confidence):
    scores = torch.tensor([SURE_BY_SOFTMAX, GREAT_SCORE, GREAT_LEAD, LEAST_ENTROPY])[:, None]
    assert first(RULES[name](scores)) == (answer, member, confidence)


@pytest.mark.parametrize(
    ("members", "answer", "member", "confidence"),
    [
        ([[0.9, 0.1], [0.3, 0.7], [0.4, 0.6]], 0, 0, 1.6 / 3),
        ([[0.55, 0.45], [0.3, 0.7]], 1, 1, 1.15 / 2),
        ([[0.4, 0.3, 0.3], [0.0, 0.5, 0.5], [0.3, 0.35, 0.35]], 1, 1, 1.15 / 3),
    ],
    ids=["one sure member outweighs two", "the surer of two", "the lowest of equal classes"],
)
def test_the_mean_of_softmax_is_answered_by_the_member_surest_of_its_class(members, answer, member, confidence):
    assert first(RULES["mean-softmax"](of_shares(*members))) == (answer, member, confidence)


@pytest.mark.parametrize(
    ("members", "answer", "member", "confidence"),
    [
        ([[0.9, 0.1], [0.3, 0.7], [0.4, 0.6]], 1, 1, 2 / 3),
        ([[0.6, 0.4, 0.0], [0.1, 0.8, 0.1]], 1, 1, 1 / 2),
        ([[0.6, 0.4, 0.0], [0.1, 0.1, 0.8], [0.2, 0.7, 0.1]], 1, 2, 1 / 3),
    ],
    ids=["most votes", "a tie goes to the surer", "three ways: the greatest mean"],
)
def test_a_majority_is_answered_by_its_surest_voter(members, answer, member, confidence):
    assert first(RULES["majority-vote"](of_shares(*members))) == (answer, member, confidence)


@every_rule
@pytest.mark.parametrize("shape", [(7, 200, 10), (2, 50, 2), (1, 50, 4), (3, 9, 5, 4, 2)], ids=str)
def test_a_rule_does_what_its_slow_twin_does(rule, shape):
    scores = random_scores(*shape)
    choice = rule(scores)
    samples = scores.double().movedim(2, -1).flatten(1, -2).transpose(0, 1).tolist()
    expected = [TWINS[rule.name](sample) for sample in samples]
    assert choice.classes.shape == choice.member.shape == choice.confidence.shape == (shape[1], *shape[3:])
    assert choice.classes.flatten().tolist() == [answer for answer, _, _ in expected]
    assert choice.member.flatten().tolist() == [member for _, member, _ in expected]
    assert choice.confidence.flatten().tolist() == pytest.approx([sure for _, _, sure in expected], abs=1e-6)


def test_every_rule_has_a_twin():
    assert RULES.keys() == TWINS.keys()
    assert all(rule.name == name for name, rule in RULES.items())


@every_rule
def test_one_member_answers_as_it_would_alone(rule):
    scores = random_scores(1, 30, 6)
    choice = rule(scores)
    assert torch.equal(choice.classes, scores[0].argmax(1))
    assert not choice.member.any()


@every_rule
def test_the_order_of_the_members_changes_nothing_but_their_numbers(rule):
    scores = random_scores(4, 60, 5)
    choice = rule(scores)
    for order in permutations(range(4)):
        other = rule(scores[list(order)])
        assert torch.equal(other.classes, choice.classes)
        assert torch.equal(other.confidence, choice.confidence)
        assert torch.equal(torch.tensor(order)[other.member], choice.member)


@every_rule
def test_an_exact_tie_goes_to_the_lowest_class_in_whatever_order_the_members_come(rule):
    tied = torch.tensor([[0.0, 3.0, 0.0], [0.0, 0.0, 3.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [3.0, 0.0, 0.0]])
    for order in permutations(range(5)):
        choice = rule(tied[list(order), None])
        assert int(choice.classes[0]) == 0
        assert int(choice.member[0]) == min(order.index(2), order.index(4))


def test_members_whose_softmax_rounds_to_one_are_still_told_apart():
    """A float32 softmax is exactly 1 for both: without log-odds, the first member would always win."""
    scores = torch.tensor([[[20.0, 0.0, 0.0]], [[0.0, 30.0, 0.0]]])
    assert scores.softmax(2).amax(2).tolist() == [[1.0], [1.0]]
    for name in ("greatest-softmax", "least-entropy"):
        assert first(RULES[name](scores)) == (1, 1, 1.0)


@pytest.mark.parametrize("name", ["greatest-softmax", "greatest-score", "greatest-margin", "least-entropy"])
def test_the_slightly_surer_of_two_sure_members_answers(name):
    lead = torch.arange(5, 40, 0.25)
    scores = torch.stack([lead, lead + 0.01])[:, :, None] * torch.tensor([1.0, 0.0, 0.0])
    assert (RULES[name](scores).member == 1).all()


def test_the_entropy_is_not_lost_in_float32():
    """There the first member's best softmax is rounded up and the second's down, by more than they differ."""
    spread, narrow = [0.0, *[math.log(5.8e-8 / 4)] * 4], [0.0, math.log(6.2e-8), -40.0, -40.0, -40.0]
    assert int(RULES["least-entropy"](torch.tensor([spread, narrow])[:, None]).member) == 1


@every_rule
def test_a_constant_added_to_a_members_scores_matters_to_the_greatest_score_alone(rule):
    scores = random_scores(3, 80, 4)
    moved = rule(scores + torch.tensor([0.0, 100.0, -100.0])[:, None, None])
    same = torch.equal(moved.member, rule(scores).member)
    assert same == (rule.name != "greatest-score")


@every_rule
def test_classes_that_a_member_rules_out_and_a_single_class_are_fine(rule):
    scores = random_scores(3, 20, 4)
    scores[:, :, 2] = -torch.inf
    choice = rule(scores)
    assert not (choice.classes == 2).any()
    assert choice.confidence.isfinite().all()
    alone = rule(scores[:, :, :1])
    assert (alone.classes == 0).all()
    assert (alone.confidence == 1).all()


@every_rule
def test_scores_in_bf16_and_float64_are_taken(rule):
    scores = random_scores(3, 20, 4).bfloat16()
    in_bf16, in_float64 = rule(scores), rule(scores.double())
    assert in_bf16.confidence.dtype == torch.float32
    assert torch.equal(in_bf16.classes, in_float64.classes)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf], ids=str)
@every_rule
def test_a_member_without_usable_scores_is_named(rule, bad):
    scores = random_scores(4, 20, 3)
    scores[1, 7, 2] = scores[3, 0, 0] = bad
    with pytest.raises(InputError, match=r"scores of member 1, 3 \(counted from 0\) are NaN or infinite"):
        rule(scores)


@pytest.mark.parametrize(
    "scores",
    [torch.zeros(4, 10), torch.zeros(0, 4, 10), torch.zeros(2, 4, 0), torch.zeros(2, 4, 10, dtype=torch.long)],
    ids=["one network's", "no member", "no class", "whole numbers"],
)
def test_scores_of_another_form_are_refused_with_the_form_expected(scores):
    with pytest.raises(InputError, match=r"expected floats \(members, N, classes, \.\.\.\)"):
        RULES["mean-softmax"](scores)


@every_rule
def test_no_samples_give_no_answers(rule):
    choice = rule(torch.zeros(2, 0, 3))
    assert choice.classes.shape == choice.member.shape == choice.confidence.shape == (0,)


def test_a_rule_is_found_by_its_name_and_a_slip_is_met_with_the_nearest():
    assert as_rule("greatest-score") == RULES["greatest-score"] == as_rule(RULES["greatest-score"])
    with pytest.raises(InputError, match=r'rule="greatest-sofmax".*did you mean "greatest-softmax"\?'):
        as_rule("greatest-sofmax")
    with pytest.raises(InputError, match=r"known are greatest-margin, .*, surest-region$"):
        as_rule("xyz")


def test_a_rule_of_ones_own_needs_only_its_certainty():
    class LeastScore(Selection):
        name = "least-score"

        def certainty(self, scores):
            return -scores.amax(2)

    choice = LeastScore()(torch.tensor([[[5.0, 0.0]], [[0.0, 2.0]]]))
    assert isinstance(choice, Choice)
    assert first(choice)[:2] == (1, 1)


PIXELS = (3, 2, 4, 9, 16)


def by_hand(scores, window):
    """For each pixel, the member with the greatest mean best softmax over the pixels of its window that exist."""
    sure = scores.double().softmax(2).amax(2)
    members, images, height, width = sure.shape
    chosen = torch.zeros(images, height, width, dtype=torch.long)
    for i in range(images):
        for r in range(height):
            for c in range(width):
                rows, columns = slice(max(r - window, 0), r + window + 1), slice(max(c - window, 0), c + window + 1)
                chosen[i, r, c] = max(range(members), key=lambda u, w=(i, rows, columns): float(sure[(u, *w)].mean()))
    return chosen


@pytest.mark.parametrize(
    ("rule", "window"),
    [(SurestImage(), 100), (SurestRegion(), 0), (SurestRegion(share=0.5), 2), (SurestRegion(share=1.0), 4)],
    ids=["image", "a pixel", "a region of five", "a region of nine"],
)
def test_rules_for_pixels_pick_the_member_surest_of_the_window(rule, window):
    scores = random_scores(*PIXELS)
    choice = rule(scores)
    assert torch.equal(choice.member, by_hand(scores, window))
    assert torch.equal(choice.classes, scores.argmax(2).gather(0, choice.member[None])[0])


def test_a_rule_for_pixels_answers_an_image_by_its_own_pixels_alone():
    scores = random_scores(*PIXELS)
    for name in ("surest-image", "surest-region"):
        rule = as_rule(name)
        assert torch.equal(rule(scores).classes[1:], rule(scores[:, 1:]).classes)


@pytest.mark.parametrize("name", ["surest-image", "surest-region"])
def test_a_rule_for_pixels_refuses_scores_without_pixels(name):
    with pytest.raises(InputError, match=rf"{name} is a rule for pixels: .*\(2, 5, 3\), expected \(members, N"):
        as_rule(name)(random_scores(2, 5, 3))
