"""The door out: whole files, links that stay links, and devices and pipes that are written to as they are."""

import os
import signal
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from ordinary_user import as_ordinary_user, within_reach

from unseen.base.tensors import read_tensors, write_tensors
from unseen.base.writing import whole_file, write_atomically, written_whole
from unseen.errors import SaveFailed


def test_a_link_stays_a_link_and_the_file_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"a page")
    reader.join(10)
    assert heard == [b"a page"]
    assert pipe.is_fifo()


def test_a_pipe_that_nobody_reads_from_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("unseen.base.writing.TRIES", 2)
    with pytest.raises(SaveFailed, match=r"could not save .*pipe: it is a pipe or a socket that nobody reads from"):
        write_atomically(tmp_path / "pipe", b"a page")


def test_a_pipe_in_the_place_of_tensors_is_taken_away(tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "state.safetensors")
    write_tensors(path, {"w": torch.ones(2)}, {"t": 3})
    assert read_tensors(path)[1] == {"t": 3}


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    device = tmp_path / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))  # as /dev/full
        device.open("wb").close()
    except OSError as error:
        pytest.skip(f"no device can be made here: {error}")
    with pytest.raises(SaveFailed, match="full: No space left on device"):
        write_atomically(device, b"a page")
    assert device.is_char_device()


def test_what_fails_in_the_middle_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")

    def interrupted() -> None:
        with whole_file(tmp_path / "file") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_below_a_folder_that_nobody_may_look_into_a_save_fails_with_one_message(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    with within_reach(tmp_path) as reached, as_ordinary_user(reached):
        (reached / "closed").chmod(0)
        try:
            with pytest.raises(SaveFailed, match=r"could not save .*closed/deep/file: Permission denied"):
                write_atomically(reached / "closed" / "deep" / "file", b"a page")
        finally:
            (reached / "closed").chmod(0o755)


def test_a_folder_whose_replacement_fails_at_the_last_moment_is_there_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old").touch()
    rename = Path.rename

    def refused(path: Path, target: Path) -> Path:
        if path.suffix == ".part":
            raise OSError(5, "Input/output error")
        return rename(path, target)

    def replace() -> None:
        with written_whole(folder, replaces=True) as aside:
            (aside / "new").touch()

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(SaveFailed, match="Input/output error"):
        replace()
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["model", "model/old"]
    monkeypatch.undo()
    replace()
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["model", "model/new"]


def test_ctrl_c_waits_for_the_end_of_a_file_that_torch_would_call_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "round.safetensors"
    write_tensors(file, {"x": torch.arange(3)}, {"t": 1})
    asked = torch.asarray

    def interrupted(*arguments: Any, **options: Any) -> torch.Tensor:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            return asked(*arguments, **options)
        except KeyboardInterrupt:
            raise ValueError("could not determine the shape of object type 'UntypedStorage'") from None  # as torch does

    monkeypatch.setattr(torch, "asarray", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        read_tensors(file)
    assert signal.getsignal(signal.SIGINT) is handler


def test_in_another_thread_nothing_is_held_back(tmp_path: Path) -> None:
    write_tensors(tmp_path / "file", {"x": torch.arange(3)}, {"t": 1})
    found: list[int] = []
    reader = threading.Thread(target=lambda: found.append(read_tensors(tmp_path / "file")[1]["t"]))
    reader.start()
    reader.join(10)
    assert found == [1]
