"""The processes of one training. torchrun starts one for each rank and says so in the environment."""

from __future__ import annotations

import atexit
import os
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor

from unseen.base.torchrun import launched
from unseen.errors import RankLost

if TYPE_CHECKING:
    from lightning_fabric import Fabric

T = TypeVar("T")


class Ranks:
    """Which of the processes this is, and what they do together; alone, each of these does the work itself."""

    _fabric: Fabric

    @property
    def ranks(self) -> int:
        """How many processes train together."""
        return int(os.environ["WORLD_SIZE"]) if launched() else 1

    @property
    def rank(self) -> int:
        """Which of them this is; rank 0 writes the run folder and talks."""
        return int(os.environ["RANK"]) if self.ranks > 1 else 0

    def on_first_rank(self, work: Callable[[], T]) -> T:
        """Rank 0 does it; every rank gets what came of it, or the error it raised."""
        if self.ranks == 1:
            return work()
        result, error = self._fabric.broadcast(_outcome(work) if self.rank == 0 else (None, None))
        if error is not None:
            raise error
        return result  # type: ignore[return-value]

    def on_every_rank(self, work: Callable[[], T]) -> T:
        """Every rank does its own; an error that one of them raises, all raise."""
        if self.ranks == 1:
            return work()
        result, mine = _outcome(work)
        errors: list[Exception | None] = [None] * self.ranks
        torch.distributed.all_gather_object(errors, mine)
        for error in errors:
            if error is not None:
                raise error
        return result  # type: ignore[return-value]

    def share(self, rows: Tensor) -> Tensor:
        """This rank's part of the rows; the parts are consecutive, and as equal as can be."""
        return torch.tensor_split(rows, self.ranks)[self.rank]

    def gather(self, part: Tensor, of: int) -> Tensor:
        """Every rank's part, where ``share`` cut ``of`` rows, put together again on every rank."""
        if self.ranks == 1:
            return part
        sizes = [len(p) for p in torch.tensor_split(torch.empty(of), self.ranks)]
        padded = part.new_zeros(max(sizes), *part.shape[1:], device=self._fabric.device)
        padded[: len(part)] = part
        parts = [torch.empty_like(padded) for _ in sizes]
        torch.distributed.all_gather(parts, padded)
        return torch.cat([p[:size] for p, size in zip(parts, sizes, strict=True)])

    def average(self, tensors: Iterable[Tensor]) -> None:
        """Make each of the tensors the mean over the ranks, in place: BatchNorm's statistics, of each rank's share."""
        if self.ranks > 1:
            for tensor in tensors:
                if tensor.is_floating_point():
                    tensor.copy_(self._fabric.all_reduce(tensor, reduce_op="mean"))  # type: ignore[arg-type]

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Inside: the ranks can talk; when one ends or is ended, the others do too, each with a message."""
        atexit.register(_disconnect)
        self._fabric.launch()  # while SIGTERM still ends a process: Python's own handler waits until this returns
        with _ended_by_torchrun(self.rank):
            try:
                yield
            except RuntimeError as error:
                if not _is_connection_error(error):
                    raise
                raise RankLost(f"rank {self.rank} lost another rank, which has ended ({_reason(error)})") from error


def _disconnect() -> None:
    """Before Python takes itself apart: with the connection still open, a process may end in an abort."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def _outcome(work: Callable[[], T]) -> tuple[T | None, Exception | None]:
    try:
        return work(), None
    except RankLost:
        raise  # nobody is there to hear of it
    except Exception as error:  # whatever it is, every rank has to hear of it
        return None, error


@contextmanager
def _ended_by_torchrun(rank: int) -> Iterator[None]:
    """Inside: SIGTERM, which torchrun sends to the ranks that are left, is a ``RankLost``."""

    def end(number: int, frame: Any) -> None:
        raise RankLost(f"rank {rank} was asked to end (SIGTERM): another rank has ended, or somebody stopped them all")

    if threading.current_thread() is not threading.main_thread():  # where Python takes no signals
        yield
        return
    after = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except RankLost:
        after = signal.SIG_IGN  # torchrun's may still come, and must not cut the message off
        raise
    finally:
        signal.signal(signal.SIGTERM, after)


def _reason(error: RuntimeError) -> str:
    """The first sentence of what gloo says, without its source file."""
    return re.sub(r"^\[[^]]*\] ", "", str(error).strip().splitlines()[0]).split(". ")[0]


def _is_connection_error(error: RuntimeError) -> bool:
    text = str(error)
    return isinstance(error, torch.distributed.DistError) or any(
        sign in text for sign in ("gloo", "Connection closed by peer", "Connection reset by peer", "NCCL")
    )
