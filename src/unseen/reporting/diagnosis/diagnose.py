"""``diagnose``: what the theory says about a finished run."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import torch
from torch import nn

from unseen.base.extras import require
from unseen.base.imports import model_code
from unseen.data.domain import Domain, Source, as_domain
from unseen.errors import InputError
from unseen.method.cost import squared_distance
from unseen.method.settings import ADA, COST_SPACES
from unseen.models.split import Split
from unseen.reporting.diagnosis.baseline import baseline_run, finished_run, other_differences
from unseen.reporting.diagnosis.matching import pair, sample_source
from unseen.reporting.diagnosis.networks import MatchedData, measure_network
from unseen.reporting.diagnosis.record import Diagnosis, save
from unseen.reporting.diagnosis.rounds import read_rounds
from unseen.reporting.finished.methods import FinishedRun
from unseen.reporting.finished.sources import held_out_of, source_of, unseen_among
from unseen.runs.loading import load, need_job
from unseen.runs.rounds import MOST_CLASSES
from unseen.theory.head import linear_head, paper_gamma

_NETWORK = "net=, its network, with any weights (on the command line --model FILE.py:FUNCTION)"


def diagnose(
    folder: str | PathLike[str],
    targets: Domain | str | Sequence[Domain | str] = (),
    *,
    plain: str | PathLike[str] | None = None,
    net: Split | nn.Module | None = None,
    source: Source | None = None,
    run_model_code: bool = False,
) -> Diagnosis:
    """What the theory says about the finished run in ``folder``; also saved there, in ``diagnosis.json``.

    How far its rounds went and how much of the attainable surrogate they reached, its gamma against the smoothness of
    the trained network's loss, the size of the regularizer, the certificate's curve, and the distance of each of the
    ``targets`` (domains or their names) from the source in the network's features. The same is measured for
    an ERM run: ``plain``, or one in the same folder that differs in its rounds only.

    A run that was started from Python needs ``net``, its network with any weights, and ``source``, what it trained on.
    ``run_model_code`` is as in ``load``.
    """
    with model_code(run_model_code):
        return _diagnosis(folder, targets, plain, net, source)


def _diagnosis(
    folder: str | PathLike[str],
    targets: Domain | str | Sequence[Domain | str],
    plain: str | PathLike[str] | None,
    net: Split | nn.Module | None,
    source: Source | None,
) -> Diagnosis:
    run = finished_run(Path(folder))
    _refuse_many_classes(run)
    baseline = baseline_run(run, Path(plain) if plain is not None else None)
    trained_on = _source(run, source)
    trained, ada = _trained(run, net), run.config.ada
    features = linear_head(trained).weight.shape[1]
    no_gamma = _no_gamma(ada)
    gamma = None if no_gamma else paper_gamma(ada, features)
    data = _matched_data(run, trained_on, [targets] if isinstance(targets, str | Domain) else targets)
    diagnosis = Diagnosis(
        source=data.source.name,
        sha256=data.source.fingerprint,
        classes=len(data.source.classes),
        images=len(data.source),
        used=len(data.rows),
        length=_length(data),
        gamma_set=ada.gamma,
        scale=ada.scale,
        gamma=gamma,
        no_gamma=no_gamma,
        rounds=read_rounds(run.metrics, ada, features),
        model=measure_network(trained, run, data, gamma),
        plain=measure_network(_trained(baseline, net), baseline, data, gamma) if baseline else None,
        plain_given=plain is not None,
        plain_apart=other_differences(run, baseline) if baseline else (),
    )
    save(run.folder, diagnosis)
    return diagnosis


def _refuse_many_classes(run: FinishedRun) -> None:
    """Refuse what would take days: the theory's solver takes time by the cube of the classes, for each image."""
    classes = len(run.config.source.classes)
    if classes > MOST_CLASSES:
        raise InputError(
            f"{run.folder} has {classes:,} classes: the theory's supremum takes time by their cube, here days; "
            f"expected {MOST_CLASSES} or fewer; evaluate and report work with any number, and metrics.jsonl has what "
            "each round did"
        )


def _trained(run: FinishedRun, net: Split | nn.Module | None) -> Split:
    """The run's network with its weights; one that is given is left as it is."""
    if net is None and run.config.job is None:
        raise InputError(f"{run.folder} was started from Python: expected {_NETWORK}")
    return load(run.folder, copy.deepcopy(net))


def _no_gamma(ada: ADA) -> str:
    """Why a run has no gamma that the theory knows; empty where it has one."""
    if ada.K == 0:
        return "ERM makes no fictitious images, so nothing weighs their distance"
    if (space := COST_SPACES[ada.cost]) != "features":
        return f"this run weighs distances in {space}, and the theory is about distances in features"
    if ada.ascended is not None:
        return "this run's ascent moves transformations, which reach a part of the features; the theory is about all"
    if ada.entropy:
        return "this run's ascent also raises the entropy, and the theory is about loss - gamma x distance alone"
    return "" if ada.gamma else "gamma is 0, so nothing holds the fictitious images back and no worst case is finite"


def _source(run: FinishedRun, given: Source | None) -> Domain:
    classes = len(run.config.source.classes)
    return source_of(run, as_domain(given, classes=classes) if given is not None else None, _NETWORK)


def _matched_data(run: FinishedRun, source: Domain, targets: Sequence[Domain | str]) -> MatchedData:
    held_out = held_out_of(run, source)
    named = [_domain(run, target, source) for target in targets]
    domains = [*((d, False) for d in unseen_among(source, held_out, named)), *((d, True) for d in held_out)]
    masked = [domain.name for domain in [source, *named] if domain.segmented]
    if masked:
        raise InputError(f"{', '.join(masked)}: labels are masks; expected one label for each image")
    if domains:
        require("scipy.optimize", "theory")  # before anything is computed
    rows = sample_source(source)
    paired = [(domain, pair(source.labels[rows], domain, source.classes), known) for domain, known in domains]
    return MatchedData(source, rows, tuple(paired))


def _domain(run: FinishedRun, target: Domain | str, source: Domain) -> Domain:
    if isinstance(target, Domain):
        return target
    return need_job(run.config.job, run.folder).load_target(target, source.classes)


def _length(data: MatchedData) -> float:
    images = data.source.images[data.rows]
    return float(squared_distance(images, torch.zeros_like(images[:1])).sqrt().mean())
