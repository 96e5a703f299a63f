"""Do five times the steps need five times the rounds? The ascent over transformations with both numbers of rounds.

    python -m experiments.steps 0 1 2         # these seeds: two minutes on one core for each
    python -m experiments.steps               # no seed: only the table

A tenth of the network and of the images that the leaderboard has, all else in proportion: 1,000 built-in MNIST digits,
rounds of 200 of which the last 5 are kept, tested on the three built-in targets. Resumes where it was stopped, writes
`results/steps.jsonl` and prints a Markdown table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments import command
from unseen import sweep
from unseen.data.catalogue import domain, targets
from unseen.paper.family.chosen import CHOSEN
from unseen.paper.results import Results, run_key
from unseen.reporting.evaluation import result_line, score_run
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.wording import compare, with_span
from unseen.runs.request import Request
from unseen.sweep.grid import grid

RESULTS = Path(__file__).parents[1] / "results"
SHARED: dict[str, Any] = {
    **CHOSEN, "n": 200, "source": "mnist5k-train", "images": 1_000, "width": 0.1, "watch": [], "precision": "float32",
}  # fmt: skip
ARMS = ((1_000, 20), (5_000, 20), (5_000, 100))
"""T and K"""


def request(T: int, K: int, seed: int) -> Request:
    """The training of one arm."""
    (made,) = grid({**SHARED, "T": T, "K": K}, out=RESULTS / "runs", seed=[seed])
    return made


def measure(seeds: list[int], results: Results) -> None:
    """Train what is missing, score it on the built-in targets and write its line down."""
    every = [request(T, K, seed) for seed in seeds for T, K in ARMS]
    missing = [each for each in every if not results.find(run_key(each))]
    if missing:
        sweep.run(missing, jobs=1).check("the same command")
    for each in missing:
        score_run(each.out, [domain(name) for name in targets(SHARED["source"])])
        results.add({"key": run_key(each), "kind": "run", **result_line(each.out)})


def table(results: Results) -> Iterator[str]:
    """The arms' means over the seeds, and what each is above the one before it in the mean over the targets."""
    names = targets(SHARED["source"])
    yield f"| steps | rounds | {' | '.join(names)} | mean | minus the row above |"
    yield f"| ---: | ---: |{' ---: |' * len(names)} ---: | ---: |"
    before: dict[int, float] = {}
    for T, K in ARMS:
        own = {seed: _accuracies(results, request(T, K, seed)) for seed in sorted({line["seed"] for line in results})}
        whole = {seed: mean(list(each.values())) for seed, each in own.items()}
        columns = [mean([each[name] for each in own.values()]) for name in names] + [mean(list(whole.values()))]
        above = compare("", "", "", whole, before) if before else None
        gap = with_span(above.gap, above.interval) if above else ""
        yield f"| {T:,} | {K} | {' | '.join(f'{100 * value:.1f}' for value in columns)} | {gap} |"
        before = whole


def _accuracies(results: Results, run: Request) -> dict[str, float]:
    line = results.find(run_key(run))
    assert line is not None, f"{run.out.name} is not finished"
    return {score["domain"]: score["accuracy"] for score in line["scores"]}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="*", type=int, metavar="SEED")
    results = Results(RESULTS / "steps.jsonl")
    measure(parser.parse_args().seeds, results)
    print(*table(results), sep="\n")


if __name__ == "__main__":
    command.run(main)
