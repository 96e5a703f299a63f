"""Is it the part of SVHN that we have? Accuracy on its recovered and its exact images, and from block to block.

    python -m experiments.svhn results/runs/mnist-train-*        # finished runs of the paper's recipes

`svhn_test.npz` has 11,420 of the 26,032 test images, with their numbers in the official file. 7,136 are exact, 4,284
recovered to within one grey level. Blocks of neighbours stand for what the images we lack may be like: where blocks
differ little from each other, so will those. Needs `UNSEEN_DATA`, trains nothing, writes `results/svhn.jsonl` and
prints a Markdown table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

import unseen
from experiments import command
from unseen.data.root import data_root
from unseen.errors import InputError
from unseen.paper.results import Results
from unseen.reporting.evaluation import result_line, scores_of
from unseen.reporting.kit.statistics import deviation, mean, t_interval
from unseen.reporting.kit.wording import counted, span

RESULTS = Path(__file__).parents[1] / "results"
DOMAIN = "svhn-test"
BLOCKS, OFFICIAL = 8, 26_032
WHOLE, EXACT, RECOVERED = "all", "exact", "recovered"


def parts() -> dict[str, Tensor]:
    """Which images belong to each part, as a mask over the domain: all, exact, recovered, and blocks by number."""
    root = data_root()
    if root is None:
        raise InputError("svhn_test.npz is looked for in the data folder, and none is named: set UNSEEN_DATA")
    with np.load(root / "digits" / "svhn_test.npz") as file:
        recovered, number = torch.from_numpy(file["source"]) == 1, torch.from_numpy(file["index"])
    block = number.argsort().argsort() * BLOCKS // len(number)
    whole = {WHOLE: torch.ones(len(number), dtype=torch.bool), EXACT: ~recovered, RECOVERED: recovered}
    return whole | {f"block {i + 1}": block == i for i in range(BLOCKS)}


def measure(runs: Sequence[Path], results: Results) -> None:
    """Each run's accuracy on each part, from the scores that it keeps; a line for each."""
    domain, masks = unseen.domain(DOMAIN), parts()
    for run in runs:
        right = scores_of(run, domain).argmax(1) == domain.labels
        scores = [
            {"domain": DOMAIN, "part": part, "accuracy": float(right[mask].double().mean()), "images": int(mask.sum())}
            for part, mask in masks.items()
        ]
        results.add(result_line(run) | {"key": run.name, "kind": "parts", "scores": scores})


def table(results: Results) -> Iterator[str]:
    """The networks' means on each part, and how far a part is from the whole, paired by network."""
    lines = [{score["part"]: score for score in line["scores"]} for line in results]
    yield f"| part | images | accuracy, mean of {counted(len(lines), 'network')} | minus all |"
    yield "| --- | ---: | ---: | ---: |"
    for part, score in lines[0].items():
        interval = t_interval([_points(line, part) - _points(line, WHOLE) for line in lines])
        away = span(interval) if interval and part != WHOLE else ""
        yield f"| {part} | {score['images']:,} | {mean([_points(line, part) for line in lines]):.1f} | {away} |"
    yield ""
    yield in_words(lines)


def in_words(lines: Sequence[Mapping[str, Mapping[str, float]]]) -> str:
    """What the blocks say about the images that are not here."""
    blocks = [mean([_points(line, part) for line in lines]) for part in lines[0] if part.startswith("block")]
    spread = deviation(blocks)
    assert spread is not None
    have = int(lines[0][WHOLE]["images"])
    share = 1 - have / OFFICIAL
    error = share * spread * (1 / len(blocks) + have / (OFFICIAL - have) / len(blocks)) ** 0.5
    return (
        f"Blocks differ by {spread:.2f} points (deviation). If the {OFFICIAL - have:,} images that are not here are "
        f"blocks like these, the accuracy on all {OFFICIAL:,} is that on ours to within {2 * error:.1f} points (two "
        "standard errors)."
    )


def _points(line: Mapping[str, Mapping[str, float]], part: str) -> float:
    return 100 * line[part]["accuracy"]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    results = Results(RESULTS / "svhn.jsonl")
    measure(parser.parse_args().runs, results)
    print(*table(results), sep="\n")


if __name__ == "__main__":
    command.run(main)
