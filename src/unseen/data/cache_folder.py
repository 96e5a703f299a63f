"""Where what was decoded once is kept for the next time."""

from __future__ import annotations

import os
from pathlib import Path

from unseen.base.paths import expanded
from unseen.base.writing import make_folder

VARIABLE = "UNSEEN_CACHE"
ELSEWHERE = f"free as much there, or let {VARIABLE} name a folder on another disk"


def cache_folder() -> Path:
    """``UNSEEN_CACHE``, or ``unseen`` below ``XDG_CACHE_HOME`` (``~/.cache``); it is made if it isn't there."""
    named = os.environ.get(VARIABLE)
    folder = expanded(named) if named else expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "unseen"
    make_folder(folder, f"let {VARIABLE} name a folder that can be written to")
    return folder
