"""Real processes to attack, forked from this one, which has the libraries loaded and has computed nothing.

Starting Python and importing torch takes seconds, a fork some milliseconds. For that, whoever forks may have one
thread only: whatever computes does so in a child.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import typer.main
from PIL import Image

from unseen import cli
from unseen.data.digits import built_in_digits
from unseen.errors import UnseenError

NOBODY = 65534
PATIENCE = 120.0
"""seconds after which a process hangs; whatever it does here takes a few at most"""
MEMORY = 3 * 2**29
"""bytes that a process may take beyond what the libraries have"""
PRELOADED = (
    *("lightning_fabric", "torch._dynamo", "torch.utils.tensorboard", "torch.profiler._cupti_monitor", "kill_points"),
    *("unseen", "unseen.cli", "unseen.cli.demo", "unseen.cli.carry_out", "unseen.cli.scores"),
    *("unseen.reporting.runs.page", "unseen.reporting.diagnosis.page", "unseen.reporting.diagnosis.diagnose"),
    *("unseen.choosing.choose", "unseen.sweep", "unseen.sweep.runner", "unseen.runs.request", "unseen.runs.fit"),
    *("unseen.deploy.predictor", "unseen.deploy.export", "unseen.deploy.streaming", "unseen.deploy.csv_file"),
    *("unseen.deploy.mask_files", "unseen.paper.page", "unseen.paper.family.page", "unseen.data.download.obtain"),
    *("unseen.adda.adapt", "unseen.theory.solve", "scipy.io", "scipy.stats", "pooch", "requests", "trustme", "bz2"),
    *("pydantic", "typer._adapters", "typer._click.decorators", "typer._click._textwrap", "torchvision"),
    *("rich._emoji_codes", "rich.status", "jinja2.loaders", "encodings.cp437", "encodings.utf_8_sig"),
    *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"),
    *("joblib.externals.loky.backend.popen_loky_posix", "joblib.externals.loky.backend.synchronize"),
)
"""what a child would import otherwise, each for itself"""

Audit = Callable[[str, tuple[Any, ...]], None]


def preload() -> None:
    """Import whatever the children need, and build what each of them would build alike."""
    for name in PRELOADED:
        import_module(name)
    Image.init()
    built_in_digits.training_digits()
    typer.main.get_command = cache(typer.main.get_command)  # else it is made anew at each call
    typer.main.get_command(cli.app.app)
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "whoever forks may have one thread only"
    gc.collect()
    gc.freeze()  # no child writes to these pages by collecting garbage


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it had to say."""

    code: int
    """its exit code; negative for the signal that ended it"""
    text: str
    """what it printed, output and errors"""
    seconds: float
    answer: Any = None
    hung: bool = False
    signalled: bool = False
    """whether the signal that was asked for came before its end"""


@dataclass(frozen=True)
class Conditions:
    """What a process lives under."""

    folder: Path
    """where it works"""
    patience: float = PATIENCE
    memory: int | None = MEMORY
    """bytes beyond the libraries'; None for no limit"""
    ordinary: bool = False
    """as an ordinary user, for whom file permissions hold"""
    environment: Mapping[str, str] = field(default_factory=dict)
    audit: Audit | None = None
    """is told of every event that Python audits: files opened, renamed, processes started"""
    signal_after: tuple[int, float] | None = None
    """this signal, after so many seconds"""


def run(work: Callable[[], Any], conditions: Conditions) -> Ended:
    """Do the work in a process of its own and wait for its end; what it returns, which JSON can say, is the answer."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as answered:
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _be_the_child(work, conditions, said, answered)
        signalled, hung = _wait(pid, conditions)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # what it has started and left behind
        said.seek(0)
        answered.seek(0)
        text, answer = said.read().decode(errors="replace"), answered.read()
        took = time.monotonic() - began
    return Ended(code, text, took, json.loads(answer) if answer else None, hung, signalled)


def _wait(pid: int, conditions: Conditions) -> tuple[bool, bool]:
    """Whether the signal was sent before the end, and whether it took too long and was killed."""
    handle = os.pidfd_open(pid)
    ends = select.poll()
    ends.register(handle, select.POLLIN)
    try:
        signalled = False
        if conditions.signal_after is not None:
            number, seconds = conditions.signal_after
            signalled = not ends.poll(1000 * seconds)
            if signalled:
                os.kill(pid, number)
        hung = not ends.poll(1000 * conditions.patience)
        if hung:
            os.kill(pid, signal.SIGKILL)
        return signalled, hung
    finally:
        os.close(handle)


def _be_the_child(work: Callable[[], Any], conditions: Conditions, said: BinaryIO, answered: BinaryIO) -> None:
    code = 1
    try:
        _settle(conditions, said)
        answer = work()
        answered.write(json.dumps(answer).encode())
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        code = 130
    except UnseenError as error:
        print(f"error: {error}", file=sys.stderr)
        code = error.exit_code
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
            answered.flush()
        os._exit(code)


def _settle(conditions: Conditions, said: BinaryIO) -> None:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as Python starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(said.fileno(), 1)
    os.dup2(said.fileno(), 2)
    if conditions.memory is not None:
        most = _virtual_memory() + conditions.memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.update({"HOME": str(conditions.folder), "COLUMNS": "200"} | dict(conditions.environment))
    os.chdir(conditions.folder)
    if conditions.ordinary and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    if conditions.audit is not None:
        sys.addaudithook(conditions.audit)


def give_away(folder: Path) -> None:
    """Make everything in a folder that ordinary user's own."""
    if os.geteuid() == 0:
        for path in folder.rglob("*"):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def _virtual_memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def verb(words: str | Sequence[str]) -> Callable[[], None]:
    """The work of ``unseen WORDS``, which ends with its exit code."""
    given = words.split() if isinstance(words, str) else words

    def work() -> None:
        sys.argv = ["unseen", *given]
        cli.main()

    return work


def accepted_at(event: str, part: str = "") -> Audit:
    """End with 0 when that event comes, about a path that has ``part`` in it: whatever was given was accepted."""

    def audit(name: str, arguments: tuple[Any, ...]) -> None:
        if name == event and part in str(arguments[0]):
            sys.stdout.flush()
            os._exit(0)

    return audit
