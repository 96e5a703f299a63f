"""The door out: whole files, links that stay links, and devices and pipes that are written to as they are."""

import os
import stat
import threading
from pathlib import Path

import pytest

from unseen.base.writing import whole_file, write_atomically
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
