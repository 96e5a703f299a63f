"""The street domains as the paper names them, and which are trained on and tested on."""

from __future__ import annotations

from unseen.data.streets.camvid import LIGHT
from unseen.data.streets.classes import CONDITIONS, PLACES

CALLED = dict(zip(PLACES, ("Highway", "New York-like City", "Old European Town"), strict=True))
"""The paper's name of each place."""
SHORT = dict(zip(PLACES, ("Highway", "New York", "Old Town"), strict=True))
"""The same where there is little room."""

STREETS = tuple(f"{place}-{condition}" for place in PLACES for condition in CONDITIONS)
"""The fifteen domains of SYNTHIA, and of the built-in scenes in their place."""

TABLE2: dict[str, tuple[str, ...]] = {
    f"{source}-{condition}": tuple(f"{place}-{other}" for place in PLACES if place != source for other in CONDITIONS)
    for source in ("highway", "new-york")
    for condition in CONDITIONS
}
"""Table 2's rows and columns, in its order: a source is tested at the two places it is not from."""

DRIVES = tuple(name.removeprefix("camvid-") for name in LIGHT)
DUSK, DAY = "0001TP", "0016E5"
CAMVID: dict[str, tuple[str, ...]] = {
    source: tuple(drive for drive in DRIVES if drive != source) for source in (DUSK, DAY)
}
"""The drive at dusk, and the one by day that has most images, each tested on the other three."""


def place_of(name: str) -> str:
    """``highway`` for ``highway-dawn``, and for itself."""
    return next(place for place in PLACES if name in (place, f"{place}-{condition_of(name)}"))


def condition_of(name: str) -> str:
    """``dawn`` for ``highway-dawn``."""
    return name.rpartition("-")[2]


def called(name: str) -> str:
    """``Highway/Dawn`` for ``highway-dawn``, ``Highway`` for the place, ``0001TP (dusk)`` for a drive."""
    if name in DRIVES:
        return f"{name} ({LIGHT[f'camvid-{name}']})"
    return CALLED[name] if name in CALLED else f"{CALLED[place_of(name)]}/{condition_of(name).capitalize()}"


def way(source: str, target: str) -> str:
    """``Highway/Dawn → Old European Town/Fog``."""
    return f"{called(source)} → {called(target)}"
