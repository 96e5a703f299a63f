"""What several files of tests about runs need."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # processes that the kills start import it by this name
import kill_points


@pytest.fixture
def small_pieces() -> Iterator[None]:
    """Files in many chunks and rounds in four parts."""
    with kill_points.small_pieces():
        yield


@pytest.fixture
def disk_with(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Call it with a mount's options: a file system in memory that has them."""
    disk = tmp_path / "disk"

    def mount(options: str) -> Path:
        disk.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
        try:
            mounting = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            pytest.skip(f"no file system can be mounted here: {error}")
        if mounting.returncode:
            pytest.skip(f"no file system can be mounted here: {mounting.stderr.strip()}")
        return disk

    yield mount
    if disk.is_mount():
        subprocess.run(["umount", "-l", str(disk)], check=True)
