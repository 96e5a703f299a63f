"""How domains are named on the command line and in settings; imports nothing, so that ``--help`` is quick."""

from __future__ import annotations

DEFAULT_SOURCE = "mnist5k-train"
FOLDER_PREFIX = "folder:"
MASKS_PREFIX = "masks:"


def prefix_and_path(name: str) -> tuple[str, str]:
    """What says that a folder has masks, if the name does, and the folder's path: ``masks:town`` is two parts."""
    prefix = MASKS_PREFIX if name.startswith(MASKS_PREFIX) else ""
    return prefix, name.removeprefix(prefix or FOLDER_PREFIX)
