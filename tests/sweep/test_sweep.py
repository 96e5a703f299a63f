"""Many runs: each is done once, whatever fails, is killed or comes twice."""

import io
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from kill_points import differences, outcome_on_disk
from rich.console import Console
from sweeping import settings

from unseen import sweep
from unseen.errors import InputError, RankLost, RunsFailed
from unseen.runs.folder import RunFolder
from unseen.runs.progress import Progress
from unseen.runs.request import Request, train
from unseen.sweep import workers
from unseen.sweep.progress import read_progress
from unseen.sweep.tasks import RunTask, failed, finished

OLDER = Path(__file__).parents[1] / "runs" / "older" / "bce79ef"
TOML = """
source = "images"
size = 6
model = "models.py:make"
device = "cpu"
precision = "float32"
T = {T}
T_min = 3
T_max = 2
batch = 4

[cadence]
record = 10
watch = 10
save = 100

[grid]
K = [0, 1, 2]
"""


@pytest.fixture
def some(tmp_path: Path) -> list[Request]:
    """Two runs."""
    return sweep.grid(settings(tmp_path), K=[0], seed=[0, 1], out=tmp_path / "runs")


def weights(folder: Path) -> bytes:
    return RunFolder(folder).weights.read_bytes()


# What a run is.


def one(tmp_path: Path, **changes: Any) -> Request:
    (request,) = sweep.grid(settings(tmp_path, **changes), out=tmp_path / "runs")
    return request


@pytest.mark.parametrize(
    "change",
    [
        {"gamma": 2.0}, {"K": 1}, {"n": 4}, {"clip": True}, {"seed": 1}, {"head": "5"}, {"watch": []}, {"threads": 2},
        {"cadence": {"record": 1, "watch": 2, "save": 5}}, {"precision": "bf16"},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_any_other_setting_is_another_run_in_another_folder(tmp_path, change):
    plain, changed = one(tmp_path), one(tmp_path, **change)
    assert plain.identity != changed.identity
    assert plain.out != changed.out


def test_the_same_settings_are_the_same_run_however_they_are_written(tmp_path):
    plain = one(tmp_path)
    assert re.fullmatch("[0-9a-f]{64}", plain.identity)
    assert one(tmp_path, gamma=1, dropout=0).identity == plain.identity
    assert replace(plain, out=Path("elsewhere")).identity == plain.identity


# Grids.


def test_a_grid_is_every_combination_each_in_a_folder_that_says_what_it_is(tmp_path):
    requests = sweep.grid(settings(tmp_path), gamma=[0.1, 1.0], K=(1, 2), seed=range(3), out="sweeps/table")
    assert len(requests) == len({request.out for request in requests}) == 12
    assert {(r.ada.gamma, r.ada.K, r.seed) for r in requests} == {
        (gamma, K, seed) for gamma in (0.1, 1.0) for K in (1, 2) for seed in range(3)
    }
    first = requests[0]
    assert first.out == Path("sweeps/table") / f"images-ada-K1-gamma0.1-seed0-{first.identity[:10]}"
    assert all(request.engine.threads == 1 for request in requests)


def test_plain_training_is_one_run_whatever_gamma_is(tmp_path):
    requests = sweep.grid(settings(tmp_path), gamma=[0.1, 1.0], K=[0, 1], out=tmp_path)
    assert len(sweep.plan(requests).to_do) == 3


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ({"gama": [1.0], "sede": [0]}, ["2 problems", 'did you mean "gamma"?', 'did you mean "seed"?']),
        ({"gamma": 1.0}, ["grid.gamma=1.0: expected a list of values, such as [1.0]"]),
        ({"cost": "pixel"}, ["grid.cost='pixel': expected a list of values, such as ['pixel']"]),
        ({"seed": []}, ["grid.seed is empty"]),
        ({"T": [10, 20]}, ["T is given twice, by itself and in the grid: leave one out"]),
        ({"gamma": [-1.0, 1.0], "seed": [0, 1], "dropout": ["much"]}, ["2 problems", "gamma=-1.0", "dropout='much'"]),
        ({"threads": [1, 2]}, ['unknown setting "grid.threads"']),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_everything_wrong_with_a_grid_is_told_at_once(tmp_path, lists, said):
    with pytest.raises(InputError) as caught:
        sweep.grid(settings(tmp_path), out=tmp_path, **lists)
    for part in said:
        assert part in str(caught.value)


# Sweeps.


def test_a_sweep_does_every_run_with_the_bits_it_has_alone_and_a_second_does_nothing(some, tmp_path, monkeypatch):
    outcome = sweep.run([*some, *some], jobs=2)
    assert (outcome.finished, outcome.failed) == ([request.out for request in some], {})
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {request.out.name for request in some}
    alone = replace(some[1], out=tmp_path / "alone")
    train(alone)
    assert not differences(outcome_on_disk(alone.out), outcome_on_disk(some[1].out))
    monkeypatch.setattr(workers, "Parallel", lambda **_: pytest.fail("started again"))
    assert sweep.run(some, jobs=2) == outcome


def test_relative_folders_are_those_of_the_caller(some, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    relative = replace(some[0], out=Path("here/run"))
    assert sweep.run([relative], jobs=1).finished == [Path("here/run")]
    assert RunFolder(tmp_path / "here/run").finished


def test_two_runs_that_want_one_folder_are_refused(some):
    with pytest.raises(InputError, match="wanted by two runs"):
        sweep.run([some[0], replace(some[1], out=some[0].out)])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"jobs": 0}, "jobs=0: expected a whole number, 1 or more"),
        ({"engine": "rai"}, 'engine="rai": expected "processes" or "ray"; did you mean "ray"?'),
        ({"address": "auto"}, 'address="auto": only engine="ray" has one'),
        ({"jobs": True, "engine": "dask"}, "2 problems"),
    ],
    ids=str,
)
def test_options_that_can_not_be_are_refused(some, options, said):
    with pytest.raises(InputError) as caught:
        sweep.run(some, **options)
    assert said in str(caught.value)


def test_a_failing_run_stops_no_other_and_is_tried_again_only_on_request(tmp_path):
    broken, good = of_models(tmp_path, "broken", "make")
    outcome = sweep.run([broken, good], jobs=2)
    assert outcome.finished == [good.out]
    assert "RuntimeError: a part is missing" in outcome.failed[broken.out]
    assert "Traceback" not in outcome.failed[broken.out]  # the message says it all
    with pytest.raises(RunsFailed, match=r"(?s)1 of 2 runs failed.*a part is missing.*try again with: this") as caught:
        outcome.check("this")
    assert caught.value.exit_code == 7

    (tmp_path / "mended").touch()
    planned = sweep.plan([broken, good])
    assert (planned.finished, planned.failed, planned.to_do) == ([good], [broken], [])
    assert str(planned) == "2 runs: 1 finished before, 1 failed before and not tried again, 0 to do"
    assert sweep.run([broken, good]) == outcome
    again = sweep.run([broken, good], jobs=1, retry=True)
    assert (again.finished, again.failed) == ([broken.out, good.out], {})


def test_a_run_whose_process_dies_stops_no_other(tmp_path):
    good, deadly = of_models(tmp_path, "make", "deadly")
    outcome = sweep.run([good, deadly], jobs=2)
    assert outcome.finished == [good.out]
    assert "memory" in outcome.failed[deadly.out]


def of_models(folder, *names):
    """A training of each, by its name in ``models.py``."""
    shared = settings(folder, K=0)
    del shared["model"]
    return sweep.grid(shared, model=[f"{folder}/models.py:{name}" for name in names], out=folder / "runs")


def test_a_folder_of_another_run_is_a_failure_that_says_so(some):
    train(some[0])
    other = replace(some[0], seed=5)
    outcome = sweep.run([other], jobs=1)
    assert "belongs to another config" in outcome.failed[other.out]


def test_a_run_that_somebody_else_is_training_is_waited_for(some):
    files = RunFolder(some[0].out)
    with files.locked():
        tasks = [RunTask(request) for request in some]
        (some[0].out.parent / ".claims").mkdir()
        assert not workers._attempt(tasks[0], "token", [])
        assert workers._attempt(tasks[1], "token", [])
    assert workers._attempt(tasks[0], "token", [])
    assert [task.done for task in tasks] == [True, True]


def test_what_is_done_with_a_run_afterwards_sees_it_whole_and_fails_no_run(some):
    seen: list[tuple[Path, bool]] = []

    def look(request: Request) -> None:
        seen.append((request.out, RunFolder(request.out).finished))
        raise ValueError("not the run's fault")

    (some[0].out.parent / ".claims").mkdir(parents=True)
    task = RunTask(some[0], afterwards=look)
    assert workers._attempt(task, "token", [])
    assert seen == [(some[0].out, True)]
    assert (finished(some[0]), failed(some[0])) == (True, False)


def test_warnings_of_a_run_are_told_with_its_name(some):
    train(some[0])
    for checkpoint in (some[0].out / "checkpoints").iterdir():
        checkpoint.unlink()
    RunFolder(some[0].out).weights.unlink()
    said: list[str] = []
    sweep.run(some[:1], jobs=1, warn=said.append)
    assert said == [f"{some[0].out.name}: {some[0].out} has no checkpoint: the run starts again from its first step"]


def test_the_progress_of_a_sweep_is_read_from_the_folders(some):
    file = io.StringIO()
    sweep.run(some, jobs=1, progress=Console(file=file, width=200))
    assert "sweep  runs done: 2 of 2 runs" in file.getvalue()


def test_reading_progress_bears_that_a_folder_goes_away_meanwhile(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    round_folder = tmp_path / "run" / "rounds" / "1"
    round_folder.mkdir(parents=True)
    shutil.copy(OLDER / "python-unfinished" / "config.json", tmp_path / "run")  # K=1, n=2
    (round_folder / "0000.safetensors").symlink_to("gone")
    assert read_progress(tmp_path / "run", 14) is None
    (round_folder / "gone").write_bytes(safetensors.torch.save({"images": torch.zeros(3, 1, 2, 2)}))

    def gone(*_, **__):
        raise RuntimeError("unable to open file: No such file or directory")

    monkeypatch.setattr(torch.UntypedStorage, "from_file", gone)  # as torch says it, when it opens what was there
    assert read_progress(tmp_path / "run", 14) == Progress("maximize", 3, 2, 0)


def test_a_folder_says_how_far_its_training_is(tmp_path, monkeypatch):
    monkeypatch.setattr("unseen.engine.Engine.part_size", lambda *_: 2)
    request = one(tmp_path, K=1)
    seen: list[Progress | None] = [read_progress(request.out, 14)]
    train(request, progress=lambda progress: seen.append(read_progress(request.out, 14)))
    assert seen[0] is None
    assert [s.done for s in seen if s and s.phase == "maximize"] == [2, 4, 6]
    assert {s.of for s in seen if s and s.phase == "maximize"} == {8}
    steps = [s.done for s in seen if s and s.phase == "minimize"]
    assert (steps[0], steps[-1]) == (0, 14)
    assert steps == sorted(steps)


# Killed sweeps.


def start(*words: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "unseen", "sweep", *words], cwd=cwd, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | {"COLUMNS": "200", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def wait_for(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def workers_of(out: Path) -> set[int]:
    """The processes that hold the runs' folders."""
    locks = [*out.glob("*/lock"), *out.glob("chains/*/lock")]
    return {int(found[1]) for lock in locks if (found := re.match(r"process (\d+)", lock.read_text()))}


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda sign: sign.name)
def test_a_killed_sweep_takes_its_workers_along_and_goes_on_to_the_same_bits(tmp_path, sign, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings(tmp_path)
    file, out = tmp_path / "long.toml", Path("sweeps/long")
    file.write_text(TOML.format(T=800))
    process = start("long.toml", "--jobs", "2", cwd=tmp_path)
    try:
        wait_for(lambda: any(out.glob("*/checkpoints/000001*")))
        pids = workers_of(out)
        os.killpg(process.pid, sign) if sign == signal.SIGINT else process.send_signal(sign)  # as a terminal does
        text, _ = process.communicate(timeout=20)
        wait_for(lambda: not any(map(is_there, pids)), seconds=5)
    finally:
        process.kill()
    if sign == signal.SIGINT:
        assert process.returncode == 130, text
        assert "Interrupted. Resume with: unseen sweep long.toml --jobs 2" in text
        assert "Traceback" not in text
    else:
        assert process.returncode == -sign
    requests = sweep.read_grid(file, None)
    planned = sweep.plan(requests)
    assert planned.to_do
    assert not planned.failed
    if sign == signal.SIGKILL:
        assert not sweep.run(requests, jobs=2).failed
        for request in requests:
            alone = replace(request, out=Path("alone") / str(request.ada.K))
            train(alone)
            assert not differences(outcome_on_disk(alone.out), outcome_on_disk(request.out))


# The command.


def test_a_command_with_failed_runs_says_so_with_their_messages_and_the_command_that_tries_again(
    shell, tmp_path, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "200")
    settings(tmp_path)
    lists = 'K = [0]\nmodel = ["models.py:make", "models.py:broken"]\n'
    text = TOML.format(T=14).replace('model = "models.py:make"\n', "").replace("K = [0, 1, 2]\n", lists)
    (tmp_path / "half.toml").write_text(text)
    code, text = shell("sweep", "half.toml", "--jobs", "1")
    assert code == 7, text
    for part in ("1 of 2 runs failed", "a part is missing", "unseen sweep half.toml --jobs 1 --retry"):
        assert part in text
    assert "Traceback" not in text
    (tmp_path / "mended").touch()
    code, text = shell("sweep", "half.toml", "--jobs", "1", "--retry")
    assert (text.count("Done."), code) == (1, 0)
    assert not (tmp_path / "sweeps/half/errors").exists()


# Ray.


def test_a_sweep_on_ray_has_the_bits_of_one_without(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings(tmp_path)
    (tmp_path / "small.toml").write_text(TOML.format(T=14))
    process = start("small.toml", "--engine", "ray", "--jobs", "2", "--out", "here", cwd=tmp_path)
    text, _ = process.communicate(timeout=120)
    assert process.returncode == 0, text
    assert "3 runs: 3 to do, 2 of them with rounds shared in 1 chain" in text
    assert text.splitlines()[-1] == "Done. Next: unseen evaluate here/*-seed* --run-model-code"
    requests = sweep.read_grid(tmp_path / "small.toml", Path("here"))
    assert {path.name for path in Path("here").iterdir()} == {request.out.name for request in requests}
    for request in requests:
        alone = replace(request, out=Path("alone") / str(request.ada.K))
        train(alone)
        assert not differences(outcome_on_disk(alone.out), outcome_on_disk(request.out))


def test_without_ray_the_message_names_the_extra(some, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r'install it with: pip install "unseen\[ray\]"'):
        sweep.run(some, engine="ray")


def test_an_address_where_nobody_answers_is_told_at_once(some):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"ray://127.0.0.1:{free.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(InputError, match=r"no Ray cluster to work with at address=.*refused"):
            sweep.run(some, engine="ray", address=address)
    assert time.monotonic() - began < 20  # Ray's import is most of it
    assert not any(request.out.exists() for request in some)


def test_a_worker_that_does_not_see_the_folder_says_so(some, monkeypatch):
    monkeypatch.setattr(workers, "_marked", lambda *_: nullcontext())
    with pytest.raises(InputError, match=f"{socket.gethostname()} does not see {some[0].out.parent}.*share"):
        sweep.run(some, jobs=1)


def test_processes_that_are_ended_before_they_begin_a_run_are_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: Any) -> list[str]:
        raise TimeoutError

    crew = workers.Crew(jobs=2, backend={}, lost=TimeoutError, parent=None)
    monkeypatch.setattr(workers.Crew, "_start", ended)
    with pytest.raises(RankLost, match=r"before it had begun a run, .* the same command resumes"):
        crew.do([], "token")
