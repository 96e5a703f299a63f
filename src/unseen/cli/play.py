"""The verb that opens a page to play with trained networks."""

from __future__ import annotations

from typing import Annotated

import typer

from unseen.cli.app import Data, RunModelCode, app, out, print_warning
from unseen.cli.evaluate import Model, RunFolders, stand_in

LOCAL = "127.0.0.1"


@app.command()
def play(
    runs: RunFolders,
    host: Annotated[str, typer.Option(help="Address to listen at; only this machine can reach the default.")] = LOCAL,
    port: Annotated[int | None, typer.Option(help="Port to listen at; else one that is free, 7860 or above.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    model: Model = None,
    run_model_code: RunModelCode = False,
    data: Data = None,
) -> None:
    """Open a page on this machine: drop a picture, move sliders, and see which model breaks where."""
    from unseen.deploy.play.serving import serve
    from unseen.runs.loading import loader

    if host != LOCAL:
        print_warning(f"--host {host}: whoever reaches this machine there can use the page")
    load_net = loader(stand_in(model))
    serve(runs, host=host, port=port, browser=browser, announce=_announce, load_net=load_net)
    out.print("Closed.")


def _announce(address: str) -> None:
    out.print(f"The page is at {address}. Close it with Ctrl-C.", highlight=False, soft_wrap=True)
