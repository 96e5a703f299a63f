"""Runs whose rounds are over transformations: exact after a kill, bounded on the disk, and masks that moved."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import unseen
from unseen.base.labels import VOID
from unseen.method.settings import ADA
from unseen.runs.folder import RunFolder
from unseen.runs.progress import Progress

sys.path.insert(0, str(Path(__file__).parents[1]))  # processes that the kills start import it by this name
import kill_points
from kill_points import TRANSFORMED, Outcome, differences, outcome

pytestmark = pytest.mark.usefixtures("small_pieces")
train, interrupted = kill_points.trainer(TRANSFORMED)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    with kill_points.small_pieces():
        return outcome(train(tmp_path_factory.mktemp("whole") / "run"))


def rounds_on_disk(folder: Path) -> list[int]:
    return sorted(int(path.name) for path in (folder / "rounds").iterdir())


def test_a_run_killed_at_any_moment_ends_with_the_same_bits(tmp_path: Path) -> None:
    cases = kill_points.table_of_transformations(tmp_path)
    assert all(case.identical for case in cases), f"\n{kill_points.as_text(cases)}"
    assert len(cases) == sum(map(len, kill_points.FEW.values()))


@pytest.mark.parametrize(
    "at",
    [("minimize", 6, 1), ("maximize", 16, 3), ("minimize", 18, 4)],
    ids=lambda at: f"{at[0]} {at[1]}",
)
def test_ctrl_c_leaves_a_folder_that_goes_on(tmp_path: Path, whole: Outcome, at: tuple[str, int, int]) -> None:
    folder = interrupted(tmp_path / "run", at)
    assert not differences(whole, outcome(train(folder, resume=True)))


def test_in_memory_and_in_a_folder_it_is_the_same_training(whole: Outcome) -> None:
    run = train(None)
    assert {f"net: {n}": kill_points.digest(t) for n, t in run.net.model.state_dict().items()}.items() <= whole.items()


def test_rounds_come_at_their_steps_and_leave_the_disk_when_no_checkpoint_needs_them(tmp_path: Path) -> None:
    folder, seen = tmp_path / "run", []

    def look(progress: Progress) -> None:
        held = rounds_on_disk(folder)
        for path in (folder / "checkpoints").glob("*.safetensors"):
            needed = TRANSFORMED.kept_rounds(int(path.stem.partition("-")[2]))
            assert set(needed) <= set(held), f"{path.name} needs {needed}, there are {held}"
        seen.append(held)

    run = train(folder, progress=look)
    assert [line["step"] for line in run.metrics if "fictitious" in line] == [4, 8, 12, 16, 20]
    assert max(map(len, seen)) <= TRANSFORMED.keep + 2, "the pool's, one that an older checkpoint needs, one being made"
    assert seen[-1] == rounds_on_disk(folder) == [4, 5]
    assert run.pool.images.shape[0] == 60 + 2 * 32


def test_the_checkpoint_before_the_newest_finds_its_rounds_too(tmp_path: Path, whole: Outcome) -> None:
    folder = interrupted(tmp_path / "run", ("minimize", 17, 4))
    newest = max((folder / "checkpoints").glob("*.safetensors"))
    assert newest.stem == "00000016-004"
    newest.write_bytes(b"")
    warnings: list[str] = []
    assert not differences(whole, outcome(train(folder, resume=True, warn=warnings.append)))
    assert len(warnings) == 1


def test_a_round_that_was_half_removed_is_removed(
    tmp_path: Path, whole: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die_halfway(folder: Path) -> None:
        min(folder.iterdir()).unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", die_halfway)
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "run")
    assert rounds_on_disk(tmp_path / "run")[0] == 1
    assert not differences(whole, outcome(train(tmp_path / "run", resume=True)))


def test_a_damaged_part_is_made_again_with_the_same_transformations(tmp_path: Path, whole: Outcome) -> None:
    folder = interrupted(tmp_path / "run", ("maximize", 32, 3))
    (folder / "rounds" / "4" / "0000.safetensors").write_bytes(b"")
    assert not differences(whole, outcome(train(folder, resume=True)))


def test_a_run_without_its_empty_folder_of_rounds_goes_on(tmp_path: Path) -> None:
    """As after a copy by a tool that leaves empty folders out."""
    ada = replace(kill_points.SETTINGS, K=0)
    folder = interrupted(tmp_path / "run", ("minimize", 25, 0), ada=ada)
    (folder / "rounds").rmdir()
    train(folder, ada=ada, resume=True)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"over": ("photometric", "pixels"), "start": "identity"}, id="pixels on top"),
        pytest.param({"keep": None, "sampling": "chain", "spread": False, "T_min": 4}, id="chain"),
    ],
)
def test_other_settings_go_on_as_exactly(tmp_path: Path, changes: dict[str, Any]) -> None:
    ada = replace(TRANSFORMED, **changes)
    expected = outcome(train(tmp_path / "whole", ada))
    folder = interrupted(tmp_path / "run", ("minimize", 18, 4), ada=ada)
    assert not differences(expected, outcome(train(folder, ada, resume=True)))


# Masks.

MASKS = ADA(
    K=3, T=8, spread=True, keep=2, sampling="source", over="standard", T_max=2, batch=4, n=6, alpha=1e-2,
    augment=("affine", "tone"),
)  # fmt: skip


@pytest.fixture
def fit() -> Callable[..., unseen.Run]:
    draw = torch.Generator().manual_seed(0)
    images = torch.rand(12, 3, 8, 12, generator=draw)
    scenes = unseen.Domain("squares", images, (3 * images[:, 0]).to(torch.uint8).clamp_max(2), ("a", "b", "c"))

    def train(folder: Path, **options: Any) -> unseen.Run:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 3, 1))
        return unseen.fit(unseen.split(net, head="3"), scenes, MASKS, folder=folder, **options)

    return train


def test_the_pool_has_the_masks_that_moved_with_their_images(tmp_path: Path, fit: Callable[..., unseen.Run]) -> None:
    pool = fit(tmp_path / "run").pool
    chains = MASKS.ascended
    assert chains is not None
    for k in (2, 3):
        made, parents = RunFolder(tmp_path / "run").read_round(k)
        assert made.labels is not None
        assert made.links is not None
        assert torch.equal(chains.masks(pool.labels[parents], made.links), made.labels)
        assert torch.equal(pool.labels[pool.round(k)], made.labels)
        assert torch.equal(pool.images[pool.round(k)], made.images)
        torch.testing.assert_close(chains.images(pool.images[parents], made.links), made.images)
        assert (made.labels == VOID).any()
    assert not (pool.labels[:12] == VOID).any()


@pytest.mark.parametrize("step", [5, 7])
def test_a_resumed_run_has_the_same_masks(tmp_path: Path, fit: Callable[..., unseen.Run], step: int) -> None:
    whole = fit(tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if (progress.phase, progress.done) == ("minimize", step):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "cut", progress=stop)
    again = fit(tmp_path / "cut", resume=True)
    for name in ("images", "labels", "parents"):
        assert torch.equal(getattr(whole.pool, name), getattr(again.pool, name)), name
    for name, value in whole.net.state_dict().items():
        assert torch.equal(value, again.net.state_dict()[name]), name
    assert whole.metrics == again.metrics
