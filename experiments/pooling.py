"""Are the intervals and verdicts of the results pages what they say? Simulated results whose truth is known.

    python -m experiments.pooling                # two minutes on one core

A seed's luck moves all its trainings together, and each training has luck of its own: the two spreads are near what
`results/digits.jsonl` shows on SVHN (docs/results.md). The baseline has either luck of its own, so that pairing by
seed removes nothing, or that of the methods; in the results the two sides correlate weakly, which lies between. The
judging is the pages' own: `judge`, not a copy of it. Writes `results/pooling.jsonl` and prints two Markdown tables.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from unseen.base.writing import write_atomically
from unseen.paper.cells import Cell
from unseen.paper.claims import ALPHA, Claim, Judged, judge
from unseen.paper.judging import POCOCK
from unseen.reporting.kit.statistics import t_interval, t_test_p

LINES = Path(__file__).parents[1] / "results" / "pooling.jsonl"
SHARED, OWN = 0.03, 0.02  # deviations of a seed's luck and of a training's, as shares
REPETITIONS = 8
COMPARISONS = (2, 8)  # of a claim
BASE = 0.3
FIRST_LOOK = {3: 2, 5: 2, 10: 5}
"""seeds planned -> seeds that had been seen when they were planned (docs/results.md)"""
LUCK = {False: "its own", True: "the methods'"}


@dataclass(frozen=True)
class Coverage:
    """How often the 95 % interval of a difference has the truth in it."""

    by_seed: float
    """of the mean over near repetitions, averaged seed by seed as the pages do"""
    all_values: float
    """as if each repetition were a seed of its own"""


@dataclass(frozen=True)
class Errors:
    """How often a claim gets a verdict that says something, where nothing differs."""

    corrected: float
    """as the pages judge"""
    twice: float
    """judged with ``FIRST_LOOK`` of the seeds before, too: an error at either look counts"""
    stricter: float
    """the same with p below ``POCOCK`` at both looks"""
    each_alone: float
    """as if every comparison stood by itself"""


@dataclass(frozen=True)
class World:
    """Methods that are as good as the baseline."""

    methods: int
    paired: bool
    """whether the baseline has the methods' luck, so that pairing by seed removes it"""

    def draw(self, generator: np.random.Generator, seeds: int) -> tuple[list[dict[int, float]], dict[int, float]]:
        """The methods' accuracies by seed, and the baseline's."""
        luck, other = SHARED * generator.standard_normal((2, seeds))
        own = OWN * generator.standard_normal((self.methods + 1, seeds))
        sides = [*(BASE + luck + each for each in own[1:]), BASE + (luck if self.paired else other) + own[0]]
        *methods, baseline = (dict(enumerate(side.tolist())) for side in sides)
        return methods, baseline


def judged(methods: Sequence[dict[int, float]], baseline: dict[int, float], *, near: bool) -> Judged:
    """All methods against the baseline: as near repetitions of one, or as comparisons of their own."""
    names = [f"m{i}" for i in range(len(methods))]
    cells = [Cell(name, "d", each) for name, each in zip(names, methods, strict=True)] + [Cell("b", "d", baseline)]
    together = {f"r/{name}": "all" for name in names} if near else {}
    return judge(Claim("", "", tuple((f"r/{name}", "r/b") for name in names), ("d",), near=together), {"r": cells})


def coverage(seeds: int, draws: int, *, paired: bool, ragged: bool = False) -> Coverage:
    """Of ``draws`` simulated results; ``ragged`` leaves all seeds but two with one repetition, as in Figure 2a."""
    generator, right, world = np.random.default_rng(seeds), Counter[str](), World(REPETITIONS, paired)
    for _ in range(draws):
        methods, baseline = world.draw(generator, seeds)
        if ragged:
            methods = [methods[0], *(_first(each, 2) for each in methods[1:])]
        (comparison,) = judged(methods, baseline, near=True).comparisons
        values = [100 * (each[seed] - baseline[seed]) for each in methods for seed in each]
        everything = t_interval(values)
        assert comparison.interval is not None
        assert everything is not None
        right["by seed"] += comparison.interval.includes(0)
        right["all"] += everything.includes(0)
    return Coverage(right["by seed"] / draws, right["all"] / draws)


def errors(seeds: int, draws: int, *, paired: bool, comparisons: int = COMPARISONS[-1]) -> Errors:
    """Of ``draws`` claims of so many comparisons that share their baseline, where nothing differs."""
    generator, wrong, world = np.random.default_rng(seeds), Counter[str](), World(comparisons, paired)
    for _ in range(draws):
        methods, baseline = world.draw(generator, seeds)
        found = judged(methods, baseline, near=False)
        first = judged([_first(each, FIRST_LOOK[seeds]) for each in methods], baseline, near=False)
        looks = (first, found)
        wrong["corrected"] += _errs(found)
        wrong["twice"] += any(map(_errs, looks))
        wrong["stricter"] += any(_errs(replace(each, alpha=POCOCK)) for each in looks)
        ps = [t_test_p(list(comparison.differences.values())) for comparison in found.comparisons]
        wrong["alone"] += any(p is not None and p < ALPHA for p in ps)
    return Errors(*(wrong[how] / draws for how in ("corrected", "twice", "stricter", "alone")))


def _errs(judged: Judged) -> bool:
    return judged.verdict != "not decided"


def _first(accuracies: dict[int, float], seeds: int) -> dict[int, float]:
    return {seed: accuracies[seed] for seed in range(seeds)}


def simulate(seeds: Sequence[int], draws: int) -> Iterator[dict[str, Any]]:
    """A line for each row of the tables; the number of seeds is also that of the generator."""
    about = {
        "draws": draws, "shared": SHARED, "own": OWN, "repetitions": REPETITIONS, "numpy": np.__version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }  # fmt: skip
    for paired, n in product((False, True), seeds):
        whole, ragged = coverage(n, draws, paired=paired), coverage(n, draws, paired=paired, ragged=True)
        yield about | {"what": "coverage", "paired": paired, "seeds": n} | asdict(whole) | {"ragged": ragged.by_seed}
    for paired, comparisons, n in product((False, True), COMPARISONS, seeds):
        found = errors(n, draws, paired=paired, comparisons=comparisons)
        config = {"paired": paired, "comparisons": comparisons, "seeds": n, "first_look": FIRST_LOOK[n]}
        yield about | {"what": "errors"} | config | asdict(found)


def read_lines() -> list[dict[str, Any]]:
    """What was written down."""
    return [json.loads(line) for line in LINES.read_text().splitlines()]


def table(lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """As Markdown."""
    yield "| baseline's luck | seeds | means per seed | the same, ragged | every repetition as a seed |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for line in (line for line in lines if line["what"] == "coverage"):
        shares = " | ".join(f"{line[name]:.1%}" for name in ("by_seed", "ragged", "all_values"))
        yield f"| {LUCK[line['paired']]} | {line['seeds']} | {shares} |"
    yield ""
    yield (
        "| baseline's luck | comparisons | seeds | as judged here | judged with fewer before, too | "
        f"both at p < {POCOCK:g} | each by itself |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for line in (line for line in lines if line["what"] == "errors"):
        claim = f"| {LUCK[line['paired']]} | {line['comparisons']} | {line['seeds']} |"
        before = f"{line['twice']:.1%} (with {line['first_look']})"
        yield f"{claim} {line['corrected']:.1%} | {before} | {line['stricter']:.1%} | {line['each_alone']:.1%} |"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4_000)
    lines = list(simulate((3, 5, 10), parser.parse_args().draws))
    write_atomically(LINES, "".join(f"{json.dumps(line)}\n" for line in lines).encode())
    print(*table(lines), sep="\n")


if __name__ == "__main__":
    main()
