"""A round: what measuring it adds to it, and whether ``ascend`` by itself is as fast as inside ``fit``."""

from __future__ import annotations

from functools import partial

from benchmarks import measure, sides
from benchmarks.measure import Result
from unseen.runs.rounds import MEASURED

T_MAX = 5
ROUND = 2_000
"""images of a round: the smallest of the leaderboard's on digits; the paper's have 10,000 and three times the steps"""
SHARE = 0.03
SAME = 1.05


def run(quick: bool) -> list[Result]:
    images, width, repeats = (8, 1 / 16, 1) if quick else (MEASURED, 1.0, 5)
    makes = {
        "in fit": partial(sides.our_ascent, images, T_MAX, width, "float32"),
        "alone": partial(sides.our_ascent_alone, images, T_MAX, width),
        "measured": partial(sides.our_measured_ascent, images, width, "float32"),
    }
    seconds = measure.best_processor_seconds(makes, repeats=repeats)
    numbers = {
        "threads": 1, "images": images, "T_max": T_MAX, "width": width, "best_of": repeats,
        "processor_seconds": seconds,
    }  # fmt: skip
    return [_recorder(seconds, images, numbers), _alone(seconds, images, numbers)]


def _recorder(seconds: dict[str, float], images: int, numbers: dict) -> Result:
    """A round measures at most MEASURED of its images, however many it has."""
    whole = seconds["in fit"] / images * ROUND
    share = seconds["measured"] / whole
    return Result(
        what=f"measuring a round of {ROUND:,} digits, {T_MAX} steps, float32, processor time",
        twin=f"the round {whole:.1f} s",
        ours=f"{seconds['measured']:.2f} s",
        reached=f"{share:.1%} of the round",
        bar=f"{SHARE:.0%}",
        met=share <= SHARE,
        numbers=numbers | {"round": ROUND, "share": share},
    )


def _alone(seconds: dict[str, float], images: int, numbers: dict) -> Result:
    ratio = seconds["alone"] / seconds["in fit"]
    per_step = {name: seconds[name] / images / T_MAX * 1e6 for name in ("in fit", "alone")}
    return Result(
        what="ascend by itself against the same inside fit, float32, processor time per image and step",
        twin=f"{per_step['in fit']:,.0f} us",
        ours=f"{per_step['alone']:,.0f} us",
        reached=f"{ratio:.2f}x the time",
        bar=f"{SAME:g}x",
        met=ratio <= SAME,
        numbers=numbers | {"ratio": ratio},
    )
