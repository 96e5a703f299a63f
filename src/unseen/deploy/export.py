"""Of a trained network, what is used elsewhere: a graph for other programs, a folder for other people."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from unseen.base.paths import expanded
from unseen.data.images import Size
from unseen.deploy.check import trial_images
from unseen.deploy.graph import Graph, GraphInput
from unseen.deploy.graph_files import refuse_misnamed, refuse_unwritable, write_onnx, write_torch
from unseen.deploy.hand_over import hand_over
from unseen.deploy.predictor import Predictor
from unseen.deploy.provenance import Provenance
from unseen.ensembles.members import Models
from unseen.errors import InputError
from unseen.models.split import Split


def export(
    run: str | Path,
    *,
    model: Split | nn.Module | Models | None = None,
    onnx: str | Path | None = None,
    torch: str | Path | None = None,
    folder: str | Path | None = None,
    from_bytes: bool = False,
    size: Size = None,
    run_model_code: bool = False,
) -> dict[Path, str]:
    """Make of a finished run, or an ensemble, what is used elsewhere; gives what was written, each with a remark.

    ``onnx`` and ``torch`` name files for a graph with the networks, the preparation that a graph can do and the rule.
    It takes any number of images, floats (N, channels, H, W) in [0, 1], or with ``from_bytes`` bytes (N, H, W,
    channels), and gives ``label``, ``probabilities`` and ``scores``, of an ensemble also ``answered_by``. It is
    compared with the network at once, on images of the source where they are there, and written only if it agrees.
    ``folder`` is a new folder to hand over: safetensors, config and a model card.

    ``model`` and ``run_model_code`` are as in ``unseen.Predictor.load``. ``size`` is the images' where the run doesn't
    say it.
    """
    place, files = expanded(run), {"onnx": onnx, "torch": torch}
    given = {kind: expanded(file) for kind, file in files.items() if file is not None}
    if not given and folder is None:
        raise InputError("export: expected a file or a folder to write: --onnx FILE, --torch FILE or --folder FOLDER")
    for kind, path in given.items():
        refuse_misnamed(path, kind)
        refuse_unwritable(path)
    made: dict[Path, str] = {}
    predictor = Predictor.load(place, model, run_model_code=run_model_code)
    if given:
        about, expected = Provenance.read(place), GraphInput.of(predictor, size, bytes_=from_bytes)
        graph, metadata = Graph(predictor, expected), about.metadata(predictor, expected)
        trial = trial_images(predictor, about.job, expected.size)
        for kind, path in given.items():
            found = (write_onnx if kind == "onnx" else write_torch)(graph, path, metadata, trial)
            made[path] = f"takes {expected}; {found}"
    if folder is not None:
        to = expanded(folder)
        hand_over(place, to)
        made[to] = "unseen.Predictor.load of it needs nothing else"
    return made
