"""Determinism for every test, a guard on the global generators, and the tiny nets and data that tests share."""

import random
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unseen import Domain, cli
from unseen.base import imports
from unseen.transforms import catalogue

# Deterministic algorithms, which also fill torch.empty with NaN, so that nobody reads what nobody wrote. The function
# of that name does the same and imports torch's compiler, which takes longer than torch itself.
torch.set_deterministic_debug_mode("error")
torch.set_num_threads(1)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell leaves it for what it starts in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests send it to processes of their own

CLASSES = 4


@pytest.fixture(autouse=True)
def _global_generators_are_left_alone() -> Iterator[None]:
    """No test, and so nothing the library does in one, draws from a generator it doesn't own.

    A test that has to draw does so inside ``torch.random.fork_rng(devices=[])`` or from its own generator.
    """
    torch_before, numpy_before, random_before = torch.get_rng_state(), np.random.get_state(), random.getstate()
    yield
    changed = [
        name
        for name, same in {
            "torch": torch.equal(torch.get_rng_state(), torch_before),
            "numpy": _same_numpy_state(np.random.get_state(), numpy_before),
            "random": random.getstate() == random_before,
        }.items()
        if not same
    ]
    assert not changed, f"the global generator of {', '.join(changed)} was drawn from or seeded"


LONGEST = (
    "tests/engine/test_ranks.py", "tests/test_docs.py", "tests/runs/test_resume.py", "tests/cli/test_cli.py",
    "tests/sweep/test_sweep.py", "tests/test_attacks.py",
)  # fmt: skip
"""files, since `make test` gives a worker whole ones: by the hundred tests, all of the longest would be one worker's"""


SLOW = {
    "tests/runs/test_resume.py::TestKills::test_a_run_killed_at_any_moment_ends_with_the_same_bits":
        "TestInterruptions stops one in every phase",
    "tests/runs/test_practised_runs.py::test_a_run_killed_at_any_moment_ends_with_the_same_bits":
        "test_other_settings_go_on_as_exactly, and TestInterruptions in test_resume.py",
    "tests/runs/test_transformed_runs.py::test_a_run_killed_at_any_moment_ends_with_the_same_bits":
        "test_ctrl_c_leaves_a_folder_that_goes_on stops one in every phase",
    "tests/cli/test_cli.py::test_a_demo_that_is_stopped_says_how_to_resume_and_its_workers_end":
        "the sweep that is killed in test_sweep.py",
    "tests/cli/test_cli.py::test_a_stopped_training_resumes_to_the_same_bits[SIGINT]": "SIGKILL",
    "tests/cli/test_scenes.py::test_a_training_on_scenes_is_killed_resumes_to_the_same_bits_and_is_evaluated":
        "the one on digits, and masks in test_transformed_runs.py",
    "tests/engine/test_ranks.py::test_a_training_that_was_killed_in_a_round_resumes_to_the_same_bits":
        "it ends, and the message says how to resume",
    "tests/engine/test_ranks.py::test_when_one_rank_is_killed_the_other_ends_and_says_how_to_resume[rank 1]": "rank 0",
    "tests/engine/test_ranks.py::test_one_process_does_not_go_on_with_what_two_began[rank 1]": "rank 0",
    "tests/engine/test_ranks.py::test_one_process_does_not_go_on_with_what_two_began[both]": "rank 0",
    "tests/engine/test_ranks.py::test_the_command_line_under_torchrun_speaks_once":
        "ranks that nobody watches say nothing",
    "tests/engine/test_ranks.py::test_a_rank_that_ends_before_the_others_are_connected_ends_them": "rank 0, in a round",
    "tests/data/test_built_in.py::test_two_processes_build_the_same_bits_whatever_the_global_seed":
        "the other promises of each domain",
    "tests/data/test_built_in.py::test_building_leaves_the_global_generators_as_they_were":
        "the guard of every test, in the first that builds each",
    "tests/deploy/play/test_browser.py": "test_drawing.py, test_serving.py and test_sitting.py",
    "tests/models/test_split_zoo.py::test_a_segmentation_models_network_trains_on_masks":
        "the head of each is found, and test_fcn.py",
    "tests/models/test_split_zoo.py::test_the_head_is_found[segmentation-models-DPT]": "the library's eleven others",
    "tests/models/test_split_zoo.py::test_the_head_is_found[timm-swin_tiny_patch4_window7_224]": "torchvision's swin_t",
    "tests/models/test_split_zoo.py::test_the_head_is_found[torchvision-vgg11]": "alexnet, whose head is the same",
    "tests/models/test_split_zoo.py::test_the_head_is_found[torchvision-vit_b_16]": "timm's vit_tiny_patch16_224",
    "tests/base/test_torchvision.py::test_it_can_be_imported_after_unseen[timm]": "torchvision, which timm imports",
    "tests/sweep/test_sweep.py::test_a_killed_sweep_takes_its_workers_along_and_goes_on_to_the_same_bits[SIGINT]":
        "SIGKILL",
    "tests/sweep/test_sweep.py::test_a_killed_sweep_takes_its_workers_along_and_goes_on_to_the_same_bits[SIGTERM]":
        "SIGKILL",
    "tests/sweep/test_sweep.py::test_a_run_whose_process_dies_stops_no_other":
        "a run that fails stops no other, and processes that are ended before they begin are told",
    "tests/sweep/test_sweep.py::test_a_sweep_on_ray_has_the_bits_of_one_without": "one in processes",
    "tests/sweep/test_sweep.py::test_an_address_where_nobody_answers_is_told_at_once": "an address without Ray",
    "tests/test_benchmarks.py::test_a_quick_benchmark_runs_and_keeps_nothing": "its parts, one by one",
    "tests/test_docs.py::test_a_tutorial_runs_from_its_first_line_to_its_last[docs/tutorials/choosing.md]":
        "the command in test_choose.py",
    "tests/test_docs.py::test_a_tutorial_runs_from_its_first_line_to_its_last[docs/tutorials/first-run.md]":
        "the same commands in test_cli.py, and theory.md",
    "tests/test_docs.py::test_a_tutorial_runs_from_its_first_line_to_its_last[docs/tutorials/masks.md]":
        "the same calls in test_masks.py",
    "tests/test_docs.py::test_a_tutorial_runs_from_its_first_line_to_its_last[docs/tutorials/own-photos.md]":
        "the README's snippets, and test_own_models.py",
    "tests/test_docs.py::test_a_tutorial_runs_from_its_first_line_to_its_last[docs/tutorials/sweeps.md]":
        "the command in test_sweep.py, and ensembles.md",
    "tests/test_docs.py::test_every_python_snippet_of_a_page_runs_in_the_order_it_is_read[docs/own-loop.md]":
        "the pool in test_growing.py",
    "tests/test_docs.py::test_the_site_builds_without_a_warning":
        "every link, anchor, command and snippet of the pages; make docs builds the site",
}  # fmt: skip
"""a few tests that take as long as all others, and what of their promise is in `make test`; `make attack` has more"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--all``: the slow ones, too."""
    parser.addoption("--all", action="store_true", help="also the slow tests, as make test-all does")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests only where all are asked for. The longest first: at the end, one worker would wait for the other."""
    for item in items if not config.getoption("--all") else ():
        for start, instead in SLOW.items():
            if item.nodeid.startswith(start):
                item.add_marker(pytest.mark.skip(reason=f"slow: make test-all runs it; here: {instead}"))
    items.sort(key=lambda item: next((i for i, start in enumerate(LONGEST) if item.nodeid.startswith(start)), 99))


@pytest.fixture(autouse=True)
def _precision_is_not_the_machines_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test sees is the same on every machine; tests of bf16 ask for it."""
    monkeypatch.setattr("unseen.engine.cpu.bf16_unit", lambda: None)


@pytest.fixture(autouse=True)
def _no_data_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that need real data name the folder; what a test makes the data root, the next doesn't have."""
    monkeypatch.setenv("UNSEEN_DATA", "")
    monkeypatch.delenv("UNSEEN_DATA")


@pytest.fixture(autouse=True)
def _torch_settings_are_left_alone() -> Iterator[None]:
    yield
    assert torch.get_num_threads() == 1
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()
    assert float(torch.full((), 1e-30) * 1e-10) != 0, "denormals are still flushed to zero"


class UserNet(nn.Module):
    """What people write: layers as attributes, functions between them, a head whose name says nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(3 * 8 * 8, 12)
        self.fc2 = nn.Linear(12, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(torch.tanh(self.fc1(x.flatten(1))))


def _plain() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 6, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 10), nn.ReLU(),
        nn.Linear(10, CLASSES),
    )  # fmt: skip


def _normalized() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Dropout(0.4), nn.Flatten(), nn.Linear(216, 10),
        nn.BatchNorm1d(10), nn.Tanh(), nn.Dropout(0.4), nn.Linear(10, CLASSES),
    )  # fmt: skip


NETS: dict[str, Callable[[], nn.Module]] = {"plain": _plain, "normalized": _normalized, "user": UserNet}


@pytest.fixture(scope="session")
def make_net() -> Callable[..., nn.Module]:
    """Call it with "plain", "normalized" (BatchNorm and Dropout, statistics of some data) or "user" (fc1, fc2)."""

    def make(kind: str = "plain", *, seed: int = 0, dtype: torch.dtype = torch.float32) -> nn.Module:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            net = NETS[kind]().to(dtype)
            with torch.no_grad():  # BatchNorm statistics and scales that are not just 0 and 1
                for module in net.modules():
                    if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
                        for tensor in (module.weight, module.bias, module.running_mean, module.running_var):
                            tensor.add_(torch.rand(tensor.shape))
                        module.num_batches_tracked.fill_(3)
        return net

    return make


@pytest.fixture(scope="session")
def make_digits() -> Callable[..., tuple[Tensor, Tensor]]:
    """Call it with a number: so many 8x8 images of 4 classes, a bright bar at the class's place, and noise."""

    def make(n: int = 24, *, seed: int = 0, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
        draw = torch.Generator().manual_seed(seed)
        labels = torch.arange(n) % CLASSES
        images = 0.6 * torch.rand(n, 3, 8, 8, generator=draw, dtype=torch.float64)
        for i, label in enumerate(labels.tolist()):
            images[i, :, 1:7, 2 * label] += 0.35
        return images.to(dtype), labels

    return make


@pytest.fixture(scope="session")
def make_bars(make_digits: Callable[..., tuple[Tensor, Tensor]]) -> Callable[..., Domain]:
    """Call it with a name and a number: such images as a domain; ``light`` turns dark into light."""

    def make(name: str, n: int, *, seed: int = 0, light: bool = False) -> Domain:
        images, labels = make_digits(n, seed=seed)
        return Domain(name, 1 - images if light else images, labels, tuple("0123"))

    return make


@pytest.fixture
def digits(make_digits: Callable[..., tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """24 of them, as (images, labels)."""
    return make_digits()


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Call it with the words after `unseen`: gives the exit code and what was printed, standard error after output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["unseen", *map(str, words)])
        monkeypatch.setattr(imports, "_given", set())  # each command is a process of its own
        catalogue._imported.cache_clear()
        catalogue._forget()
        try:
            cli.main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def _same_numpy_state(a: tuple, b: tuple) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
