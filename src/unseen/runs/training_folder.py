"""The folder of anything that is trained: lock, config, metrics, checkpoints and weights."""

from __future__ import annotations

import errno
import json
import os
import shlex
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic

from torch import Tensor

from unseen.base.checks import is_whole
from unseen.base.locking import LOCK, InUse, locked_folder
from unseen.base.reading import (
    digest_of_start,
    entries,
    is_there,
    listed,
    read_json,
    read_json_lines,
    reading,
)
from unseen.base.tensors import read_safetensors, read_tensors, write_tensors
from unseen.base.writing import (
    append,
    cut,
    fsync_folder,
    make_folder,
    remove,
    synced_size,
    write_json,
    writing,
)
from unseen.engine import host_copies
from unseen.errors import InputError, RunFolderError, SaveFailed
from unseen.method.state import Checkpointed
from unseen.runs.checkpoint import Checkpoint, tensors_of
from unseen.runs.config import SEAL, Config, OtherKind, read_config, sealed
from unseen.runs.metrics import check_line
from unseen.runs.places import found_again, names_model_code, resume_command, with_places

KEPT_CHECKPOINTS = 2
SUBFOLDERS = ("checkpoints", "rounds", "events")
DISK_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""reasons of a failed save that are the disk's own"""


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
        return is_there(self.weights, RunFolderError)

    @property
    def started(self) -> bool:
        """Whether a training was begun here."""
        return is_there(self.path / "config.json", RunFolderError)

    @property
    def usable(self) -> bool:
        """Whether one can begin here: the folder is new, empty, or holds only what is there before a config."""

        def left(path: Path) -> bool:
            empty = path.name in SUBFOLDERS and path.is_dir() and not entries(path, RunFolderError)
            return path.name in (LOCK, ".config.json.part") or empty

        with reading(self.path, RunFolderError):
            if not self.path.exists():  # a link to where nothing is can't become a folder, which making it says
                return True
        return self.path.is_dir() and all(map(left, entries(self.path, RunFolderError)))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One folder, one process: the lock goes with the process, however it ends."""
        with ExitStack() as held:
            try:
                held.enter_context(locked_folder(self.path, f"process {os.getpid()} on {socket.gethostname()}"))
            except InUse as error:
                raise InUse(
                    f"{self.path} is in use by {error}; wait for it to end or stop it, then resume with: "
                    f"{self.resume_command}"
                ) from error
            yield

    # The config.

    def create(self, config: Config) -> None:
        """Begin a training: its subfolders and its config."""
        for name in SUBFOLDERS:
            make_folder(self.path / name)
        write_json(self.path / "config.json", sealed(with_places(config.asdict(), self.path)))
        with writing(self.path):
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
        except (TypeError, ValueError) as error:
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
        content = self._as_written()
        with reading(self.path / "config.json", RunFolderError):
            return found_again(content, self.path)

    def _as_written(self) -> dict[str, Any]:
        """What was written when the training began; a config that was changed since is refused, by its seal."""
        path = self.path / "config.json"
        if not self.started:
            runs = [entry for entry in listed(self.path) if (entry / path.name).is_file()]
            such = f", such as {runs[0]}" if runs else ""
            raise RunFolderError(
                f"{self.path} holds no run: expected {path}; give the folder of a run{such}, or start one there: "
                f"unseen train --out {shlex.quote(str(self.path))}, or unseen.fit without resume"
            )
        content = read_json(path)
        with reading(path, RunFolderError):
            changed = SEAL in content and content != sealed(content)  # the first versions' have no seal
        if changed:
            raise RunFolderError(
                f"{path} was changed since the training began (SHA-256 differs), and may say something else of these "
                "weights than what they were trained as; restore it, or train again in another folder: "
                "unseen train --out ANOTHER"
            )
        content.pop(SEAL, None)
        return content

    @property
    def resume_command(self) -> str:
        """What to type to resume: in a shell, or in Python where it was started there with a model of its own."""
        content = self._readable_config()
        if content and content.get("job") is None:
            return f"unseen.fit(..., folder={str(self.path)!r}, resume=True)"
        return resume_command(content, self.path)

    def _readable_config(self) -> dict[str, Any]:
        """As far as it can be read: this is asked for in messages about other things."""
        try:
            return self.config_content()
        except RunFolderError:
            return {}

    @property
    def use_command(self) -> str:
        """What to type to use the trained network: in a shell, where the folder says how it is made, and in Python."""
        content = self.config_content()
        if content.get("job") is None:
            return f"unseen.load({str(self.path)!r}, model)"
        shell, python = (" --run-model-code", ", run_model_code=True") if names_model_code(content) else ("", "")
        return (
            f"unseen evaluate {shlex.quote(str(self.path))}{shell} (in Python: unseen.load({str(self.path)!r}{python}))"
        )

    # Metrics.

    @property
    def metrics_file(self) -> Path:
        """What was recorded, a line each."""
        return self.path / "metrics.jsonl"

    def metrics(self) -> list[dict[str, Any]]:
        """Every whole line of ``metrics.jsonl``: a step, and numbers by name."""
        lines = read_json_lines(self.metrics_file) if is_there(self.metrics_file, RunFolderError) else []
        for number, line in enumerate(lines, 1):
            with reading(self.metrics_file, RunFolderError, fix="restore it"):
                check_line(number, line)
        return lines

    def add_metrics(self, line: Mapping[str, Any]) -> None:
        """Append one record."""
        with self.saving():
            append(self.metrics_file, json.dumps(line) + "\n")

    def _check_metrics(self, meta: Mapping[str, Any]) -> None:
        """Refuse metrics that don't begin with what was there when a checkpoint was saved, before anything is cut."""
        size, known = meta["metrics_bytes"], meta.get("metrics_sha256")  # the first versions' checkpoints lack it
        with reading(self.metrics_file, RunFolderError):
            found = self.metrics_file.stat().st_size if self.metrics_file.exists() else 0
        problem = f"{found} bytes, the checkpoint knows of {size}" if found < size else None
        if problem is None and size and known is not None and digest_of_start(self.metrics_file, size) != known:
            problem = f"its first {size} bytes are not what the checkpoint knows (SHA-256 differs)"
        if problem is not None:
            raise RunFolderError(
                f"{self.metrics_file} is damaged: {problem}; nothing was changed; restore it, or start again in "
                "another folder"
            )

    # Checkpoints and weights.

    def save(self, state: Checkpointed) -> None:
        """A checkpoint of everything, durable before it has its name; the last two are kept."""
        path = self._checkpoints / f"{state.t:08d}-{state.k:03d}.safetensors"
        with self.saving():
            make_folder(self._checkpoints)
            size = synced_size(self.metrics_file)
            metrics = {"metrics_bytes": size, "metrics_sha256": digest_of_start(self.metrics_file, size)}
            meta = {"t": state.t, "k": state.k, **metrics}
            write_tensors(path, host_copies(tensors_of(state)), self.signed(meta))
            for old in self._saved()[:-KEPT_CHECKPOINTS]:
                remove(old)

    def signed(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """A file's meta with the identity of the training it belongs to, where the training has one."""
        identity = self.config().identity
        return dict(meta) if identity is None else {**meta, "run": identity}

    def last_checkpoint(self) -> Checkpoint:
        """The newest checkpoint that is whole, with all it needs; its warnings say which were not.

        Metrics recorded after that checkpoint are cut off: they will be recorded again, the same.
        """
        refused = []
        for path in reversed(self._saved()):
            try:
                tensors, meta = read_tensors(path)
                self._check_checkpoint(path, meta)
                self._check_needs_of(meta)
            except RunFolderError as error:
                if isinstance(error.__cause__, PermissionError):  # it isn't damaged: an older one would cut its metrics
                    raise RunFolderError(f"{error}; {self._once_readable}") from error
                refused.append(str(error))
                continue
            self._check_metrics(meta)
            cut(self.metrics_file, meta["metrics_bytes"])
            warnings = [f"{error}; the checkpoint before it is used" for error in refused]
            return Checkpoint(tensors, meta["t"], meta["k"], warnings, path)
        if refused:
            raise RunFolderError(
                "\n".join([f"{self.path} has no whole checkpoint to resume from:",
                           *(f"  - {reason}" for reason in dict.fromkeys(refused)),
                           "restore what is named, or start again in another folder: unseen train --out ANOTHER"])
            )  # fmt: skip
        cut(self.metrics_file, 0)
        return Checkpoint({}, 0, 0, [f"{self.path} has no checkpoint: the run starts again from its first step"])

    def _saved(self) -> list[Path]:
        """The checkpoints, the oldest first. A folder that can't be read is no empty folder."""
        if not is_there(self._checkpoints, RunFolderError):
            return []
        found = entries(self._checkpoints, RunFolderError, fix=self._once_readable)
        return [file for file in found if file.suffix == ".safetensors"]

    @property
    def _once_readable(self) -> str:
        return f"nothing was changed; make it readable, then: {self.resume_command}"

    def _check_checkpoint(self, path: Path, meta: Mapping[str, Any]) -> None:
        """Refuse what isn't the checkpoint of this training that its name says."""
        with reading(path, RunFolderError):
            name = f"{meta['t']:08d}-{meta['k']:03d}"
            if path.stem != name or not is_whole(meta["metrics_bytes"]) or meta["metrics_bytes"] < 0:
                raise ValueError(f"it is that of step and round {name}, after {meta['metrics_bytes']} bytes of metrics")
        self.check_signed(path, meta)

    def check_signed(self, path: Path, meta: Mapping[str, Any]) -> None:
        """Refuse a file of another training."""
        if meta.get("run") != self.config_content().get("identity"):
            raise RunFolderError(f"{path} is of another run, whose folder it belongs to; restore this run's own")

    def _check_needs_of(self, meta: Mapping[str, Any]) -> None:
        """Refuse a checkpoint whose other files are not whole; by itself it needs none."""

    def save_weights(self, model_state: Mapping[str, Tensor]) -> None:
        """The result: the model's ``state_dict``, as safetensors that any tool reads, with a digest for ours."""
        with self.saving():
            write_tensors(self.weights, host_copies(model_state), self.signed({}))

    def read_weights(self) -> dict[str, Tensor]:
        """The result, if it is whole and this training's; those of the first versions have no digest."""
        tensors, meta = read_safetensors(self.weights)
        if "run" in meta:
            self.check_signed(self.weights, meta)
        return tensors

    def trim(self) -> None:
        """Remove what only an unfinished training needs, its rounds and checkpoints: most of the folder's size."""
        assert self.finished
        for folder in (self._checkpoints, self.path / "rounds"):
            for part in folder.rglob("*.safetensors"):
                remove(part)

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Inside: a save that fails also says what is safe and how to resume."""
        try:
            yield
        except SaveFailed as error:
            raise SaveFailed(f"{error}. {self.how_to_resume(_first(error))}") from error

    def how_to_resume(self, first: str) -> str:
        """What is safe, what to do first and the command that resumes from it."""
        whole = sorted(p.stem for p in self._checkpoints.glob("*.safetensors") if p.is_file())
        safe = f"The checkpoint of step {int(whole[-1][:8])} is untouched" if whole else "No checkpoint is there"
        return f"{safe}; {first}: {self.resume_command}"


def _first(error: SaveFailed) -> str:
    """What to do before a run can resume whose save failed for this reason."""
    cause = error.__cause__
    full = isinstance(cause, OSError) and cause.errno in DISK_FAILED
    return "free space or repair the disk, then" if full else "put that right, then"
