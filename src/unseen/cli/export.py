"""The verb that makes of a trained network what other programs and other people use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unseen.cli.app import RunModelCode, app, out
from unseen.cli.evaluate import Model, stand_in
from unseen.cli.train import size_of


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="Folder of a run, an ensemble or a hand-over.", metavar="RUN")],
    onnx: Annotated[Path | None, typer.Option(help="Write an ONNX file, checked by onnxruntime.")] = None,
    torch: Annotated[Path | None, typer.Option(help="Write a .pt2 file, as torch.export reads it.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Write a folder to hand over, with a card.")] = None,
    from_bytes: Annotated[
        bool, typer.Option("--bytes", help="The graph takes bytes (N, H, W, 3), not floats.")
    ] = False,
    size: Annotated[str | None, typer.Option(help="Of its images, where the run doesn't say: HxW.")] = None,
    model: Model = None,
    run_model_code: RunModelCode = False,
) -> None:
    """Export a trained network: a graph for ONNX or torch, or a folder to hand over."""
    from unseen.deploy.export import export as export_run
    from unseen.deploy.predictor import models_of
    from unseen.runs.loading import loader

    net = models_of(run, loader(stand_in(model)))
    with out.status("Exporting and checking"):
        made = export_run(
            run, model=net, onnx=onnx, torch=torch, folder=folder, from_bytes=from_bytes, size=size_of(size)
        )
    for path, what in made.items():
        out.print(f"Wrote {path}: {what}", highlight=False, soft_wrap=True)
