"""`unseen download`, as a person in a shell meets it."""

import hashlib
import io
import os
import signal
import subprocess
import sys
import time

import pytest
from rich.console import Console
from serving import gives, says, trusted

from unseen.cli import byte_bars
from unseen.data import official
from unseen.data.official import OfficialFile

CONTENT = bytes(range(256)) * 100


@pytest.fixture
def server(monkeypatch, tmp_path):
    """Serves what the table of published sets has in these tests: two sets of one file each."""
    with trusted(monkeypatch, tmp_path) as server:
        digest = hashlib.sha256(CONTENT).hexdigest()

        def file(name, **options):
            return OfficialFile(name=name, url=server.url(name), size=len(CONTENT), sha256=digest, **options)

        table = {"svhn-test": (file("a.mat", folder="svhn"),), "usps-test": (file("b.bz2", folder="usps"),)}
        monkeypatch.setattr(official, "OFFICIAL", table)
        yield server


def test_sets_are_fetched_checked_and_put_where_they_are_looked_for(shell, server, tmp_path):
    server.does(gives(CONTENT))
    code, text = shell("download", "svhn", "usps-test", "--data", "my sets")
    assert code == 0, text
    assert (tmp_path / "my sets/svhn/a.mat").read_bytes() == (tmp_path / "my sets/usps/b.bz2").read_bytes() == CONTENT
    assert f"Done: {tmp_path}/my sets. Next: unseen domains --data '{tmp_path}/my sets'" in text
    assert "\x1b" not in text


def test_what_is_there_is_said_and_not_fetched(shell, server, tmp_path):
    server.does(gives(CONTENT))
    shell("download", "svhn", "--data", "sets")
    code, text = shell("download", "svhn", "--data", "sets")
    assert (code, len(server.requests)) == (0, 1)
    assert f"a.mat: there already, {tmp_path}/sets/svhn/a.mat (to have it fetched again, delete it)" in text


def test_the_folder_of_the_environment_is_filled(shell, server, tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path / "named"))
    server.does(gives(CONTENT))
    assert shell("download", "usps")[0] == 0
    assert (tmp_path / "named/usps/b.bz2").exists()


def test_what_can_be_had_is_had_and_the_rest_is_reported_with_exit_code_2(shell, server, tmp_path):
    server.does(says(404), gives(CONTENT))
    code, text = shell("download", "svhn", "usps", "--data", "sets")
    assert code == 2
    assert "error: download: " in text
    assert "a.mat answered 404 Not Found" in text
    assert f"it belongs at {tmp_path}/sets/svhn/a.mat" in text
    assert (tmp_path / "sets/usps/b.bz2").read_bytes() == CONTENT
    assert "Done" not in text


def test_all_problems_come_in_one_message(shell, server):
    server.does(gives(bytes(len(CONTENT))), gives(b"<html>Log in</html>"))
    code, text = shell("download", "svhn", "usps", "--data", "sets")
    assert code == 2
    assert text.count("error:") == 1
    assert "2 problems" in text
    assert f"expected sha256:{hashlib.sha256(CONTENT).hexdigest()}, got sha256:" in text
    assert "web page" in text


def test_a_disk_without_room_has_the_exit_code_of_a_failed_save(shell, server, monkeypatch):
    huge = OfficialFile(name="a.mat", folder="svhn", url=server.url(), size=2**60, sha256="0" * 64)
    monkeypatch.setattr(official, "OFFICIAL", {"svhn-test": (huge,)})
    server.does(gives(CONTENT, announces=2**60))
    code, text = shell("download", "svhn", "--data", "sets")
    assert (code, "are free; free space or choose another folder" in text) == (5, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ["name what to fetch", "unseen download --list"]),
        (["svhn"], ["--data", "UNSEEN_DATA"]),
        (["shvn", "--data", "sets"], ['did you mean "svhn"?']),
    ],
    ids=["nothing", "no-folder", "misspelt"],
)
def test_bad_input_gets_one_message_and_leaves_nothing_behind(shell, tmp_path, words, said):
    code, text = shell("download", *words)
    assert code == 2
    for part in said:
        assert part in text
    assert list(tmp_path.iterdir()) == []


def test_the_list_has_every_set_with_its_files_sizes_and_terms_and_what_to_get_by_hand(shell):
    code, text = shell("download", "--list")
    assert code == 0
    for word in ("mnist-m", "bsds500", "train_32x32.mat", "182.0 MB", "unknown", "non-commercial use only"):
        assert word in text
    assert "mnist_m.tar.gz or by hand: " in text


def test_a_file_that_has_to_be_got_by_hand_is_reported_with_how_and_where(shell, monkeypatch, tmp_path):
    file = OfficialFile(name="a.mat", folder="svhn", how="write to the authors", sha256="0" * 64)
    monkeypatch.setattr(official, "OFFICIAL", {"svhn-test": (file,)})
    assert "a.mat by hand: write to the authors" in shell("download", "--list")[1]
    code, text = shell("download", "svhn", "--data", "sets")
    assert code == 2
    assert f"Got by hand (write to the authors), it belongs at {tmp_path}/sets/svhn/a.mat" in text


def test_the_list_and_the_help_fit_in_80_columns(shell):
    for option in ("--list", "--help"):
        code, text = shell("download", option)
        assert code == 0
        boxed = [line for line in text.splitlines() if "by hand" not in line]
        assert max(map(len, boxed)) <= 80
        assert "…" not in text


def test_a_terminal_gets_a_bar_and_others_a_line_every_ten_seconds(monkeypatch):
    now = iter([0.0, 4.0, 11.0, 11.0, 12.0])
    monkeypatch.setattr(byte_bars.time, "monotonic", lambda: next(now))
    shown = {}
    for terminal in (False, True):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
        with byte_bars.showing_bytes(console) as show:
            progress = show("a.mat")
            for done in (1_000_000, 2_000_000, 3_000_000):
                progress(done, 4_000_000)
        shown[terminal] = console.file.getvalue()
    assert shown[False].splitlines() == ["a.mat: 2.0 MB of 4.0 MB"]
    assert "3.0/4.0 MB" in shown[True]


def test_ctrl_c_says_how_to_resume_and_keeps_what_came(server, tmp_path):
    server.does(gives(CONTENT, stalls=9000))
    script = (
        "import sys\nfrom unseen import cli\nfrom unseen.data import official\n"
        f"official.OFFICIAL = {{'svhn-test': ({official.OFFICIAL['svhn-test'][0]!r},)}}\n"
        "sys.argv = ['unseen', 'download', 'svhn', '--data', 'my sets']\ncli.main()\n"
    ).replace("OfficialFile(", "official.OfficialFile(")
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {"COLUMNS": "200"},
    )  # fmt: skip
    part = tmp_path / "my sets/svhn/a.mat.part"
    end = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size == 9000):
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=30)
    assert process.returncode == 130, text
    assert f"Interrupted. Resume with: unseen download svhn --data '{tmp_path}/my sets'" in text
    assert "Traceback" not in text
    assert part.read_bytes() == CONTENT[:9000]
