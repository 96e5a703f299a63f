"""A trained network, measured on the source and on other domains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from unseen.data.domain import Domain
from unseen.engine import evaluation_batch, to_host
from unseen.errors import InputError
from unseen.method.cost import softmax_loss, squared_distance
from unseen.models.split import Split
from unseen.reporting.diagnosis.matching import Pairing, transport
from unseen.reporting.diagnosis.record import MeasuredDomain, MeasuredNetwork, weights_digest
from unseen.reporting.evaluation import score_run
from unseen.reporting.finished.methods import FinishedRun, read_methods
from unseen.theory.certificate import certify
from unseen.theory.head import Samples, look
from unseen.theory.solve import solve
from unseen.theory.surrogate import pull

SHARES = tuple(m * 10.0**e for e in range(-4, 1) for m in (1, 2, 5))
"""The radii of the certificate's curve, as shares of the features' spread."""


@dataclass(frozen=True)
class MatchedData:
    """What every network is measured on: images of the source, and domains paired with them."""

    source: Domain
    rows: Tensor
    domains: tuple[tuple[Domain, Pairing, bool], ...]
    """each domain, its pairing with the rows, and whether it is held-out source"""


def measure_network(net: Split, run: FinishedRun, data: MatchedData, gamma: float | None) -> MeasuredNetwork:
    """A run's network, measured; its accuracies are saved in the run's folder, as ``evaluate`` saves them."""
    at = features_at(net, data.source, data.rows)
    spread = _spread(at, data.source)
    known = at.head.constants
    curve = certify(at.scores, at.y, at.head.gram, [share * spread for share in SHARES])
    return MeasuredNetwork(
        label=read_methods([run.folder])[0].label,
        folder=str(run.folder),
        seed=run.seed,
        weights=weights_digest(run.folder),
        features=at.head.weight.shape[1],
        L1=known.L1,
        L_theta=known.L_theta,
        spread=spread,
        regularizer=float(pull(at.scores, at.y, at.head).mean()),
        surrogate=_surrogate(at, gamma) if gamma is not None else None,
        curve=curve,
        domains=tuple(_distances(net, run.folder, at, data)),
        selection=run.selection,
    )


@torch.no_grad()
def features_at(net: Split, domain: Domain, rows: Tensor) -> Samples:
    """The features, scores and labels of these rows of a domain, in float64."""
    batches = torch.split(rows, evaluation_batch(domain.images[:1]))
    seen = [look(net, domain.images[batch], domain.labels[batch], torch.float64) for batch in batches]
    z0, scores, y = (torch.cat([to_host(getattr(each, name)) for each in seen]) for name in ("z0", "scores", "y"))
    return Samples(z0, scores, y, seen[0].head)


def _spread(at: Samples, source: Domain) -> float:
    spread = float(squared_distance(at.z0, at.z0.mean(0, keepdim=True)).mean()) / 2
    if spread == 0:
        raise InputError(
            f"the network gives every image of {source.name} the same features, so there is no distance to measure; "
            "expected one that has learned something"
        )
    return spread


def _surrogate(at: Samples, gamma: float) -> tuple[float, float]:
    solved = solve(at.scores, at.y, at.head.gram, gamma)
    return float(solved.value.mean()), float(solved.upper.mean())


def _distances(net: Split, folder: Path, at: Samples, data: MatchedData) -> Iterator[MeasuredDomain]:
    scores = score_run(folder, [domain for domain, _, _ in data.domains], net)
    for (domain, pairing, held_out), score in zip(data.domains, scores, strict=True):
        there = features_at(net, domain, torch.cat(pairing.domain))
        clouds = torch.split(there.z0, [len(rows) for rows in pairing.domain])
        costs = [transport(at.z0[rows], cloud) for rows, cloud in zip(pairing.source, clouds, strict=True)]
        matched, radius = torch.cat(pairing.source), float(torch.cat(costs).mean())
        names = [data.source.classes[label] for label in pairing.classes]
        yield MeasuredDomain(
            domain=domain.name,
            sha256=domain.fingerprint,
            held_out=held_out,
            images=len(domain),
            accuracy=score.value,
            matched=len(matched),
            radius=radius,
            classes={name: float(cost.mean()) for name, cost in zip(names, costs, strict=True)},
            loss=float(softmax_loss(there.scores, there.y).mean()),
            bound=certify(at.scores[matched], at.y[matched], at.head.gram, [radius]).bound[0],
        )
