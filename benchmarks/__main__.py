"""``python -m benchmarks [NAMES] [--quick]`` measures and appends to results/; ``--table`` prints what is there."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict

from benchmarks import (
    ascent,
    denormals,
    ensemble,
    folder,
    growth,
    masks,
    measure,
    memory,
    newton,
    page,
    profiles,
    ranks,
    rounds,
    scenes,
    segmentation,
    step,
    table1,
    table2,
    transforms,
    whole,
)
from benchmarks.measure import Result

BENCHMARKS: dict[str, Callable[[bool], list[Result]]] = {
    "ascent": ascent.run,
    "step": step.run,
    "whole": whole.run,
    "segmentation": segmentation.run,
    "memory": memory.run,
    "folder": folder.run,
    "masks": masks.run,
    "growth": growth.run,
    "rounds": rounds.run,
    "ranks": ranks.run,
    "ensemble": ensemble.run,
    "newton": newton.run,
    "denormals": denormals.run,
    "profiles": profiles.run,
    "table1": table1.run,
    "scenes": scenes.run,
    "table2": table2.run,
    "transforms": transforms.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAMES", help=f"of {', '.join(BENCHMARKS)}; all when none is given")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works; nothing is kept")
    parser.add_argument("--table", action="store_true", help="measure nothing: the newest results as Markdown")
    options = parser.parse_args()
    unknown = set(options.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    names = options.names or list(BENCHMARKS)
    if options.table:
        show(names)
    else:
        go(names, options.quick)


def go(names: list[str], quick: bool) -> None:
    """Measure each, keep it, and end with all in one table."""
    results = []
    for name in names:
        start = time.perf_counter()
        made = BENCHMARKS[name](quick)
        if not quick:
            measure.append(name, made)
        for result in made:
            print(f"{result.what}: {result.twin} -> {result.ours}; {result.reached}", flush=True)
        print(f"  ({name}: {time.perf_counter() - start:.0f} s)", flush=True)
        results += made
    print("\n" + page.bars(map(asdict, results)))


def show(names: list[str]) -> None:
    """The tables of benchmarks/README.md, from each benchmark's newest results."""
    lines = {name: measure.newest(name) for name in names}
    every = [line for of in lines.values() for line in of]
    if every:
        print(page.machine(every[-1]) + "\n")
    print(page.bars(every))
    for name, table in (("profiles", page.profiles), ("table1", page.table_one)):
        if lines.get(name):
            print("\n" + table(lines[name]))


if __name__ == "__main__":
    main()
