"""Where and how the arithmetic runs: device, threads, memory format, denormals. Nothing else mentions them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unseen.checks import is_whole
from unseen.errors import InputError

ASCENT_BATCH = 64  # activations of 64 digits stay in a CPU's cache; the result doesn't depend on it
EVALUATION_BATCH = 256
PART_BYTES = 16 * 2**20


@dataclass
class Engine:
    """The hardware a run uses. ``device="auto"`` is a GPU when there is one; ``threads=None`` is torch's choice."""

    device: str = "auto"
    threads: int | None = None
    resolved: torch.device = field(init=False)

    def __post_init__(self) -> None:
        if self.threads is not None and (not is_whole(self.threads) or self.threads < 1):
            raise InputError(f"threads={self.threads!r}: expected a whole number, 1 or more")
        self.threads = self.threads or torch.get_num_threads()
        chosen = self.device
        if chosen == "auto":
            chosen = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            self.resolved = torch.empty(0, device=chosen).device
        except (RuntimeError, AssertionError) as error:
            raise InputError(f'device="{self.device}": not usable here ({error}); try "cpu"') from error

    @contextmanager
    def running(self) -> Iterator[None]:
        """Inside: this many threads, and denormals flushed to zero (Adam's moments of dead weights go denormal,
        which makes a long run twice as slow). After: both as they were.
        """
        assert self.threads is not None
        before, flushed = torch.get_num_threads(), _denormals_flushed()
        torch.set_num_threads(self.threads)
        _flush_denormals(True)
        try:
            yield
        finally:
            _flush_denormals(flushed)
            torch.set_num_threads(before)

    def place(self, net: nn.Module) -> None:
        """Move a model to the device, in the layout its convolutions like best; the values stay."""
        net.to(self.resolved)
        if any(isinstance(m, nn.Conv2d) for m in net.modules()):
            net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def put(self, images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """A minibatch on the device, in the model's layout."""
        return (
            images.to(self.resolved, memory_format=torch.channels_last, non_blocking=True),
            labels.to(self.resolved, non_blocking=True),
        )

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        """Inside: what the model draws (dropout) follows ``seed``. After: torch's own generators as they were."""
        generators = [torch.default_generator]
        if self.resolved.type == "cuda":
            generators.append(torch.cuda.default_generators[self.resolved.index or 0])
        before = [g.get_state() for g in generators]
        for g in generators:
            g.manual_seed(seed)
        try:
            yield
        finally:
            for g, state in zip(generators, before, strict=True):
                g.set_state(state)

    def part_size(self, image: Tensor) -> int:
        """How many images the ascent makes between two saves: a whole number of ascent batches, about 16 MiB."""
        fit = PART_BYTES // (image.numel() * image.element_size())
        return max(fit // ASCENT_BATCH, 1) * ASCENT_BATCH

    def record(self) -> dict[str, Any]:
        """What a run's config keeps of the engine: the same record gives the same bits."""
        return {"device": str(self.resolved), "threads": self.threads}


def beside(net: nn.Module, images: Tensor) -> Tensor:
    """The images on the device where the model is."""
    return images.to(next((p.device for p in net.parameters()), images.device))


def adam(net: nn.Module, alpha: float, ridge: float) -> torch.optim.Adam:
    """Adam on every trainable parameter, with the gradient of ridge/2 ||W||^2 for the weights.

    Weights are parameters with two or more dimensions: biases and normalization scales are not among them.
    """
    parameters = [p for p in net.parameters() if p.requires_grad]
    if not parameters:
        raise InputError("the model has no trainable parameter (requires_grad is False for all): nothing to train")
    weights = [p for p in parameters if p.ndim >= 2]
    others = [p for p in parameters if p.ndim < 2]
    groups = [
        {"params": weights, "weight_decay": ridge},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.Adam([g for g in groups if g["params"]], lr=alpha, fused=True)


def _flush_denormals(flush: bool) -> None:
    """On every thread: the flag is a thread's own, and OpenMP's workers have it from the one that starts them.

    Those already there are let go; the next parallel loop starts new ones.
    """
    torch.set_flush_denormal(flush)
    for library in (Path(torch.__file__).parent / "lib").glob("libgomp*"):
        ctypes.CDLL(str(library)).omp_pause_resource_all(1)


def _denormals_flushed() -> bool:
    """torch can set the flag but not tell it: see what a product that is denormal comes to."""
    return bool(torch.full((), 1e-30) * 1e-10 == 0)
