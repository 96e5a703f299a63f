"""Shared rounds: what runs that differ only in K have in common is done once, and nobody can tell."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kill_points import differences, outcome_on_disk
from sweeping import settings

from unseen import sweep
from unseen.runs.folder import RunFolder
from unseen.runs.progress import Progress
from unseen.runs.request import Request, train
from unseen.sweep import shared_rounds as module
from unseen.sweep import workers
from unseen.sweep.shared_rounds import SharedRounds
from unseen.sweep.tasks import RunTask, error_file, failed, forget_failure

Ks = (1, 2, 3)


@pytest.fixture(autouse=True)
def _parts_of_two_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unseen.engine.Engine.part_size", lambda *_: 2)


@pytest.fixture
def requests(tmp_path: Path) -> list[Request]:
    return sweep.grid(settings(tmp_path), K=Ks, out=tmp_path / "shared")


@pytest.fixture(scope="module")
def separate(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The same runs, each for itself."""
    home = tmp_path_factory.mktemp("separate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unseen.engine.Engine.part_size", lambda *_: 2)
        for request in sweep.grid(settings(home), K=Ks, out=home):
            train(replace(request, out=home / str(request.ada.K)))
    return {K: home / str(K) for K in Ks}


def do(requests: list[Request]) -> list[str]:
    """What workers do, here and one after the other; what was to be done is returned."""
    tasks = sweep.plan(requests).tasks
    for task in tasks:
        assert task.ready
        task.work(lambda _: None)
        assert task.done
    return [task.name for task in tasks]


def shared_by(requests: list[Request]) -> SharedRounds:
    (shared,) = sweep.plan(requests).shared
    return shared


@contextmanager
def reporting_to(report: Callable[[Progress], None]) -> Iterator[None]:
    """Inside: the progress of a training nobody watches is reported, as that of any other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unseen.runs.training.showing_if", lambda _: nullcontext(report))
        yield


def config(folder: Path) -> dict[str, Any]:
    """All that two equal runs on different paths have in common."""
    content = json.loads((folder / "config.json").read_text())
    del content["created"], content["job"], content["places"], content["sha256"]  # which is over the other three, too
    return content


def assert_the_same(requests: list[Request], separate: dict[int, Path]) -> None:
    for request in requests:
        alone = separate[request.ada.K]
        assert not differences(outcome_on_disk(alone), outcome_on_disk(request.out))
        assert config(request.out) == config(alone)
        assert {p.name for p in request.out.iterdir()} == {p.name for p in alone.iterdir()}
        for folder in ("checkpoints", "rounds"):
            names = [sorted(str(p.relative_to(r)) for p in (r / folder).rglob("*")) for r in (request.out, alone)]
            assert names[0] == names[1]


def interrupted(shared: SharedRounds, at: tuple[str, int, int]) -> None:
    """The rounds, stopped where the phase has done so much and so many rounds are done."""

    def stop(progress: Progress) -> None:
        if (progress.phase, progress.done, progress.k) == at:
            raise KeyboardInterrupt

    with reporting_to(stop), pytest.raises(KeyboardInterrupt):
        shared.work(lambda _: None)


def test_runs_that_share_their_rounds_have_the_bits_of_separate_runs(requests, separate):
    done = do(requests)
    assert [name.partition("/")[0] for name in done[:1]] == ["chains"]
    assert len(done) == 1 + len(Ks)
    assert_the_same(requests, separate)


def test_so_they_have_in_bf16(tmp_path):
    requests = sweep.grid(settings(tmp_path, precision="bf16"), K=[1, 2], out=tmp_path / "shared")
    separate = {request.ada.K: tmp_path / str(request.ada.K) for request in requests}
    for request in requests:
        train(replace(request, out=separate[request.ada.K]))
    do(requests)
    assert_the_same(requests, separate)


TRANSFORMED = {"over": "photometric", "augment": "jitter", "keep": 2, "sampling": "source"}


def test_so_they_have_with_transformations_of_which_the_last_rounds_are_kept(tmp_path):
    requests = sweep.grid(settings(tmp_path, **TRANSFORMED), K=[1, 3, 4], out=tmp_path / "shared")
    separate = {request.ada.K: tmp_path / str(request.ada.K) for request in requests}
    for request in requests:
        train(replace(request, out=separate[request.ada.K]))
    shared = shared_by(requests)
    assert [request.ada.K for request in shared.wanted] == [1, 3, 4]
    interrupted(shared, ("maximize", 4, 3))  # round 4 is being made, round 1 has left the pool
    do(requests)
    assert_the_same(requests, separate)
    assert sorted(path.name for path in (requests[-1].out / "rounds").iterdir()) == ["3", "4"]


def test_rounds_that_are_spread_over_T_come_at_other_steps_for_each_K_and_are_not_shared(tmp_path):
    requests = sweep.grid(settings(tmp_path, spread=True), K=[1, 2, 3], out=tmp_path / "a")
    assert sweep.plan(requests).shared == []
    assert len({request.ada.steps_before(1) for request in requests}) == 3


def test_shared_rounds_stop_at_the_last_and_leave_nothing_behind(requests):
    shared = shared_by(requests)
    steps = []
    with reporting_to(lambda progress: steps.append(progress.done)):
        shared.work(lambda _: None)
    assert max(steps) == shared.steps == 3 * 3
    assert {p.name for p in shared.home.iterdir()} == {request.out.name for request in requests}


def test_rounds_are_on_the_disk_once(requests):
    shared_by(requests).work(lambda _: None)
    parts = [request.out / "rounds/1/0000.safetensors" for request in requests]
    assert len({part.stat().st_ino for part in parts}) == 1


def test_where_a_file_system_has_no_links_the_rounds_are_copied(requests, separate, monkeypatch):
    def refuse(*_: Any) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    do(requests)
    assert_the_same(requests, separate)


@pytest.mark.parametrize(
    "at",
    [("minimize", 2, 0), ("maximize", 4, 0), ("minimize", 3, 1), ("minimize", 5, 1), ("maximize", 6, 2)],
    ids=lambda at: f"{at[0]} {at[1]} after round {at[2]}",
)
def test_interrupted_shared_rounds_resume_to_the_same_bits(requests, separate, at):
    interrupted(shared_by(requests), at)
    begun = [request.ada.K for request in requests if RunFolder(request.out).started]
    forked = at[2] - (at == ("minimize", 3, 1))  # there round 1 is saved, and its run not yet forked
    assert begun == list(Ks[:forked])
    do(requests)
    assert_the_same(requests, separate)


def test_interrupted_shared_rounds_resume_even_for_one_run_alone(requests, separate):
    interrupted(shared_by(requests), ("maximize", 2, 2))
    assert [request.ada.K for request in shared_by(requests).wanted] == [3]
    do(requests)
    assert_the_same(requests, separate)


@pytest.mark.parametrize("moment", ["_link", "write_json", "fsync_folder"])
def test_a_kill_while_a_run_is_begun_leaves_no_half_folder(requests, separate, monkeypatch, moment):
    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, moment, die)
        with pytest.raises(KeyboardInterrupt):
            shared_by(requests).work(lambda _: None)
    assert not any(request.out.exists() for request in requests)
    do(requests)
    assert_the_same(requests, separate)


def test_a_kill_before_the_shared_folder_is_removed_only_leaves_that_to_do(requests, separate, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", _raise_if_shared(shutil.rmtree))
        with pytest.raises(KeyboardInterrupt):
            shared_by(requests).work(lambda _: None)
    assert shared_by(requests).wanted == ()
    do(requests)
    assert_the_same(requests, separate)
    assert not shared_folder(requests).exists()


def _raise_if_shared(rmtree: Any) -> Any:
    def remove(path: Path, **options: Any) -> None:
        if path.parent.name == "chains":
            raise KeyboardInterrupt
        rmtree(path, **options)

    return remove


def shared_folder(requests: list[Request]) -> Path:
    return requests[-1].out.parent / "chains" / requests[-1].out.name


@pytest.fixture
def snapshot() -> Any:
    def take(folder: Path) -> dict[str, tuple[int, bytes]]:
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    return take


def test_runs_that_were_begun_or_finished_by_themselves_are_not_touched(requests, separate, snapshot):
    first, second, third = requests
    train(first)
    with pytest.raises(KeyboardInterrupt):
        train(second, progress=_stop_at_step_2)
    before = snapshot(first.out), snapshot(second.out)
    assert sweep.plan(requests).shared == []  # one is left, and it goes alone
    fourth = replace(third, ada=replace(third.ada, K=4), out=third.out.with_name("four"))
    shared = shared_by([*requests, fourth])
    assert [request.ada.K for request in shared.wanted] == [3, 4]
    shared.work(lambda _: None)
    assert (snapshot(first.out), snapshot(second.out)) == before
    do(requests)
    assert_the_same(requests, separate)


def _stop_at_step_2(progress: Progress) -> None:
    if progress.done == 2:
        raise KeyboardInterrupt


def test_a_run_whose_folder_was_removed_after_it_was_forked_goes_alone(requests, separate):
    interrupted(shared_by(requests), ("minimize", 7, 2))
    shutil.rmtree(requests[0].out)
    do(requests)
    assert_the_same(requests, separate)


def test_what_a_killed_run_left_before_its_config_does_not_stop_the_shared_rounds(requests, separate):
    requests[0].out.mkdir(parents=True)
    (requests[0].out / "lock").touch()
    do(requests)
    assert_the_same(requests, separate)


def test_a_foreign_folder_is_left_to_the_run_that_wants_it(requests):
    (requests[0].out / "holiday.jpg").parent.mkdir(parents=True)
    (requests[0].out / "holiday.jpg").touch()
    shared_by(requests).work(lambda _: None)
    assert [p.name for p in requests[0].out.iterdir()] == ["holiday.jpg"]
    assert [RunFolder(request.out).started for request in requests] == [False, True, True]


def test_only_runs_that_differ_in_nothing_but_k_share(tmp_path):
    shared = settings(tmp_path)
    requests = sweep.grid(shared, K=[0, 1, 2], gamma=[0.1, 1.0], seed=[0, 1], out=tmp_path / "a")
    found = sweep.plan(requests).shared
    assert len(found) == 4
    for shared in found:
        assert [request.ada.K for request in shared.wanted] == [1, 2]
        assert len({(request.ada.gamma, request.seed) for request in shared.wanted}) == 1


def test_one_run_is_no_chain(tmp_path):
    assert sweep.plan(sweep.grid(settings(tmp_path), K=[0, 3], out=tmp_path / "a")).shared == []


def test_shared_rounds_that_fail_take_the_runs_with_them_that_still_waited(requests, separate):
    def break_down(progress: Progress) -> None:
        if (progress.phase, progress.k) == ("maximize", 1):
            raise RuntimeError("no more of this")

    shared = shared_by(requests)
    shared.folder.mkdir(parents=True)
    (shared.home / ".claims").mkdir()
    with reporting_to(break_down):
        assert workers._attempt(shared, "token", [])
    assert shared.done
    assert [failed(request) for request in requests] == [False, True, True]
    assert "no more of this" in error_file(requests[1]).read_text()
    assert sweep.plan(requests).to_do == requests[:1]
    for request in requests:
        forget_failure(request)
    do(requests)
    assert_the_same(requests, separate)


def test_a_run_waits_until_the_shared_rounds_have_begun_it(requests):
    shared = shared_by(requests)
    shared.folder.mkdir(parents=True)
    waiting = RunTask(requests[0], shared.folder)
    assert not waiting.ready
    shared.work(lambda _: None)
    assert waiting.ready
