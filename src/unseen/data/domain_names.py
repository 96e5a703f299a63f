"""How domains are named on the command line and in settings; imports nothing, so that ``--help`` is quick."""

from __future__ import annotations

DEFAULT_SOURCE = "mnist5k-train"
FOLDER_PREFIX = "folder:"
MASKS_PREFIX = "masks:"
