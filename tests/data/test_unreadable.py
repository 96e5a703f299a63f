"""Folders and files that can't be read, aren't files, or go away meanwhile: a message, and no waiting."""

import os
import shutil
import socket

import pytest
from PIL import Image

import unseen
from unseen.data import decoded, image_folder
from unseen.data.catalogue import domain
from unseen.errors import InputError, SaveFailed


@pytest.fixture
def pets(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / "pets" / name).mkdir(parents=True)
        for i in range(2):
            Image.new("RGB", (6, 6)).save(tmp_path / "pets" / name / f"{i}.png")
    return tmp_path / "pets"


def said(read):
    with pytest.raises(InputError) as caught:
        read()
    return str(caught.value)


def as_nobody(tmp_path, read):
    """What a process says, or ``read`` gives, as an ordinary user; root may read everything."""
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_mode & 0o777 == 0o700:  # pytest's own
            place.chmod(0o755)
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            found = str(read())
        except Exception as error:
            found = f"{type(error).__name__} {error}"
        os.write(into, found.encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as answer:
        os.waitpid(child, 0)
        return answer.read()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("", "InputError {} can't be read: Permission denied; check the path and its permissions"),
        ("dog", "InputError {}/dog can't be read: Permission denied; check the path and its permissions"),
        ("dog/1.png", "InputError {}: dog/1.png can't be read (Permission denied); replace or remove it"),
    ],
    ids=["the folder", "a class", "a file"],
)
def test_what_an_ordinary_user_may_not_read_is_named(where, expected, pets, tmp_path):
    unseen.folder(pets)  # whatever is imported late is imported
    (pets / where).chmod(0)
    try:
        assert as_nobody(tmp_path, lambda: unseen.folder(pets)).startswith(expected.format(pets))
    finally:
        (pets / where).chmod(0o755)


def test_a_pipe_a_socket_and_a_broken_link_are_named_and_nobody_waits_for_them(pets, tmp_path, monkeypatch):
    os.mkfifo(pets / "cat/pipe.png")
    monkeypatch.chdir(pets / "cat")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket.png")
    (pets / "dog/nowhere.png").symlink_to(tmp_path / "gone")
    (pets / "dog/round.png").symlink_to(pets / "dog/round.png")
    (pets / "dog/device.png").symlink_to("/dev/zero")
    message = said(lambda: unseen.folder(pets))
    for expected in (
        "cat/pipe.png is a pipe, expected a file; replace or remove it",
        "cat/socket.png is a socket, expected a file",
        "dog/device.png is a device, expected a file",
        "dog/nowhere.png can't be read (No such file or directory)",
        "dog/round.png can't be read (Too many levels of symbolic links)",
    ):
        assert expected in message
    warned: list[str] = []
    assert len(unseen.folder(pets, leave_out_unreadable=True, warn=warned.append)) == 4
    assert "left out 5 of 9 files, which can't be read: cat/pipe.png is a pipe, expected a file and 4 more" in warned[0]


def test_a_class_that_is_a_link_to_nowhere_is_not_left_out_in_silence(pets, tmp_path):
    (pets / "bird").symlink_to(tmp_path / "gone")
    assert said(lambda: unseen.folder(pets)) == f"{pets / 'bird'} is a link that leads nowhere; mend it or remove it"


def test_a_folder_that_goes_away_while_it_is_read_is_a_message(pets, monkeypatch):
    decode = image_folder.decoded

    def gone(*given):
        shutil.rmtree(pets / "dog")
        return decode(*given)

    monkeypatch.setattr(image_folder, "decoded", gone)
    assert "dog/0.png can't be read (No such file or directory)" in said(lambda: unseen.folder(pets))


def test_masks_that_are_pipes_are_named(tmp_path):
    for part in ("images", "masks"):
        (tmp_path / part).mkdir()
    Image.new("RGB", (6, 6)).save(tmp_path / "images/a.png")
    os.mkfifo(tmp_path / "masks/a.png")
    assert "masks/a.png is a pipe, expected a file" in said(
        lambda: unseen.masks(tmp_path / "images", tmp_path / "masks", ["a"])
    )


@pytest.mark.parametrize("name", ["~nobody-at-all/x", "x" * 300, "a\x00b"], ids=["no home", "too long", "a zero"])
def test_a_path_that_cannot_be_is_a_message(name, tmp_path):
    for read in (
        lambda: unseen.folder(name),
        lambda: domain(name),
        lambda: domain(f"masks:{name}"),
        lambda: unseen.masks(name, name, ["a"]),
    ):
        assert said(read)


@pytest.mark.parametrize("cache", ["/proc/nowhere", "~nobody-at-all/x"])
def test_a_cache_folder_that_cannot_be_is_a_message_with_the_variable(cache, pets, monkeypatch):
    monkeypatch.setattr(decoded, "SMALL", 0)
    monkeypatch.setenv("UNSEEN_CACHE", cache)
    with pytest.raises((SaveFailed, InputError), match=r"UNSEEN_CACHE|write the path in full"):
        unseen.folder(pets)


def test_a_file_that_becomes_readable_is_read_though_images_were_kept_without_it(pets, tmp_path, monkeypatch):
    """The cache goes by names, sizes and times, and none of these change with the permission."""
    monkeypatch.setattr(decoded, "SMALL", 0)
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)

    def read():
        return len(unseen.folder(pets, leave_out_unreadable=True, progress=False, warn=str))

    (pets / "dog/1.png").chmod(0)
    assert as_nobody(tmp_path, read) == "3"
    (pets / "dog/1.png").chmod(0o644)
    assert as_nobody(tmp_path, read) == "4"


def test_eps_is_no_picture_whatever_its_name_is(pets):
    """For EPS, Pillow starts another program."""
    (pets / "dog/1.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 6 6\n%%EndComments\nshowpage\n")
    assert "dog/1.png can't be read (cannot identify image file)" in said(lambda: unseen.folder(pets))
