"""Run folders that somebody changed: whatever is in their files ends as one message, and nothing foreign is used."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import kill_points
import pytest
import torch
from kill_points import differences, outcome, train
from ordinary_user import as_ordinary_user, within_reach

import unseen
from unseen.base.tensors import read_tensors, write_tensors
from unseen.deploy.card import card
from unseen.deploy.provenance import Provenance
from unseen.errors import RunFolderError, UnseenError
from unseen.reporting.evaluation import known_scores, selections_of
from unseen.reporting.finished.methods import read_methods
from unseen.reporting.runs.page import _runs_sheet
from unseen.reporting.runs.training import loss_chart, round_summaries, rounds_sheet
from unseen.runs.folder import RunFolder
from unseen.runs.request import request_of
from unseen.transforms import Transform, catalogue, register

OLDER = Path(__file__).parent / "older" / "bce79ef"
ADA = replace(kill_points.SETTINGS, K=2, T_min=3, T=10)
VALUES = (KeyError, None, "x", -1, [], {}, 1.5, True, float("nan"), 10**30)
"""what a part of a JSON file is replaced with; a KeyError takes it away"""


def report(folder: Path) -> None:
    """What a page reads out of a run."""
    methods = read_methods([folder])
    rounds_sheet(round_summaries(methods)), loss_chart(methods), _runs_sheet(methods)


USES: dict[str, Callable[[Path], Any]] = {
    "resume": request_of, "load": unseen.load, "report": report, "evaluate": selections_of,
    "export": lambda folder: card(Provenance.read(folder), "name"),
}  # fmt: skip


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLDER / "finished-0", tmp_path / "run"))


def use(folder: Path, what: object) -> int:
    """How many uses of a folder were refused; anything but a message fails the test."""
    told = []
    for name, act in USES.items():
        try:
            act(folder)
        except UnseenError as error:
            told.append(str(error))
        except Exception as error:
            raise AssertionError(f"{name}, {what}: {error!r}") from error
    assert all(str(folder) in message for message in told), f"{what}: a message names no file: {told}"
    return len(told)


def places(content: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = (
        content.items() if isinstance(content, dict) else enumerate(content[:1] if isinstance(content, list) else ())
    )
    return [place for key, value in inside for place in ((*at, key), *places(value, (*at, key)))]


def changed(content: Any, at: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(content))
    inner = copy
    for key in at[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[at[-1]]
    else:
        inner[at[-1]] = value
    return copy


class TestFiles:
    @pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", "[" * 100_000, "\0", '{"ada": 1}'])
    def test_a_config_that_is_none_is_refused_by_name(self, finished: Path, text: str) -> None:
        (finished / "config.json").write_text(text)
        assert use(finished, text[:9]) == len(USES)

    @pytest.mark.parametrize("text", ["[]\n", "{\n", "3\n", '{"step": "3"}\n', '{"step": 3, "loss": NaN}\n', "\xff\n"])
    def test_metrics_that_are_none_are_refused_by_name(self, finished: Path, text: str) -> None:
        (finished / "metrics.jsonl").write_bytes(text.encode("latin1"))
        with pytest.raises(RunFolderError, match=r"metrics\.jsonl is damaged: "):
            RunFolder(finished).metrics()
        assert use(finished, text) >= 1

    def test_whatever_is_changed_in_a_config_ends_as_a_message(self, finished: Path) -> None:
        file, dice = finished / "config.json", random.Random(0)
        content = json.loads(file.read_text())
        for place in dice.sample(places(content), 25):
            value = dice.choice(VALUES)
            file.write_text(json.dumps(changed(content, place, value)))
            use(finished, (place, value))

    def test_whatever_is_changed_in_metrics_ends_as_a_message(self, finished: Path) -> None:
        file, dice = finished / "metrics.jsonl", random.Random(1)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for _ in range(15):
            number, value = dice.randrange(len(lines)), dice.choice(VALUES)
            place = dice.choice(places(lines[number]))
            some = [*lines[:number], changed(lines[number], place, value), *lines[number + 1 :]]
            file.write_text("".join(f"{json.dumps(line)}\n" for line in some))
            use(finished, (number, place, value))

    @pytest.mark.parametrize("name", ["config.json", "metrics.jsonl", "weights.safetensors"])
    def test_no_changed_byte_is_a_traceback(self, finished: Path, name: str) -> None:
        saved, dice = (finished / name).read_bytes(), random.Random(2)
        for _ in range(15):
            damaged = bytearray(saved)
            damaged[dice.randrange(min(len(saved), 2000))] = dice.randrange(256)
            (finished / name).write_bytes(damaged)
            use(finished, bytes(damaged[:40]))

    @pytest.mark.parametrize("scores", ["x", [3], [{}], [{"domain": "d", "images": 3, "sha256": "s", "accuracy": "1"}]])
    def test_scores_that_are_none_are_measured_again(self, finished: Path, scores: Any) -> None:
        (finished / "evaluation.json").write_text(json.dumps({"weights": "", "scores": scores}))
        assert known_scores(finished) == []


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds of one training, stopped after both rounds, and the first in the middle of the second round."""
    home = tmp_path_factory.mktemp("rounds")
    with kill_points.small_pieces():
        for seed in (3, 4):
            kill_points.interrupted(train, home / str(seed), ("minimize", 8, 2), ada=ADA, seed=seed)
        kill_points.interrupted(train, home / "half", ("maximize", 48, 1), ada=ADA)
        train(home / "whole", ada=ADA)
    return home


@pytest.mark.usefixtures("small_pieces")
class TestRounds:
    def resume(self, folder: Path) -> unseen.Run:
        return train(folder, ada=ADA, resume=True)

    def test_every_part_says_what_it_belongs_to(self, runs: Path) -> None:
        identity = RunFolder(runs / "3").config().identity
        assert identity is not None
        assert identity != RunFolder(runs / "4").config().identity
        for path in (runs / "3" / "rounds").rglob("*.safetensors"):
            meta = read_tensors(path)[1]
            assert meta == {"run": identity, "round": int(path.parent.name), "part": int(path.stem)}

    @pytest.mark.parametrize(("part", "file"), [("rounds", r"rounds/1/0000"), ("checkpoints", r"checkpoints/\d+-002")])
    def test_files_of_another_seed_are_refused_by_name(self, runs: Path, tmp_path: Path, part: str, file: str) -> None:
        folder = Path(shutil.copytree(runs / "3", tmp_path / "run"))
        shutil.copytree(runs / "4" / part, folder / part, dirs_exist_ok=True)
        with pytest.raises(RunFolderError, match=rf"{file}\.safetensors is of another run"):
            self.resume(folder)

    def test_rounds_that_were_exchanged_are_refused_by_name(self, runs: Path, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(runs / "3", tmp_path / "run"))
        (folder / "rounds" / "1").rename(folder / "rounds" / "aside")
        (folder / "rounds" / "2").rename(folder / "rounds" / "1")
        (folder / "rounds" / "aside").rename(folder / "rounds" / "2")
        with pytest.raises(RunFolderError, match=r"rounds/1/0000.safetensors is part 0 of round 2, expected part 0 of"):
            self.resume(folder)

    def test_missing_rounds_are_refused_by_name_and_it_is_no_full_disk(self, runs: Path, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(runs / "3", tmp_path / "run"))
        shutil.rmtree(folder / "rounds")
        with pytest.raises(
            RunFolderError, match=r"rounds/1 is damaged: it has no images of round 1; restore it"
        ) as told:
            self.resume(folder)
        assert "free space" not in str(told.value)

    @pytest.mark.parametrize(
        ("slot", "said"),
        [
            (None, "the optimizer's state lacks tensors of some parameters"),
            (torch.zeros(3), r"the optimizer's state is for a parameter of shape \(3,\)"),
        ],
        ids=["missing", "of another shape"],
    )
    def test_a_checkpoint_whose_optimizer_does_not_fit_is_refused_by_name(
        self, runs: Path, tmp_path: Path, slot: torch.Tensor | None, said: str
    ) -> None:
        folder = Path(shutil.copytree(runs / "3", tmp_path / "run"))
        last = max((folder / "checkpoints").iterdir())
        tensors, meta = read_tensors(last)
        del tensors["optimizer.1.exp_avg"]
        write_tensors(last, tensors if slot is None else tensors | {"optimizer.1.exp_avg": slot}, meta)
        with pytest.raises(RunFolderError, match=f"is damaged: {said}"):
            self.resume(folder)

    @pytest.mark.parametrize("of", ["4", "half"], ids=["another seed", "another round"])
    def test_foreign_parts_of_an_unfinished_round_are_made_again(self, runs: Path, tmp_path: Path, of: str) -> None:
        folder = Path(shutil.copytree(runs / "half", tmp_path / "run"))
        shutil.copy(runs / of / "rounds" / ("2" if of == "4" else "1") / "0000.safetensors", folder / "rounds" / "2")
        whole = Path(shutil.copytree(runs / "whole", tmp_path / "whole"))
        assert not differences(outcome(self.resume(whole)), outcome(self.resume(folder)))

    @pytest.mark.parametrize("more", [1, -1, 2**31], ids=["a byte more", "a byte less", "gigabytes more"])
    def test_a_file_of_another_length_than_it_says_is_refused_before_it_is_mapped(
        self, runs: Path, tmp_path: Path, more: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = Path(shutil.copy(runs / "3" / "rounds" / "1" / "0000.safetensors", tmp_path))
        size = path.stat().st_size
        os.truncate(path, size + more)
        monkeypatch.setattr("safetensors.safe_open", lambda *_, **__: pytest.fail("it was mapped"))
        with pytest.raises(RunFolderError, match=f"is damaged: it has {size + more:,} bytes; its header says {size:,}"):
            read_tensors(path)

    @pytest.mark.parametrize("part", ["rounds/2", "rounds/2/0000.safetensors", "newest"])
    def test_what_may_not_be_read_cuts_nothing_that_it_needs(self, runs: Path, part: str) -> None:
        with within_reach(runs / "3") as folder:
            path = max((folder / "checkpoints").iterdir()) if part == "newest" else folder / part
            before = (folder / "metrics.jsonl").read_bytes()
            path.chmod(0)
            with as_ordinary_user(folder), pytest.raises(RunFolderError, match="nothing was changed; make it readable"):
                RunFolder(folder).last_checkpoint()
            assert (folder / "metrics.jsonl").read_bytes() == before
            path.chmod(0o755)

    def test_a_part_too_many_of_an_unfinished_round_is_gone_once_the_round_is_whole(
        self, runs: Path, tmp_path: Path
    ) -> None:
        folder = Path(shutil.copytree(runs / "half", tmp_path / "run"))
        shutil.copy(folder / "rounds" / "1" / "0000.safetensors", folder / "rounds" / "2" / "0009.safetensors")
        self.resume(folder)
        assert len(RunFolder(folder).read_round(2)[1]) == RunFolder(folder).config().round_size

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"labels": torch.full((16,), 4)}, "it has labels that are no class; expected 0 to 3"),
            ({"labels": torch.full((16,), -1)}, "it has labels that are no class"),
            ({"parents": torch.full((16,), 60)}, "made from rows that the pool doesn't have; expected 0 to 59"),
            ({"parents": torch.zeros(15).long()}, "its tensors are of"),
            ({"images": torch.zeros(16, 3, 9, 9)}, "its images have the shape"),
        ],
        ids=["a label above", "a label below", "a parent", "a length", "a shape"],
    )
    def test_a_part_that_no_round_can_have_is_refused(
        self, runs: Path, tmp_path: Path, change: dict[str, torch.Tensor], said: str
    ) -> None:
        folder = Path(shutil.copytree(runs / "3", tmp_path / "run"))
        path = folder / "rounds" / "1" / "0000.safetensors"
        tensors, meta = read_tensors(path)
        write_tensors(path, tensors | change, meta)
        with pytest.raises(RunFolderError, match=f"0000.safetensors is damaged: .*{said}"):
            RunFolder(folder).read_round(1)


class Waited(BaseException):
    """No ``Exception``: what is wrong with a file is told by the door, and this is no file's fault."""


@contextmanager
def no_waiting() -> Iterator[None]:
    """Inside: what waits for a pipe that nobody writes to fails, and is not waited for."""

    def end(*_: object) -> None:
        raise Waited

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(30)
    try:
        yield
    except Waited:
        pytest.fail("it waits")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x40
    path.write_bytes(content)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


@pytest.mark.usefixtures("small_pieces")
class TestNothingIsTakenOnTrust:
    """Found by strangers who knew the README alone."""

    @pytest.fixture
    def stopped(self, runs: Path, tmp_path: Path) -> Path:
        return Path(shutil.copytree(runs / "3", tmp_path / "run"))

    @pytest.fixture
    def whole(self, runs: Path, tmp_path: Path) -> Path:
        return Path(shutil.copytree(runs / "whole", tmp_path / "whole"))

    def test_checkpoints_on_a_disk_that_is_away_are_waited_for_and_nothing_is_cut(
        self, stopped: Path, whole: Path, tmp_path: Path
    ) -> None:
        (stopped / "checkpoints").rename(tmp_path / "disk")
        (stopped / "checkpoints").symlink_to(tmp_path / "disk")
        (tmp_path / "disk").rename(tmp_path / "away")
        before = (stopped / "metrics.jsonl").read_bytes()
        with pytest.raises(
            RunFolderError, match=r"checkpoints is a link to .*disk, where nothing is now; put back what"
        ):
            train(stopped, ada=ADA, resume=True)
        assert (stopped / "metrics.jsonl").read_bytes() == before
        (tmp_path / "away").rename(tmp_path / "disk")
        assert not differences(
            outcome(train(whole, ada=ADA, resume=True)), outcome(train(stopped, ada=ADA, resume=True))
        )

    @pytest.mark.parametrize("name", ["config.json", "rounds/1/0000.safetensors", "checkpoints", "metrics.jsonl"])
    def test_a_pipe_among_the_files_of_a_run_is_refused_at_once(self, stopped: Path, name: str) -> None:
        path = stopped / name if name != "checkpoints" else max((stopped / name).iterdir())
        path.unlink()
        os.mkfifo(path)
        if name == "checkpoints":
            min((stopped / name).iterdir()).unlink()
        with no_waiting(), pytest.raises(RunFolderError, match=r"is a pipe, expected a file|the checkpoint knows of"):
            train(stopped, ada=ADA, resume=True)

    @pytest.mark.parametrize("name", ["config.json", "weights.safetensors", "evaluation.json", "metrics.jsonl"])
    def test_so_it_is_where_a_finished_run_is_used(self, finished: Path, name: str) -> None:
        (finished / name).unlink(missing_ok=True)
        os.mkfifo(finished / name)
        with no_waiting():
            refused = use(finished, name)
            assert refused or name == "evaluation.json"
            assert name != "evaluation.json" or known_scores(finished) == []

    def test_a_flipped_bit_of_the_weights_is_found(self, whole: Path) -> None:
        unseen.load(whole, kill_points.make_net())
        flip(whole / "weights.safetensors", -1)
        with pytest.raises(RunFolderError, match=r"weights\.safetensors is damaged: its content is not what was saved"):
            unseen.load(whole, kill_points.make_net())

    def test_weights_of_another_run_are_refused(self, whole: Path, tmp_path: Path) -> None:
        train(tmp_path / "other", ada=replace(ADA, K=0), seed=9)
        shutil.copy(tmp_path / "other" / "weights.safetensors", whole)
        with pytest.raises(RunFolderError, match=r"weights\.safetensors is of another run"):
            unseen.load(whole, kill_points.make_net())

    @pytest.mark.parametrize(("key", "value"), [("K", 1), ("alpha", 0.5), ("T", 9), ("seed", 4)])
    def test_other_settings_in_the_config_are_no_way_to_resume(self, stopped: Path, key: str, value: float) -> None:
        path = stopped / "config.json"
        content = json.loads(path.read_text())
        part = content if key in content else content["ada"]
        assert part[key] != value
        part[key] = value
        path.write_text(json.dumps(content))
        before = bytes_of(stopped)
        given = {"seed": value} if key == "seed" else {"ada": replace(ADA, **{key: value})}
        with pytest.raises(RunFolderError, match=r"config\.json was changed since the training began"):
            train(stopped, resume=True, **({"ada": ADA} | given))
        assert bytes_of(stopped) == before

    def test_a_finished_run_is_not_used_by_a_config_that_says_something_else(self, whole: Path) -> None:
        path = whole / "config.json"
        content = json.loads(path.read_text())
        content["source"]["classes"].reverse()
        path.write_text(json.dumps(content))
        with pytest.raises(RunFolderError, match=r"config\.json was changed since the training began"):
            unseen.load(whole, kill_points.make_net())
        assert use(whole, "other classes") == len(USES)

    def test_a_config_that_is_only_laid_out_in_another_way_is_the_same(self, stopped: Path) -> None:
        content = json.loads((stopped / "config.json").read_text())
        (stopped / "config.json").write_text(json.dumps(dict(reversed(content.items()))))
        assert RunFolder(stopped).config().seed == content["seed"]

    @pytest.mark.parametrize(
        "damaged",
        [
            lambda lines: b"\xef\xbb\xbf" + b"".join(lines),
            lambda lines: b"".join([lines[1], lines[0], *lines[2:]]),
            lambda lines: b"".join(lines).replace(b"0.", b"7.", 1),
            lambda lines: b"[" * 100_000 + b"".join(lines),
        ],
        ids=["BOM", "two lines exchanged", "another number", "much in front"],
    )
    def test_metrics_that_were_changed_are_found_before_anything_is_cut(
        self, stopped: Path, damaged: Callable[[list[bytes]], bytes]
    ) -> None:
        path = stopped / "metrics.jsonl"
        changed = damaged(path.read_bytes().splitlines(keepends=True))
        path.write_bytes(changed)
        with pytest.raises(RunFolderError, match=r"metrics\.jsonl is damaged: its first \d+ bytes are not what"):
            train(stopped, ada=ADA, resume=True)
        assert path.read_bytes() == changed

    def test_where_nothing_was_recorded_yet_no_metrics_are_missed(self, tmp_path: Path) -> None:
        folder = kill_points.interrupted(train, tmp_path / "run", ("minimize", 2, 0), ada=ADA)
        (folder / "metrics.jsonl").unlink()
        train(folder, ada=ADA, resume=True)
        assert RunFolder(folder).finished

    def test_code_of_ones_own_that_changed_is_told_on_resume(self, tmp_path: Path) -> None:
        file = tmp_path / "weather.py"
        text = (
            "import unseen\n\n\ndef fog(x, w):\n    return x + w[:, :, None, None] * (1 - x)\n\n\n"
            'fog = unseen.transforms.Transform("fog", fog, {"thickness": (0.0, 0.7)}, kind="light")\n'
        )
        file.write_text(text)
        ada, warnings = replace(ADA, over=f"{file}:fog"), []
        kill_points.interrupted(train, tmp_path / "run", ("minimize", 8, 2), ada=ada)
        file.write_text(text.replace("0.7", "0.2"))
        train(tmp_path / "run", ada=ada, resume=True, warn=warnings.append)
        assert any("versions.weather.py is 'sha256:" in message for message in warnings)

    def test_a_registered_transformation_that_is_another_is_told_on_resume(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(catalogue, "_KNOWN", dict(catalogue._KNOWN))

        def fog(thickest: float) -> None:
            ranges = {"thickness": (0.0, thickest)}
            register(Transform("fog", lambda x, w: x + w[:, :, None, None] * (1 - x), ranges, kind="light"))

        fog(0.7)
        ada = replace(ADA, over=("tone", "fog"))
        kill_points.interrupted(train, tmp_path / "run", ("minimize", 8, 2), ada=ada)
        told: dict[float, list[str]] = {0.7: [], 0.2: []}
        for thickest, warnings in told.items():
            fog(thickest)
            folder = shutil.copytree(tmp_path / "run", tmp_path / f"run-{thickest}")
            train(folder, ada=ada, resume=True, warn=warnings.append)
        assert not any("fog" in message for message in told[0.7])
        assert any("versions.fog is 'sha256:" in message for message in told[0.2])
