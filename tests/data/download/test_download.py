"""Fetching a file from servers that do what servers do: cut off, lie, move, change their mind."""

import errno
import hashlib
import json
import os
import resource
import signal
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trustme
from serving import MODIFIED, forget_proxies, gives, hangs_up, says, serving, streams

from unseen.data.download import https, partial, transfer
from unseen.data.download.fetch import fetch
from unseen.data.download.transfer import RetryPolicy
from unseen.errors import InputError, SaveFailed

CONTENT = bytes(i * i % 251 for i in range(40_000))
OTHER = bytes(255 - byte for byte in CONTENT)
DIGEST = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
QUICK = RetryPolicy(attempts=3, pause=0.001, timeout=5)


@pytest.fixture(scope="session")
def authority():
    return trustme.CA()


@pytest.fixture(scope="session")
def trust(authority):
    """What a client needs to trust the servers of these tests; nothing is switched off."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture
def server(authority):
    with serving(authority) as server:
        yield server


@pytest.fixture(autouse=True)
def _no_proxy_of_this_machine(monkeypatch):
    forget_proxies(monkeypatch)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "file.bin"


@pytest.fixture
def get(server, trust, path):
    """Fetch the file from the server; options are those of `fetch`."""

    def run(url=None, **options):
        given = {"digest": DIGEST, "size": len(CONTENT), "context": trust, "retry": QUICK}
        return fetch(url or server.url(), path, **(given | options))

    return run


def part(path):
    return path.with_name("file.bin.part")


def left(path):
    """The names that lie in the folder."""
    return sorted(entry.name for entry in path.parent.iterdir()) if path.parent.exists() else []


def refused(message, get, kind=InputError, **options):
    with pytest.raises(kind, match=message) as caught:
        get(**options)
    return str(caught.value)


def ranges(server):
    return [request.get("range") for request in server.requests]


@contextmanager
def no_file_may_exceed(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_is_fetched_and_nothing_else_is_left(server, get, path):
    server.does(gives(CONTENT))
    reported = []
    assert get(progress=lambda done, total: reported.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert left(path) == ["file.bin"]
    assert reported == sorted(reported)
    assert reported[-1] == (len(CONTENT), len(CONTENT))


def test_a_file_that_is_there_is_not_asked_for(server, get, path):
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    server.does(gives(CONTENT))
    with partial.partial_of(path):  # nor is the folder touched
        assert not get()
    assert server.requests == []


def test_another_file_of_the_name_is_replaced_and_kept(server, get, path):
    path.parent.mkdir()
    server.does(gives(CONTENT))
    for wrong in (b"cut short", b"<html>"):
        path.write_bytes(wrong)
        assert get()
        assert path.read_bytes() == CONTENT
    assert left(path) == ["file.bin", "file.bin.replaced-1", "file.bin.replaced-2"]
    assert path.with_name("file.bin.replaced-1").read_bytes() == b"cut short"


def test_an_md5_does_where_no_sha256_is_published(server, get, path):
    server.does(gives(CONTENT))
    assert get(digest=f"md5:{hashlib.md5(CONTENT).hexdigest()}")
    refused("expected md5:0, got md5:", get, digest="md5:0")


# What pooch would do otherwise.


def test_nothing_is_logged_and_the_file_can_be_read_by_others_as_any_file(server, get, path, capfd):
    server.does(gives(CONTENT))
    assert get()
    other = path.with_name("other")
    other.touch()
    assert path.stat().st_mode == other.stat().st_mode
    assert capfd.readouterr() == ("", "")


def test_an_interruption_while_the_digest_is_computed_costs_no_byte(server, get, path, monkeypatch):
    server.does(gives(CONTENT))

    def interrupt(*_, strict=False, **__):
        if strict:
            raise KeyboardInterrupt
        return False

    with monkeypatch.context() as patched:
        patched.setattr("pooch.core.hash_matches", interrupt)
        with pytest.raises(KeyboardInterrupt):
            get()
    assert left(path) == ["file.bin.part", "file.bin.part.json"]
    assert get()
    assert (len(server.requests), path.read_bytes(), left(path)) == (1, CONTENT, ["file.bin"])


@pytest.mark.parametrize("first", [CONTENT, OTHER], ids=["right", "wrong"])
def test_a_file_system_without_hard_links_will_do(server, get, path, monkeypatch, first):
    def unsupported(*_):
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(Path, "hardlink_to", unsupported)
    server.does(gives(first, cut=9000), gives(CONTENT, minds_version=False))
    assert get()
    assert (path.read_bytes(), left(path)) == (CONTENT, ["file.bin"])


# The server cuts off.


def test_what_is_cut_off_resumes_where_it_ended(server, get, path):
    server.does(gives(CONTENT, cut=15_000), gives(CONTENT))
    warnings = []
    assert get(warn=warnings.append)
    assert path.read_bytes() == CONTENT
    assert ranges(server) == [None, "bytes=15000-"]
    assert server.requests[1]["if-range"] == '"one"'
    assert "cut off at 15,000 of 40,000 bytes; trying again in 0.001 s" in warnings[0]


def test_a_line_that_breaks_often_is_no_reason_to_give_up_while_bytes_come(server, get, path):
    server.does(gives(CONTENT, cut=1000))
    assert get()
    assert path.read_bytes() == CONTENT
    assert len(server.requests) == 40


def test_giving_up_keeps_what_came_and_a_later_call_resumes_from_it(server, get, path):
    server.does(gives(CONTENT, cut=7000), hangs_up)
    refused(r"file\.bin could not be fetched: .*3 attempts failed in a row.* 7,000 bytes are kept in .*\.part\.", get)
    assert left(path) == ["file.bin.part", "file.bin.part.json"]
    assert part(path).read_bytes() == CONTENT[:7000]
    server.does(gives(CONTENT))
    assert get()
    assert ranges(server) == ["bytes=7000-"]
    assert (path.read_bytes(), left(path)) == (CONTENT, ["file.bin"])


def test_each_attempt_that_brings_nothing_waits_twice_as_long(server, get, monkeypatch):
    slept = []
    monkeypatch.setattr(transfer.time, "sleep", slept.append)
    server.does(hangs_up, hangs_up, gives(CONTENT, cut=39_000), hangs_up, gives(CONTENT))
    assert get(retry=RetryPolicy(attempts=4, pause=1.0))
    assert slept == [1.0, 2.0, 1.0, 2.0]


def test_a_killed_process_leaves_what_the_next_one_resumes_from(server, get, path, authority, tmp_path):
    server.does(gives(CONTENT, stalls=20_000), gives(CONTENT))
    script = (
        "import pathlib, sys\nfrom unseen.data.download.fetch import fetch\n"
        f"fetch(sys.argv[1], pathlib.Path(sys.argv[2]), digest={DIGEST!r}, size={len(CONTENT)})\n"
    )
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    environment = os.environ | {"SSL_CERT_FILE": str(tmp_path / "authority.pem")}
    process = subprocess.Popen([sys.executable, "-c", script, server.url(), str(path)], env=environment)
    end = time.monotonic() + 60
    while not part(path).exists() or part(path).stat().st_size < 20_000:
        assert process.poll() is None
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    refused("in use by another process", get)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert get()
    assert ranges(server) == [None, "bytes=20000-"]
    assert (path.read_bytes(), left(path)) == (CONTENT, ["file.bin"])


# The server lies about the length.


@pytest.mark.parametrize("announces", [len(CONTENT) + 1, len(CONTENT) - 1, 4], ids=["more", "less", "far-less"])
def test_a_length_other_than_the_published_is_refused_before_anything_is_written(server, get, path, announces):
    server.does(gives(CONTENT, announces=announces))
    refused(f"not the published file: expected 40,000 bytes, the server has {announces:,}", get)
    assert left(path) == []


def test_more_bytes_than_announced_are_never_read(server, get, path):
    server.does(gives(CONTENT + b"and more", announces=len(CONTENT)))
    assert get()
    assert path.read_bytes() == CONTENT


def test_fewer_bytes_than_announced_count_as_cut_off(server, get, path):
    server.does(gives(CONTENT[:-1], announces=len(CONTENT), ranges=False))
    refused("cut off at 39,999 of 40,000 bytes", get)
    assert left(path) == ["file.bin.part", "file.bin.part.json"]


def test_an_endless_stream_is_stopped_at_the_published_size(server, get, path):
    server.does(streams(*[CONTENT] * 1000))
    refused("expected 40,000 bytes, more came", get)
    assert left(path) == []


def test_where_no_size_is_published_the_servers_is_taken(server, get, path):
    server.does(gives(CONTENT, cut=100), gives(CONTENT))
    reported = []
    assert get(size=None, progress=lambda done, total: reported.append(total))
    assert (path.read_bytes(), set(reported)) == (CONTENT, {len(CONTENT)})
    assert ranges(server) == [None, "bytes=100-"]


def test_where_nobody_states_a_size_the_digest_decides(server, get, path):
    server.does(streams(CONTENT[:9000], ends=False), streams(CONTENT[:9000], CONTENT[9000:]))
    assert get(size=None)
    assert path.read_bytes() == CONTENT


def test_where_no_size_is_published_there_is_a_limit(server, get, path, monkeypatch):
    monkeypatch.setattr(transfer, "LIMIT", 30_000)
    server.does(gives(CONTENT))
    refused("expected at most 30,000 bytes, the server has 40,000", get, size=None)
    server.does(streams(CONTENT))
    refused("expected 30,000 bytes, more came", get, size=None)
    assert left(path) == []


# The server has another file.


def test_a_wrong_file_is_reported_with_both_digests_and_leaves_nothing(server, get, path):
    server.does(gives(OTHER))
    refused(f"expected {DIGEST}, got sha256:{hashlib.sha256(OTHER).hexdigest()}; nothing was put at {path}", get)
    assert left(path) == []
    assert len(server.requests) == 1


def test_a_file_that_changed_between_attempts_is_fetched_from_its_first_byte(server, get, path):
    server.does(gives(OTHER, cut=9000), gives(CONTENT, etag='"two"'))
    assert get()
    assert path.read_bytes() == CONTENT
    assert server.requests[1]["if-range"] == '"one"'


def test_a_file_put_together_from_two_versions_is_fetched_once_more_from_its_first_byte(server, get, path):
    server.does(gives(OTHER, cut=9000), gives(CONTENT, etag='"two"', minds_version=False))
    warnings = []
    assert get(warn=warnings.append)
    assert path.read_bytes() == CONTENT
    assert ranges(server) == [None, "bytes=9000-", None]
    assert "starting again from its first byte" in warnings[-1]


def test_after_one_fresh_try_a_wrong_file_is_wrong(server, get, path):
    server.does(gives(CONTENT, cut=9000), gives(OTHER, cut=100, minds_version=False), gives(OTHER, minds_version=False))
    refused(f"expected {DIGEST}, got", get)
    assert ranges(server) == [None, "bytes=9000-", "bytes=9100-", None]
    assert left(path) == []


def test_the_fresh_try_is_one_though_it_is_pieced_together_too(server, get, path):
    server.does(gives(OTHER, cut=20_000))
    refused(f"expected {DIGEST}, got", get)
    assert ranges(server) == [None, "bytes=20000-"] * 2


def test_a_wrong_file_that_came_whole_in_place_of_a_part_is_not_fetched_again(server, get, path):
    path.parent.mkdir()
    part(path).write_bytes(CONTENT[:500])
    server.does(gives(OTHER, ranges=False))
    refused(f"expected {DIGEST}, got", get)
    assert len(server.requests) == 1


def test_a_whole_partial_file_is_checked_without_a_request(server, get, path):
    path.parent.mkdir()
    part(path).write_bytes(CONTENT)
    server.does(gives(CONTENT))
    assert get()
    assert (server.requests, path.read_bytes()) == ([], CONTENT)


@pytest.mark.parametrize("found", [OTHER, OTHER + b"more", OTHER[:50]], ids=["whole", "longer", "shorter"])
def test_a_partial_file_of_something_else_costs_a_fresh_try(server, get, path, found):
    path.parent.mkdir()
    part(path).write_bytes(found)
    server.does(gives(CONTENT))
    assert get()
    assert (path.read_bytes(), left(path)) == (CONTENT, ["file.bin"])


# The server and ranges.


def test_a_server_without_ranges_starts_over(server, get, path):
    server.does(gives(CONTENT, cut=9000), gives(CONTENT, ranges=False))
    assert get()
    assert path.read_bytes() == CONTENT
    assert ranges(server) == [None, "bytes=9000-"]


def test_a_server_without_ranges_that_always_cuts_off_is_given_up(server, get, path):
    server.does(gives(CONTENT, cut=9000, ranges=False))
    refused(r"cut off at 9,000 of 40,000 bytes \(3 attempts", get)
    assert len(server.requests) == 3


def test_a_rest_that_begins_elsewhere_is_not_taken(server, get, path):
    server.does(gives(CONTENT, cut=9000), gives(CONTENT, shifted=5), gives(CONTENT))
    assert get()
    assert path.read_bytes() == CONTENT
    assert ranges(server) == [None, "bytes=9000-", None]


def test_a_part_that_was_not_asked_for_is_not_taken(server, get, path):
    part_unasked = says(206, **{"Content-Range": "bytes 0-3/40000"})
    server.does(gives(CONTENT, cut=9000), gives(CONTENT, shifted=5), part_unasked, gives(CONTENT))
    warnings = []
    assert get(warn=warnings.append, retry=RetryPolicy(attempts=4, pause=0.001))
    assert path.read_bytes() == CONTENT
    assert ["another part" in warning for warning in warnings] == [False, True, True]


def test_a_rest_of_a_file_of_another_size_is_refused_and_what_came_is_kept(server, get, path):
    server.does(gives(CONTENT, cut=9000), gives(CONTENT + b"more", minds_version=False))
    refused("expected 40,000 bytes, the server has 40,004", get)
    assert part(path).read_bytes() == CONTENT[:9000]


@pytest.mark.parametrize(
    ("headers", "version"),
    [
        ({"etag": '"strong"', "modified": MODIFIED}, '"strong"'),
        ({"etag": 'W/"weak"', "modified": MODIFIED}, MODIFIED),
        ({"etag": None, "modified": MODIFIED}, MODIFIED),
        ({"etag": None, "modified": None}, None),
    ],
    ids=["strong-etag", "weak-etag", "date", "nothing"],
)
def test_the_version_is_held_fast_by_what_the_server_calls_it(server, get, headers, version):
    server.does(gives(CONTENT, cut=9000, **headers), gives(CONTENT, **headers))
    assert get()
    assert (server.requests[1]["range"], server.requests[1].get("if-range")) == ("bytes=9000-", version)


@pytest.mark.parametrize("note", ["{", "[]", '{"url": 3}', None], ids=["damaged", "a-list", "no-version", "absent"])
def test_a_damaged_note_of_the_version_loses_nothing(server, get, path, note):
    path.parent.mkdir()
    part(path).write_bytes(CONTENT[:500])
    if note is not None:
        path.with_name("file.bin.part.json").write_text(note)
    server.does(gives(CONTENT))
    assert get()
    assert (ranges(server), path.read_bytes()) == (["bytes=500-"], CONTENT)
    assert "if-range" not in server.requests[0]


def test_a_version_at_another_address_is_not_asked_for(server, get, path):
    path.parent.mkdir()
    part(path).write_bytes(CONTENT[:500])
    path.with_name("file.bin.part.json").write_text(json.dumps({"url": "https://elsewhere/", "version": '"x"'}))
    server.does(gives(CONTENT))
    assert get()
    assert "if-range" not in server.requests[0]


# The server answers with something else.


@pytest.mark.parametrize(
    "page",
    [
        gives(b"<p>Welcome to our hotel</p>" * 2000, kind="text/html; charset=utf-8"),
        gives(b"\n <!DOCTYPE html><title>Log in</title>", kind="application/octet-stream"),
        gives(b"<HTML><body>moved</body></HTML>", kind="application/octet-stream"),
    ],
    ids=["by-its-type", "by-its-doctype", "by-its-tag"],
)
def test_a_web_page_with_status_200_is_reported_as_one(server, get, path, page):
    server.does(page)
    refused("answered with a web page instead of the file: either this network wants you to log in", get)
    assert left(path) == []


def test_a_web_page_does_not_cost_what_has_come(server, get, path):
    server.does(gives(CONTENT, cut=9000), gives(b"<html>", kind="text/html", ranges=False))
    refused("web page", get)
    assert part(path).read_bytes() == CONTENT[:9000]


@pytest.mark.parametrize("status", [401, 403, 404, 410, 204])
def test_a_status_that_will_not_change_ends_it_at_once(server, get, path, status):
    server.does(says(status))
    refused(rf"file\.bin answered {status} \w+.*; expected the file", get)
    assert (len(server.requests), left(path)) == (1, [])


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_status_that_may_change_is_tried_again(server, get, path, status):
    server.does(says(status), says(status), gives(CONTENT))
    assert get()
    assert path.read_bytes() == CONTENT


def test_a_server_that_stays_busy_is_given_up_with_its_status(server, get, path):
    server.does(says(503))
    refused(r"answered 503 Service Unavailable \(3 attempts failed in a row\)\. The same command tries again", get)
    assert (len(server.requests), left(path)) == (3, [])


# Only https.


@pytest.mark.parametrize(
    "url", ["http://example.com/f", "ftp://example.com/f", "file:///etc/hosts", "example.com/f", "https:///f", ""]
)
def test_an_address_below_https_is_refused(get, path, url):
    with pytest.raises(InputError, match="expected an address that begins with https://"):
        fetch(url, path, digest=DIGEST)
    assert left(path) == []


def test_a_redirect_to_https_is_followed_with_the_range(server, get, path):
    server.does(gives(CONTENT, cut=9000), says(302, Location=server.url("moved.bin")), gives(CONTENT))
    assert get()
    assert path.read_bytes() == CONTENT
    assert [(r["path"], r.get("range")) for r in server.requests] == [
        ("/file.bin", None), ("/file.bin", "bytes=9000-"), ("/moved.bin", "bytes=9000-"),
    ]  # fmt: skip


def test_a_redirect_to_http_is_refused_and_not_followed(server, get, path):
    with serving(None) as plain:
        plain.does(gives(CONTENT))
        server.does(says(301, Location=plain.url()))
        refused(rf"redirects to {plain.url()}; expected https", get)
        assert (plain.requests, left(path)) == ([], [])


@pytest.mark.parametrize("place", ["file:///etc/hosts", "ftp://127.0.0.1/f", "data:,x", "https://[", "https://", ""])
def test_a_redirect_to_anything_else_is_refused(server, get, path, place):
    server.does(says(302, Location=place))
    refused("(redirects to|answered 302)", get)
    assert left(path) == []


def test_an_endless_redirect_is_refused(server, get, path):
    server.does(says(302, Location=server.url()))
    refused("answered 302", get)
    assert left(path) == []


def test_a_certificate_nobody_vouches_for_is_refused(server, get, path):
    server.does(gives(CONTENT))
    refused(r"127\.0\.0\.1: its certificate is not trusted \(.*\); check .* SSL_CERT_FILE", get, context=None)
    assert (server.requests, left(path)) == ([], [])


def test_a_certificate_of_another_host_is_refused(authority, get, path):
    with serving(authority, name="elsewhere.example") as impostor:
        impostor.does(gives(CONTENT))
        refused("certificate is not trusted .*mismatch", get, url=impostor.url())
        assert impostor.requests == []


def test_the_proxy_of_the_environment_is_used(server, get, path, monkeypatch):
    with serving(None) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url(""))
        server.does(gives(CONTENT))
        assert get()
        assert [request["path"] for request in proxy.requests] == [server.url("").removeprefix("https://").rstrip("/")]
    assert path.read_bytes() == CONTENT


# The network isn't there.


def test_an_unknown_host_is_reported_with_what_to_check(get, path):
    refused(r"no-such-host\.invalid: .*; check the network, and https_proxy", get, url="https://no-such-host.invalid/f")
    assert left(path) == []


def test_a_host_where_nobody_listens_is_reported(server, get, authority):
    with serving(authority) as gone:
        url = gone.url()
    refused(r"127\.0\.0\.1: Connection refused; check the network.*3 attempts", get, url=url)


def test_a_server_that_falls_silent_is_not_waited_for(server, get, path):
    server.does(gives(CONTENT, stalls=5000))
    refused("nothing came in time", get, retry=RetryPolicy(attempts=1, timeout=0.2))
    assert part(path).stat().st_size == 5000


# The disk.


def test_a_file_there_is_no_room_for_is_refused_before_anything_is_written(server, get, path):
    server.does(gives(CONTENT, announces=2**60))
    refused(r"1,152,921,504,606,846,976 more bytes are needed for file\.bin", get, kind=SaveFailed, size=2**60)
    assert left(path) == []


def test_a_disk_that_fills_up_is_one_message_and_loses_nothing(server, get, path):
    server.does(gives(CONTENT))
    with no_file_may_exceed(25_000):
        refused(r"could not write to .*\.part: File too large; .* 25,000 bytes are kept", get, kind=SaveFailed)
    assert get()
    assert (path.read_bytes(), ranges(server)) == (CONTENT, [None, "bytes=25000-"])


def test_a_folder_that_cannot_be_made_is_reported(server, get, path):
    path.parent.write_text("a file")
    refused(r"data: can't write there \(.*\); choose another folder", get)


# Another process.


def test_of_two_that_fetch_one_file_the_second_is_refused_and_the_first_is_undisturbed(server, get, path):
    server.does(gives(CONTENT, stalls=20_000))
    first = threading.Thread(target=get)
    first.start()
    while not (part(path).exists() and part(path).stat().st_size == 20_000):
        time.sleep(0.005)
    refused(r"file\.bin\.part is in use by another process", get)
    server.resumes.set()
    first.join()
    assert (path.read_bytes(), left(path)) == (CONTENT, ["file.bin"])


def test_a_file_that_another_process_finishes_while_we_wait_is_not_touched(server, get, path, monkeypatch):
    lock = partial.lock

    def late(file, where):
        if not path.exists():
            where.write_bytes(CONTENT)
            where.rename(path)  # what we have opened is now the finished file
        lock(file, where)

    monkeypatch.setattr(partial, "lock", late)
    server.does(gives(CONTENT))
    assert not get()
    assert (server.requests, path.read_bytes(), left(path)) == ([], CONTENT, ["file.bin"])


def test_a_partial_file_that_another_process_gives_up_while_we_wait_is_made_anew(server, get, path, monkeypatch):
    lock, calls = partial.lock, []

    def late(file, where):
        calls.append(where)
        if len(calls) == 1:
            where.unlink()  # what we have opened has no name any more
        lock(file, where)

    monkeypatch.setattr(partial, "lock", late)
    server.does(gives(CONTENT))
    assert get()
    assert (len(calls), path.read_bytes(), left(path)) == (2, CONTENT, ["file.bin"])


@pytest.mark.parametrize("digits", [19, 5_000])
def test_a_range_of_absurd_numbers_is_refused_and_the_file_comes_from_its_first_byte(digits, server, get, path):
    def absurd(handler):
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes {'9' * digits}-{'9' * digits}/{'9' * digits}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    server.does(gives(CONTENT, cut=20_000), absurd, gives(CONTENT))
    assert get()
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("digits", [19, 4_000, 5_000])
def test_a_length_of_absurd_numbers_counts_as_none(digits, server, get, path):
    server.does(_announcing("9" * digits))
    assert get(size=None)
    assert path.read_bytes() == CONTENT


def _announcing(length):
    def behave(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", length)
        handler.end_headers()
        handler.wfile.write(CONTENT)

    return behave


def test_a_server_that_drips_is_given_up_with_how_to_resume(server, get, path, monkeypatch):
    monkeypatch.setattr(https, "SLOW_AFTER", 0.3)
    server.does(gives(CONTENT, cut=20_000), _drips_the_rest)
    said = refused(r"only \d+ bytes came in \d+ s, expected 1,024 a second or more", get)
    kept = part(path).stat().st_size
    assert said.endswith(f"{kept:,} bytes are kept in {part(path)}. The same command resumes")
    assert "attempts" not in said
    server.does(gives(CONTENT))
    assert get()
    assert ranges(server) == [f"bytes={kept}-"]


def test_a_server_that_drips_its_headers_is_given_up(server, get, monkeypatch):
    monkeypatch.setattr(https, "SLOW_AFTER", 0.3)
    server.does(lambda handler: _drip(handler, b"HTTP/1.1 200 OK\r\nX: " + CONTENT))
    said = refused(r"only \d+ bytes came in \d+ s, expected 1,024 a second or more", get)
    assert said.endswith("The same command tries again")


def _drip(handler, content):
    """The bytes one by one, a hundred in a second, for as long as somebody listens."""
    with suppress(OSError):
        for byte in content:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(0.01)


def _drips_the_rest(handler):
    start = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
    handler.send_header("Content-Length", str(len(CONTENT) - start))
    handler.end_headers()
    _drip(handler, CONTENT[start:])


def test_a_byte_for_each_attempt_is_given_up_too(server, get, monkeypatch):
    monkeypatch.setattr(https, "LEAST_RATE", 10**6)
    server.does(*(gives(CONTENT, cut=1) for _ in range(20)))
    refused("3 attempts failed in a row", get)
    assert len(server.requests) == 3


def test_a_version_that_is_no_header_is_not_sent_back(server, get, path):
    server.does(gives(CONTENT, cut=20_000, etag='"one\r\n two"'), gives(CONTENT))
    assert get()
    assert "if-range" not in server.requests[1]
