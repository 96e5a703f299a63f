"""Several ranks under the real torchrun: they train what one process trains, and end together, whatever happens.

This file is also what torchrun starts: ``torchrun --nproc-per-node 2 tests/test_ranks.py WORK FOLDER``. A start takes
seconds, so each does a lot; the tests look at what it left.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import safetensors.torch
import torch
from torch import Tensor, nn

import unseen
from unseen.base.randomness import Draws
from unseen.base.records import to_json
from unseen.engine import Engine
from unseen.errors import InputError, RankLost, RunFolderError, UnseenError
from unseen.method.state import State
from unseen.runs.config import Cadence
from unseen.runs.folder import RunFolder
from unseen.runs.progress import Progress
from unseen.runs.recorder import Recorder

sys.path.insert(0, str(Path(__file__).parents[1]))
import kill_points
from kill_points import differences, digest, outcome_on_disk

RANKS = 2
PATIENCE = 150.0  # seconds for a torchrun; alone on the machine the longest takes 20
SETTINGS = unseen.ADA(K=2, T=20, T_min=7, T_max=3, batch=8, n=20, alpha=1e-3, eta=20.0)


TRANSFORMED = SETTINGS.asdict() | {"over": "everything", "sampling": "source", "keep": 1, "entropy": 0.1}


PRACTISED = SETTINGS.asdict() | {
    "optimizer": "sgd", "alpha": 0.05, "clip_gradient": 0.5, "warmup": 5, "label_smoothing": 0.1, "average": 0.8,
    "class_weights": "balanced", "validation": 0.2, "select": "source-validation",
    "augment": ("flip", kill_points.fade),
}  # fmt: skip


# What the ranks train.


class Spare(nn.Module):
    """Has a parameter that nothing uses."""

    def __init__(self) -> None:
        super().__init__()
        self.spare = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        return x


class Drawing(nn.Module):
    """Draws in training, as dropout does, and keeps what it drew."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn: list[float] = []

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.drawn.append(float(torch.rand(())))
        return x


class Poison(nn.Module):
    """Takes one image badly, and only in evaluation."""

    def forward(self, x: Tensor) -> Tensor:
        bad = (x[:, :1, :1, :1] == 0.123) & (not self.training)
        return x.masked_fill(bad, float("nan"))


def make_net(*first: nn.Module) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return nn.Sequential(
            *(*first, nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4)),
            *(nn.Flatten(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4)),
        )


CASES: dict[str, dict[str, Any]] = {
    "even": {},
    "odd": {"ada": unseen.ADA(**SETTINGS.asdict() | {"batch": 7, "n": 13, "ridge": 0.5}), "watched": 1},
    "unused": {"net": lambda: make_net(Spare())},
    "bf16": {"precision": "bf16"},
    "draws": {"net": lambda: make_net(Drawing()), "watched": 3},
    "drawn": {"ada": unseen.ADA(**TRANSFORMED | {"T_max": 0, "n": 13, "augment": "standard", "consistency": 0.5})},
    "climbed": {"ada": unseen.ADA(**TRANSFORMED)},
    "practised": {"ada": unseen.ADA(**PRACTISED)},
}
EXACT = ("even", "odd", "unused", "drawn", "practised")


def train(folder: Path, *, net: Callable[[], nn.Module] = make_net, watched: int = 5, **changes: Any) -> unseen.Run:
    arguments = {
        "ada": SETTINGS,
        "engine": Engine("cpu", changes.pop("precision", "float32"), threads=1),
        "watch": {"target": kill_points.make_domain("target", watched, 4)},
        "cadence": Cadence(record=5, watch=5, save=5),
        "seed": 3,
    }
    source = changes.pop("source", kill_points.make_domain("source", 30, 2))
    return unseen.fit(net(), source, **{**arguments, **changes}, folder=folder)


# What torchrun starts.


@contextmanager
def looking(seen: list[dict[str, str]]) -> Iterator[None]:
    """Every rank notes what it has after each step and each round: weights, buffers, moments, pool."""

    def note(name: str) -> Any:
        told = getattr(Recorder, name)

        def look(self: Recorder, state: State, *rest: Any) -> None:
            told(self, state, *rest)
            seen.append(digests_of(state))

        return mock.patch.object(Recorder, name, look)

    with note("stepped"), note("appended"):
        yield


def digests_of(state: State) -> dict[str, str]:
    net = {f"net {name}": tensor for name, tensor in state.net.model.state_dict().items()}
    slots = {
        f"optimizer {i} {slot}": tensor
        for i, each in state.optimizer.state_dict()["state"].items()
        for slot, tensor in each.items()
    }
    pool = {"images": state.pool.images[: len(state.pool)], "labels": state.pool.labels[: len(state.pool)]}
    return {name: digest(tensor) for name, tensor in (net | slots | pool | state.result.tensors()).items()}


def work_many(folder: Path) -> None:
    """Every case, what goes wrong in every way that leaves the ranks alive, and the first case again."""
    for name, case in CASES.items():
        tell(folder / name, run_case(folder / name, **case))
    with kill_points.small_pieces():
        tell(folder / "whole", run_case(folder / "whole", train=kill_points.train))
    for name, fail in FAILURES.items():
        tell(folder / name, {"error": error_of(lambda fail=fail, name=name: fail(folder / name))})
    tell(folder / "again", run_case(folder / "again"))


def run_case(folder: Path, train: Callable[..., unseen.Run] = train, **case: Any) -> dict[str, Any]:
    seen: list[dict[str, str]] = []
    with looking(seen):
        run = train(folder, **case)
    drawn = [module.drawn for module in run.net.modules() if isinstance(module, Drawing)]
    final = {f"net {name}": tensor.contiguous() for name, tensor in run.net.model.state_dict().items()}
    final |= {"images": run.pool.images, "labels": run.pool.labels, "parents": run.pool.parents}
    safetensors.torch.save_file(final, f"{folder}.{rank()}.safetensors")
    return {"seen": seen, "drawn": drawn, "metrics": run.metrics, "engine": to_json(run.config.engine)}


def rank() -> int:
    return int(os.environ["RANK"])


def tell(path: Path, what: Any) -> None:
    Path(f"{path}.{rank()}.json").write_text(json.dumps(what))


def error_of(work: Callable[[], Any]) -> str:
    try:
        work()
    except UnseenError as error:
        return f"{type(error).__name__}: {error}"
    return "none"


def fail_to_save(folder: Path) -> None:
    """On rank 0, from step 12 on, the kernel lets no file grow."""

    def limit(progress: Progress) -> None:
        if (progress.phase, progress.done) == ("minimize", 12):
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

    try:
        train(folder, progress=limit)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def diverge_on_rank_1(folder: Path) -> None:
    source = kill_points.make_domain("source", 30, 2)
    second = Draws(3).without_replacement(30, 2)[1]
    source.images[second, 0, 0, 0] = 0.123
    train(folder, net=lambda: make_net(Poison()), source=source, ada=unseen.ADA(**SETTINGS.asdict() | {"n": 2}))


FAILURES = {
    "exists": lambda folder: train(folder.with_name("even")),
    "few": lambda folder: train(folder, ada=unseen.ADA(**SETTINGS.asdict() | {"batch": 1})),
    "frozen": lambda folder: train(folder, net=lambda: make_net().requires_grad_(False)),
    "full": fail_to_save,
    "diverged": diverge_on_rank_1,
}


def work_die(folder: Path, *who: str) -> None:
    """These ranks are killed in the middle of round 2."""
    ascended, times = Recorder.ascended, 0

    def ascend(self: Recorder, *rest: Any) -> None:
        nonlocal times
        times += 1
        if times == 4 and str(rank()) in who:
            (folder.parent / f"{folder.name}.killed").write_text(str(time.time()))
            os.kill(os.getpid(), signal.SIGKILL)
        ascended(self, *rest)

    with kill_points.small_pieces(), mock.patch.object(Recorder, "ascended", ascend):
        kill_points.train(folder)


def work_go_on(*folders: Path | str) -> None:
    with kill_points.small_pieces():
        for folder in folders:
            kill_points.train(folder, resume=True)


def work_leave_early(folder: Path) -> None:
    """Rank 1 ends while rank 0 waits for it to connect."""
    ready, make = folder.with_suffix(".ready"), Engine._make_fabric

    def make_and_tell(*arguments: Any) -> Any:
        fabric = make(*arguments)
        ready.touch()
        return fabric

    if rank() == 0:
        with mock.patch.object(Engine, "_make_fabric", make_and_tell):
            train(folder)
    while not ready.exists():
        time.sleep(0.1)
    time.sleep(0.5)
    raise InputError("rank 1 has had enough")


def main(work: str, folder: str, *rest: str) -> None:
    try:
        globals()[f"work_{work}"](Path(folder), *rest)
    except UnseenError as error:
        sys.stderr.write(f"error on rank {rank()}: {error}\n")  # in one piece: torchrun writes to the same place
        Path(f"{folder}.ended").write_text(str(time.time()))
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main(*sys.argv[1:])


# What the tests look at.


def torchrun(*arguments: Any) -> SimpleNamespace:
    """Start two ranks; how they ended."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(RANKS)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "error::UserWarning:unseen"}
    process = subprocess.Popen(
        [*command, *map(str, arguments)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.terminate()  # the ranks are torchrun's to end
        out, err = process.communicate()
        pytest.fail(f"torchrun was not done after {PATIENCE:.0f} s\n{out}\n{err}")
    return SimpleNamespace(code=process.returncode, out=out, err=err)


def errors_in(ended: SimpleNamespace) -> list[str]:
    return [line for line in ended.err.splitlines() if line.startswith("error")]


def told(path: Path) -> list[Any]:
    return [json.loads(Path(f"{path}.{rank}.json").read_text()) for rank in range(RANKS)]


def final(path: Path, rank: int = 0) -> dict[str, Tensor]:
    return safetensors.torch.load_file(f"{path}.{rank}.safetensors")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where ``work_many`` left everything."""
    folder = tmp_path_factory.mktemp("many")
    ended = torchrun(__file__, "many", folder)
    assert ended.code == 0, ended.err
    assert ended.err + ended.out == "", "a run that nobody watches says nothing"
    return folder


@pytest.mark.parametrize("case", [*CASES, "whole"])
def test_all_ranks_have_the_same_bits_after_every_step(many: Path, case: str) -> None:
    first, second = (each["seen"] for each in told(many / case))
    ada = kill_points.SETTINGS if case == "whole" else SETTINGS
    assert len(first) == ada.T + ada.K
    assert len({json.dumps(each) for each in first}) == len(first), "a step changed nothing"
    for i, (one, other) in enumerate(zip(first, second, strict=True)):
        assert not differences(one, other), f"after {i + 1} steps and rounds"
    assert all(torch.equal(tensor, final(many / case, 1)[name]) for name, tensor in final(many / case).items())
    saved = safetensors.torch.load_file(many / case / "weights.safetensors")
    assert all(torch.equal(tensor, final(many / case)[f"net {name}"]) for name, tensor in saved.items())


@pytest.mark.parametrize("case", [*EXACT, "bf16"])
def test_the_ranks_train_what_one_process_trains(many: Path, tmp_path: Path, case: str) -> None:
    run, (ranks, _) = train(tmp_path / "alone", **CASES[case]), told(many / case)
    atol = 1e-4 if case in EXACT else 5e-2
    ours, before = final(many / case), CASES[case].get("net", make_net)().state_dict()
    assert torch.equal(ours["labels"], run.pool.labels)
    assert torch.equal(ours["parents"], run.pool.parents)
    torch.testing.assert_close(ours["images"], run.pool.images, rtol=0, atol=atol)
    for name, tensor in run.net.model.state_dict().items():
        torch.testing.assert_close(ours[f"net {name}"], tensor, rtol=0, atol=atol)
        assert name.endswith("spare") or (tensor - before[name]).abs().max() > 1e-3, f"{name} was not trained"
    assert_close(ranks["metrics"], run.metrics, atol)
    assert ranks["engine"] == to_json(run.config.engine) | {"ranks": RANKS}


def test_the_ranks_climb_the_same_transformations_as_one_process(many: Path, tmp_path: Path) -> None:
    """Where a slope is all but 0, rounding decides its sign: few images may differ, and no chain."""
    train(tmp_path / "alone", **CASES["climbed"])
    (ranks, parents), (alone, same_parents) = (
        RunFolder(f).read_round(2) for f in (many / "climbed", tmp_path / "alone")
    )
    assert torch.equal(parents, same_parents)
    assert torch.equal(ranks.links.which, alone.links.which)
    close = (ranks.images - alone.images).abs().amax((1, 2, 3)) < 1e-3
    assert close.float().mean() >= 0.8


def assert_close(ours: list[dict[str, Any]], theirs: list[dict[str, Any]], atol: float) -> None:
    assert [line.keys() for line in ours] == [line.keys() for line in theirs]
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=10 * atol, atol=atol)


def test_a_parameter_that_nothing_uses_stays_what_it_was(many: Path) -> None:
    assert torch.equal(final(many / "unused")["net 0.spare"], torch.ones(3))


def test_the_model_draws_something_else_on_each_rank(many: Path) -> None:
    ([first], [second]) = (each["drawn"] for each in told(many / "draws"))
    assert len(first) == len(second) == SETTINGS.T
    assert not set(first) & set(second)


@pytest.mark.parametrize(
    ("failure", "starts", "ends"),
    [
        ("exists", "RunFolderError: {many}/even exists and holds a finished run; ", "or choose another folder"),
        ("few", "InputError: batch=1 can't be shared by 2 ranks; ", "raise batch or start fewer ranks"),
        ("frozen", "InputError: the model has no trainable parameter", "nothing to train"),
        ("full", "SaveFailed: could not save {many}/full/checkpoints/00000014-001.safetensors", "resume=True)"),
        ("diverged", "Diverged: round 1, after minimization step 7, ascent step 1 of 3: ", "lower eta (now 20)"),
    ],
)
def test_an_error_on_one_rank_is_every_ranks(many: Path, failure: str, starts: str, ends: str) -> None:
    first, second = (each["error"] for each in told(many / failure))
    assert first == second
    assert first.startswith(starts.format(many=many))
    assert first.endswith(ends)


def test_after_errors_the_ranks_train_on_to_the_same_bits(many: Path) -> None:
    assert told(many / "again")[0]["seen"] == told(many / "even")[0]["seen"]


class Killed(dict[str, SimpleNamespace]):
    """Trainings of which rank 0, rank 1 or both are killed in a round, each when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, who: str) -> SimpleNamespace:
        """How it ended, and what could resume."""
        ended = self[who] = torchrun(__file__, "die", self.folder / who, *who)
        ended.folder, ended.started = self.folder / who, RunFolder(self.folder / who).started
        ended.finished = RunFolder(self.folder / who).finished
        ended.refused = error_of(lambda: kill_points.train(self.folder / who, resume=True))
        return ended


WHO = pytest.mark.parametrize("who", ["0", "1", "01"], ids=["rank 0", "rank 1", "both"])


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    return Killed(tmp_path_factory.mktemp("killed"))


@pytest.fixture(scope="module")
def resumed(killed: Killed) -> Killed:
    """All three, resumed in one start."""
    ended = torchrun(__file__, "go_on", *(killed[who].folder for who in ("0", "1", "01")))
    assert ended.code == 0, ended.err
    return killed


@WHO
def test_a_training_that_was_killed_in_a_round_resumes_to_the_same_bits(many: Path, resumed: Killed, who: str) -> None:
    assert resumed[who].started
    assert not resumed[who].finished
    assert not differences(outcome_on_disk(many / "whole"), outcome_on_disk(resumed[who].folder))


@pytest.mark.parametrize("who", [0, 1], ids=["rank 0", "rank 1"])
def test_when_one_rank_is_killed_the_other_ends_and_says_how_to_resume(killed: Killed, who: int) -> None:
    ended = killed[str(who)]
    assert ended.started
    assert not ended.finished
    (message,) = errors_in(ended)
    assert message.startswith(f"error on rank {1 - who}: rank {1 - who} ")
    assert "another rank has ended" in message or "lost another rank, which has ended (" in message
    assert message.endswith(
        "The checkpoint of step 16 is untouched; resume under torchrun as before, with: "
        f"unseen.fit(..., folder={str(ended.folder)!r}, resume=True)"
    )
    assert "Traceback" not in ended.err.split("torch/distributed/elastic", 1)[0]
    assert f"exitcode  : {RankLost.exit_code} " in ended.err
    killed_at, over = (float(ended.folder.with_suffix(end).read_text()) for end in (".killed", ".ended"))
    assert over - killed_at < 15


@WHO
def test_one_process_does_not_go_on_with_what_two_began(killed: Killed, who: str) -> None:
    ended = killed[who]
    assert ended.refused.startswith(f"{RunFolderError.__name__}: {ended.folder} belongs to another config:")
    assert "  - engine.ranks is 2 there, 1 here\n" in ended.refused


def test_a_rank_that_ends_before_the_others_are_connected_ends_them(tmp_path: Path) -> None:
    ended = torchrun(__file__, "leave_early", tmp_path / "run")
    assert errors_in(ended) == ["error on rank 1: rank 1 has had enough"]
    assert "(SIGTERM)" in ended.err
    assert "(SIGKILL)" not in ended.err, "rank 0 took no notice, and torchrun waits 30 s before it uses force"
    assert not RunFolder(tmp_path / "run").started


def test_the_command_line_under_torchrun_speaks_once(tmp_path: Path) -> None:
    pictures = pytest.importorskip("PIL.Image")
    for i, image in enumerate(kill_points.make_domain("source", 12, 6).images):
        path = tmp_path / "source" / "abc"[i % 3] / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        pictures.fromarray((255 * image).byte().permute(1, 2, 0).numpy()).save(path)
    (tmp_path / "net.py").write_text(
        "from torch import nn\n\ndef make(classes):\n"
        "    return nn.Sequential(nn.MaxPool2d(2), nn.Flatten(), nn.Linear(48, classes))\n"
    )
    (tmp_path / "run.toml").write_text(
        f'model = "{tmp_path / "net.py"}:make"\nsource = "{tmp_path / "source"}"\nsize = 8\n'
        'T = 14\nK = 1\nT_min = 6\nT_max = 2\nbatch = 8\ndevice = "cpu"\nthreads = 1\nprecision = "float32"\n'
    )
    command = ("-m", "unseen", "train", "--config", tmp_path / "run.toml", "--out", tmp_path / "run")
    done = torchrun(*command)
    assert done.code == 0, done.err
    assert done.err == ""
    assert done.out.count("Training on") == done.out.count("Done: ") == 1
    assert done.out.count("cpu, float32, 1 thread, 2 ranks") == 1
    assert RunFolder(tmp_path / "run").finished
    refused = torchrun(*command)
    (message,) = errors_in(refused)
    assert message.startswith(f"error: {tmp_path / 'run'} exists and holds a finished run; ")
    assert f"exitcode  : {RunFolderError.exit_code} " in refused.err
