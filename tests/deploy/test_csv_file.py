"""The CSV file is whole or not there, and a link or a pipe stays what it is."""

import os
import threading
from pathlib import Path

import pytest

from unseen.deploy.csv_file import csv_file
from unseen.deploy.prediction import Prediction
from unseen.errors import SaveFailed

SAID = Prediction(label="cat", confidence=0.5, probabilities={"cat": 0.5, "dog": 0.5})
LINES = "picture,class,confidence,probability of cat,probability of dog\r\na.png,cat,0.5,0.5,0.5\r\n"


def write(path: Path) -> None:
    with csv_file(path) as line:
        line(Path("a.png"), SAID)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("file.csv")
    write(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "file.csv").read_bytes().decode() == LINES


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write(tmp_path / "pipe")
    reader.join(10)
    assert (b"".join(heard).decode(), (tmp_path / "pipe").is_fifo()) == (LINES, True)


def test_a_place_without_a_folder_is_a_failed_save(tmp_path: Path) -> None:
    with pytest.raises(SaveFailed, match=r"could not save .*nowhere/a.csv: No such file"):
        write(tmp_path / "nowhere" / "a.csv")
