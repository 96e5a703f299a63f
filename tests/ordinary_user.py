"""File permissions hold for ordinary users, and the tests may run as root."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def as_ordinary_user(folder: Path) -> Iterator[None]:
    """Inside: file permissions hold, also where the tests run as root; the folder is the user's own."""
    if os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def within_reach(folder: Path) -> Iterator[Path]:
    """Inside: a copy of the folder where an ordinary user can reach it."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(shutil.copytree(folder, Path(place) / folder.name))
