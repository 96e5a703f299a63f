"""Ctrl-C while the command is still being imported: it ends at once, as an interruption and without a traceback.

``import unseen`` imports this first, and it imports next to nothing. A program that uses the library is left alone.
"""

from __future__ import annotations

import os
import signal
import sys

CODE = 130
"""the exit code of what was interrupted: 128 and the number of the signal, as shells have it"""


def end_quietly() -> None:
    """From now on Ctrl-C ends this process at once; there is nothing to tidy up. A signal that is ignored stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def let_through() -> bool:
    """From now on Ctrl-C is a ``KeyboardInterrupt`` again; whether it ended the process until now."""
    quiet = signal.getsignal(signal.SIGINT) is _end
    if quiet:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return quiet


def is_the_command() -> bool:
    """Whether this process was started as ``unseen`` or ``python -m unseen``."""
    script = sys.argv[0] if sys.argv else ""
    return script.rpartition(os.sep)[2] == "unseen" or ("-m", "unseen") in zip(
        sys.orig_argv, sys.orig_argv[1:], strict=False
    )


def _end(*_: object) -> None:
    os._exit(CODE)
