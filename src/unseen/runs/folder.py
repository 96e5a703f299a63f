"""The run folder: lock, config, metrics, rounds, checkpoints and weights, and how a run goes on after a crash."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from unseen.base.files import fsync_folder, plainly, read_tensors, write_atomically, write_json, write_tensors
from unseen.errors import RunFolderError, SaveFailed
from unseen.method.state import Kept, State

KEPT_CHECKPOINTS = 2
SUBFOLDERS = ("checkpoints", "rounds", "events")


@dataclass(frozen=True)
class Saved:
    """What a run goes on from: a checkpoint's tensors and counters, and what to warn of."""

    tensors: dict[str, Tensor]
    t: int
    k: int
    warnings: list[str]

    def restore(self, kept: Kept) -> None:
        """Make it what was saved; it stays new where nothing was."""
        if self.tensors:
            _restore_tensors(kept, self.tensors)
        kept.t, kept.k = self.t, self.k

    def put_into(self, state: State, read_round: Callable[[int], tuple[Tensor, Tensor]]) -> None:
        """The same for a training, with its rounds."""
        self.restore(state)
        for k in range(1, self.k + 1):
            images, parents = read_round(k)
            state.pool.write(images, at=0)
            state.pool.close(parents)


class RunFolder:
    """One training's folder. Everything in it is safetensors, JSON or TensorBoard events: nothing is pickled.

    ``config.json`` the resolved settings; ``metrics.jsonl`` one line for each record, free of wall-clock times;
    ``rounds/K/PART.safetensors`` fictitious images, each written once; ``checkpoints/STEP-ROUND.safetensors`` the last
    two states; ``weights.safetensors`` the result, there when the run is finished; ``events/`` for TensorBoard.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def _checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def weights(self) -> Path:
        """The trained weights, as the model's own ``state_dict``."""
        return self.path / "weights.safetensors"

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return self.weights.exists()

    def finished_config(self) -> dict[str, Any]:
        """The config of a run that came to its end; an unfinished one is refused with the command that goes on."""
        config = self.config()
        if not self.finished:
            raise RunFolderError(f"{self.path} is not finished; go on with: {self.resume_command}")
        return config

    def trim(self) -> None:
        """Let go of what only an unfinished run needs, its rounds and checkpoints: most of the folder's size."""
        assert self.finished
        for folder in (self._checkpoints, self.path / "rounds"):
            for part in folder.rglob("*.safetensors"):
                part.unlink()

    @property
    def started(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / "config.json").exists()

    @property
    def resume_command(self) -> str:
        """What to type to go on: in a shell, or in Python where the run was started there with a model of its own."""
        if self.started and self.config().get("job") is None:
            return f"unseen.fit(..., folder={str(self.path)!r}, resume=True)"
        return f"unseen train --resume {shlex.quote(str(self.path))}"

    @property
    def usable(self) -> bool:
        """Whether a run can begin here: the folder is new, empty, or holds only what a run leaves before its config."""

        def left(path: Path) -> bool:
            empty = path.name in SUBFOLDERS and path.is_dir() and not any(path.iterdir())
            return path.name in ("lock", ".config.json.part") or empty

        return not self.path.exists() or (self.path.is_dir() and all(map(left, self.path.iterdir())))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One folder, one process: the lock goes with the process, however it ends."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("a+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                file.seek(0)
                raise RunFolderError(
                    f"{self.path} is in use by {file.read().strip() or 'another process'}; wait for it to end or stop "
                    f"it, then go on with: {self.resume_command}"
                ) from error
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            yield

    def create(self, config: Mapping[str, Any]) -> None:
        """Begin a run: its subfolders and its config."""
        for name in SUBFOLDERS:
            (self.path / name).mkdir(exist_ok=True)
        write_json(self.path / "config.json", config)
        fsync_folder(self.path.parent)

    def config(self) -> dict[str, Any]:
        """The resolved config, as it was written when the run began."""
        path = self.path / "config.json"
        if not path.exists():
            raise RunFolderError(
                f"{self.path} holds no run: expected {path}; give the folder of a run, or start one there with: "
                f"unseen train --out {shlex.quote(str(self.path))}"
            )
        try:
            config: dict[str, Any] = json.loads(path.read_text())
        except ValueError as error:
            raise RunFolderError(f"{path} is damaged: {error}") from error
        return config

    def metrics(self) -> list[dict[str, Any]]:
        """Every whole line of ``metrics.jsonl``."""
        path = self.path / "metrics.jsonl"
        text = path.read_text() if path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def add_metrics(self, line: Mapping[str, Any]) -> None:
        """Append one record."""
        with self.saving(), (self.path / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _metrics_size(self) -> int:
        path = self.path / "metrics.jsonl"
        with path.open("ab") as file:
            os.fsync(file.fileno())
            fsync_folder(self.path)  # the file may be new
            return file.tell()

    def keep_part(self, k: int, part: int, images: Tensor, parents: Tensor) -> None:
        """Write a part of round k, once."""
        path = self._part(k, part)
        with self.saving():
            path.parent.mkdir(exist_ok=True)
            fsync_folder(path.parent.parent)
            write_tensors(path, {"images": images, "parents": parents}, {"round": k, "part": part})

    def recall_part(self, k: int, part: int) -> Tensor | None:
        """A part of round k made before an interruption; a damaged one counts as not made."""
        path = self._part(k, part)
        if not path.exists():
            return None
        try:
            return read_tensors(path)[0]["images"]
        except RunFolderError:
            return None

    def _part(self, k: int, part: int) -> Path:
        return self.path / "rounds" / str(k) / f"{part:04d}.safetensors"

    def read_round(self, k: int) -> tuple[Tensor, Tensor]:
        """The fictitious images of round k, and the pool rows they were made from."""
        parts = [read_tensors(path)[0] for path in sorted((self.path / "rounds" / str(k)).glob("*.safetensors"))]
        if not parts:
            raise RunFolderError(f"{self.path}: round {k} has no images")
        return torch.cat([p["images"] for p in parts]), torch.cat([p["parents"] for p in parts])

    def _check_round(self, k: int, n: int) -> None:
        found = len(self.read_round(k)[0])
        if found != n:
            raise RunFolderError(f"{self.path / 'rounds' / str(k)} is damaged: {found} images, expected {n}")

    def save(self, state: Kept) -> None:
        """A checkpoint of everything, durable before it has its name; the last two are kept."""
        path = self._checkpoints / f"{state.t:08d}-{state.k:03d}.safetensors"
        with self.saving():
            self._checkpoints.mkdir(exist_ok=True)
            meta = {"t": state.t, "k": state.k, "metrics_bytes": self._metrics_size()}
            write_tensors(path, _tensors_of(state), meta)
        for old in sorted(self._checkpoints.glob("*.safetensors"))[:-KEPT_CHECKPOINTS]:
            old.unlink()

    def go_back(self, n: int) -> Saved:
        """The newest whole checkpoint whose rounds of ``n`` images are whole; its warnings tell what was refused.

        Metrics recorded after that checkpoint are cut off: they will be recorded again, the same.
        """
        refused = []
        for path in sorted(self._checkpoints.glob("*.safetensors"), reverse=True):
            try:
                tensors, meta = read_tensors(path)
                for k in range(1, meta["k"] + 1):
                    self._check_round(k, n)
            except RunFolderError as error:
                refused.append(str(error))
                continue
            self._cut_metrics(meta["metrics_bytes"])
            warnings = [f"{error}; the checkpoint before it is used" for error in refused]
            return Saved(tensors, meta["t"], meta["k"], warnings)
        if refused:
            raise RunFolderError(
                "\n".join([f"{self.path} has no whole checkpoint to go on from:", *(f"  - {r}" for r in refused),
                           "start again in another folder: unseen train --out ANOTHER"])
            )  # fmt: skip
        self._cut_metrics(0)
        return Saved({}, 0, 0, [f"{self.path} has no checkpoint: the run starts again from its first step"])

    def _cut_metrics(self, size: int) -> None:
        path = self.path / "metrics.jsonl"
        with path.open("ab") as file:
            if file.tell() < size:
                raise RunFolderError(
                    f"{path} is damaged: {file.tell()} bytes, the checkpoint knows of {size}; restore it, or start "
                    "again in another folder"
                )
            file.truncate(size)

    def save_weights(self, model_state: Mapping[str, Tensor]) -> None:
        """The result: the model's ``state_dict``, as plain safetensors that any tool reads."""
        with self.saving():
            write_atomically(self.weights, safetensors.torch.save(plainly(model_state)))

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Inside: a save that fails also says what is safe and how to go on."""
        try:
            yield
        except (SaveFailed, OSError) as error:
            raise SaveFailed(f"{error}. {self.how_to_go_on()}") from error

    def how_to_go_on(self, first: str = "free space or repair the disk, then") -> str:
        """What is safe, what to do first and the command that goes on from it."""
        whole = sorted(p.stem for p in self._checkpoints.glob("*.safetensors"))
        safe = f"The checkpoint of step {int(whole[-1][:8])} is untouched" if whole else "Nothing was saved before"
        return f"{safe}; {first}: {self.resume_command}"


def _tensors_of(state: Kept) -> dict[str, Tensor]:
    tensors = {f"net.{name}": tensor for name, tensor in state.net.model.state_dict().items()}
    for i, slots in state.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{i}.{slot}": tensor for slot, tensor in slots.items()}
    tensors |= {f"draws.{purpose}": tensor for purpose, tensor in state.draws.state().items()}
    return tensors | {"losses": state.losses}


def _restore_tensors(state: Kept, tensors: dict[str, Tensor]) -> None:
    groups: dict[str, dict[str, Tensor]] = {"net": {}, "optimizer": {}, "draws": {}}
    for name, tensor in tensors.items():
        group, _, rest = name.partition(".")
        if group in groups:
            groups[group][rest] = tensor
    state.net.model.load_state_dict(groups["net"])
    parameters = [p for group in state.optimizer.param_groups for p in group["params"]]
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in groups["optimizer"].items():
        i, _, slot = name.partition(".")
        slots.setdefault(int(i), {})[slot] = _laid_out_as(parameters[int(i)], tensor)
    state.optimizer.load_state_dict({**state.optimizer.state_dict(), "state": slots})
    state.draws.restore(groups["draws"])
    state.losses = tensors["losses"].clone()


def _laid_out_as(parameter: Tensor, slot: Tensor) -> Tensor:
    """The fused Adam walks a parameter and its moments side by side in memory: they need one layout."""
    return torch.empty_like(parameter).copy_(slot) if slot.shape == parameter.shape else slot
