"""Carrying a recipe out: train what is not known, measure it, write its table and figure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from joblib import Parallel, delayed
from rich.console import Console, Group

from unseen import sweep
from unseen.base.writing import make_folder, write_atomically
from unseen.paper.lab import Lab
from unseen.paper.methods import Measurement
from unseen.paper.recipe import Recipe
from unseen.paper.results import Line, Results
from unseen.reporting.kit.charts import save
from unseen.reporting.kit.tables import as_markdown, as_rich
from unseen.runs.request import Request
from unseen.sweep.tasks import finished
from unseen.sweep.workers import default_jobs


def measure(
    recipe: Recipe,
    lab: Lab,
    *,
    seeds: int,
    jobs: int | None,
    train: bool,
    again: str,
    console: Console,
    methods: Sequence[str] = (),
) -> Results:
    """Everything that the recipe takes and the results file lacks; without ``train``, of what is trained already.

    ``methods`` are the labels of those to measure; all when none is named. A training is measured by the process that
    made it, as soon as it ends: what is killed later takes no line along, and the disk holds the rounds of a few runs.
    """
    results = Results(lab.results)
    wanted = recipe.measurements(lab, seeds, methods)
    left = list({m.key: m for m in wanted if not m.known(results)}.values())
    needs = [request for m in left for request in m.needs]
    outcome = None
    if train and needs:
        console.print(f"{recipe.name}: {sweep.plan(needs, retry=True)}", highlight=False, soft_wrap=True)
        outcome = sweep.run(
            needs, jobs=jobs, retry=True, progress=console, afterwards=partial(_measure_run, lab.results, left)
        )
        results = Results(lab.results)
    ready = [m for m in left if not m.known(results) and all(map(finished, m.needs))]
    with console.status(f"Measuring {len(ready)} of {len(left)}"):
        _measure(ready, results, jobs)
    if outcome:
        outcome.check(again)  # only now: a run that failed takes no other's result along
    return results


def _measure(measurements: Sequence[Measurement], results: Results, jobs: int | None) -> None:
    """Single runs first, since ensembles read their scores; each line is kept as soon as it is there."""
    for alone in (True, False):
        some = [m for m in measurements if (len(m.needs) == 1) is alone]
        work = [delayed(_line)(m) for m in some]
        workers = min(jobs or default_jobs(1), max(len(work), 1))
        for line in Parallel(n_jobs=workers, return_as="generator_unordered")(work):
            results.add(line)


def _measure_run(path: Path, measurements: Sequence[Measurement], run: Request) -> None:
    """In a worker: what takes this run alone."""
    for measurement in measurements:
        if [request.identity for request in measurement.needs] == [run.identity]:
            Results(path).add(_line(measurement))


def _line(measurement: Measurement) -> Line:
    return {"key": measurement.key, **measurement.measure()}


def show(recipe: Recipe, lab: Lab, results: Results, seeds: int, width: int) -> Group:
    """The recipe's tables, for a terminal of that width."""
    return Group(*(as_rich(sheet, width) for sheet in recipe.sheets(lab, results, seeds)))


def write(recipe: Recipe, lab: Lab, results: Results, seeds: int) -> list[Path]:
    """The recipe's tables as Markdown and its figure as SVG and PNG, beside the results."""
    make_folder(lab.out)
    name = recipe.file(lab)
    pictures = save(recipe.figure(lab, results, seeds), lab.out / name)
    tables = map(as_markdown, recipe.sheets(lab, results, seeds))
    text = "\n".join([f"# {name}", "", f"![{recipe.what}]({name}.svg)", "", *tables])
    page = lab.out / f"{name}.md"
    write_atomically(page, text.encode())
    return [page, *pictures]
