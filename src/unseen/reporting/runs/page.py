"""One self-contained HTML page about runs: what they compare to, how they trained, what they made and saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from unseen.data.domain import Domain
from unseen.errors import InputError
from unseen.models.split import Split
from unseen.reporting.diagnosis.section import sections
from unseen.reporting.evaluation import Warn
from unseen.reporting.finished.ensembles import is_ensemble, load_network, read_ensembles
from unseen.reporting.finished.labels import everything_set, method_name
from unseen.reporting.finished.methods import Method, baseline_of, read_methods
from unseen.reporting.finished.sources import held_out_of, source_of, unseen_among
from unseen.reporting.kit.pages import environment, write
from unseen.reporting.kit.palette import colours_of
from unseen.reporting.kit.tables import Sheet
from unseen.reporting.runs.comparison import caveats, class_charts, comparison, domain_scores, score_methods
from unseen.reporting.runs.curves import marked_above
from unseen.reporting.runs.gallery import Gallery, make_gallery
from unseen.reporting.runs.mistakes import answer_methods, make_mistakes
from unseen.reporting.runs.samples import Network, make_samples
from unseen.reporting.runs.scenes import AGREEMENT, make_scenes, methods_drawn
from unseen.reporting.runs.training import loss_chart, round_summaries, rounds_sheet, watched_charts
from unseen.transforms.catalogue import SETS


def write_page(
    folders: Sequence[Path],
    out: Path,
    *,
    targets: Sequence[Domain],
    title: str = "Generalizing to unseen domains",
    source: Domain | None = None,
    load_net: Callable[[Path], Split] | None = None,
    warn: Warn | None = None,
) -> Path:
    """Write a page about the finished runs in ``folders`` to ``out``; it needs no network and no other file.

    Folders of ensembles may be among them. ``targets`` are the unseen domains to compare on. Runs that were started
    from Python with a model of their own also need ``source``, the domain they trained on, and ``load_net``, which
    gives a folder's trained network. ``warn`` is told of folders where what is measured can't be kept; without it, that
    is an error.
    """
    templates = environment("unseen.reporting.runs", "unseen.reporting.diagnosis")
    templates.filters |= {"everything_set": everything_set, "method_name": method_name}
    trained = read_methods([folder for folder in folders if not is_ensemble(folder)])
    ensembles = read_ensembles([folder for folder in folders if is_ensemble(folder)], trained)
    source = source_of(trained[0].runs[0], source, "load_net=, which gives its trained network")
    held_out = held_out_of(trained[0].runs[0], source)
    unseen = unseen_among(source, held_out, targets)
    if not unseen:
        raise InputError("targets: expected at least one domain that the runs have not seen, got none")
    rounds = round_summaries(trained)
    content = {
        "title": title,
        "trained": trained,
        "ensembles": ensembles,
        "methods": [*trained, *ensembles],
        "source": source,
        "unseen": unseen,
        "held_out": held_out,
        "caveats": caveats(trained),
        "weights": _which_weights(trained),
        "transformations": _sets_of(trained),
        "loss": loss_chart(trained),
        "rounds_above": marked_above(trained),
        "rounds": rounds,
        "rounds_sheet": rounds_sheet(rounds),
        "runs_sheet": _runs_sheet([*trained, *ensembles]),
        "watched": watched_charts(trained, [*unseen, *held_out]),
        "galleries": (galleries := _galleries(trained, source)),
        "galleries_open": len({gallery.transformed for gallery in galleries}),
        "diagnoses": sections(trained, source, [*unseen, *held_out]),
        **_answered([*trained, *ensembles], source, unseen, held_out, load_net, warn),
    }
    return write(templates, "page.html", content, out)


def _answered(
    methods: Sequence[Method],
    source: Domain,
    unseen: Sequence[Domain],
    held_out: Sequence[Domain],
    load_net: Callable[[Path], Split] | None,
    warn: Warn | None,
) -> dict[str, Any]:
    """What the networks answer: the comparison, each class's, and some images."""

    def network(folder: Path) -> Network:
        return load_network(folder, load_net)

    given = network if load_net else None
    answers = answer_methods(methods, unseen, given, warn)  # first: scores come from them
    scores = score_methods(methods, [*unseen, *held_out], given, warn)
    drawn = methods_drawn(methods)
    nets = [(method, network(method.runs[0].folder)) for method in (drawn if source.segmented else methods)]
    return {
        **comparison(methods, domain_scores(scores, unseen, held_out)),
        "class_charts": class_charts(scores, [*unseen, *held_out], methods),
        "samples": [] if source.segmented else [make_samples(domain, nets, source.classes) for domain in unseen],
        "scenes": [make_scenes(d, nets, baseline_of(methods), source.classes) for d in unseen if source.segmented],
        "drawn": drawn,
        "mistakes": [make_mistakes(d, answers[d.name], methods, drawn) for d in unseen if not source.segmented],
        "palette": list(zip(source.classes, colours_of(source.classes), strict=True)) if source.segmented else [],
        "agreement": [(words, colour) for words, colour in AGREEMENT.items()],
    }


def _galleries(methods: Sequence[Method], source: Domain) -> list[Gallery]:
    """One for each method with rounds: the first over transformations, the first over pixels, then the others."""
    found = [make_gallery(method, source) for method in methods if method.rounds]
    kinds = [[each for each in found if each.transformed is kind] for kind in (True, False)]
    return [each for kind in kinds for each in kind[:1]] + [each for kind in kinds for each in kind[1:]]


def _which_weights(methods: Sequence[Method]) -> str:
    """Which weights the results are: one rule for all of them, or each run's."""
    rules = {run.selection for method in methods for run in method.runs}
    if len(rules) == 1:
        return (rule := rules.pop())[0].upper() + rule[1:]
    return "; ".join(
        f"{method.label}{f', seed {run.seed}' * (len(method.runs) > 1)}: {run.selection}"
        for method in methods
        for run in method.runs
    )


def _sets_of(methods: Sequence[Method]) -> dict[str, Sequence[str]]:
    """The named sets of transformations that methods ascend or draw, and what is in them."""
    given = [method.settings.get(name) or () for method in methods for name in ("over", "augment")]
    names = dict.fromkeys(name for each in given for name in ([each] if isinstance(each, str) else each))
    return {name: SETS[name] for name in names if name in SETS}


def _runs_sheet(methods: Sequence[Method]) -> Sheet:
    """Every folder on the page, and what made it."""
    rows = []
    for method in methods:
        for run in method.runs:
            versions, created = run.config.versions, run.config.created
            made_with = ", ".join(f"{name} {versions[name]}" for name in ("unseen", "torch") if name in versions)
            seed = str(run.seed) if run.seed >= 0 else "several"
            started = created[:16].replace("T", " ")
            rows.append((method.label, seed, str(run.folder), f"{made_with}, {run.config.engine.device}", started))
    styles = {method.label: method.style for method in methods}
    headings = ("Method", "Seed", "Folder", "Made with", "Started")
    return Sheet("The runs", headings, rows, "", words=frozenset({0, 2, 3, 4}), styles=styles)
