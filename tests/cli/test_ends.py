"""How the command ends: quietly when it is interrupted or nobody reads on, with one message when it is our fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from unseen.cli.app import NO_READER


def interrupted_at(module: str, *words: str) -> tuple[int, str]:
    """The exit code and the error output of a command that gets SIGINT when it has just imported the module."""
    command = [sys.executable, "-X", "importtime", "-m", "unseen", *words]
    printed = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.rpartition("|")[2].strip() == module:
                process.send_signal(signal.SIGINT)
            elif not line.startswith("import time:"):
                printed.append(line)
    return process.returncode, "".join(printed)


@pytest.mark.parametrize("module", ["typing", "unseen.base.tiles", "rich.console", "unseen.cli.app", "torch._C"])
def test_ctrl_c_while_something_is_imported_is_one_word_at_most(module: str) -> None:
    code, printed = interrupted_at(module, "evaluate", "nowhere")
    assert (code, printed in ("", "Interrupted.\n")) == (130, True), printed


def test_ctrl_c_while_a_verb_works_is_told(shell, monkeypatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("unseen.reporting.evaluation.network_of", interrupted)
    assert shell("evaluate", "run") == (130, "Interrupted.\n")


def test_ctrl_c_when_all_is_done_changes_nothing() -> None:
    """Python takes its handlers back before its last second: there the signal comes, at the end of a module's life."""
    code = (
        "import sys; sys.argv[0] = 'unseen'; import unseen, os, signal\n"
        "class Last:\n"
        "    def __del__(self, kill=os.kill, me=os.getpid(), number=signal.SIGINT): kill(me, number)\n"
        "last = Last()\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_program_that_imports_the_library_hears_ctrl_c_as_ever() -> None:
    code = "import unseen, signal; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nobody_who_reads_on_is_no_error() -> None:
    gone, pipe = os.pipe()
    os.close(gone)
    done = subprocess.run(
        [sys.executable, "-m", "unseen", "--version"], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(pipe)
    assert (done.returncode, done.stderr) == (NO_READER, "")


def test_a_full_disk_under_what_is_printed_is_one_message() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "unseen", "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 5
    assert done.stderr.startswith("error: ")
    assert "No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_bug_of_ours_is_told_as_one(shell, monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("unseen.reporting.evaluation.network_of", broken)
    code, printed = shell("evaluate", "some run", "--target", "uci-8x8")
    assert code == 1
    assert "Traceback" in printed
    told = printed[printed.rindex("error: ") :]
    assert told.startswith("error: this is a bug in unseen. Please send the maintainers the lines above, what `unseen")
    assert told.endswith("the command: unseen evaluate 'some run' --target uci-8x8\n")


def test_too_little_memory_is_no_bug(shell, monkeypatch) -> None:
    def greedy(*_: object) -> None:
        torch.empty(2**50)

    monkeypatch.setattr("unseen.reporting.evaluation.network_of", greedy)
    code, printed = shell("evaluate", "run")
    assert (code, printed) == (
        2, "error: this takes more memory than there is; lower batch, size or width, or free some\n"
    )  # fmt: skip


def test_a_problem_with_a_file_that_nobody_told_is_one_message(shell, monkeypatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "some/file")

    monkeypatch.setattr("unseen.reporting.evaluation.network_of", refused)
    assert shell("evaluate", "run") == (2, "error: some/file: Permission denied; put that right and try again\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "--out", "/proc/unseen-run", "--config", "run.toml"], "could not save /proc/unseen-run"),
        (["sweep", "grid.toml", "--out", "file/sweep"], "file is a file, not a folder"),
        (["sweep", "grid.toml", "--out", "/proc/unseen-sweep"], "could not save /proc/unseen-sweep"),
        (["demo", "--seeds", "1", "--out", "file/demo"], "file is a file, not a folder"),
    ],
    ids=["train", "sweep below a file", "sweep in proc", "demo"],
)
def test_a_verb_that_can_t_have_its_folder_ends_with_one_message(shell, tmp_path, words, message) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "run.toml").write_text("T = 2\nK = 0\nimages = 8\nbatch = 4\nwatch = []\n")
    (tmp_path / "grid.toml").write_text("T = 2\nK = 0\nimages = 8\nbatch = 4\nwatch = []\n[grid]\nseed = [0]\n")
    code, printed = shell(*words)
    assert (code, message in printed, "Traceback" in printed) == (5, True, False), printed
