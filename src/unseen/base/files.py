"""Files that are whole or not there: written aside, fsynced, renamed; tensors with a digest over every bit."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from unseen.errors import RunFolderError, SaveFailed

CHUNK = 2**22


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path`` so that whoever looks, after any crash, finds the old file or the new one whole."""
    aside = path.with_name(f".{path.name}.part")
    try:
        with aside.open("wb") as file:
            for start in range(0, len(content), CHUNK):
                file.write(content[start : start + CHUNK])
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        fsync_folder(path.parent)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise SaveFailed(
            f"could not save {path} ({len(content) / 2**20:.1f} MiB): {error.strerror or error}"
        ) from error


def nameless_file(size: int, folder: Path | None, what: str, fix: str) -> BinaryIO:
    """A file of ``size`` bytes that has no name in ``folder``: it goes with the process, however that ends.

    ``what`` needs it, for the message, and ``fix`` is what to do on a full disk.
    """
    file = tempfile.TemporaryFile(prefix=".unseen-", dir=folder, buffering=0)  # noqa: SIM115 (it stays open)
    try:
        os.posix_fallocate(file.fileno(), 0, size)  # a full disk is found here, not at some later write
    except OSError as error:
        file.close()
        raise SaveFailed(
            f"{what} needs {size / 2**30:.1f} GiB on the disk of {folder or tempfile.gettempdir()}: {error.strerror}; "
            f"{fix}"
        ) from error
    return cast(BinaryIO, file)


def fsync_folder(folder: Path) -> None:
    """Make renames and new names in ``folder`` durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """A JSON file, atomically."""
    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode())


def write_tensors(path: Path, tensors: Mapping[str, Tensor], meta: Mapping[str, Any]) -> None:
    """A safetensors file, atomically, with the digest that ``read_tensors`` checks. The tensors are host copies."""
    text = json.dumps(meta, sort_keys=True)
    # One entry: safetensors writes several in no fixed order, and equal states should be equal files.
    note = json.dumps({"sha256": _digest(tensors, text), "meta": text})
    write_atomically(path, safetensors.torch.save(dict(tensors), metadata={"unseen": note}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the meta of a file that ``write_tensors`` wrote; damage is refused by name."""
    try:
        with safetensors.safe_open(str(path), framework="pt") as file:
            note = json.loads((file.metadata() or {}).get("unseen", "{}"))
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (not a dict)
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise RunFolderError(f"{path} is damaged: {error}") from error
    if not isinstance(note, dict) or note.get("sha256") != _digest(tensors, str(note.get("meta"))):
        raise RunFolderError(f"{path} is damaged: its content is not what was saved (SHA-256 differs)")
    return tensors, json.loads(note["meta"])


def _digest(tensors: Mapping[str, Tensor], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def damage(path: Path, sha256: str) -> str | None:
    """What is wrong with a file that should have this digest, if anything."""
    if not path.exists():
        return f"{path} is missing"
    return None if digest_of(path) == sha256 else f"{path} is not what was saved (SHA-256 differs)"


@contextmanager
def written_whole(folder: Path, *, replaces: bool = False) -> Iterator[Path]:
    """Inside: a folder beside ``folder`` to write to. After: it is ``folder``; or it is gone, if anything failed.

    ``folder`` has to be new or empty, unless what it holds may be replaced.
    """
    if not replaces and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunFolderError(f"{folder} exists and is not empty; choose a new or empty folder")
    aside = folder.absolute().with_name(f".{folder.absolute().name}.{os.getpid()}.part")
    before = aside.with_suffix(".before")
    try:
        for left in (aside, before):
            shutil.rmtree(left, ignore_errors=True)  # by a process of the same number that was killed
        aside.mkdir(parents=True)
        yield aside
        fsync_folder(aside)
        if replaces:
            folder.rename(before)
        aside.rename(folder)  # fails where another process has put something there meanwhile
        fsync_folder(aside.parent)
    except OSError as error:
        raise SaveFailed(f"could not save {folder}: {error.strerror or error}; choose another folder") from error
    finally:
        for left in (aside, before):
            shutil.rmtree(left, ignore_errors=True)
