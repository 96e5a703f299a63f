"""Where a training is, for whoever shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Progress:
    """Where a training is, for whoever shows it."""

    phase: str
    """minimize, maximize, adapt or sweep"""
    done: int
    """minimization steps, or images of this round"""
    of: int
    k: int
    """rounds done"""
    line: Mapping[str, Any] | None = None
    """the record just made, if one was"""
