"""A real https server on this machine that misbehaves on purpose, a plain http one, and a proxy."""

import re
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme

ADDRESS = "127.0.0.1"
MODIFIED = "Wed, 01 Jan 2020 00:00:00 GMT"

Behaviour = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """Does with each request what the next of its behaviours says; the last of them stays."""

    def __init__(self, scheme: str) -> None:
        super().__init__((ADDRESS, 0), _Handler)
        self.scheme = scheme
        self.behaviours: list[Behaviour] = []
        self.requests: list[dict[str, str]] = []
        self.resumes = threading.Event()
        """What a behaviour that stalls waits for."""

    def does(self, *behaviours: Behaviour) -> None:
        self.behaviours, self.requests = list(behaviours), []

    def url(self, name: str = "file.bin") -> str:
        return f"{self.scheme}://{ADDRESS}:{self.server_address[1]}/{name}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.close_connection = True
        self.server.requests.append({**{k.lower(): v for k, v in self.headers.items()}, "path": self.path})
        left = self.server.behaviours
        (left.pop(0) if len(left) > 1 else left[0])(self)

    def do_CONNECT(self) -> None:
        """Be a proxy: pass bytes on, both ways, until one side ends."""
        self.close_connection = True
        self.server.requests.append({"path": self.path})
        host, _, port = self.path.partition(":")
        with socket.create_connection((host, int(port))) as there:
            self.send_response(200)
            self.end_headers()
            ends = {self.connection: there, there: self.connection}
            while True:
                for end in select.select(list(ends), [], [])[0]:
                    data = end.recv(2**16)
                    if not data:
                        return
                    ends[end].sendall(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(authority: trustme.CA | None, name: str = ADDRESS) -> Iterator[Server]:
    """A server with a certificate for ``name`` of that authority; plain http without one."""
    with Server("https" if authority else "http") as server:
        if authority:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            authority.issue_cert(name).configure_cert(context)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.resumes.set()
            server.shutdown()
            thread.join()


def gives(
    content: bytes,
    *,
    etag: str | None = '"one"',
    modified: str | None = None,
    kind: str = "application/octet-stream",
    ranges: bool = True,
    minds_version: bool = True,
    announces: int | None = None,
    cut: int | None = None,
    stalls: int | None = None,
    shifted: int = 0,
) -> Behaviour:
    """The content, or the rest of it that is asked for.

    ``announces`` another length than it has, sends only ``cut`` bytes, or waits before the ``stalls``-th; begins a rest
    ``shifted`` bytes too late; does no ``ranges``; gives a rest of whatever it has now unless it ``minds_version``.
    """

    def behave(handler: BaseHTTPRequestHandler) -> None:
        start = _start(handler, etag, modified, minds_version) if ranges else None
        if start is not None and start >= len(content):
            return says(416)(handler)
        body = content if start is None else content[start + shifted :]
        handler.send_response(200 if start is None else 206)
        if start is not None:
            handler.send_header("Content-Range", f"bytes {start + shifted}-{len(content) - 1}/{len(content)}")
        for name, value in {"ETag": etag, "Last-Modified": modified, "Content-Type": kind}.items():
            if value is not None:
                handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body) if announces is None else announces))
        handler.end_headers()
        _send(handler, body[:cut], stalls)
        return None

    return behave


def _start(handler: BaseHTTPRequestHandler, etag: str | None, modified: str | None, minds_version: bool) -> int | None:
    asked = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
    same = handler.headers.get("If-Range") in (None, etag, modified)
    return int(asked[1]) if asked and (same or not minds_version) else None


def _send(handler: BaseHTTPRequestHandler, body: bytes, stalls: int | None) -> None:
    if stalls is not None:
        handler.wfile.write(body[:stalls])
        handler.wfile.flush()
        handler.server.resumes.wait(30)
        body = body[stalls:]
    with suppress(OSError):
        handler.wfile.write(body)


def says(status: int, **headers: str) -> Behaviour:
    """A status, and no more than a word."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "4")
        handler.end_headers()
        handler.wfile.write(b"word")

    return behave


def streams(*chunks: bytes, ends: bool = True) -> Behaviour:
    """Chunks, without saying how many there will be; without an end it hangs up."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        with suppress(OSError):
            for chunk in [*chunks, *([b""] if ends else [])]:
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    return behave


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """Not a byte."""


@contextmanager
def trusted(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Server]:
    """A server that this process, and those it starts, trust as they would one on the internet; no proxies."""
    forget_proxies(monkeypatch)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "authority.pem"))
    with serving(authority) as server:
        yield server


def forget_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the machine that the tests run on."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
