"""The small trainings that are killed: every kind there is, each in a second or less."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import kill_points
import sweeping
import torch
from torch import nn

import unseen
from unseen import sweep
from unseen.base.torchrun import launched
from unseen.engine import Engine
from unseen.errors import UnseenError

FLOAT32 = Engine("cpu", "float32", threads=1)
AGENTS_PATIENCE = 20.0
RANKS = 2


Training = Callable[[Path], Any]
"""Called with a folder it begins there, or goes on if it was begun."""


def outcome(folder: Path) -> kill_points.Outcome:
    """Every bit of the runs in a folder that may not depend on an interruption, read without the library's own code.

    The runs are numbered: the names that a sweep gives them have to do with the place.
    """
    told = {}
    for number, config in enumerate(sorted(folder.rglob("config.json"))):
        run = config.parent
        tensors = [run / "weights.safetensors", *(run / "rounds").rglob("*.safetensors")]
        if "adda" not in json.loads(config.read_text()):  # a finished adaptation keeps none
            tensors += sorted((run / "checkpoints").glob("*.safetensors"))[-1:]
        for path in tensors:
            told |= kill_points.file_digests(path, f"{number} {path.relative_to(run)}")
        told[f"{number} metrics"] = (run / "metrics.jsonl").read_text()
        if any((run / "events").iterdir()):
            told[f"{number} events"] = json.dumps(kill_points.scalars(run / "events"))
    return told


def _fit(folder: Path, **changes: Any) -> None:
    with kill_points.small_pieces():
        kill_points.train(folder, resume=(folder / "config.json").exists(), **changes)


def _masks_net() -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return nn.Sequential(
            *(nn.Conv2d(3, 8, 3, padding=1, stride=2), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.2)),
            *(nn.Conv2d(8, 3, 1), nn.Upsample(scale_factor=2, mode="bilinear")),
        )


def _scenes(name: str, n: int, seed: int) -> unseen.Domain:
    """Noise with a bright half: what is bright is class 1, a corner class 2, some pixels have no class."""
    draws = torch.Generator().manual_seed(seed)
    images, labels = torch.rand(n, 3, 8, 12, generator=draws) / 2, torch.zeros(n, 8, 12, dtype=torch.uint8)
    images[:, :, :, 6:] += 0.4
    labels[:, :, 6:], labels[:, 0, 0], labels[:, 7] = 1, 2, 255
    return unseen.Domain(name, images, labels, ("ground", "wall", "corner"))


def _fit_masks(folder: Path) -> None:
    _fit(
        folder,
        net=unseen.split(_masks_net(), head="4"),
        source=_scenes("source", 16, 2),
        watch={"target": _scenes("target", 6, 4)},
        ada=unseen.ADA(K=2, T=24, T_min=6, T_max=2, batch=4, n=12, alpha=1e-2, eta=2.0),
    )


def _adapt(folder: Path) -> None:
    unseen.adapt(
        kill_points.make_net(),
        kill_points.make_domain("source", 60, 2),
        kill_points.make_domain("target", 40, 4).images,
        unseen.ADDA(steps=60, batch=16, alpha=1e-3, alpha_discriminator=1e-2, hidden=16),
        seed=3,
        folder=folder,
        cadence=unseen.Cadence(record=5, watch=5, save=10),
        engine=FLOAT32,
        warn=str,
    )


def _sweep(folder: Path) -> None:
    """What the workers of a sweep do, one task after the other."""
    settings = sweeping.settings(folder, threads=1)
    for task in sweep.plan(sweep.grid(settings, K=(1, 2, 3), out=folder / "runs")).tasks:
        task.work(str)


def as_ranks(folder: Path, killed: Sequence[int] = (), after: float = 0.0) -> list[int]:
    """What torchrun does: a process for each rank, which is told so in its environment. How each of them ended.

    Those that are to be ``killed`` are, after so many seconds. Whoever isn't connected yet waits for them in vain:
    torchrun's agent then ends it, and so is it here.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ranks = [_rank(folder, number, port) for number in range(RANKS)]
    if killed:
        time.sleep(after)
        for number in killed:
            os.kill(ranks[number], signal.SIGKILL)
        return [_ended(rank, AGENTS_PATIENCE) for rank in ranks]
    return [_ended(rank) for rank in ranks]


def _ended(rank: int, patience: float = math.inf) -> int:
    """How a rank ended: by itself, or, after so many seconds, by a SIGTERM."""
    until = time.monotonic() + patience
    while (found := os.waitpid(rank, os.WNOHANG)) == (0, 0):
        if time.monotonic() > until:
            os.kill(rank, signal.SIGTERM)
            until = math.inf
        time.sleep(0.01)
    return os.waitstatus_to_exitcode(found[1])


def _rank(folder: Path, number: int, port: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.environ |= {
            "RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": str(RANKS), "LOCAL_WORLD_SIZE": str(RANKS),
            "GROUP_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "TORCHELASTIC_RUN_ID": "attack",
        }  # fmt: skip
        assert launched()
        _fit(folder)
        code = 0
    except UnseenError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        code = error.exit_code
    finally:
        os._exit(code)


TRAININGS: Mapping[str, Training] = MappingProxyType(
    {
        "ADA": _fit,
        "chain": partial(_fit, ada=replace(kill_points.SETTINGS, sampling="chain")),
        "transformations": partial(_fit, ada=kill_points.TRANSFORMED),
        "practice": partial(_fit, ada=kill_points.PRACTISED),
        "bf16": partial(_fit, engine=Engine("cpu", "bf16", threads=1)),
        "masks": _fit_masks,
        "ADDA": _adapt,
        "sweep": _sweep,
        "ranks": as_ranks,
    }
)
