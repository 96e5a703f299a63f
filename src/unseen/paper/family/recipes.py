"""The leaderboards by name."""

from __future__ import annotations

from dataclasses import replace

from unseen.paper.digits.lab import PAPER, SCALES
from unseen.paper.family.chosen import CHOSEN, CHOSEN_STREETS, FIRST_STREETS
from unseen.paper.family.leaderboard import DigitLeaderboard, Leaderboard, StreetLeaderboard
from unseen.paper.family.methods import digit_methods, long_methods, street_methods
from unseen.paper.streets.lab import CAMVID, SCENES, SMALL, WHOLE_DRIVES
from unseen.paper.streets.names import CAMVID as CAMVID_ROWS
from unseen.paper.streets.names import DAY, DUSK, TABLE2

LONG = replace(PAPER, name="long", T=50_000)
_NIGHT = "highway-night"

FAMILY_RECIPES: dict[str, Leaderboard] = {
    recipe.name: recipe
    for recipe in (
        DigitLeaderboard(
            name="family",
            called="Digits",
            what="not in the paper: its relatives on digits under one protocol, and the ascent over transformations",
            methods=digit_methods(CHOSEN),
            long=long_methods(CHOSEN),
            scales=SCALES | {LONG.name: LONG},
        ),
        StreetLeaderboard(
            name="family-camvid",
            called="CamVid",
            what=f"not in the paper: the same on real drives, from dusk ({DUSK}) and from day ({DAY}) to the others",
            methods=street_methods(CHOSEN_STREETS, FIRST_STREETS),
            data=CAMVID,
            scales={WHOLE_DRIVES.name: WHOLE_DRIVES},
            rows=CAMVID_ROWS,
        ),
        StreetLeaderboard(
            name="family-scenes",
            called="Built-in scenes",
            what="not in the paper: the same on the built-in scenes, from Highway/Night to the ten of the other places",
            methods=street_methods(CHOSEN_STREETS, FIRST_STREETS),
            data=SCENES,
            scales={SMALL.name: SMALL},
            rows={_NIGHT: TABLE2[_NIGHT]},
        ),
    )
}
