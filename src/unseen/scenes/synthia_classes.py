"""What the scenes are of: SYNTHIA's thirteen classes with their ids, its places and its conditions."""

from __future__ import annotations

# The ids of SYNTHIA-SEQS: 0 is void, 13 and 14 are reserved and never appear.
SYNTHIA_IDS = {
    "sky": 1,
    "building": 2,
    "road": 3,
    "sidewalk": 4,
    "fence": 5,
    "vegetation": 6,
    "pole": 7,
    "car": 8,
    "traffic sign": 9,
    "pedestrian": 10,
    "bicycle": 11,
    "lane marking": 12,
    "traffic light": 15,
}
CLASSES = tuple(SYNTHIA_IDS)
SYNTHIA_VOID = 0

PLACES = {"highway": "01", "new-york": "02", "old-town": "04"}
"""SYNTHIA's sequence for each place: Highway, New York-like City, Old European Town."""
CONDITIONS = ("dawn", "fog", "night", "spring", "winter")

SIZE = (192, 320)
"""The paper's height and width."""
