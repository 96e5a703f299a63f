"""What a CPU and its C library need to be set to: denormals, the allocator; its memory and its cores."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from unseen.base.tiles import tiles_are_empty
from unseen.errors import InputError

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # malloc.h
_KEPT = threading.Lock()  # the allocator is the process's: who sets it first sets it back
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
LOAD = Path("/proc/loadavg")


@contextmanager
def flushed_denormals() -> Iterator[None]:
    """Inside: denormals are zero. Adam's moments of dead weights go denormal, which many CPUs handle slowly."""
    before = _denormals_flushed()
    _flush_denormals(True)
    try:
        yield
    finally:
        _flush_denormals(before)


def _flush_denormals(flush: bool) -> None:
    """On every thread: the flag is a thread's own, and OpenMP's workers have it from the one that starts them.

    Those already there are let go; the next parallel loop starts new ones.
    """
    torch.set_flush_denormal(flush)
    for library in (Path(torch.__file__).parent / "lib").glob("libgomp*"):
        ctypes.CDLL(str(library)).omp_pause_resource_all(1)


def _denormals_flushed() -> bool:
    """torch can set the flag but not read it: see what a product that is denormal comes to."""
    return bool(torch.full((), 1e-30) * 1e-10 == 0)


@contextmanager
def kept_memory() -> Iterator[None]:
    """Inside: what a step frees, the next step gets again.

    glibc by itself returns each large tensor to the kernel, and every page of the next one is a fault
    (benchmarks/README.md). After: glibc's own habits, and what is free goes back.
    """
    libc = ctypes.CDLL(None)
    if _KEPT.locked() or not hasattr(libc, "mallopt"):  # it is kept already; or another C library, with its own habits
        yield
        return
    with _KEPT:
        yield from _kept_by(libc)


def _kept_by(libc: ctypes.CDLL) -> Iterator[None]:
    if not libc.mallopt(M_MMAP_THRESHOLD, 2**30):
        libc.mallopt(M_MMAP_THRESHOLD, 2**25)  # the most that older versions take
    libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
    try:
        yield
    finally:
        libc.mallopt(M_MMAP_THRESHOLD, 2**25)
        libc.mallopt(M_TRIM_THRESHOLD, 2**26)
        libc.malloc_trim(0)


def memory() -> int:
    """How many bytes of memory this process may use: the machine's, or its container's share."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = CGROUP_LIMIT.read_text().strip() if CGROUP_LIMIT.exists() else "max"
    return min(machine, int(limit)) if limit.isdigit() else machine


def check_memory(size: int, what: str, fix: str) -> None:
    """Refuse to begin with what takes more bytes than this process may use; ``fix`` says what to do.

    A GiB or less is tried: other limits than the machine's are nobody's to guess.
    """
    if size > max(there := memory(), 2**30):
        raise InputError(
            f"{what} takes {size / 2**30:,.0f} GiB, and there are {there / 2**30:,.1f} GiB of memory here; {fix}"
        )


def lacked_memory(error: Exception) -> bool:
    """Whether there wasn't the memory for something: Python's error, or torch's, which is of no kind of its own."""
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def busy_cores() -> float:
    """How many cores others keep busy: over the last minute, and now, whichever is less, so that it is no memory."""
    lately = os.getloadavg()[0]
    if not LOAD.exists():
        return lately
    running = int(LOAD.read_text().split()[3].partition("/")[0])
    return min(lately, running - 1.0)  # the one that runs this is not another


def bf16_unit() -> str | None:
    """The instructions with which this CPU multiplies bf16 faster than float32, if it has any.

    A CPU made for AMX is slower in bf16 than in float32 without it.
    """
    if tiles_are_empty():
        return None
    can = torch.cpu.get_capabilities()
    return next((name for name in ("amx_bf16", "avx512_bf16") if can.get(name)), None)
