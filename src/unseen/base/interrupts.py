"""Ctrl-C where Python's own way isn't enough: while the command is being imported, and inside of torch.

While it is being imported, the command ends at once, as an interruption and without a traceback. ``import unseen``
imports this first, and it imports next to nothing. A program that uses the library is left alone.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CODE = 130
"""the exit code of what was interrupted: 128 and the number of the signal, as shells have it"""


def end_quietly() -> None:
    """From now on Ctrl-C ends this process at once; there is nothing to tidy up. A signal that is ignored stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def finish_undisturbed() -> None:
    """When Python ends, it takes back handlers and works on for a second: there Ctrl-C changes the exit code no more.

    Called before anything else is imported, for what is registered first is done last.
    """
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def let_through() -> bool:
    """From now on Ctrl-C is a ``KeyboardInterrupt`` again; whether it ended the process until now."""
    quiet = signal.getsignal(signal.SIGINT) is _end
    if quiet:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return quiet


@contextmanager
def held_back() -> Iterator[None]:
    """Inside: Ctrl-C waits for the end of what is done here, which is short.

    For calls that would lose the ``KeyboardInterrupt``: where torch asks an object of Python's for its length and gets
    an exception, it raises one of its own, and a whole file would be called damaged.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # another thread gets no signal; and one that is ignored, or ends the process, raises nothing
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(*came[-1])


def is_the_command() -> bool:
    """Whether this process was started as ``unseen`` or ``python -m unseen``."""
    script = sys.argv[0] if sys.argv else ""
    return script.rpartition(os.sep)[2] == "unseen" or ("-m", "unseen") in zip(
        sys.orig_argv, sys.orig_argv[1:], strict=False
    )


def _end(*_: object) -> None:
    os._exit(CODE)
