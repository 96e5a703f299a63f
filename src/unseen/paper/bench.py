"""What methods need of the place where they are carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from unseen.data.domain import Domain
from unseen.runs.request import Request


class Bench(Protocol):
    """One source and its targets."""

    @property
    def targets(self) -> Mapping[str, str]:
        """The columns, and the domain behind each."""

    @property
    def scored(self) -> Mapping[str, str]:
        """What every run is scored on: the targets at least."""

    def request(self, seed: int, settings: Mapping[str, Any]) -> Request:
        """The training on the source with these settings, K among them."""

    def load(self, name: str, resize: str | None = None) -> Domain:
        """The domain of that name, prepared as the source is."""
