"""Ensembles on street scenes: every rule on the same scores, batch by batch, since a domain's fill the memory."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from unseen.data.domain import Domain, as_domain
from unseen.engine import evaluation_batch
from unseen.ensembles.ensemble import Ensemble
from unseen.ensembles.rules import PIXEL_RULES
from unseen.reporting.evaluation import Score
from unseen.scoring.confusion import confusion, iou, miou


def pixel_scores(ensemble: Ensemble, domain: Domain) -> dict[str, Score]:
    """The mIoU of the ensemble on a domain whose labels are masks, under every rule: what ``evaluate`` gives for each.

    The members answer once for all rules, and of a batch's scores only the confusion matrices stay.
    """
    classes = ensemble.count_classes(domain.images)
    as_domain(domain, classes=classes)
    matrices = {name: torch.zeros(classes, classes, dtype=torch.long) for name in PIXEL_RULES}
    batch = evaluation_batch(domain.images[:1])
    for images, labels in zip(torch.split(domain.images, batch), torch.split(domain.labels, batch), strict=True):
        scores = ensemble.scores(images, batch=len(images))
        for name, rule in PIXEL_RULES.items():
            matrices[name] += confusion(rule(scores).classes, labels, classes).sum(0)
    return {name: _score(domain, matrix) for name, matrix in matrices.items()}


def _score(domain: Domain, matrix: Tensor) -> Score:
    each = [None if math.isnan(value) else value for value in iou(matrix).tolist()]
    return Score(domain.name, len(domain), domain.fingerprint, miou=miou(matrix), iou=each)
