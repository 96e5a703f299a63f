"""Does bf16 change the result? Paired trainings on real digits, float32 against bf16, the same seeds.

`python -m benchmarks.precision DATA --precision bf16 --seeds 0 1 2` trains (the paper's net and setting, K=2, gamma=1,
10,000 steps on the first 10,000 MNIST images) and appends one line for each run to results/precision.jsonl; a run
that was interrupted goes on, one that is in the file is not repeated. `python -m benchmarks.precision --compare` prints
the paired differences. DATA is the folder with the real sets (`unseen domains` lists what is found in it).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import unseen
from unseen.data import root
from unseen.reporting.evaluation import result_line, score_run
from unseen.reporting.kit.statistics import mean, t_interval
from unseen.runs.folder import RunFolder
from unseen.runs.job import Job

RESULTS = Path(__file__).parents[1] / "results" / "precision.jsonl"
RUNS = Path("runs/precision")
TARGETS = ("svhn-test", "mnist-m-test", "usps-test")


def lines() -> list[dict]:
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def train(precision: str, seed: int) -> None:
    if any(line["engine"]["precision"] == precision and line["seed"] == seed for line in lines()):
        return
    folder = RUNS / f"{precision}-seed{seed}"
    net = unseen.split(unseen.models.ConvNet(seed=seed))
    unseen.fit(
        net, Job(source="mnist-train", images=10_000).load_source(), unseen.ADA(K=2, gamma=1.0), seed=seed,
        folder=folder, progress=True, resume=RunFolder(folder).started,
        engine=unseen.Engine("cpu", precision, threads=1),
    )  # fmt: skip
    score_run(folder, [unseen.domain(name) for name in TARGETS], net)
    with RESULTS.open("a") as file:
        file.write(json.dumps(result_line(folder)) + "\n")


def compare() -> None:
    accuracy = {
        (line["engine"]["precision"], line["seed"], score["domain"]): 100 * score["accuracy"]
        for line in lines()
        for score in line["scores"]
    }
    seeds = sorted({seed for _, seed, _ in accuracy})
    for name in TARGETS:
        of = {p: [accuracy[p, seed, name] for seed in seeds] for p in ("float32", "bf16")}
        gaps = [b - a for a, b in zip(of["float32"], of["bf16"], strict=True)]
        interval = t_interval(gaps)
        print(
            f"{name}: float32 {mean(of['float32']):.1f} (seeds {min(of['float32']):.1f} to {max(of['float32']):.1f}), "
            f"bf16 {mean(of['bf16']):.1f} (seeds {min(of['bf16']):.1f} to {max(of['bf16']):.1f}), difference "
            f"{mean(gaps):+.1f}, 95 % interval {interval.low:+.1f} to {interval.high:+.1f}, {len(seeds)} seeds"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--precision", choices=("float32", "bf16"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if options.compare:
        compare()
    else:
        root.use(options.data)
        for seed in options.seeds:
            train(options.precision, seed)


if __name__ == "__main__":
    main()
