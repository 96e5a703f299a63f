"""What several files of tests about runs need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # processes that the kills start import it by this name
import kill_points


@pytest.fixture
def small_pieces() -> Iterator[None]:
    """Files in many chunks and rounds in four parts."""
    with kill_points.small_pieces():
        yield
