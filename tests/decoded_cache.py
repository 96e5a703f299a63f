"""The cache of decoded images as tests look at it."""

from pathlib import Path
from typing import Any


def made(cache: Path) -> list[Path]:
    """What is whole in it."""
    return [path for path in (cache / "decoded").iterdir() if not path.name.startswith(".")]


def refuse_to_decode(*_: Any) -> None:
    """In the place of what decodes."""
    raise AssertionError("decoded again")
