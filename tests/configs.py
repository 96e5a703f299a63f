"""A run's ``config.json`` changed by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unseen.runs.config import SEAL, sealed


def rewrite(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """As if the training had been begun like that: with the digest of what it says now, where it had one.

    ``change`` changes the content, or gives another.
    """
    path = folder / "config.json"
    content = json.loads(path.read_text())
    had_seal = SEAL in content
    changed = change(content) or content
    path.write_text(json.dumps(sealed(changed) if had_seal and isinstance(changed, dict) else changed))


def replaced(old: str, new: str) -> Callable[[dict[str, Any]], Any]:
    """The change that has other words wherever the old ones were."""
    return lambda content: json.loads(json.dumps(content).replace(old, new))
