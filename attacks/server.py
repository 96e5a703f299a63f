"""A hostile https server: only the published file gets its name, and nobody is held up."""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from unittest import mock

import serving
import trustme
from serving import Behaviour, gives, hangs_up, says, streams

from attacks.harness import Attack, Case, Told, problem
from attacks.mutating import PLAIN
from attacks.processes import verb
from unseen.data import official
from unseen.data.download.fetch import fetch
from unseen.data.download.transfer import RetryPolicy
from unseen.data.official import OfficialFile

CONTENT = random.Random(0).randbytes(20_000)
NAME = "test_32x32.mat"
PATIENCE = 150.0
DRIPPING = 200
"""one of so many cases has a server that takes a minute to be given up"""
TEXTS = ("\x1b[31mred", "[red]red", "9" * 5000, "-1", "é", "a" * 60_000, "", "bytes", "W/x", "0")


def _headers(dice: random.Random) -> Behaviour:
    """An answer with headers that make no sense."""
    names = (
        "Content-Range",
        "Content-Length",
        "ETag",
        "Last-Modified",
        "Content-Type",
        "Transfer-Encoding",
        "Location",
    )
    drawn = {name: dice.choice(TEXTS) for name in dice.sample(names, dice.randint(1, 4))}
    if dice.random() < 0.5:
        first, last, whole = (dice.choice(("0", "1", "100", "20000", "9" * 5000, "*")) for _ in range(3))
        drawn["Content-Range"] = f"bytes {first}-{last}/{whole}"
    status = dice.choice((200, 200, 206, 206, 206, 416, 301, 302, 503))

    def behave(handler: BaseHTTPRequestHandler) -> None:
        lines = [f"HTTP/1.1 {status} {dice.choice(('OK', chr(27) + '[31mOK', '[red]OK'))}"]
        lines += [f"{name}: {value}" for name, value in drawn.items()]
        with suppress(OSError):
            handler.wfile.write("\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + CONTENT[:1000])

    return behave


def _noise(dice: random.Random) -> Behaviour:
    """No http at all."""
    content = dice.randbytes(dice.choice((1, 100, 70_000)))

    def behave(handler: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            handler.wfile.write(content)

    return behave


def _endless(handler: BaseHTTPRequestHandler) -> None:
    """More and more of it."""
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):
        for _ in range(4096):
            handler.wfile.write(bytes(2**16))


def _drips(handler: BaseHTTPRequestHandler) -> None:
    """A byte every half second: never silent, never done."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(CONTENT)))
    handler.end_headers()
    with suppress(OSError):
        for number in range(len(CONTENT)):
            handler.wfile.write(CONTENT[number : number + 1])
            handler.wfile.flush()
            handler.server.resumes.wait(0.5)


def _behaviours(dice: random.Random) -> Iterator[Behaviour]:
    """What the server does with one request after the other."""
    for _ in range(dice.randint(1, 5)):
        yield dice.choice(
            (
                *(
                    gives(CONTENT),
                    gives(CONTENT, cut=dice.randrange(20_000)),
                    gives(CONTENT[:-1]),
                    gives(CONTENT + b"x"),
                ),
                *(
                    gives(CONTENT, announces=dice.choice((0, 1, 10**12)), cut=10),
                    gives(CONTENT, shifted=dice.choice((1, -1))),
                ),
                *(gives(CONTENT, etag=dice.choice(TEXTS[:4])), gives(bytes(20_000)), gives(b"<html>log in</html>")),
                *(gives(CONTENT, minds_version=False, cut=5000), streams(CONTENT[:5000], CONTENT[5000:], ends=False)),
                *(says(dice.choice((401, 404, 429, 500, 503))), says(302, Location=dice.choice(_ELSEWHERE)), hangs_up),
                *(_headers(dice), _headers(dice), _headers(dice), _noise(dice), _endless),
            )
        )


_ELSEWHERE = (
    "http://127.0.0.1/x",
    "file:///etc/passwd",
    "https://127.0.0.1:1/x",
    "ftp://x/y",
    "//",
    "\x1b[31m",
    "x" * 9000,
)


def undergo(case: Case) -> Told:
    """``unseen download`` from a server that misbehaves, once or twice, with what an earlier one left."""
    data = case.folder / "data"
    ended = case.run(lambda: _download(case, data), patience=PATIENCE)
    wrong = problem(ended, allowed=(0, 2, 5))
    there = data / "svhn" / NAME
    if wrong is None and there.exists() and there.read_bytes() != CONTENT:
        wrong = f"another file got the name\n{ended.text}"
    if wrong is None and ended.code == 0 and not there.exists():
        wrong = f"exit code 0 and no file\n{ended.text}"
    if wrong is None and "\x1b" in ended.text:
        wrong = f"an escape code reaches the screen\n{ended.text!r}"
    return Told(broken=(wrong,)) if wrong else Told()


def _download(case: Case, data: Path) -> None:
    """The server is a thread of the process that downloads: to the kernel it is as far away as another machine."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(case.folder / "authority.pem"))
    os.environ["SSL_CERT_FILE"] = str(case.folder / "authority.pem")
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        os.environ.pop(name, None)
        os.environ.pop(name.upper(), None)
    drips = case.number % DRIPPING == DRIPPING - 1
    with serving.serving(authority) as server:
        server.does(*([_drips] if drips else _behaviours(case.dice)))
        url, digest = server.url(NAME), hashlib.sha256(CONTENT).hexdigest()
        file = OfficialFile(name=NAME, folder="svhn", url=url, size=_size(case), sha256=digest)
        _leave_a_part(case, data / "svhn", url)
        with (
            mock.patch.object(official, "OFFICIAL", {"svhn-test": (file,)}),
            mock.patch.dict(fetch.__kwdefaults__, retry=RetryPolicy(pause=0.001)),
        ):
            verb(("download", "svhn", "--data", str(data)))()


def _size(case: Case) -> int | None:
    return case.dice.choice((len(CONTENT), None))


def _leave_a_part(case: Case, folder: Path, url: str) -> None:
    """What an earlier download left, and what somebody made of it."""
    if case.dice.random() < 0.5:
        return
    folder.mkdir(parents=True)
    (folder / f"{NAME}.part").write_bytes(CONTENT[: case.dice.randrange(20_000)])
    note = json.dumps({"url": url, "version": '"one"'}).encode()
    if case.dice.random() < 0.6:
        note = case.dice.choice(PLAIN)(note, case.dice)
    (folder / f"{NAME}.part.json").write_bytes(note)


ATTACK = Attack(
    "server", "What a server sends is checked before it gets its name, and nobody waits for ever.", 400, undergo
)
