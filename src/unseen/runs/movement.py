"""Whether a round moved images far enough to be seen, and what to change where it didn't."""

from __future__ import annotations

import math

from unseen.method.settings import ADA
from unseen.runs.rounds import AscentRecord

GREY_LEVELS = 255


def grey_levels(made: AscentRecord, values: int) -> float:
    """How far a round's images moved: root mean square over their ``values``, in the grey levels of 8-bit images."""
    return GREY_LEVELS * made.moved / math.sqrt(values)


def remark_on(made: AscentRecord, values: int, ada: ADA) -> str | None:
    """What to say of a round over pixels that moved images by less than one grey level; None where there is nothing."""
    levels = grey_levels(made, values)
    if levels >= 1 or ada.ascended is not None or not ada.T_max:
        return None
    choices = ['over="standard" (transformations in place of pixels)'] + ['scale="paper"'] * (ada.scale == "released")
    if levels and ada.eta:
        choices.append(f"eta={_round(ada.eta / levels)} (for about one level; it is {ada.eta:g} now)")
    return (
        f"round 1 moved its images by {levels:.2g} of {GREY_LEVELS} grey levels (root mean square), which nobody would "
        f"see and which may teach the network little; for more: {', or '.join(choices)}"
    )


def _round(value: float) -> str:
    """To one digit, rounded up: ``3`` for 2.4, ``20`` for 17, ``0.05`` for 0.043."""
    unit = 10.0 ** math.floor(math.log10(value))
    return f"{math.ceil(value / unit) * unit:g}"
