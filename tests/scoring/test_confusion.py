import math

import numpy as np
import pytest
import torch
from sklearn.metrics import jaccard_score

from unseen.base.labels import VOID
from unseen.scoring.confusion import confusion, iou, miou


def slow_iou(answers, labels, classes):
    """The obvious twin: sets of pixel positions for each class."""
    found, labelled = [], (labels.flatten() != VOID).tolist()
    for k in range(classes):
        truth = {i for i, label in enumerate(labels.flatten().tolist()) if label == k}
        given = {i for i, answer in enumerate(answers.flatten().tolist()) if answer == k and labelled[i]}
        found.append(len(truth & given) / len(truth | given) if truth | given else math.nan)
    return found


def drawn(seed, classes=5, void=0.2, shape=(3, 8, 9)):
    draw = torch.Generator().manual_seed(seed)
    labels = torch.randint(classes, shape, generator=draw, dtype=torch.uint8)
    labels[torch.rand(shape, generator=draw) < void] = VOID
    return torch.randint(classes, shape, generator=draw), labels


@pytest.mark.parametrize("seed", range(10))
def test_it_agrees_with_sets_of_pixels_and_with_scikit_learn(seed):
    answers, labels = drawn(seed)
    matrix = confusion(answers, labels, 5).sum(0)
    assert iou(matrix).tolist() == pytest.approx(slow_iou(answers, labels, 5))
    kept = labels != VOID
    theirs = jaccard_score(labels[kept].numpy(), answers[kept].numpy(), average="macro", labels=np.arange(5))
    assert miou(matrix) == pytest.approx(theirs)


ABSENT = torch.tensor([[[0, 0, 1, 1]]])


@pytest.mark.parametrize(
    ("answers", "labels", "classes", "expected"),
    [
        pytest.param(ABSENT, ABSENT, 4, [1, 1, math.nan, math.nan], id="perfect, two classes absent from both"),
        pytest.param(ABSENT, torch.tensor([[[0, 0, 0, 0]]]), 2, [0.5, 0], id="a class only answered counts as 0"),
        pytest.param(torch.zeros_like(ABSENT), ABSENT, 2, [0.5, 0], id="a class only in the truth counts as 0"),
        pytest.param(ABSENT, torch.full((1, 1, 4), VOID), 2, [math.nan, math.nan], id="void only"),
        pytest.param(torch.zeros(1, 1, 4), torch.zeros(1, 1, 4), 1, [1], id="one class"),
        pytest.param(
            ABSENT, torch.tensor([[[VOID, 0, VOID, VOID]]]), 2, [1, math.nan], id="answers on void don't count"
        ),
    ],
)
def test_degenerate_cases(answers, labels, classes, expected):
    matrix = confusion(answers, labels.to(torch.uint8), classes).sum(0)
    assert iou(matrix).tolist() == pytest.approx(expected, nan_ok=True)
    known = [value for value in expected if not math.isnan(value)]
    assert miou(matrix) == pytest.approx(sum(known) / len(known) if known else math.nan, nan_ok=True)


def test_matrices_of_parts_add_up_to_that_of_the_whole():
    answers, labels = drawn(0, shape=(6, 4, 4))
    whole = confusion(answers, labels, 5)
    parts = [confusion(answers[rows], labels[rows], 5) for rows in (slice(0, 2), slice(2, 6))]
    assert torch.equal(torch.cat(parts), whole)
    assert int(whole.sum()) == int((labels != VOID).sum())


def test_the_mean_over_a_domain_is_not_the_mean_of_its_images():
    labels = torch.tensor([[[0, 0]], [[0, 1]]], dtype=torch.uint8)
    answers = torch.tensor([[[0, 0]], [[0, 0]]])
    matrices = confusion(answers, labels, 2)
    assert miou(matrices.sum(0)) == pytest.approx((3 / 4 + 0) / 2)
    assert sum(map(miou, matrices)) / 2 == pytest.approx((1 + 0.25) / 2)
