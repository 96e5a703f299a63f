"""The Hugging Face hub, from which timm and segmentation-models fetch weights, on a machine without a network."""

from __future__ import annotations

import importlib
import socket
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def offline_if_unreachable() -> Iterator[None]:
    """Inside: where the hub can't be reached, its client looks into its cache at once.

    By itself it first tries for half a minute, for each file. ``HF_HUB_OFFLINE=1`` is the same, by hand.
    """
    constants: Any = importlib.import_module("huggingface_hub.constants")  # timm and segmentation-models bring it
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = before or not _reachable(str(constants.ENDPOINT))
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def _reachable(address: str) -> bool:
    """Whether the host has an address here; behind a proxy it is the proxy that has to know."""
    if urllib.request.getproxies():
        return True
    try:
        socket.getaddrinfo(urllib.parse.urlsplit(address).hostname, 443)
    except OSError:
        return False
    return True
