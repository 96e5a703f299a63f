"""The folder of anything that is trained: lock, config, metrics, checkpoints and weights."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic

import safetensors.torch
from torch import Tensor

from unseen.base.files import fsync_folder, read_tensors, write_atomically, write_json, write_tensors
from unseen.engine import host_copies
from unseen.errors import InputError, RunFolderError, SaveFailed
from unseen.method.state import Checkpointed
from unseen.runs.checkpoint import Checkpoint, tensors_of
from unseen.runs.config import Config, OtherKind, read_config
from unseen.runs.places import found_again, with_places

KEPT_CHECKPOINTS = 2
SUBFOLDERS = ("checkpoints", "rounds", "events")


class TrainingFolder(Generic[Config]):
    """Everything in it is safetensors, JSON or TensorBoard events: nothing is pickled.

    ``config.json`` the resolved settings; ``metrics.jsonl`` one line for each record, free of wall-clock times;
    ``checkpoints/STEP-ROUND.safetensors`` the last two states; ``weights.safetensors`` the result, there when the
    training is finished; ``events/`` for TensorBoard.
    """

    kind: ClassVar[type[Any]]
    """of its config"""

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
        """Whether the training came to its end."""
        return self.weights.exists()

    @property
    def started(self) -> bool:
        """Whether a training was begun here."""
        return (self.path / "config.json").exists()

    @property
    def usable(self) -> bool:
        """Whether one can begin here: the folder is new, empty, or holds only what is there before a config."""

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
                    f"it, then resume with: {self.resume_command}"
                ) from error
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            yield

    # The config.

    def create(self, config: Config) -> None:
        """Begin a training: its subfolders and its config."""
        for name in SUBFOLDERS:
            (self.path / name).mkdir(exist_ok=True)
        write_json(self.path / "config.json", with_places(config.asdict(), self.path))
        fsync_folder(self.path.parent)

    def config(self) -> Config:
        """The resolved config, as it was written when the training began."""
        content = self.config_content()
        try:
            config: Config = read_config(self.kind, content)
        except OtherKind as error:
            raise RunFolderError(f"{self.path} {error}") from error
        except InputError as error:  # one may be a transformation of the user's own that isn't known here
            raise RunFolderError(f"{self.path / 'config.json'}: settings that can't be used here: {error}") from error
        except TypeError as error:
            raise RunFolderError(f"{self.path / 'config.json'} is damaged or not a run's: {error}") from error
        return config

    def finished_config(self) -> Config:
        """The config of a training that came to its end; an unfinished one is refused with the command to resume."""
        self.check_finished()
        return self.config()

    def check_finished(self) -> None:
        """Refuse a folder whose training did not come to its end."""
        self.config_content()
        if not self.finished:
            raise RunFolderError(f"{self.path} is not finished; resume with: {self.resume_command}")

    def config_content(self) -> dict[str, Any]:
        """What ``config.json`` holds, whatever kind of training it is of; the files it names are where they are now."""
        path = self.path / "config.json"
        if not path.exists():
            raise RunFolderError(
                f"{self.path} holds no run: expected {path}; give the folder of a run, or start one there with: "
                f"unseen train --out {shlex.quote(str(self.path))}"
            )
        try:
            content = json.loads(path.read_text())
        except ValueError as error:
            raise RunFolderError(f"{path} is damaged: {error}") from error
        if not isinstance(content, dict):
            raise RunFolderError(f"{path} is damaged: expected an object, got {type(content).__name__}")
        return found_again(content, self.path)

    @property
    def resume_command(self) -> str:
        """What to type to resume: in a shell, or in Python where it was started there with a model of its own."""
        if self.started and self.config_content().get("job") is None:
            return f"unseen.fit(..., folder={str(self.path)!r}, resume=True)"
        return f"unseen train --resume {shlex.quote(str(self.path))}"

    @property
    def load_command(self) -> str:
        """What to type in Python to have the trained network."""
        model = ", model" if self.config_content().get("job") is None else ""
        return f"unseen.load({str(self.path)!r}{model})"

    # Metrics.

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

    def _cut_metrics(self, size: int) -> None:
        path = self.path / "metrics.jsonl"
        with path.open("ab") as file:
            if file.tell() < size:
                raise RunFolderError(
                    f"{path} is damaged: {file.tell()} bytes, the checkpoint knows of {size}; restore it, or start "
                    "again in another folder"
                )
            file.truncate(size)

    # Checkpoints and weights.

    def save(self, state: Checkpointed) -> None:
        """A checkpoint of everything, durable before it has its name; the last two are kept."""
        path = self._checkpoints / f"{state.t:08d}-{state.k:03d}.safetensors"
        with self.saving():
            self._checkpoints.mkdir(exist_ok=True)
            meta = {"t": state.t, "k": state.k, "metrics_bytes": self._metrics_size()}
            write_tensors(path, host_copies(tensors_of(state)), meta)
        for old in self._saved()[:-KEPT_CHECKPOINTS]:
            old.unlink()

    def last_checkpoint(self) -> Checkpoint:
        """The newest checkpoint that is whole, with all it needs; its warnings say which were not.

        Metrics recorded after that checkpoint are cut off: they will be recorded again, the same.
        """
        refused = []
        for path in reversed(self._saved()):
            try:
                tensors, meta = read_tensors(path)
                self._check_needs_of(meta)
            except RunFolderError as error:
                refused.append(str(error))
                continue
            self._cut_metrics(meta["metrics_bytes"])
            warnings = [f"{error}; the checkpoint before it is used" for error in refused]
            return Checkpoint(tensors, meta["t"], meta["k"], warnings)
        if refused:
            raise RunFolderError(
                "\n".join([f"{self.path} has no whole checkpoint to resume from:", *(f"  - {r}" for r in refused),
                           "start again in another folder: unseen train --out ANOTHER"])
            )  # fmt: skip
        self._cut_metrics(0)
        return Checkpoint({}, 0, 0, [f"{self.path} has no checkpoint: the run starts again from its first step"])

    def _saved(self) -> list[Path]:
        """The checkpoints, the oldest first. A folder that can't be read is no empty folder."""
        try:
            files = sorted(self._checkpoints.iterdir()) if self._checkpoints.exists() else []
        except OSError as error:
            raise RunFolderError(
                f"{self._checkpoints} can't be read: {error.strerror}; nothing was changed; make it readable, then: "
                f"{self.resume_command}"
            ) from error
        return [file for file in files if file.suffix == ".safetensors"]

    def _check_needs_of(self, meta: Mapping[str, Any]) -> None:
        """Refuse a checkpoint whose other files are not whole; by itself it needs none."""

    def save_weights(self, model_state: Mapping[str, Tensor]) -> None:
        """The result: the model's ``state_dict``, as safetensors that any tool reads."""
        with self.saving():
            write_atomically(self.weights, safetensors.torch.save(host_copies(model_state)))

    def trim(self) -> None:
        """Remove what only an unfinished training needs, its rounds and checkpoints: most of the folder's size."""
        assert self.finished
        for folder in (self._checkpoints, self.path / "rounds"):
            for part in folder.rglob("*.safetensors"):
                part.unlink()

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Inside: a save that fails also says what is safe and how to resume."""
        try:
            yield
        except (SaveFailed, OSError) as error:
            raise SaveFailed(f"{error}. {self.how_to_resume()}") from error

    def how_to_resume(self, first: str = "free space or repair the disk, then") -> str:
        """What is safe, what to do first and the command that resumes from it."""
        whole = sorted(p.stem for p in self._checkpoints.glob("*.safetensors"))
        safe = f"The checkpoint of step {int(whole[-1][:8])} is untouched" if whole else "Nothing was saved before"
        return f"{safe}; {first}: {self.resume_command}"
