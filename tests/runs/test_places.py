"""Places that can't be written or read: one message with the place, the reason and what to do, and its exit code."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kill_points import train
from ordinary_user import as_ordinary_user, within_reach
from typer.testing import CliRunner

import unseen
from unseen.base.locking import InUse
from unseen.base.writing import write_atomically
from unseen.cli.app import app
from unseen.deploy.hand_over import hand_over
from unseen.errors import RunFolderError, SaveFailed, UnseenError
from unseen.reporting.evaluation import score_run
from unseen.runs.folder import RunFolder

OLDER = Path(__file__).parent / "older" / "bce79ef"


def a_file_in_the_way(tmp_path: Path) -> Path:
    (tmp_path / "file").touch()
    return tmp_path / "file" / "run"


def a_dangling_link(tmp_path: Path) -> Path:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    return tmp_path / "link"


def under_a_dangling_link(tmp_path: Path) -> Path:
    return a_dangling_link(tmp_path) / "run"


class TestWriting:
    @pytest.mark.parametrize(
        ("place", "reason"),
        [
            (lambda _: Path("/proc/unseen-run"), "could not save /proc/unseen-run: "),
            (a_file_in_the_way, "file is a file, not a folder; choose another place"),
            (a_dangling_link, "link is a link to "),
            (under_a_dangling_link, "link is a link to "),
        ],
        ids=["proc", "a file in the way", "a dangling link", "under a dangling link"],
    )
    def test_a_run_that_can_t_have_its_folder_says_why(
        self, tmp_path: Path, place: Callable[[Path], Path], reason: str
    ) -> None:
        with pytest.raises(SaveFailed) as told:
            train(place(tmp_path))
        assert reason in str(told.value)

    def test_a_folder_below_one_that_can_t_be_written_to_says_why(self, tmp_path: Path) -> None:
        (tmp_path / "closed").mkdir(mode=0o555)
        denied = pytest.raises(SaveFailed, match=r"closed/run: Permission denied; choose")
        with within_reach(tmp_path / "closed") as closed, as_ordinary_user(closed), denied:
            train(closed / "run")

    def test_a_disk_that_is_full_before_the_lock_says_so(self, disk_with: Callable[[str], Path]) -> None:
        disk = disk_with("size=64k")
        folder = disk / "run"
        folder.mkdir()
        (disk / "filler").write_bytes(bytes(60 * 1024))
        with pytest.raises(SaveFailed, match="No space left on device"):
            train(folder)

    def test_a_disk_without_inodes_says_so(self, disk_with: Callable[[str], Path]) -> None:
        disk = disk_with("size=1m,nr_inodes=2")
        (disk / "filler").touch()
        with pytest.raises(SaveFailed, match=r"disk/run: No space left on device; choose another place"):
            train(disk / "run")

    def test_a_missing_folder_for_events_is_made_again_and_is_no_full_disk(self, tmp_path: Path) -> None:
        def tidy_up(progress: Any) -> None:
            for name in ("events", "rounds"):
                if progress.done == 1:
                    shutil.rmtree(tmp_path / "run" / name, ignore_errors=True)

        train(tmp_path / "run", ada=unseen.ADA(K=1, T=4, T_min=2, T_max=1, batch=4, n=4), progress=tidy_up)
        assert list((tmp_path / "run" / "events").iterdir())

    def test_a_file_in_place_of_the_rounds_is_told_without_advice_about_space(self, tmp_path: Path) -> None:
        def put_a_file(progress: Any) -> None:
            if progress.phase == "maximize":
                shutil.rmtree(tmp_path / "run" / "rounds", ignore_errors=True)
                (tmp_path / "run" / "rounds").touch()

        with pytest.raises(SaveFailed, match=r"rounds is a file, not a folder.*; put that right, then: unseen") as told:
            train(tmp_path / "run", ada=unseen.ADA(K=1, T=4, T_min=2, T_max=1, batch=4, n=4), progress=put_a_file)
        assert "free space" not in str(told.value)


class TestReading:
    @pytest.mark.parametrize(
        ("file", "use"),
        [
            ("config.json", lambda folder: RunFolder(folder).config()),
            ("metrics.jsonl", lambda folder: RunFolder(folder).metrics()),
            ("metrics.jsonl", lambda folder: RunFolder(folder).last_checkpoint()),
            ("rounds", lambda folder: RunFolder(folder).last_checkpoint()),
            ("rounds/1/0000.safetensors", lambda folder: RunFolder(folder).read_round(1)),
            (".", lambda folder: RunFolder(folder).config()),
        ],
        ids=["config", "metrics", "metrics to resume", "rounds", "a part", "the folder"],
    )
    def test_what_can_t_be_read_is_named_with_the_reason(self, file: str, use: Callable[[Path], Any]) -> None:
        with within_reach(OLDER / "python-unfinished") as folder:
            (folder / file).chmod(0)
            with as_ordinary_user(folder), pytest.raises(UnseenError) as told:
                use(folder)
            (folder / file).chmod(0o755)
        assert "Permission denied" in str(told.value)
        assert str(folder / file).rstrip("/.") in str(told.value)

    def test_weights_that_can_t_be_read_are_named(self) -> None:
        with within_reach(OLDER / "finished-0") as folder:
            (folder / "weights.safetensors").chmod(0)
            with (
                as_ordinary_user(folder),
                pytest.raises(RunFolderError, match=r"weights.safetensors can't be read: Perm"),
            ):
                unseen.load(folder)

    def test_a_lock_that_can_t_be_opened_is_named(self) -> None:
        with within_reach(OLDER / "python-unfinished") as folder:
            (folder / "lock").touch(mode=0)
            with (
                as_ordinary_user(folder),
                pytest.raises(SaveFailed, match=r"unfinished/lock: Permission denied"),
                RunFolder(folder).locked(),
            ):
                pass


class TestLinks:
    @pytest.mark.parametrize(
        "use",
        [
            lambda loop: unseen.Ensemble.of_runs([loop, loop.parent]),
            lambda loop: hand_over(OLDER / "finished-0", loop),
            lambda loop: write_atomically(loop, b""),
            lambda loop: unseen.folder(loop),
        ],
        ids=["a member", "a hand-over", "a file", "images"],
    )
    def test_a_link_that_leads_to_itself_is_a_message(self, tmp_path: Path, use: Callable[[Path], Any]) -> None:
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(UnseenError, match="loop"):
            use(tmp_path / "loop")


class TestScores:
    def test_a_score_that_can_t_be_kept_is_shown_with_one_warning(self, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(OLDER / "finished-0", tmp_path / "run"))
        for name in ("evaluation.json", "answers"):
            (folder / name).mkdir() if name.endswith("json") else (folder / name).touch()
        done = CliRunner(env={"COLUMNS": "200"}).invoke(
            app, ["evaluate", str(folder), "--per-class", "--target", "uci-8x8", "--target", "mnist5k-heldout"]
        )
        assert done.exit_code == 0, done.output
        assert "%" in done.output
        assert done.output.count("can't be written to") == len({"Is a directory", "File exists"})

    def test_without_anybody_to_warn_a_score_that_can_t_be_kept_is_an_error(self, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(OLDER / "finished-0", tmp_path / "run"))
        (folder / "evaluation.json").mkdir()
        with pytest.raises(SaveFailed, match=r"evaluation.json: Is a directory"):
            score_run(folder, [unseen.domain("uci-8x8")[:5]])


class TestTwoWriters:
    def test_a_lock_file_that_is_removed_lets_nobody_else_in(self, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        with RunFolder(folder).locked():
            (folder / "lock").unlink()
            refused = pytest.raises(InUse, match="run is in use by another process; wait for it to end")
            with refused, RunFolder(folder).locked():
                pass
        with RunFolder(folder).locked():
            assert (folder / "lock").read_text().startswith(f"process {os.getpid()} on ")

    def test_where_folders_can_t_be_locked_the_file_is(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        flock = fcntl.flock

        def of_files_alone(handle: int, operation: int) -> None:
            if Path(f"/proc/self/fd/{handle}").readlink().is_dir():
                raise OSError(9, "Bad file descriptor")
            flock(handle, operation)

        monkeypatch.setattr("fcntl.flock", of_files_alone)
        refused = pytest.raises(InUse, match=f"in use by process {os.getpid()}")
        with RunFolder(tmp_path).locked(), refused, RunFolder(tmp_path).locked():
            pass
