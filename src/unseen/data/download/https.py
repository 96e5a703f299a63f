"""One request over https, and its failures as messages.

By hand on urllib: requests, pooch's way, reads whole blocks, so that a cut connection loses the last one, and trusts a
list of authorities of its own in place of the machine's.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from typing import IO, Any
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from unseen.errors import InputError

_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}  # statuses that another attempt may not meet
_RANGE_NOT_SATISFIABLE = 416


class TransientError(Exception):
    """A failure that another attempt may not meet; its text says what happened."""


class RangeRefused(TransientError):
    """The server won't resume where the last attempt ended."""


class TooSlow(TransientError):
    """So little comes that waiting has no end."""


LEAST_RATE = 1024
"""bytes in a second: a server that sends fewer over ``SLOW_AFTER`` is given up"""
SLOW_AFTER = 60.0
"""seconds of waiting for bytes"""


def check_url(url: str, *, redirected_from: str | None = None) -> None:
    """Refuse whatever isn't https: without it, anybody on the way could replace the file."""
    if urlsplit(url).scheme == "https" and urlsplit(url).hostname:
        return
    if redirected_from is None:
        raise InputError(f"{url}: expected an address that begins with https://; only https is fetched")
    raise InputError(f"{redirected_from} redirects to {url}; expected https, only https is fetched")


@contextmanager
def opened(
    url: str, headers: Mapping[str, str], *, context: ssl.SSLContext | None, timeout: float
) -> Iterator[HTTPResponse]:
    """The response to a GET, after redirects. What the network does inside the block is raised so too.

    After a ``TransientError`` another attempt may succeed, after an ``InputError`` it won't. ``timeout`` is in seconds
    without a byte. Proxies are those of the environment (``https_proxy``, ``no_proxy``); ``context`` None checks
    certificates against the system's.
    """
    try:
        with _open(request.Request(url, headers=dict(headers)), context, timeout) as response:
            yield response
    except HTTPError as error:
        with error:
            raise _refusal(error) from error
    except (OSError, HTTPException) as error:
        raise _trouble(urlsplit(url).hostname or url, error) from error


def _open(asked: request.Request, context: ssl.SSLContext | None, timeout: float) -> HTTPResponse:
    try:
        response: HTTPResponse = _opener(context).open(asked, timeout=timeout)
    except InputError:
        raise
    except ValueError as error:  # from urllib's reading of addresses
        raise InputError(f"{asked.full_url} redirects to no address ({error}); expected https") from error
    return response


def _opener(context: ssl.SSLContext | None) -> request.OpenerDirector:
    """Able to do https and nothing else: no http, no ftp, no files."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        _PacedHandler(context),
        _RedirectsToHttps(),
        request.HTTPErrorProcessor(),
        request.HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return opener


class _PacedReader(io.RawIOBase):
    """The bytes of a connection, headers too: where too few come over a while, ``TooSlow`` is raised."""

    def __init__(self, raw: io.RawIOBase, host: str) -> None:
        self.raw, self.host = raw, host
        self.bytes, self.seconds = 0, 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int | None:
        began = time.monotonic()
        got: int | None = self.raw.readinto(room)
        self.bytes += got or 0
        self.seconds += time.monotonic() - began  # of waiting: a slow disk of ours is not the server's fault
        if self.seconds >= SLOW_AFTER:
            if self.bytes < LEAST_RATE * self.seconds:
                raise TooSlow(
                    f"{self.host}: only {self.bytes:,} bytes came in {self.seconds:.0f} s, expected {LEAST_RATE:,} a "
                    "second or more"
                )
            self.bytes, self.seconds = 0, 0.0
        return got

    def close(self) -> None:
        self.raw.close()
        super().close()


class _PacedConnection(HTTPSConnection):
    def response_class(self, sock: socket.socket, *args: Any, **options: Any) -> HTTPResponse:  # type: ignore[override]
        response = HTTPResponse(sock, *args, **options)
        response.fp = io.BufferedReader(_PacedReader(response.fp.detach(), self.host))
        return response


class _PacedHandler(request.HTTPSHandler):
    def __init__(self, context: ssl.SSLContext | None) -> None:
        super().__init__(context=context)
        self.context = context

    def https_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(_PacedConnection, req, context=self.context)


class _RedirectsToHttps(request.HTTPRedirectHandler):
    def redirect_request(
        self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> request.Request | None:
        check_url(newurl, redirected_from=req.full_url)
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def http_error_302(self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage) -> Any:
        """As urllib follows a redirect; a response whose redirect is refused is closed."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except ValueError:  # of the address, urllib's or ours; an HTTPError has the response, and closes it
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _refusal(error: HTTPError) -> Exception:
    answer = f"{error.url} answered {error.code} {error.reason}"
    if error.code == _RANGE_NOT_SATISFIABLE:
        return RangeRefused(answer)
    if error.code in _TRANSIENT:
        return TransientError(answer)
    return InputError(f"{answer}; expected the file: it may have moved, or may not be given to everybody")


def _trouble(host: str, error: Exception) -> Exception:
    cause: Any = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return InputError(
            f"{host}: its certificate is not trusted ({cause.verify_message}); check this machine's clock and "
            "certificates, and where a proxy opens https, name its certificate with SSL_CERT_FILE"
        )
    if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
        return InputError(f"{host}: no host of that name is known here; {_CHECK}")
    if isinstance(cause, socket.gaierror):
        return TransientError(f"{host}: names can't be looked up ({cause.strerror}); {_CHECK}")
    if isinstance(cause, TimeoutError):
        return TransientError(f"{host}: nothing came in time; {_CHECK}")
    if isinstance(error, HTTPException):
        return TransientError(f"{host}: the connection was cut off ({error or type(error).__name__})")
    return TransientError(f"{host}: {getattr(cause, 'strerror', None) or cause}; {_CHECK}")


_CHECK = "check the network, and https_proxy where a proxy is needed"
