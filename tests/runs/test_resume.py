"""A run survives kills, damage, full disks and second processes; it unpickles nothing and leaves no trace elsewhere."""

import io
import json
import os
import pickle
import random
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import Tensor, nn

import unseen
from unseen.base.tensors import read_tensors
from unseen.engine import Engine
from unseen.errors import RunFolderError, SaveFailed
from unseen.method.state import State
from unseen.runs.config import Cadence
from unseen.runs.folder import RunFolder
from unseen.runs.progress import Progress

sys.path.insert(0, str(Path(__file__).parents[1]))  # processes that the kills start import it by this name
import kill_points
from configs import rewrite
from kill_points import Outcome, differences, in_process, outcome, train
from ordinary_user import as_ordinary_user

TRAINING = ("minimize", 25, 2)
"""the phase, how much of it is done, rounds done: the checkpoints are those of steps 16 and 20"""
IN_A_ROUND = ("maximize", 48, 1)
"""three of the four parts of round 2 are made, two are kept"""


pytestmark = pytest.mark.usefixtures("small_pieces")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A run that was never interrupted."""
    with kill_points.small_pieces():
        run = train(tmp_path_factory.mktemp("whole") / "run")
    assert run.folder is not None
    return run.folder, outcome(run)


@pytest.fixture
def whole(finished: tuple[Path, Outcome]) -> Outcome:
    return finished[1]


def interrupt(folder: Path, at: tuple[str, int, int] = TRAINING, **changes: Any) -> Path:
    """A run that somebody stopped with Ctrl-C."""
    return kill_points.interrupted(train, folder, at, **changes)


@pytest.fixture(scope="module")
def stopped_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with kill_points.small_pieces():
        return interrupt(tmp_path_factory.mktemp("stopped") / "run")


@pytest.fixture
def stopped(stopped_once: Path, tmp_path: Path) -> Path:
    """A run that somebody stopped while it was training; a copy, to do with what one likes."""
    return Path(shutil.copytree(stopped_once, tmp_path / "run"))


def go_on(folder: Path) -> str:
    """What a run that was started from Python is gone on with."""
    return f"unseen.fit(..., folder={str(folder)!r}, resume=True)"


def checkpoints(folder: Path) -> list[Path]:
    return sorted((folder / "checkpoints").glob("*.safetensors"))


def content(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its bytes and when it was written."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
    }


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_a_bit(path: Path) -> None:
    damaged = bytearray(path.read_bytes())
    damaged[-1000] ^= 4
    path.write_bytes(damaged)


def make_an_error_page(path: Path) -> None:
    path.write_text("<!doctype html><title>404 Not Found</title>" * 50)


def make_empty(path: Path) -> None:
    path.write_bytes(b"")


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (99,)


def make_a_pickle_with_code_in_it(path: Path) -> None:
    path.write_bytes(pickle.dumps(Bomb()))


def sign_another_content(path: Path) -> None:
    """A valid safetensors file that somebody edited: the digest is the old one."""
    with safetensors.safe_open(str(path), framework="pt") as file:
        note = file.metadata()
    tensors = safetensors.torch.load_file(path)
    tensors["losses"] += 1
    path.write_bytes(safetensors.torch.save(tensors, metadata=note))


DAMAGES = [cut_in_half, flip_a_bit, make_an_error_page, make_empty, make_a_pickle_with_code_in_it, sign_another_content]
each_damage = pytest.mark.parametrize("damage", DAMAGES, ids=lambda f: f.__name__)


class TestKills:
    def test_a_run_killed_at_any_moment_ends_with_the_same_bits(self, tmp_path: Path) -> None:
        cases = kill_points.table(points=44, folder=tmp_path)  # `make attack` has a thousand
        text = kill_points.as_text(cases)
        assert all(case.identical for case in cases), f"\n{text}"
        assert len(cases) >= 44, f"\n{text}"
        killed_in = [kill.phase for case in cases for kill in case.kills if isinstance(kill, kill_points.Place)]
        for phase in kill_points.SHARES:
            assert phase in killed_in, f"{phase}\n{text}"

    def test_a_run_that_saves_by_time_resumes_from_there_to_the_same_bits(self, tmp_path: Path, whole: Outcome) -> None:
        rarely = Cadence(record=5, watch=10, save=10, minutes=1e-9)
        folder = interrupt(tmp_path / "run", ("minimize", 28, 2), cadence=rarely)
        assert [path.stem for path in checkpoints(folder)] == ["00000027-002", "00000028-002"]
        run = train(folder, resume=True)  # with ten minutes again, which is no other config
        assert not differences(whole, outcome(run))

    def test_the_table_says_no_when_a_bit_differs(self, tmp_path: Path, finished: tuple[Path, Outcome]) -> None:
        shutil.copytree(finished[0], tmp_path / "run")
        flip_a_bit(tmp_path / "run" / "weights.safetensors")
        on_disk = kill_points.outcome_on_disk(tmp_path / "run")
        (different,) = [name for name in on_disk if on_disk[name] != finished[1][name]]
        assert different.startswith("weights.safetensors: ")
        case = kill_points.Case((0.5,), identical=False, note=different)
        assert "0 bit-identical, 1 not" in kill_points.as_text([case])

    def test_the_command_line_goes_on_after_a_kill_also_from_weights_of_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "net.py").write_text(
            "from torch import nn\n\ndef make(classes):\n"
            "    return nn.Sequential(nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(48, classes))\n"
        )
        pictures = pytest.importorskip("PIL.Image")
        for i, image in enumerate(kill_points.make_domain("source", 12, 6).images):
            path = tmp_path / "source" / "abc"[i % 3] / f"{i}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            pictures.fromarray((255 * image).byte().permute(1, 2, 0).numpy()).save(path)
        start = {"3.weight": torch.linspace(-1, 1, 3 * 48).reshape(3, 48), "3.bias": torch.tensor([0.0, 0.1, 0.2])}
        safetensors.torch.save_file(start, tmp_path / "start.safetensors")
        (tmp_path / "run.toml").write_text(
            f'model = "{tmp_path / "net.py"}:make"\nsource = "{tmp_path / "source"}"\n'
            f'weights = "{tmp_path / "start.safetensors"}"\n'
            'T = 14\nK = 1\nT_min = 6\nT_max = 2\nn = 20\nbatch = 8\ndevice = "cpu"\nthreads = 1\n'
            "cadence = {record = 2, watch = 4, save = 5}\n"
        )
        for name, step in (("whole", None), ("killed", 12)):
            words = ["train", "--config", str(tmp_path / "run.toml"), "--out", str(tmp_path / name)]
            ended = in_process(kill_points.command, words, step)
            assert ended.killed if step else ended.answer == 0, ended
        assert not RunFolder(tmp_path / "killed").finished
        resume = ["train", "--resume", str(tmp_path / "killed"), "--run-model-code"]
        assert in_process(kill_points.command, resume).answer == 0
        trained = safetensors.torch.load_file(tmp_path / "whole" / "weights.safetensors")
        assert (trained["3.weight"] - start["3.weight"]).abs().max() < 0.1, "it began elsewhere"
        expected, got = (kill_points.outcome_on_disk(tmp_path / name) for name in ("whole", "killed"))
        assert not differences(expected, got)


class TestInterruptions:
    @pytest.mark.parametrize("at", [("minimize", 0, 0), ("minimize", 7, 0), TRAINING, IN_A_ROUND, ("minimize", 42, 2)])
    def test_ctrl_c_leaves_a_folder_that_goes_on(
        self, tmp_path: Path, whole: Outcome, at: tuple[str, int, int]
    ) -> None:
        folder = interrupt(tmp_path / "run", at)
        assert not differences(whole, outcome(train(folder, resume=True)))

    def test_a_finished_run_needs_no_training_to_be_resumed(
        self, tmp_path: Path, finished: tuple[Path, Outcome], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = shutil.copytree(finished[0], tmp_path / "run")
        before = content(folder)
        monkeypatch.setattr("unseen.method.algorithm.minimize", pytest.fail)
        monkeypatch.setattr("unseen.method.algorithm.maximize", pytest.fail)
        assert not differences(finished[1], outcome(train(folder, resume=True)))
        kept = [name for name in before if not name.startswith("events") and name != "lock"]
        assert {name: before[name][1] for name in kept} == {name: content(folder)[name][1] for name in kept}

    def test_only_the_rest_is_trained(self, stopped: Path) -> None:
        told: list[Progress] = []
        train(stopped, resume=True, progress=told.append)
        assert [p.done for p in told] == [20, *range(21, 43)]
        assert {p.phase for p in told} == {"minimize"}

    def test_a_model_with_tied_weights_goes_on_too(self, tmp_path: Path) -> None:
        expected = outcome(train(tmp_path / "whole", net=Tied()))
        folder = interrupt(tmp_path / "run", net=Tied())
        run = train(folder, net=Tied(), resume=True)
        assert not differences(expected, outcome(run))
        assert run.net.model.again.weight is run.net.model.first.weight

    @pytest.mark.parametrize("settings", [{"sampling": "chain"}, {"n": 90}, {"K": 0}, {"ridge": 0.1}], ids=str)
    def test_other_settings_go_on_as_exactly(self, tmp_path: Path, settings: dict[str, Any]) -> None:
        ada = replace(kill_points.SETTINGS, **settings)
        expected = outcome(train(tmp_path / "whole", ada=ada))
        folder = interrupt(tmp_path / "run", ("minimize", 19, ada.K), ada=ada)
        assert not differences(expected, outcome(train(folder, ada=ada, resume=True)))


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.first, self.again, self.head = nn.Linear(192, 192), nn.Linear(192, 192), nn.Linear(192, 4)
        self.again.weight = self.first.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.again(self.first(x.flatten(1)).relu()).relu())


class TestDamage:
    @each_damage
    def test_a_damaged_checkpoint_is_refused_by_name_and_the_one_before_is_used(
        self, stopped: Path, whole: Outcome, damage: Callable[[Path], None]
    ) -> None:
        warnings: list[str] = []
        newest = checkpoints(stopped)[-1]
        damage(newest)
        told: list[Progress] = []
        run = train(stopped, resume=True, warn=warnings.append, progress=told.append)
        assert not differences(whole, outcome(run))
        (warning,) = warnings
        assert f"{newest} is damaged" in warning
        assert warning.endswith("the checkpoint before it is used")
        assert told[0].done == 16

    @each_damage
    def test_without_a_whole_checkpoint_the_run_is_refused_naming_all(
        self, stopped: Path, damage: Callable[[Path], None]
    ) -> None:
        for path in checkpoints(stopped):
            damage(path)
        before = content(stopped)
        with pytest.raises(RunFolderError) as refused:
            train(stopped, resume=True, warn=pytest.fail)
        assert all(f"{path} is damaged" in str(refused.value) for path in checkpoints(stopped))
        assert "start again in another folder" in str(refused.value)
        assert {n: v for n, v in content(stopped).items() if n != "lock"} == {
            n: v for n, v in before.items() if n != "lock"
        }

    def test_no_flipped_bit_of_a_checkpoint_goes_unnoticed(self, stopped: Path) -> None:
        path = checkpoints(stopped)[-1]
        saved, dice = path.read_bytes(), random.Random(0)
        expected = kill_points.file_digests(path, "")
        header = 8 + int.from_bytes(saved[:8], "little")
        for place in [*range(16), *dice.sample(range(16, header), 400), *dice.sample(range(header, len(saved)), 200)]:
            damaged = bytearray(saved)
            damaged[place] ^= 1 << dice.randrange(8)
            path.write_bytes(damaged)
            with suppress(RunFolderError):
                read_tensors(path)
                assert kill_points.file_digests(path, "") == expected, f"byte {place}"

    @pytest.mark.parametrize("damage", [cut_in_half, flip_a_bit, make_an_error_page], ids=lambda f: f.__name__)
    def test_a_damaged_part_of_an_unfinished_round_is_made_again(
        self, tmp_path: Path, whole: Outcome, damage: Callable[[Path], None]
    ) -> None:
        folder = interrupt(tmp_path / "run", IN_A_ROUND)
        first, second = sorted((folder / "rounds" / "2").glob("*.safetensors"))
        damage(first)
        kept = second.stat()
        assert not differences(whole, outcome(train(folder, resume=True)))
        assert (second.stat().st_ino, second.stat().st_mtime_ns) == (kept.st_ino, kept.st_mtime_ns)

    @pytest.mark.parametrize("damage", [cut_in_half, flip_a_bit, Path.unlink], ids=lambda f: f.__name__)
    def test_a_damaged_part_of_a_finished_round_is_refused_by_name(
        self, stopped: Path, damage: Callable[[Path], None]
    ) -> None:
        damage(stopped / "rounds" / "1" / "0001.safetensors")
        with pytest.raises(RunFolderError, match=r"rounds/1/0001.safetensors is (damaged|missing)"):
            train(stopped, resume=True)

    def test_checkpoints_that_cant_be_read_are_not_taken_for_none(self, stopped: Path, whole: Outcome) -> None:
        with tempfile.TemporaryDirectory() as place:  # one that an ordinary user can reach
            Path(place).chmod(0o755)
            moved = Path(shutil.copytree(stopped, Path(place) / "run"))
            before = content(moved)
            (moved / "checkpoints").chmod(0)
            with as_ordinary_user(moved), pytest.raises(RunFolderError) as refused:
                RunFolder(moved).last_checkpoint()
            assert str(refused.value) == (
                f"{moved / 'checkpoints'} can't be read: Permission denied; nothing was changed; make it readable, "
                f"then: {go_on(moved)}"
            )
            (moved / "checkpoints").chmod(0o755)
            assert content(moved) == before
            assert not differences(outcome(train(moved, resume=True)), whole)

    def test_metrics_cut_short_by_someone_are_refused(self, stopped: Path) -> None:
        cut_in_half(stopped / "metrics.jsonl")
        with pytest.raises(RunFolderError, match=r"metrics.jsonl is damaged: \d+ bytes, the checkpoint knows of \d+"):
            train(stopped, resume=True)

    def test_a_half_written_line_of_metrics_is_cut_off(self, stopped: Path, whole: Outcome) -> None:
        with (stopped / "metrics.jsonl").open("a") as file:
            file.write('{"step": 30, "lo')
        assert not differences(whole, outcome(train(stopped, resume=True)))


class TestOwnership:
    def test_a_second_process_is_refused_with_the_holders_id(self, stopped: Path, whole: Outcome) -> None:
        with RunFolder(stopped).locked():
            ended = in_process(kill_points.train_to_the_end, stopped, True)
        assert ended.problem is not None
        assert f"InUse: {stopped} is in use by process {os.getpid()} on " in ended.problem
        assert go_on(stopped) in ended.problem
        assert not differences(whole, outcome(train(stopped, resume=True)))

    @pytest.mark.parametrize(
        ("changes", "named"),
        [
            ({"ada": replace(kill_points.SETTINGS, gamma=2.0)}, "ada.gamma is 1.0 there, 2.0 here"),
            ({"seed": 4}, "seed is 3 there, 4 here"),
            ({"source": kill_points.make_domain("source", 60, 5)}, "the source's images or labels are others"),
            ({"watch": {}}, "watch.target is "),
            ({"net": nn.Sequential(nn.Flatten(), nn.Linear(192, 4))}, "model.head is '12' there, '1' here"),
            ({"cadence": Cadence(record=5, watch=10, save=20)}, "cadence.save is 10 there, 20 here"),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
    )
    def test_another_config_is_refused_naming_what_differs(
        self, stopped: Path, changes: dict[str, Any], named: str
    ) -> None:
        before = content(stopped)
        with pytest.raises(RunFolderError, match="belongs to another config") as refused:
            train(stopped, resume=True, **changes)
        assert f"  - {named}" in str(refused.value)
        assert content(stopped) == before

    def test_other_threads_or_versions_go_on_with_a_warning_that_names_them(self, stopped: Path) -> None:
        rewrite(stopped, lambda config: config["versions"].update(torch="2.0.1"))
        warnings: list[str] = []
        train(stopped, resume=True, engine=Engine(device="cpu", threads=2), warn=warnings.append)
        assert RunFolder(stopped).finished
        assert "versions.torch is '2.0.1' there" in warnings[0]
        assert "engine.threads is 1 there, 2 here" in warnings[1]

    def test_an_unfinished_run_is_not_begun_again_by_mistake(self, stopped: Path) -> None:
        before = content(stopped)
        with pytest.raises(RunFolderError, match=re.escape(f"an unfinished run; resume: {go_on(stopped)}")):
            train(stopped)
        assert content(stopped) == before

    def test_a_finished_run_is_not_overwritten(self, finished: tuple[Path, Outcome]) -> None:
        before = content(finished[0])
        with pytest.raises(RunFolderError, match=r"holds a finished run; use it with: unseen\.load\(.*, model\)"):
            train(finished[0])
        assert content(finished[0]) == before

    def test_a_folder_of_something_else_is_not_used(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("years of work")
        before = content(tmp_path)
        with pytest.raises(RunFolderError, match="is not a run folder; choose a new or empty folder"):
            train(tmp_path)
        with pytest.raises(RunFolderError, match="holds no run"):
            train(tmp_path, resume=True)
        assert content(tmp_path) == before

    def test_what_is_left_of_a_run_without_its_config_is_not_taken_for_an_empty_folder(self, stopped: Path) -> None:
        for name in ("config.json", "metrics.jsonl"):
            (stopped / name).unlink()
        with pytest.raises(RunFolderError, match="is not a run folder"):
            train(stopped, seed=99)

    def test_an_empty_folder_is_used(self, tmp_path: Path, whole: Outcome) -> None:
        assert not differences(whole, outcome(train(tmp_path)))


def fill(folder: Path) -> Path:
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(512)):
            pass
    return filler


@pytest.fixture
def small_disk(disk_with: Callable[[str], Path]) -> Path:
    """A file system of 1 MiB."""
    return disk_with("size=1m")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Of a training that always had room, in a process like those that have not."""
    return in_process(kill_points.train_to_the_end, tmp_path_factory.mktemp("room") / "whole", False).answer


class TestFullDisk:
    @pytest.mark.parametrize(
        ("phase", "done", "what", "safe"),
        [
            ("minimize", 0, "checkpoints/00000008-000.safetensors", "The checkpoint of step 0 is untouched"),
            ("minimize", 25, "checkpoints/00000030-002.safetensors", "The checkpoint of step 20 is untouched"),
            ("maximize", 32, "rounds/1/0001.safetensors", "The checkpoint of step 8 is untouched"),
            ("minimize", 41, "checkpoints/00000042-002.safetensors", "The checkpoint of step 40 is untouched"),
        ],
    )
    def test_a_save_that_the_kernel_refuses_is_told_and_the_run_goes_on_when_there_is_room(
        self, tmp_path: Path, expected: Outcome, phase: str, done: int, what: str, safe: str
    ) -> None:
        folder = tmp_path / "run"
        ended = in_process(kill_points.train_with_little_room, folder, phase, done, 10_000)
        assert ended.problem is not None
        message = ended.problem.strip().rsplit("\n", 1)[-1]
        assert message.startswith(f"unseen.errors.SaveFailed: could not save {folder / what}")
        assert "File too large" in message
        assert message.endswith(f"{safe}; free space or repair the disk, then: {go_on(folder)}")
        assert not list(folder.rglob("*.part"))
        resumed = in_process(kill_points.train_to_the_end, folder, True)
        assert not differences(expected, resumed.answer)

    def test_a_full_disk_is_told_and_the_run_goes_on_when_there_is_room(self, small_disk: Path, whole: Outcome) -> None:
        folder = small_disk / "run"

        def fill_at_25(progress: Progress) -> None:
            if (progress.phase, progress.done) == ("minimize", 25):
                fill(small_disk)

        with pytest.raises(
            SaveFailed, match=r"No space left on device. The checkpoint of step 20 is untouched"
        ) as told:
            train(folder, progress=fill_at_25)
        assert go_on(folder) in str(told.value)
        (small_disk / "filler").unlink()
        assert not differences(whole, outcome(train(folder, resume=True)))


class TestDurability:
    def test_whatever_a_checkpoint_relies_on_is_on_the_disk_before_it_has_its_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What a power cut would take away: bytes of a file that was not synced, names in a folder that was not."""
        sizes: dict[Path, int] = {}
        names: set[Path] = set()
        renamed: list[Path] = []
        fsync, rename = os.fsync, os.replace

        def record_sync(handle: int) -> None:
            fsync(handle)
            path = Path(f"/proc/self/fd/{handle}").readlink()
            if path.is_dir():
                names.update(path.iterdir())
            else:
                sizes[path] = path.stat().st_size

        def check_rename(old: Path, new: Path) -> None:
            assert sizes[old] == old.stat().st_size, f"{old} is renamed before its bytes are on the disk"
            assert all(path in names for path in renamed), f"{renamed[-1]} has a name that is not on the disk"
            if new.parent.name == "checkpoints":
                needed = [folder / "config.json", folder / "metrics.jsonl", *(folder / "rounds").rglob("*")]
                assert not [path for path in needed if path not in names and not path.name.endswith(".part")]
                assert sizes[folder / "metrics.jsonl"] == (folder / "metrics.jsonl").stat().st_size
            rename(old, new)
            renamed.append(Path(new))

        folder = tmp_path / "run"
        monkeypatch.setattr("os.fsync", record_sync)
        monkeypatch.setattr("os.replace", check_rename)
        train(folder)
        assert folder in names
        assert all(path in names for path in renamed)
        assert len(renamed) == len(["config", "weights"]) + 10 + 2 * 4  # 10 checkpoints, 2 rounds of 4 parts

    def test_an_old_checkpoint_goes_only_when_two_newer_ones_are_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        unlink = Path.unlink

        def check(path: Path, missing_ok: bool = False) -> None:
            if path.parent.name == "checkpoints":
                assert len([p for p in path.parent.glob("*.safetensors") if p > path and read_tensors(p)]) >= 2
            unlink(path, missing_ok)

        monkeypatch.setattr(Path, "unlink", check)
        train(tmp_path / "run")
        assert [path.stem for path in checkpoints(tmp_path / "run")] == ["00000040-002", "00000042-002"]


class TestManners:
    def test_nothing_is_unpickled(self, tmp_path: Path, whole: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: Any, **__: Any) -> None:
            raise AssertionError("something is unpickled")

        for name in ("pickle.load", "pickle.loads", "pickle.Unpickler", "torch.load", "torch.save", "numpy.load"):
            monkeypatch.setattr(name, refuse)
        folder = interrupt(tmp_path / "run")
        assert not differences(whole, outcome(train(folder, resume=True)))

    def test_every_file_is_of_a_kind_that_cannot_carry_code(self, finished: tuple[Path, Outcome]) -> None:
        for path in finished[0].rglob("*"):
            if path.suffix == ".safetensors":
                safetensors.torch.load_file(path)
            elif path.suffix in (".json", ".jsonl"):
                [json.loads(line) for line in io.StringIO(path.read_text()) if path.suffix == ".jsonl"]
            elif path.is_file():
                assert path.name == "lock" or path.name.startswith("events.out.tfevents.")

    @pytest.mark.parametrize("interrupted", [False, True])
    def test_global_generators_and_threads_are_as_they_were(self, tmp_path: Path, interrupted: bool) -> None:
        def state() -> tuple[Any, ...]:
            numpy_state = np.random.get_state()[1].tolist()
            return torch.get_rng_state().tolist(), numpy_state, random.getstate(), torch.get_num_threads()

        before = state()
        few = {"ada": replace(kill_points.SETTINGS, K=1, T_min=1, T=3), "engine": Engine(device="cpu", threads=2)}
        if interrupted:
            interrupt(tmp_path / "run", ("minimize", 2, 1), **few)
        else:
            train(tmp_path / "run", **few)
        assert state() == before

    def test_the_global_generators_have_no_say(self, tmp_path: Path, whole: Outcome) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(77)
            folder = interrupt(tmp_path / "run")
            torch.manual_seed(78)
            assert not differences(whole, outcome(train(folder, resume=True)))

    def test_a_state_has_nothing_that_a_checkpoint_forgets(self) -> None:
        anew = {"forward", "class_weights", "by_class"}  # they follow from the engine, the settings and the pool
        saved = set(State.__dataclass_fields__) - anew
        assert saved == {"net", "optimizer", "pool", "draws", "t", "k", "losses", "result"}, (
            "State has a new field: put it into the checkpoint (run._tensors_of), then here"
        )

    def test_in_memory_and_in_a_folder_the_training_is_the_same(self, whole: Outcome) -> None:
        run = train(None)
        assert isinstance(run, unseen.Run)
        told = {f"net: {name}": kill_points.digest(t) for name, t in run.net.model.state_dict().items()}
        assert told == {name: value for name, value in whole.items() if name.startswith("net: ")}


class AlwaysDrops(nn.Module):
    """A common slip, and what Monte Carlo dropout does on purpose: F.dropout drops in evaluation too."""

    def __init__(self) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.first, self.head = nn.Linear(192, 30), nn.Linear(30, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(nn.functional.dropout(self.first(x.flatten(1)).relu(), 0.3))


class TestTheLastDetails:
    def test_a_model_that_draws_in_evaluation_goes_on_too(self, tmp_path: Path) -> None:
        expected = outcome(train(tmp_path / "whole", net=AlwaysDrops()))
        folder = interrupt(tmp_path / "run", net=AlwaysDrops())
        assert not differences(expected, outcome(train(folder, net=AlwaysDrops(), resume=True)))

    def test_a_run_that_was_stopped_has_stopped_writing(self, tmp_path: Path) -> None:
        before = threading.active_count()
        interrupt(tmp_path / "run")
        assert threading.active_count() == before

    def test_events_that_find_no_room_are_a_failed_save(self, stopped: Path) -> None:
        ended = in_process(kill_points.resume_with_no_room, stopped)
        assert ended.problem is not None
        assert "unseen/runs/events.py" in ended.problem
        assert "unseen.errors.SaveFailed" in ended.problem
