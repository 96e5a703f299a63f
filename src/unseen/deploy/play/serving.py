"""The page on this machine: which port, which files, and that nothing is fetched from or sent to anywhere else."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from unseen.base.extras import require
from unseen.deploy.play.examples import examples
from unseen.deploy.play.page import Page
from unseen.deploy.play.players import load_players
from unseen.deploy.play.sitting import Sitting
from unseen.errors import InputError

LOCAL = "127.0.0.1"
PORTS = range(7860, 7960)
"""where a port is looked for that nobody uses, when none is named"""

_OFFLINE = {
    "GRADIO_ANALYTICS_ENABLED": "False",  # it would ask who we are, and whether there is a newer version
    "GRADIO_SHARE": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def serve(
    folders: Sequence[Path], *, host: str, port: int | None, browser: bool, announce: Callable[[str], None]
) -> None:
    """Serve the page until it is interrupted. ``announce`` is called with its address once it is there."""
    port = free_port(host, port)  # before anything is read: it is the quickest to put right
    os.environ.update(_OFFLINE)
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(
        filter(None, [os.environ.get("no_proxy"), LOCAL, "localhost"])
    )
    require("gradio", "play")
    sitting = Sitting(load_players(folders))
    with tempfile.TemporaryDirectory(prefix="unseen-play-") as place:
        os.environ["GRADIO_TEMP_DIR"] = place  # what is dropped goes when the page does
        page = Page(sitting, examples(sitting.players), Path(place))
        announce(page.launch(host, port, browser))
        try:
            while page.blocks.is_running:
                time.sleep(0.1)
        except KeyboardInterrupt:
            pass  # that is how it is closed
        finally:
            page.blocks.close(verbose=False)


def free_port(host: str, port: int | None) -> int:
    """The port that is asked for, or the first that is free; one in use is refused."""
    for each in PORTS if port is None else [port]:
        if (problem := _problem(host, each)) is None:
            return each
    if port is None:
        raise InputError(
            f"play: every port from {PORTS[0]} to {PORTS[-1]} is in use on {host}; name another with --port"
        )
    raise InputError(f"--port {port}: {problem} on {host}; choose another, or leave --port out and one is found")


def _problem(host: str, port: int) -> str | None:
    """Why a server can't listen there, if it can't."""
    if not 0 < port < 2**16:
        return "expected a number from 1 to 65535"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a page that was just closed may be opened again
        try:
            probe.bind((host, port))
        except OSError as error:
            return "is in use" if error.errno == errno.EADDRINUSE else str(error.strerror)
    return None
