"""Fetch one file over https: an interrupted download resumes, and a file has its name only when it is whole and right.

``pooch.retrieve`` decides whether bytes are missing and checks the digest. Its own downloader can't resume, reads
without a limit, follows redirects to http and retries from the first byte, so it is given ours.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

from unseen.data.copies import digest_of, has_digest
from unseen.data.download.https import check_url
from unseen.data.download.partial import partial_of
from unseen.data.download.transfer import Progress, RetryPolicy, Transfer, WrongFile
from unseen.errors import InputError, SaveFailed


def fetch(
    url: str,
    path: Path,
    *,
    digest: str,
    size: int | None = None,
    context: ssl.SSLContext | None = None,
    retry: RetryPolicy = RetryPolicy(),  # noqa: B008 (frozen)
    progress: Progress = lambda done, total: None,
    warn: Callable[[str], None] = lambda message: None,
) -> bool:
    """Put the file at ``url`` at ``path``; False when it is there already.

    ``digest`` is ``sha256:HEX`` or ``md5:HEX``, ``size`` is in bytes: nothing else gets the name ``path``, and no more
    than ``size`` bytes are written (2 GiB where it is None). What has come is kept in ``NAME.part``: the next attempt,
    of this call or another, asks only for the rest. Of processes that fetch one file, one does and the others are
    refused. Another file that is at ``path`` before is kept beside it as ``NAME.replaced-1``.
    """
    check_url(url)
    if _is_there(path, digest):
        return False
    with partial_of(path) as partial:
        if _is_there(path, digest):  # another process has finished it since
            return False
        transfer = Transfer(
            url=url, partial=partial, size=size, context=context, retry=retry, progress=progress, warn=warn
        )
        _fill(transfer, digest)
        partial.finish()
    return True


def _is_there(path: Path, digest: str) -> bool:
    return path.exists() and has_digest(path, digest)


def _fill(transfer: Transfer, digest: str) -> None:
    """Bring the partial file to that digest. If it was pieced together and is wrong, try once more from byte 0."""
    for first in (True, False):
        try:
            _retrieve(transfer, digest)
            break
        except WrongFile as wrong:
            transfer.partial.clear()
            if not (first and transfer.pieced):
                raise
            transfer.warn(f"{wrong}. It was pieced together: starting again from its first byte")


def _retrieve(transfer: Transfer, digest: str) -> None:
    import pooch  # here, because its import takes long

    pooch.get_logger().setLevel("WARNING")  # it would write into the progress bar

    def download(url: str, output_file: str, _: object) -> None:
        """What pooch asks of a downloader: have the whole file at ``output_file``, whose digest it then checks."""
        place = Path(output_file)
        place.unlink()  # pooch's own partial file: a killed process leaves only ours
        transfer.complete()
        transfer.partial.lend(place)

    part = transfer.partial.path
    try:
        with transfer.partial.saving():
            pooch.retrieve(transfer.url, digest, fname=part.name, path=part.parent, downloader=download)
    except (InputError, SaveFailed):
        raise
    except ValueError as error:  # pooch's, for another digest
        raise WrongFile(
            f"{transfer.url} is not the published file: expected {digest}, got "
            f"{digest_of(part, digest.partition(':')[0])}; nothing was put at {transfer.partial.target}. It was "
            "changed at its source or on the way: try another network"
        ) from error
