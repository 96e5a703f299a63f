"""What Table 1 in full costs on this machine: 11 gammas x 4 K x 10 seeds, put together from measured parts.

Before: the plain twin, run after run, on all cores. After: as many processes of one thread as there are cores, and the
runs K = 1..4 of one gamma and seed share their rounds: one chain of 4 instead of 1 + 2 + 3 + 4. Each part is measured
as it would run: the twin alone on all cores, ours in all processes at once.
"""

from __future__ import annotations

from functools import partial

import unseen
from benchmarks import measure, sides
from benchmarks.measure import Make, Result
from benchmarks.whole import TARGETS
from unseen.runs.rounds import MEASURED

GAMMAS, SEEDS, KS = 11, 10, (1, 2, 3, 4)
ADA, IMAGES = unseen.ADA(), 10_000
RUNS = GAMMAS * SEEDS * len(KS)
ROUNDS = {"run after run": GAMMAS * SEEDS * sum(KS), "shared": GAMMAS * SEEDS * max(KS)}
CHECKPOINTS = RUNS * (ADA.T // unseen.Cadence().save + 1) + 2 * ROUNDS["shared"]


def run(quick: bool) -> list[Result]:
    images, steps, scored, width, repeats = (8, 2, 8, 1 / 16, 1) if quick else (128, 40, 2_048, 1.0, 3)
    amounts = {
        "image-step": images * ADA.T_max, "training step": steps, "scored image": scored, "measured climb": scored,
        "checkpoint": 1,
    }  # fmt: skip
    plain = {
        "image-step": partial(sides.plain_ascent, images, ADA.T_max, width),
        "training step": partial(sides.plain_steps, steps, width),
        "scored image": partial(sides.plain_evaluation, scored, width),
    }
    ours: dict[str, Make] = {
        "image-step": partial(sides.our_ascent, images, ADA.T_max, width),
        "training step": partial(sides.our_steps, steps, width),
        "scored image": partial(sides.our_evaluation, scored, width),
        "measured climb": partial(sides.our_measured_ascent, scored, width),
        "checkpoint": partial(sides.our_checkpoint, width),
    }
    before = measure.best_seconds(plain, threads=measure.thread_counts(quick)[0], repeats=repeats)
    after = {name: measure.together(make, copies=measure.cores(), repeats=repeats) for name, make in ours.items()}
    each = {
        "before": {name: seconds / amounts[name] for name, seconds in before.items()},
        "after": {name: seconds / amounts[name] / measure.cores() for name, seconds in after.items()},
    }
    return [_result(each, repeats)]


def counts(rounds: str) -> dict[str, int]:
    """How often each part is in the whole table."""
    return {
        "image-step": ROUNDS[rounds] * IMAGES * ADA.T_max,
        "training step": RUNS * ADA.T,
        "scored image": RUNS * sum(TARGETS.values()),
        "measured climb": ROUNDS[rounds] * min(IMAGES, MEASURED),
        "checkpoint": CHECKPOINTS,
    }


def _result(each: dict[str, dict[str, float]], repeats: int) -> Result:
    def hours(side: str, rounds: str) -> dict[str, float]:
        return {name: counts(rounds)[name] * seconds / 3600 for name, seconds in each[side].items()}

    before, after = hours("before", "run after run"), hours("after", "shared")
    alone = sum(hours("after", "run after run").values())
    total = sum(before.values()), sum(after.values())
    plain_counts = {name: counts("run after run")[name] for name in before}  # the twin saves and measures nothing
    return Result(
        what=f"Table 1 in full, {GAMMAS} gammas x {len(KS)} K x {SEEDS} seeds, extrapolated from parts",
        twin=f"{total[0]:,.0f} h",
        ours=f"{total[1]:,.0f} h",
        reached=f"{total[0] / total[1]:.1f}x ({total[0] / alone:.1f}x without shared rounds)",
        bar="",
        met=None,
        numbers={
            "hours": {"before": before, "after": after}, "seconds_each": each, "best_of": repeats,
            "times": {"before": plain_counts, "after": counts("shared")}, "processes": measure.cores(),
        },
    )  # fmt: skip
