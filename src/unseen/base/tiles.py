"""Keeps oneDNN off a matrix unit (AMX) that a virtual machine announces and then describes as empty.

Some hypervisors pass the AMX flags through and leave CPUID leaf 1DH, which describes the tiles, all zero. oneDNN as in
torch 2.13 believes the flags, loads an empty tile configuration, and the first product in bf16 ends the process with
an illegal instruction (uxlfoundation/oneDNN, issue 5689). Its own limit, ``ONEDNN_MAX_CPU_ISA``, keeps it on AVX-512.
oneDNN reads it at its first use, so ``import unseen`` sets it, for this process and those it starts.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
from functools import cache
from pathlib import Path

LIMIT = "ONEDNN_MAX_CPU_ISA"
BELOW_AMX = "AVX512_CORE_FP16"
_TILES = 0x1D
# push rbx; mov eax, edi; xor ecx, ecx; cpuid; pop rbx; ret
_CPUID = bytes.fromhex("53 89 f8 31 c9 0f a2 5b c3")


def avoid_empty_tiles() -> None:
    """Set oneDNN's limit where its AMX code would end the process; a limit that the user has set stays."""
    if tiles_are_empty():
        os.environ.setdefault(LIMIT, BELOW_AMX)


@cache
def tiles_are_empty() -> bool:
    """Whether this CPU says that it has AMX, and describes no tile for it."""
    if platform.system() != "Linux" or platform.machine() != "x86_64" or "amx_tile" not in _flags():
        return False
    try:
        return _cpuid(_TILES) == 0
    except OSError:  # no memory may be made executable here: believe the flags
        return False


def _flags() -> list[str]:
    """What the kernel says that the first CPU can do."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split() for line in lines if line.startswith("flags")), [])


def _cpuid(leaf: int) -> int:
    """The first number of a CPUID leaf, which Python can't ask for: nine bytes of machine code can."""
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as memory:
        memory.write(_CPUID)
        start = ctypes.c_char.from_buffer(memory)
        ask = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(ctypes.addressof(start))
        found: int = ask(leaf)
        del ask, start  # memory that something points into can't be closed
    return found
