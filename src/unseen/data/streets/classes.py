"""What street domains share: SYNTHIA's classes, which the built-in scenes have too, and its folders."""

from __future__ import annotations

from pathlib import Path

from unseen.scenes.synthia_classes import CLASSES, CONDITIONS, PLACES, SIZE, SYNTHIA_IDS, SYNTHIA_VOID

__all__ = [
    "CLASSES",
    "CONDITIONS",
    "IMAGES",
    "LABELS",
    "PICTURES",
    "PLACES",
    "SIZE",
    "SYNTHIA_IDS",
    "SYNTHIA_VOID",
    "sequence",
]

IMAGES = 900
"""How many images of each sequence the paper draws."""
PICTURES = Path("RGB", "Stereo_Left", "Omni_F")
"""Where a SYNTHIA sequence has the images of its left front camera."""
LABELS = Path("GT", "LABELS", "Stereo_Left", "Omni_F")
"""Where it has their labels."""


def sequence(place: str, condition: str) -> str:
    """SYNTHIA's name for a place in a condition, ``SYNTHIA-SEQS-01-DAWN``."""
    return f"SYNTHIA-SEQS-{PLACES[place]}-{condition.upper()}"
