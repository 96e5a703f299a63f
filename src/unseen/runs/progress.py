"""Where a training or an evaluation is, for whoever shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Progress:
    """Where a training or an evaluation is, for whoever shows it."""

    phase: str
    """minimize, maximize, adapt, sweep or evaluate"""
    done: int
    """minimization steps, images of this round, or images evaluated"""
    of: int
    k: int
    """rounds done"""
    line: Mapping[str, Any] | None = None
    """the record just made, if one was"""
