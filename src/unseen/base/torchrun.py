"""What torchrun says in the environment of the processes it starts; read without importing torch."""

from __future__ import annotations

import os


def launched() -> bool:
    """Whether torchrun started this process, as one rank of a training."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def leads() -> bool:
    """Whether this process is the one that prints: rank 0, or the only one."""
    return not launched() or os.environ["RANK"] == "0"
