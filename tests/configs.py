"""A run's ``config.json`` changed by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unseen.runs.config import sealed


def rewrite(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """As if the training had been begun like that: with the digest of what it says now."""
    path = folder / "config.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(sealed(content)))
