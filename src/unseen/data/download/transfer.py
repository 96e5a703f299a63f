"""The bytes of one file, from its address into its partial file: attempts, resuming, and the checks on each answer."""

from __future__ import annotations

import re
import shutil
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPResponse

from unseen.data.copies import is_page
from unseen.data.download import https
from unseen.data.download.https import RangeRefused, TooSlow, TransientError, opened
from unseen.data.download.partial import Partial
from unseen.errors import InputError, SaveFailed

CHUNK = 2**18
LIMIT = 2**31  # bytes of a file whose size nobody has published
_RANGE = r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)"
_MOST_STATED = 10**18
_HEAD = 512  # bytes by which a web page is recognized

Progress = Callable[[int, int | None], None]
"""Called with how many bytes are there, and of how many where that is known."""


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often to try, and how long to wait."""

    attempts: int = 4
    """attempts that fail in a row before giving up; one that brought 1 KiB a second is counted as the first"""
    pause: float = 1.0
    """seconds before the second of them, and twice as long before each further one"""
    timeout: float = 30.0
    """seconds to wait for the next byte"""


class WrongFile(InputError):
    """What came is not what was published."""


@dataclass(kw_only=True)
class Transfer:
    """Fills one partial file. ``size`` is the published one; ``context`` None checks certificates by the system's."""

    url: str
    partial: Partial
    size: int | None
    context: ssl.SSLContext | None
    retry: RetryPolicy
    progress: Progress
    warn: Callable[[str], None]
    total: int | None = field(init=False)
    """bytes of the whole file: as published, else as the server says, else unknown until it ends"""
    pieced: bool = field(init=False)
    """whether its bytes come from several responses, and so maybe from several versions"""
    ranges: bool = True
    """whether the server can be asked for the rest of a file"""

    def __post_init__(self) -> None:
        self.pieced = self.partial.size > 0

    def complete(self) -> None:
        """Ask for what is missing until all of it is there; gives up after too many failures in a row."""
        self.total, failures, most, since = self.size, 0, self.partial.size, time.monotonic()
        while self.partial.size != self.total:
            try:
                self._attempt()
            except TransientError as error:
                self.ranges = self.ranges and not isinstance(error, RangeRefused)
                brought = self.partial.size - most > https.LEAST_RATE * (time.monotonic() - since)
                failures, since = 1 if brought else failures + 1, time.monotonic()
                most = max(most, self.partial.size)
                self._wait_or_give_up(error, failures)

    def _wait_or_give_up(self, error: TransientError, failures: int) -> None:
        if failures >= self.retry.attempts or isinstance(error, TooSlow):
            often = "" if isinstance(error, TooSlow) else f" ({failures} attempts failed in a row)"
            kept = f" {self.partial.size:,} bytes are kept in {self.partial.path}." if self.partial.size else ""
            raise InputError(
                f"{self.url} could not be fetched: {error}{often}.{kept} The same command "
                f"{'resumes' if self.partial.size else 'tries again'}"
            ) from error
        pause = self.retry.pause * 2 ** (failures - 1)
        self.warn(f"{error}; trying again in {pause:.3g} s")
        time.sleep(pause)

    def _attempt(self) -> None:
        """One request for what is missing, and its bytes."""
        offset = self.partial.size if self.ranges else 0
        with opened(self.url, self._headers(offset), context=self.context, timeout=self.retry.timeout) as response:
            if response.status == 206:
                self._check_rest(response, offset)
            else:
                self._start(response)
            while chunk := response.read1(CHUNK):
                self._append(chunk)
        if self.total is None:
            self.total = self.partial.size
        elif self.partial.size < self.total:
            raise TransientError(
                f"{self.url}: the connection was cut off at {self.partial.size:,} of {self.total:,} bytes"
            )

    def _headers(self, offset: int) -> dict[str, str]:
        headers = {"User-Agent": "unseen"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
            if version := self.partial.version(self.url):
                headers["If-Range"] = version
        return headers

    def _check_rest(self, response: HTTPResponse, offset: int) -> None:
        """Make sure that the response is the rest that was asked for."""
        found = re.fullmatch(_RANGE, response.headers.get("Content-Range", ""))
        if not offset or found is None or int(found[1]) != offset:
            raise RangeRefused(f"{self.url} answered with another part than the one asked for")
        self._expect(None if found[2] == "*" else int(found[2]))
        self.pieced = True

    def _start(self, response: HTTPResponse) -> None:
        """Make sure that the response can be the file before anything that has come is dropped for it."""
        if response.status != 200:
            raise InputError(f"{self.url} answered {response.status} {response.reason}; expected the file")
        length, head = response.length, response.read(_HEAD)
        if length is not None and length > _MOST_STATED:
            length = None  # no file has as many: the server says nothing of it
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
        """Compare the size that the server states with the published one, and with the free disk space."""
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
            raise WrongFile(f"{self.url} is not the published file: expected {most:,} bytes, more came")
        self.partial.append(chunk)
        self.progress(self.partial.size, self.total)
