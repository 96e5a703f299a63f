"""The page on this machine: which port, which files, and that nothing is fetched from or sent to anywhere else."""

from __future__ import annotations

import errno
import importlib.util
import os
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from unseen.base.extras import require
from unseen.deploy.play.examples import examples
from unseen.deploy.play.page import Page
from unseen.deploy.play.players import load_players
from unseen.deploy.play.sitting import Sitting
from unseen.errors import InputError
from unseen.models.split import Split

LOCAL = "127.0.0.1"
OLDEST = 6
"""major version of Gradio"""
PORTS = range(7860, 7960)
"""where a port is looked for that nobody uses, when none is named"""

_SETTINGS = {
    "GRADIO_ANALYTICS_ENABLED": "False",  # it would report that it runs, and ask whether there is a newer version
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def serve(
    folders: Sequence[Path],
    *,
    host: str,
    port: int | None,
    browser: bool,
    announce: Callable[[str], None],
    load_net: Callable[[Path], Split] | None = None,
) -> None:
    """Serve the page until it is interrupted. ``announce`` is called with its address once it is there.

    ``load_net`` gives networks that their folders alone can't.
    """
    port = free_port(host, port)  # before anything is read: it is the quickest to put right
    _stay_here()
    _need_gradio()
    sitting = Sitting(load_players(folders, load_net))
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


def _stay_here() -> None:
    """Set this process up so that neither Gradio nor a proxy takes anything to another machine."""
    os.environ.update(_SETTINGS)
    here = ",".join(filter(None, [os.environ.get("no_proxy"), LOCAL, "localhost"]))
    os.environ.update(NO_PROXY=here, no_proxy=here)


def _need_gradio() -> None:
    """Refuse to begin without a Gradio that the page was made for."""
    found = version("gradio") if importlib.util.find_spec("gradio") else None
    if found is not None and int(found.partition(".")[0]) < OLDEST:
        raise InputError(f"gradio {found} is installed, expected {OLDEST}.0 or newer: pip install 'unseen[play]'")
    require("gradio", "play")


def free_port(host: str, port: int | None) -> int:
    """The port that is asked for, or the first that is free; one that can't be had is refused."""
    for each in PORTS if port is None else [port]:
        if not 0 < each < 2**16:
            raise InputError(f"--port {each}: expected a number from 1 to 65535")
        if _is_free(host, each):
            return each
    if port is None:
        raise InputError(f"every port from {PORTS[0]} to {PORTS[-1]} on {host} is in use; name another with --port")
    raise InputError(f"--port {port} on {host} is in use; name another, or leave --port out and a free one is found")


def _is_free(host: str, port: int) -> bool:
    """Whether a server could listen there; refuses a host that isn't this machine."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a page that was just closed may be opened again
        try:
            probe.bind((host, port))
        except (OSError, UnicodeError) as error:
            if getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES):
                return False
            said = getattr(error, "strerror", None) or error
            raise InputError(
                f"--host {host}: {said}; expected an address of this machine, such as {LOCAL}, or 0.0.0.0 for all that "
                "it has"
            ) from error
    return True
