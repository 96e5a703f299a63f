"""A graph as a file that other programs run, ONNX or torch.export: compared with the network before it is written."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from unseen.base.extras import require
from unseen.base.paths import names_folder
from unseen.base.writing import write_atomically
from unseen.deploy.check import Checked, Trial, checked
from unseen.deploy.graph import INPUT, Graph, first_line, traced, untroubled
from unseen.errors import InputError

OPSET = 20
"""of ONNX, which onnxruntime knows since its version 1.17"""


_OPERATION = re.compile(r"torch\.ops\.(\w+\.\w+)")  # as torch's exporter names it


def write_onnx(graph: Graph, path: Path, metadata: Mapping[str, str], trial: Trial) -> Checked:
    """The graph as an ONNX file, once onnxruntime has said of the trial's images what the network says."""
    for module in ("onnxscript", "onnxruntime"):
        require(module, "export")
    onnx = require("onnx", "export")
    model = _converted(graph)
    onnx.helper.set_model_props(model, dict(metadata))
    content: bytes = model.SerializeToString()
    found = checked(graph, _onnxruntime(content), trial, "the ONNX graph")
    write_atomically(path, content)
    return found


def write_torch(graph: Graph, path: Path, metadata: Mapping[str, str], trial: Trial) -> Checked:
    """The graph as torch.export saves it, once it has said, read again, what the network says.

    ``torch.export.load(path).module()`` is the graph; its extra file ``unseen.json`` has the metadata.
    """
    file = io.BytesIO()
    with untroubled():
        torch.export.save(traced(graph), file, extra_files={"unseen.json": json.dumps(dict(metadata))})
        file.seek(0)
        run = torch.export.load(file).module()
    with torch.no_grad():
        found = checked(graph, run, trial, "the exported graph")
    write_atomically(path, file.getvalue())
    return found


def refuse_misnamed(path: Path, kind: str) -> None:
    """Refuse a file whose ending says that it is of another kind."""
    other = {".onnx": "onnx", ".pt": "torch", ".pt2": "torch", ".pth": "torch"}.get(path.suffix.lower(), kind)
    if other != kind:
        raise InputError(
            f"--{kind} {path}: its ending is that of --{other}; say --{other} {path}, or give the file another name"
        )


def refuse_unwritable(path: Path) -> None:
    """Refuse a place where no file can be written, before the work is done that would be lost."""
    parent = path.absolute().parent
    if names_folder(path):
        raise InputError(f"{path} is a folder; expected the name of a file in it, for instance {path / 'model.onnx'}")
    if not names_folder(parent):
        raise InputError(f"{path} can't be written: there is no folder {parent}; make it first, or check the path")
    if not os.access(parent, os.W_OK):
        raise InputError(f"{path} can't be written: no permission to write into {parent}; choose another folder")


def _converted(graph: Graph) -> Any:
    """The ONNX model; an operation that ONNX doesn't have is named."""
    program = traced(graph)
    try:
        with untroubled():
            made = torch.onnx.export(
                program, (graph.expected.example(),), dynamo=True, verbose=False, opset_version=OPSET,
                input_names=[INPUT], output_names=list(graph.outputs), dynamic_shapes=({0: "N"},),
            )  # fmt: skip
    except torch.onnx.OnnxExporterError as error:
        raise InputError(f"export: ONNX can't hold the network: {_lacking(error)}") from error
    assert made is not None
    return made.model_proto


def _lacking(error: BaseException) -> str:
    """What ONNX lacks, out of a chain of errors whose first is a page of advice to torch's developers."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    found = next((match for link in chain if (match := _OPERATION.search(str(link)))), None)
    what = f"it has no operator for {found[1]}" if found else first_line(chain[-1])
    return f"{what}; write it with other operations in the model's forward, or export with --torch, which keeps it"


def _onnxruntime(content: bytes) -> Callable[[Tensor], tuple[Tensor, ...]]:
    """The graph as onnxruntime runs it on a CPU; one that it can't run is refused."""
    runtime = require("onnxruntime", "export")
    try:
        session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no public base
        raise InputError(
            f"export: onnxruntime can't run the graph: {first_line(error)}; write that operation with others in the "
            "model's forward, or export with --torch"
        ) from error
    return lambda images: tuple(torch.from_numpy(out) for out in session.run(None, {INPUT: images.numpy()}))
