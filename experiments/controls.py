"""Is it the ascent that helps? Algorithm 1 as the recipes run it (K=4, gamma=1), with a control in the ascent's place.

    python -m experiments.controls 0 1        # these seeds: 10 minutes on one core for each training
    python -m experiments.controls            # no seed: only the table

"copies" adds the images that a round takes up as they are; "noise" adds noise of L2 length 0.1, near what the ascent
goes. All else is the same to the last draw: the first weights, the images a round takes up, the minibatches. Compared
seed by seed with ERM and ADA in `results/digits.jsonl`. Needs `UNSEEN_DATA`, resumes where it was stopped, writes
`results/controls.jsonl` and prints a Markdown table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import Tensor

import unseen
from experiments import command
from unseen.method.moves import Fictitious
from unseen.paper.claims import ALPHA
from unseen.paper.digits.lab import SOURCE, DigitLab, real_lab
from unseen.paper.lab import Source
from unseen.paper.published import DOMAINS
from unseen.paper.results import Results, key, run_key
from unseen.reporting.evaluation import result_line, score_run
from unseen.reporting.kit.statistics import holm, mean, t_test_p
from unseen.reporting.kit.wording import Comparison, compare, counted, with_span
from unseen.runs.folder import RunFolder
from unseen.runs.request import train

RESULTS = Path(__file__).parents[1] / "results"
ADA, ERM = {"K": 4, "gamma": 1.0}, {"K": 0}
LENGTH = 0.1
"""L2; the ascent goes 0.11, 0.09, 0.07 and 0.06 in the four rounds (results/digits.jsonl, mean over 5 seeds)"""


def copies(net: Any, x: Tensor, y: Tensor, ada: unseen.ADA, **options: Any) -> Fictitious:
    """In the ascent's place: nothing changes."""
    return Fictitious(x.clone())


def noise(net: Any, x: Tensor, y: Tensor, ada: unseen.ADA, **options: Any) -> Fictitious:
    """In the ascent's place: each image goes LENGTH in a direction drawn for it."""
    direction = torch.randn_like(x)
    return Fictitious(x + LENGTH * direction / direction.flatten(1).norm(dim=1)[:, None, None, None])


CONTROLS: dict[str, Callable[..., Fictitious]] = {"copies": copies, "noise": noise}


def measure(control: str, source: Source, seed: int, results: Results) -> None:
    """Train with the control in the ascent's place, unless that was done; write its line down."""
    name = key(control=control, run=run_key(source.request(seed, ADA)))
    if results.find(name):
        return
    request = replace(source.request(seed, ADA), out=source.lab.runs / f"control-{control}-seed{seed}")
    folder = RunFolder(request.out)
    with mock.patch("unseen.method.algorithm.fictitious", CONTROLS[control]):
        train(request, resume=folder.started)
    score_run(folder.path, [source.lab.load(domain) for domain in source.scored.values()])
    folder.trim()
    results.add({"key": name, "kind": "control", "control": control, **result_line(folder.path)})


def table(source: Source, controls: Results, digits: Results) -> Iterator[str]:
    """Each control beside ERM and ADA, as Markdown; what is clear is so among all of the last column (Holm)."""
    yield "| what is added | tested on | seeds | accuracy | minus ERM | ADA minus it | clear |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- |"
    rows = []
    for control, (column, domain) in product(CONTROLS, source.targets.items()):
        keys = {line["seed"]: line["key"] for line in controls if line["control"] == control}
        own = _accuracies(controls, keys, domain)
        erm, ada = (
            _accuracies(digits, {seed: run_key(source.request(seed, settings)) for seed in keys}, domain)
            for settings in (ERM, ADA)
        )
        if own:
            rows.append((f"{control} | {column}", own, _compare(own, erm), _compare(ada, own)))
    corrected = holm([_p(ada) for *_, ada in rows])
    for (name, own, erm_gap, ada_gap), p in zip(rows, corrected, strict=True):
        gaps = " | ".join(map(_in_words, (erm_gap, ada_gap)))
        clear = "yes" if p < ALPHA else "not decided"
        yield f"| {name} | {len(own)} | {100 * mean(list(own.values())):.1f} | {gaps} | {clear} |"


def _accuracies(results: Results, keys: Mapping[int, str], domain: str) -> dict[int, float]:
    found = {seed: results.accuracy(name, domain) for seed, name in keys.items()}
    return {seed: accuracy for seed, accuracy in found.items() if accuracy is not None}


def _compare(one: Mapping[int, float], other: Mapping[int, float]) -> Comparison | None:
    return compare("", "", "", one, other) if one.keys() & other.keys() else None


def _p(c: Comparison | None) -> float:
    p = t_test_p(list(c.differences.values())) if c else None
    return 1.0 if p is None else p


def _in_words(c: Comparison | None) -> str:
    return f"{with_span(c.gap, c.interval)}, {counted(len(c.differences), 'pair')}" if c else "not run"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="*", type=int, metavar="SEED")
    seeds = parser.parse_args().seeds
    known = DigitLab(out=RESULTS, rows={SOURCE: DOMAINS}, absent=("SYN",))  # needs no data: enough for the table
    (source,) = (real_lab(RESULTS, without=known.absent) if seeds else known).sources
    controls = Results(RESULTS / "controls.jsonl")
    for seed, control in product(seeds, CONTROLS):
        measure(control, source, seed, controls)
    print(*table(source, controls, Results(source.lab.results)), sep="\n")


if __name__ == "__main__":
    command.run(main)
