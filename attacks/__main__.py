"""Attack what the project promises; exit code 1 if anything broke.

Each break prints how to repeat it alone, and its folder is kept. Linux only. Some attacks are skipped, with the
reason, where they may not be carried out: file systems of their own need root.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is loaded: whoever forks may have one thread only

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from attacks import processes, results
from attacks.catalogue import ATTACKS
from attacks.harness import Attack, Outcome, carry_out


def main() -> int:
    """Carry out what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m attacks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}; all when none is given")
    parser.add_argument("--seed", type=int, default=0, help="of every draw (0)")
    parser.add_argument("--share", type=float, default=1.0, help="share of the cases (1); with less nothing is kept")
    parser.add_argument("--minutes", type=float, default=30.0, help="for each attack at most (30)")
    parser.add_argument("--only", type=int, help="only the case of this number")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at once (as many as there are cores)")
    options = parser.parse_args()
    unknown = set(options.names) - set(ATTACKS)
    if unknown:
        parser.error(f"no attack {', '.join(sorted(unknown))}; there are {', '.join(ATTACKS)}")
    return go([ATTACKS[name] for name in options.names or ATTACKS], options)


def go(attacks: list[Attack], options: argparse.Namespace) -> int:
    """Carry out each, print the table, keep the counts of whole attacks."""
    processes.preload()
    home = Path(tempfile.mkdtemp(prefix="unseen-attacks-"))
    home.chmod(0o755)
    outcomes = []
    print(results.HEADING, flush=True)
    for attack in attacks:
        outcomes.append(one(attack, home, options))
        print(results.row(outcomes[-1]), flush=True)
    broken = [outcome for outcome in outcomes if outcome.broken]
    for outcome in broken:
        print(f"\n{results.breaks(outcome, options.seed)}")
    if options.share >= 1 and options.only is None:
        results.append(outcomes, options.seed)
        results.publish()
    if not broken:
        shutil.rmtree(home)
    return 1 if broken else 0


def one(attack: Attack, home: Path, options: argparse.Namespace) -> Outcome:
    """One attack, as much of it as is asked for."""
    count = max(1, round(attack.cases * options.share))
    numbers = range(count) if options.only is None else [options.only]
    until = time.monotonic() + 60 * options.minutes
    return carry_out(attack, numbers, seed=options.seed, home=home, jobs=options.jobs, until=until)


if __name__ == "__main__":
    sys.exit(main())
