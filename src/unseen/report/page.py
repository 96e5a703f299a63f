"""One self-contained HTML page about runs: what they compare to, how they trained, what they made and saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unseen.data.catalogue import domain as built_in
from unseen.data.domain import Domain
from unseen.data.require import require
from unseen.errors import InputError
from unseen.evaluation import score_run
from unseen.job import HELD_OUT, job_of, load
from unseen.report import verdicts
from unseen.report.dots import DomainScores, accuracy_chart, difference_chart
from unseen.report.gallery import make_gallery
from unseen.report.methods import FinishedRun, Method, baseline_of, read_methods, unlike
from unseen.report.samples import make_samples
from unseen.report.statistics import mean, wilson
from unseen.report.training import loss_chart, round_summaries, watched_charts
from unseen.report.verdicts import Comparison, compare
from unseen.split import Split
from unseen.storage import write_atomically

if TYPE_CHECKING:
    import jinja2


def write_page(
    folders: Sequence[Path],
    out: Path,
    *,
    targets: Sequence[Domain],
    title: str = "Generalizing to unseen domains",
    source: Domain | None = None,
    load_net: Callable[[Path], Split] | None = None,
) -> Path:
    """Write a page about the finished runs in ``folders`` to ``out``; it needs no network and no other file.

    ``targets`` are the unseen domains to compare on. Runs that were started from Python with a model of their own
    also need ``source``, the domain they trained on, and ``load_net``, which gives a folder's trained network.
    """
    templates = environment()
    out.parent.mkdir(parents=True, exist_ok=True)
    methods = read_methods(folders)
    source = _source_of(methods[0].runs[0], source)
    held_out = _held_out(methods[0].runs[0], source)
    unseen = _unseen(source, held_out, targets)
    scored = _score(methods, unseen, held_out, load_net)
    nets = [(method, (load_net or load)(method.runs[0].folder)) for method in methods]
    content = {
        "title": title,
        "methods": methods,
        "source": source,
        "unseen": unseen,
        "held_out": held_out,
        **_comparison(methods, scored),
        "loss": loss_chart(methods),
        "rounds": round_summaries(methods),
        "watched": watched_charts(methods, [*unseen, *held_out]),
        "galleries": [make_gallery(method, source) for method in methods if method.rounds],
        "samples": [make_samples(domain, nets, source.classes) for domain in unseen],
    }
    write_atomically(out, templates.get_template("page.html").render(content).encode())
    return out


def environment(package: str = "unseen.report") -> jinja2.Environment:
    """The templates of a package, with the report's style sheet and filters."""
    engine = require("jinja2", "report")
    require("PIL.Image", "report")
    made: jinja2.Environment = engine.Environment(
        loader=engine.ChoiceLoader([engine.PackageLoader(name) for name in dict.fromkeys([package, "unseen.report"])]),
        autoescape=True,
        undefined=engine.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "signed": verdicts.signed,
        "span": verdicts.span,
        "listed": verdicts.listed,
        "sentence": verdicts.sentence,
        "curly": lambda text: text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}"),
        "percent": lambda share: f"{100 * share:.1f}",
        "thousands": lambda number: f"{number:,}",
        "short": verdicts.short,
    }
    made.globals |= {"counted": verdicts.counted}
    return made


def _source_of(run: FinishedRun, given: Domain | None) -> Domain:
    recorded = run.config["source"]
    if given is None and run.config["job"] is None:
        raise InputError(
            f"{run.folder} was started from Python: expected source=, the domain it trained on "
            f"({recorded['name']}, {recorded['images']:,} images), and load_net=, which gives its trained network"
        )
    source = given if given is not None else job_of(dict(run.config), run.folder).load_source()
    if source.fingerprint != recorded["sha256"]:
        raise InputError(
            f"{source.name} is not the data that {run.folder} trained on: expected {recorded['images']:,} images with "
            f"SHA-256 {recorded['sha256'][:12]}, got {len(source):,} with {source.fingerprint[:12]}; restore them, or "
            "give them as source="
        )
    return source


def _held_out(run: FinishedRun, source: Domain) -> list[Domain]:
    """The held-out images of the source where such are known, prepared as the run's source was."""
    if source.name not in HELD_OUT:
        return []
    name = HELD_OUT[source.name]
    job = run.config["job"]
    return [built_in(name) if job is None else job_of(dict(run.config), run.folder).load_target(name, source.classes)]


def _unseen(source: Domain, held_out: Sequence[Domain], targets: Sequence[Domain]) -> list[Domain]:
    """The targets that are neither the source nor its held-out images."""
    if any(target.fingerprint == source.fingerprint for target in targets):
        raise InputError(f"targets: {source.name} is what the runs trained on; expected domains they have not seen")
    own = {domain.fingerprint for domain in held_out}
    unseen = [target for target in targets if target.fingerprint not in own]
    names = [domain.name for domain in [*unseen, *held_out]]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"targets: {', '.join(sorted(twice))} is given twice; expected every name once")
    if not unseen:
        raise InputError("targets: expected at least one domain that the runs have not seen, got none")
    return unseen


def _score(
    methods: Sequence[Method],
    unseen: Sequence[Domain],
    held_out: Sequence[Domain],
    load_net: Callable[[Path], Split] | None,
) -> list[DomainScores]:
    """Every run's accuracy on every domain, the unseen ones first."""
    domains = [*unseen, *held_out]
    found: dict[str, dict[str, dict[int, float]]] = {d.name: {m.label: {} for m in methods} for d in domains}
    for method in methods:
        for run in method.runs:
            net = load_net(run.folder) if load_net else None
            for domain, score in zip(domains, score_run(run.folder, domains, net), strict=True):
                found[domain.name][method.label][run.seed] = score.accuracy
    return [DomainScores(d.name, len(d), len(d.classes), found[d.name], d in held_out) for d in domains]


def _comparison(methods: Sequence[Method], scored: Sequence[DomainScores]) -> dict[str, Any]:
    """Every method against the baseline on every domain, as figures and in words."""
    baseline = baseline_of(methods)
    others = [method for method in methods if method is not baseline] if baseline else []
    compared: dict[tuple[str, str], Comparison] = {}
    for domain in scored:
        for method in others:
            assert baseline is not None
            ours, theirs = domain.accuracy[method.label], domain.accuracy[baseline.label]
            compared[domain.name, method.label] = compare(domain.name, method.name, baseline.name, ours, theirs)
    unseen = [c for d in scored for m in others if not d.source for c in [compared[d.name, m.label]]]
    return {
        "baseline": baseline,
        "scored": scored,
        "compared": compared,
        "verdicts": unseen,
        "fewest_pairs": min((len(c.differences) for c in unseen), default=0),
        "headline": verdicts.headline(unseen) if unseen else _no_comparison(methods, scored),
        "caveats": [(m, unlike(m, baseline)) for m in others if baseline and unlike(m, baseline)],
        "accuracy_chart": accuracy_chart(scored, methods),
        "difference_chart": difference_chart(scored, methods, compared) if compared else None,
        "cells": {(d.name, m.label): _cell(d, m) for d in scored for m in methods},
    }


def _no_comparison(methods: Sequence[Method], scored: Sequence[DomainScores]) -> str:
    if len(methods) > 1:
        return f"{verdicts.counted(len(methods), 'method')} on unseen domains, without plain training to compare with"
    own = next((_mean_percent(d, methods[0]) for d in scored if d.source), None)
    away = [_mean_percent(d, methods[0]) for d in scored if not d.source]
    reach = " to ".join(f"{value:.1f}" for value in dict.fromkeys([min(away), max(away)]))
    finding = f"{methods[0].label} has {reach} % right on {verdicts.counted(len(away), 'unseen domain')}"
    return finding if own is None else f"{finding}, and {own:.1f} % on its own"


def _mean_percent(domain: DomainScores, method: Method) -> float:
    return 100 * mean(list(domain.accuracy[method.label].values()))


def _cell(domain: DomainScores, method: Method) -> dict[str, Any]:
    """A cell of the table: the mean and each seed's own; one seed alone has an interval over the test images."""
    seeds = domain.accuracy[method.label]
    alone = next(iter(seeds.values())) if len(seeds) == 1 else None
    return {
        "mean": mean(list(seeds.values())),
        "seeds": seeds,
        "wilson": wilson(alone, domain.images) if alone is not None else None,
    }
