"""Fetch one file over https: it goes on after an interruption, and has its name only when it is whole and right."""

from __future__ import annotations

import re
import shutil
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPResponse
from pathlib import Path

from unseen.data.copies import is_page
from unseen.data.download.https import Hiccup, RangeRefused, check_url, opened
from unseen.data.download.partial import Partial, digest_of, partial_of
from unseen.errors import InputError, SaveFailed

CHUNK = 2**18
LIMIT = 2**31  # bytes of a file whose size nobody has published
_HEAD = 512  # bytes that tell a web page from a file

Progress = Callable[[int, int | None], None]
"""Told how many bytes have come, and of how many where that is known."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long to try."""

    attempts: int = 4
    """attempts that fail in a row before giving up; one that brought bytes is counted as the first"""
    pause: float = 1.0
    """seconds before the second of them, and twice as long before each further one"""
    timeout: float = 30.0
    """seconds to wait for the next byte"""


class _WrongFile(InputError):
    """What came is not what was published."""


def fetch(
    url: str,
    path: Path,
    *,
    digest: str,
    size: int | None = None,
    context: ssl.SSLContext | None = None,
    patience: Patience = Patience(),  # noqa: B008 (frozen)
    progress: Progress = lambda done, total: None,
    warn: Callable[[str], None] = lambda message: None,
) -> bool:
    """Put the file at ``url`` at ``path``; False when it is there already.

    ``digest`` is ``sha256:HEX`` or ``md5:HEX``, ``size`` is in bytes: nothing else gets the name ``path``, and no more
    than ``size`` bytes are written (2 GiB where it is None). What has come waits in ``NAME.part``: the next attempt,
    of this call or another, asks only for the rest. Of processes that fetch one file, one does and the others are
    refused. Another file that is at ``path`` before is kept beside it as ``NAME.replaced-1``.
    """
    check_url(url)
    if _is_there(path, digest):
        return False
    with partial_of(path) as partial:
        if _is_there(path, digest):  # another process has finished it since
            return False
        _Fetch(
            url=url, partial=partial, digest=digest, size=size, context=context, patience=patience,
            progress=progress, warn=warn,
        ).run()  # fmt: skip
    return True


def _is_there(path: Path, digest: str) -> bool:
    return path.exists() and digest_of(path, digest.partition(":")[0]) == digest


@dataclass(kw_only=True)
class _Fetch:
    """The attempts to fill one partial file."""

    url: str
    partial: Partial
    digest: str
    size: int | None
    context: ssl.SSLContext | None
    patience: Patience
    progress: Progress
    warn: Callable[[str], None]
    total: int | None = field(init=False)
    """bytes of the whole file: as published, else as the server says, else unknown until it ends"""
    pieced: bool = field(init=False)
    """whether its bytes come from several responses, and so maybe from several versions"""
    ranges: bool = True
    """whether the server can be asked for a rest"""

    def run(self) -> None:
        """Fetch, check, name. What was pieced together and is wrong is fetched once more, from its first byte."""
        self.pieced = self.partial.size > 0
        for last in (False, True):
            try:
                self._complete()
                self._check_digest()
                break
            except _WrongFile as wrong:
                self.partial.clear()
                if last or not self.pieced:
                    raise
                self.warn(f"{wrong}. It was pieced together: starting again from its first byte")
        self.partial.finish()

    def _complete(self) -> None:
        self.total, failures, most = self.size, 0, self.partial.size
        while self.partial.size != self.total:
            try:
                self._attempt()
            except Hiccup as hiccup:
                self.ranges = self.ranges and not isinstance(hiccup, RangeRefused)
                failures = 1 if self.partial.size > most else failures + 1
                most = max(most, self.partial.size)
                self._wait_or_give_up(hiccup, failures)

    def _wait_or_give_up(self, hiccup: Hiccup, failures: int) -> None:
        if failures >= self.patience.attempts:
            kept = f" {self.partial.size:,} bytes are kept in {self.partial.path}." if self.partial.size else ""
            raise InputError(
                f"{self.url} could not be fetched: {hiccup} ({failures} attempts failed in a row).{kept} "
                "The same command tries again"
            ) from hiccup
        pause = self.patience.pause * 2 ** (failures - 1)
        self.warn(f"{hiccup}; trying again in {pause:.3g} s")
        time.sleep(pause)

    def _attempt(self) -> None:
        """One request for what is missing, and its bytes."""
        offset = self.partial.size if self.ranges else 0
        with opened(self.url, self._headers(offset), context=self.context, timeout=self.patience.timeout) as response:
            if response.status == 206:
                self._go_on(response, offset)
            else:
                self._start(response)
            while chunk := response.read1(CHUNK):
                self._append(chunk)
        if self.total is None:
            self.total = self.partial.size
        elif self.partial.size < self.total:
            raise Hiccup(f"{self.url}: the connection was cut off at {self.partial.size:,} of {self.total:,} bytes")

    def _headers(self, offset: int) -> dict[str, str]:
        headers = {"User-Agent": "unseen"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
            if version := self.partial.version(self.url):
                headers["If-Range"] = version
        return headers

    def _go_on(self, response: HTTPResponse, offset: int) -> None:
        """Make sure that the response is the rest that was asked for."""
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
        if not offset or found is None or int(found[1]) != offset:
            raise RangeRefused(f"{self.url} answered with another part than the one asked for")
        self._expect(None if found[2] == "*" else int(found[2]))
        self.pieced = True

    def _start(self, response: HTTPResponse) -> None:
        """Make sure that the response can be the file before anything that has come is dropped for it."""
        if response.status != 200:
            raise InputError(f"{self.url} answered {response.status} {response.reason}; expected the file")
        length, head = response.length, response.read(_HEAD)
        if response.headers.get_content_type() == "text/html" or is_page(head):
            raise InputError(
                f"{self.url} answered with a web page instead of the file: either this network wants you to log in "
                "(open any page in a browser), or the file has moved"
            )
        self._expect(length)
        etag = response.headers.get("ETag", "W/")
        version = response.headers.get("Last-Modified") if etag.startswith("W/") else etag
        self.partial.restart(self.url, version)
        self.pieced = False
        self._append(head)

    def _expect(self, total: int | None) -> None:
        """Hold what the server says of the whole file's size against what is known and what there is room for."""
        if self.size is not None and total not in (None, self.size):
            raise InputError(
                f"{self.url} is not the published file: expected {self.size:,} bytes, the server has {total:,}"
            )
        if self.size is None and total is not None and total > LIMIT:
            raise InputError(f"{self.url}: expected at most {LIMIT:,} bytes, the server has {total:,}")
        self.total = self.size or total
        folder = self.partial.target.parent
        needed, free = (self.total or 0) - self.partial.size, shutil.disk_usage(folder).free
        if needed > free:
            raise SaveFailed(
                f"{folder}: {needed:,} more bytes are needed for {self.partial.target.name}, {free:,} are free; "
                "free space or choose another folder"
            )

    def _append(self, chunk: bytes) -> None:
        most = self.total or LIMIT
        if self.partial.size + len(chunk) > most:
            raise _WrongFile(f"{self.url} is not the published file: expected {most:,} bytes, more came")
        self.partial.append(chunk)
        self.progress(self.partial.size, self.total)

    def _check_digest(self) -> None:
        found = digest_of(self.partial.path, self.digest.partition(":")[0])
        if found != self.digest:
            raise _WrongFile(
                f"{self.url} is not the published file: expected {self.digest}, got {found}; nothing was put at "
                f"{self.partial.target}. It was changed at its source or on the way: try another network"
            )
