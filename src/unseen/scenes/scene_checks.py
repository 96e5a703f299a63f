"""What a caller can get wrong when asking for scenes."""

from __future__ import annotations

from unseen.errors import all_problems, did_you_mean
from unseen.scenes.synthia_classes import CONDITIONS, PLACES, SIZE

SMALLEST = 16
Size = tuple[int, int]


def check(place: str, condition: str, *, index: int = 0, seed: int = 0, size: Size = SIZE) -> None:
    """Refuse what can't be rendered, all of it in one message."""
    problems = []
    if place not in PLACES:
        problems.append(
            f'place is "{place}", expected one of {", ".join(PLACES)}{did_you_mean(str(place), PLACES, listed=True)}'
        )
    if condition not in CONDITIONS:
        expected = f"expected one of {', '.join(CONDITIONS)}{did_you_mean(str(condition), CONDITIONS, listed=True)}"
        problems.append(f'condition is "{condition}", {expected}')
    if not _whole(index) or index < 0:
        problems.append(f"index is {index!r}, expected a whole number from 0 on")
    if not _whole(seed):
        problems.append(f"seed is {seed!r}, expected a whole number")
    if not isinstance(size, tuple) or len(size) != 2 or not all(_whole(side) and side >= SMALLEST for side in size):
        problems.append(
            f"size is {size!r}, expected (height, width) in pixels, each at least {SMALLEST}, for instance {SIZE}"
        )
    all_problems("scenes", problems)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
