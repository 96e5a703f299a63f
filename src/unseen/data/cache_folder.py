"""Where what was decoded once is kept for the next time."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "UNSEEN_CACHE"
ELSEWHERE = f"free as much there, or let {VARIABLE} name a folder on another disk"


def cache_folder() -> Path:
    """``UNSEEN_CACHE``, or ``unseen`` below ``XDG_CACHE_HOME`` (``~/.cache``); it is made if it isn't there."""
    named = os.environ.get(VARIABLE)
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = Path(named).expanduser() if named else base / "unseen"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
