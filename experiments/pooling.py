"""Are the intervals and verdicts of the results pages what they say? Simulated results whose truth is known.

    python -m experiments.pooling                # a minute on one core; prints two Markdown tables

A seed's luck moves all its trainings together, and each training has luck of its own: the two spreads are near what
`results/digits.jsonl` shows on SVHN (docs/results.md). The judging is the pages' own: `judge`, not a copy of it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from unseen.paper.cells import Cell
from unseen.paper.claims import ALPHA, Claim, Judged, judge
from unseen.reporting.kit.statistics import t_interval, t_test_p

SHARED, OWN = 0.03, 0.02  # deviations of a seed's luck and of a training's, as shares
REPETITIONS, COMPARISONS = 8, 8
BASE = 0.3
FIRST_LOOK = {3: 2, 5: 2, 10: 5}
"""seeds planned -> seeds that had been seen when they were planned (docs/results.md)"""


@dataclass(frozen=True)
class Coverage:
    """How often the 95 % interval of a difference has the truth in it."""

    seeds: int
    by_seed: float
    """of the mean over near repetitions, averaged seed by seed as the pages do"""
    all_values: float
    """as if each repetition were a seed of its own"""


@dataclass(frozen=True)
class Errors:
    """How often a claim gets a verdict that says something, where nothing differs."""

    seeds: int
    corrected: float
    """as the pages judge"""
    twice: float
    """judged with ``FIRST_LOOK`` of the seeds before, too: an error at either look counts"""
    each_alone: float
    """as if every comparison stood by itself"""


def draw(generator: np.random.Generator, methods: int, seeds: int) -> list[dict[int, float]]:
    """Accuracies of methods that are equally good, by seed: all share the seed's luck."""
    luck = SHARED * generator.standard_normal(seeds)
    own = OWN * generator.standard_normal((methods, seeds))
    return [dict(enumerate((BASE + luck + each).tolist())) for each in own]


def judged(methods: Sequence[dict[int, float]], baseline: dict[int, float], *, near: bool) -> Judged:
    """All methods against the baseline: as near repetitions of one, or as comparisons of their own."""
    names = [f"m{i}" for i in range(len(methods))]
    cells = [Cell(name, "d", each) for name, each in zip(names, methods, strict=True)] + [Cell("b", "d", baseline)]
    together = {f"r/{name}": "all" for name in names} if near else {}
    return judge(Claim("", "", tuple((f"r/{name}", "r/b") for name in names), ("d",), near=together), {"r": cells})


def coverage(seeds: int, draws: int, *, ragged: bool = False) -> Coverage:
    """Of ``draws`` simulated results; ``ragged`` leaves all seeds but two with one repetition, as in Figure 2a."""
    generator, right = np.random.default_rng(seeds), Counter[str]()
    for _ in range(draws):
        methods = draw(generator, REPETITIONS, seeds)
        (baseline,) = draw(generator, 1, seeds)
        if ragged:
            methods = [methods[0], *({seed: each[seed] for seed in (0, 1)} for each in methods[1:])]
        (comparison,) = judged(methods, baseline, near=True).comparisons
        values = [100 * (each[seed] - baseline[seed]) for each in methods for seed in each]
        everything = t_interval(values)
        assert comparison.interval is not None
        assert everything is not None
        right["by seed"] += comparison.interval.includes(0)
        right["all"] += everything.includes(0)
    return Coverage(seeds, right["by seed"] / draws, right["all"] / draws)


def errors(seeds: int, draws: int) -> Errors:
    """Of ``draws`` claims of ``COMPARISONS`` comparisons that share their baseline, where nothing differs."""
    generator, wrong = np.random.default_rng(seeds), Counter[str]()
    for _ in range(draws):
        methods, (baseline,) = draw(generator, COMPARISONS, seeds), draw(generator, 1, seeds)
        found = judged(methods, baseline, near=False)
        first = judged([_first(each, FIRST_LOOK[seeds]) for each in methods], baseline, near=False)
        wrong["corrected"] += found.verdict != "not decided"
        wrong["twice"] += {found.verdict, first.verdict} != {"not decided"}
        ps = [t_test_p(list(comparison.differences.values())) for comparison in found.comparisons]
        wrong["alone"] += any(p is not None and p < ALPHA for p in ps)
    return Errors(seeds, *(wrong[how] / draws for how in ("corrected", "twice", "alone")))


def _first(accuracies: dict[int, float], seeds: int) -> dict[int, float]:
    return {seed: accuracies[seed] for seed in range(seeds)}


def table(seeds: Sequence[int], draws: int) -> Iterator[str]:
    """As Markdown."""
    yield "| seeds | means per seed | the same, all seeds but two with one repetition | every repetition as a seed |"
    yield "| ---: | ---: | ---: | ---: |"
    for n in seeds:
        whole, ragged = coverage(n, draws), coverage(n, draws, ragged=True)
        yield f"| {n} | {whole.by_seed:.1%} | {ragged.by_seed:.1%} | {whole.all_values:.1%} |"
    yield ""
    yield "| seeds | false verdicts, as judged here | judged with fewer before, too | each comparison by itself |"
    yield "| ---: | ---: | ---: | ---: |"
    for n in seeds:
        found = errors(n, draws)
        before = f"{found.twice:.1%} (with {FIRST_LOOK[n]})"
        yield f"| {n} | {found.corrected:.1%} | {before} | {found.each_alone:.1%} |"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4_000)
    print(*table((3, 5, 10), parser.parse_args().draws), sep="\n")


if __name__ == "__main__":
    main()
