"""Tensors through the doors: safetensors files, and ours with a digest over every bit."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from unseen.base.interrupts import held_back
from unseen.base.reading import as_object, open_file, reading
from unseen.base.writing import remove, write_atomically, writing
from unseen.errors import RunFolderError

MOST_HEADER = 100_000_000
"""bytes; safetensors has the same limit"""
_LENGTH = 8
"""bytes that say how long the header is"""


def write_tensors(path: Path, tensors: Mapping[str, Tensor], meta: Mapping[str, Any]) -> None:
    """A safetensors file, atomically, with the digest that ``read_tensors`` checks. The tensors are host copies.

    It is one of our own, never a pipe or a device: one that lies in its place is taken away.
    """
    text = json.dumps(meta, sort_keys=True)
    # One entry: safetensors writes several in no fixed order, and equal states should be equal files.
    note = json.dumps({"sha256": tensors_digest(tensors, text), "meta": text})
    with writing(path):
        in_the_way = path.exists() and not (path.is_file() or path.is_dir())
    if in_the_way:
        remove(path)
    write_atomically(path, safetensors.torch.save(dict(tensors), metadata={"unseen": note}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the meta of a file that ``write_tensors`` wrote; damage is refused by name."""
    with _tensors_of(path, "pt") as file:
        return _checked(file, _note(file))


def read_safetensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of any safetensors file, and the meta of one that ``write_tensors`` wrote, which is checked."""
    with _tensors_of(path, "pt") as file:
        if note := _note(file):
            return _checked(file, note)
        return {name: file.get_tensor(name) for name in file.keys()}, {}  # noqa: SIM118 (not a dict)


def _note(file: Any) -> dict[str, Any]:
    """What ``write_tensors`` wrote beside the tensors."""
    return as_object(json.loads((file.metadata() or {}).get("unseen", "{}")))


def _checked(file: Any, note: Mapping[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (not a dict)
    if note.get("sha256") != tensors_digest(tensors, str(note.get("meta"))):
        raise ValueError("its content is not what was saved (SHA-256 differs)")
    return tensors, as_object(json.loads(note["meta"]))


def shape_in(path: Path, name: str) -> tuple[int, ...]:
    """The shape of one tensor of a safetensors file, whose content is not read."""
    # As numpy: torch would open the file a second time, and it may be gone by then.
    with _tensors_of(path, "numpy") as file:
        return tuple(file.get_slice(name).get_shape())


@contextmanager
def _tensors_of(path: Path, framework: str) -> Iterator[Any]:
    """Inside: a safetensors file, open. Python opens it first: safetensors calls missing whatever it can't open."""
    with held_back(), reading(path, RunFolderError):
        _refuse_other_length(path)
        with safetensors.safe_open(str(path), framework=framework) as file:
            yield file


def _refuse_other_length(path: Path) -> None:
    """Refuse a file that is longer or shorter than its header says, before it is mapped into memory."""
    with open_file(path) as file:
        head = int.from_bytes(file.read(_LENGTH), "little")
        if head > MOST_HEADER:
            raise ValueError(f"its header has {head:,} bytes; expected at most {MOST_HEADER:,}")
        described = as_object(json.loads(file.read(head)))
        found = file.seek(0, os.SEEK_END)
    ends = [tensor["data_offsets"][1] for name, tensor in described.items() if name != "__metadata__"]
    if found != (expected := _LENGTH + head + max(ends, default=0)):
        raise ValueError(f"it has {found:,} bytes; its header says {expected:,}")


def tensors_digest(tensors: Mapping[str, Tensor], text: str) -> str:
    """SHA-256 over every bit of the tensors, their names and ``text``."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
