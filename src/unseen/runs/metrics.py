"""A line of ``metrics.jsonl`` as a file may have it, before anybody reads numbers out of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from unseen.base.checks import is_whole
from unseen.runs.rounds import RoundRecord

MOST = 2**63
"""whole numbers are below it, as TensorBoard has them"""
BY_DOMAIN = ("accuracy", "miou")
"""measures that a line has a number of for each watched domain"""


def check_line(number: int, line: Mapping[str, Any]) -> None:
    """Refuse a line that is no record: a step, and numbers by their names.

    What is wrong with it is a ``ValueError``; whoever reads the file says which file it is.
    """
    step: Any = line.get("step")
    if not (is_whole(step) and 0 <= step < MOST):
        raise ValueError(f"line {number}: step={step!r:.80}, expected a whole number, 0 or more")
    for name, value in line.items():
        if (name in BY_DOMAIN) is not isinstance(value, Mapping):
            raise ValueError(f"line {number}: {name}={value!r:.80}, expected a number, or one for each watched domain")
        inside = isinstance(value, Mapping)
        for each, found in (value if inside else {name: value}).items():
            if not _is_number(found) or not (inside or math.isfinite(found)):  # an mIoU may be NaN, a loss never is
                raise ValueError(f"line {number}: {each}={found!r:.80}, expected a number")
    try:
        RoundRecord.read([line])
    except (TypeError, ValueError) as error:
        raise ValueError(f"line {number}: {error}") from error


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (is_whole(value) and abs(value) < MOST)
