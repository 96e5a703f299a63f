"""Unpacking archives that were made to do harm, or that were damaged on their way."""

import io
import resource
import stat
import tarfile
import zipfile

import pytest

from unseen.data.download.partial import lock
from unseen.data.download.unpack import unpack
from unseen.errors import InputError, SaveFailed

GOOD = {"set/README": b"hello", "set/train/0.png": b"zero", "set/train/1.png": b"one" * 5000}
LINKS = {tarfile.SYMTYPE: "/etc/passwd", tarfile.LNKTYPE: "set/README", tarfile.FIFOTYPE: "", tarfile.CHRTYPE: ""}


def make_tar(path, files, links=()):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, kind in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, LINKS[kind]
            archive.addfile(info)
    return path


def make_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


KINDS = {"set.tar.gz": make_tar, "set.zip": make_zip}


@pytest.fixture(params=KINDS)
def make(request, tmp_path):
    """Make an archive of these files, in one format and the other."""
    (tmp_path / "data").mkdir()
    return lambda files: KINDS[request.param](tmp_path / "data" / request.param, files)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir(exist_ok=True)
    return tmp_path / "data"


def refused(message, archive, kind=InputError, **options):
    """The archive is refused, and what lies anywhere around it is what lay there before."""
    around = archive.parents[1]
    before = sorted(around.rglob("*"))
    with pytest.raises(kind, match=message):
        unpack(archive, archive.parent, **({"holds": "set"} | options))
    assert sorted(around.rglob("*")) == before


def contents(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_folder_is_unpacked_and_the_archive_stays(make, folder):
    archive = make(GOOD)
    packed = archive.read_bytes()
    assert unpack(archive, folder, holds="set")
    assert contents(folder) == GOOD | {archive.name: packed}


def test_only_what_is_wanted_is_unpacked(make, folder):
    assert unpack(make(GOOD | {"other/file": b"x", "set/trainer/2.png": b"x"}), folder, holds="set/train")
    assert sorted(contents(folder / "set")) == ["train/0.png", "train/1.png"]


def test_what_is_there_is_not_touched(make, folder):
    (folder / "set").mkdir()
    (folder / "set" / "mine").write_text("mine")
    assert not unpack(make(GOOD), folder, holds="set")
    assert contents(folder / "set") == {"mine": b"mine"}


def test_what_a_killed_process_left_is_cleared_away(make, folder):
    archive = make(GOOD)
    (folder / f".{archive.name}.part" / "set").mkdir(parents=True)
    (folder / f".{archive.name}.part" / "set" / "half").write_text("half")
    assert unpack(archive, folder, holds="set")
    assert contents(folder / "set").keys() == {"README", "train/0.png", "train/1.png"}
    assert sorted(entry.name for entry in folder.iterdir()) == ["set", archive.name]


@pytest.mark.parametrize(
    "name",
    ["../evil", "set/../../evil", "/tmp/evil", "set/..", "..\\evil", "set\\..\\..\\evil", "C:evil", "C:/evil"],
)
def test_a_name_that_leads_out_of_the_folder_refuses_the_whole_archive(make, name):
    refused("is refused: its member .* would be written outside of the folder", make(GOOD | {name: b"evil"}))


@pytest.mark.parametrize("kind", LINKS, ids=["symbolic-link", "hard-link", "pipe", "device"])
def test_a_link_or_a_device_refuses_the_whole_archive(folder, kind):
    refused(r'"set/odd" is a link or a device', make_tar(folder / "set.tar.gz", GOOD, [("set/odd", kind)]))


def test_a_link_in_a_zip_refuses_it(folder):
    link = zipfile.ZipInfo("set/odd")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    refused(r'"set/odd" is a link or a device', make_zip(folder / "set.zip", GOOD | {link: b"/etc/passwd"}))


def test_a_link_outside_of_what_is_wanted_is_left_out(folder):
    archive = make_tar(folder / "set.tar.gz", GOOD, [("tools/odd", tarfile.SYMTYPE)])
    assert unpack(archive, folder, holds="set")
    assert not (folder / "tools").exists()


def test_a_flood_of_bytes_is_refused(make):
    archive = make(GOOD | {"set/zeros": bytes(10**6)})
    assert archive.stat().st_size < 5000
    refused("expected at most .* of 1,000,000 bytes, it has more", archive, most_bytes=10**6)


def test_a_flood_of_files_is_refused(make):
    archive = make(GOOD | {f"set/{i}": b"" for i in range(20)})
    refused("expected at most 22 members .* it has more", archive, most_members=22)
    assert unpack(archive, archive.parent, holds="set", most_members=23)


def test_a_zip_that_lies_about_a_size_gives_no_more_than_it_said(folder):
    archive = make_zip(folder / "set.zip", {"set/zeros": bytes(100_000)})
    honest, lie = (100_000).to_bytes(4, "little"), (10).to_bytes(4, "little")
    archive.write_bytes(archive.read_bytes().replace(honest, lie))
    refused("can't be unpacked", archive, most_bytes=50)


@pytest.mark.parametrize("kept", [0.9, 0.5, 0.01], ids=lambda part: f"{part:.0%}")
def test_a_truncated_archive_is_refused(make, kept):
    archive = make(GOOD | {f"set/{i}": bytes(range(i, 256)) for i in range(200)})
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(len(whole) * kept)])
    refused("(can't be unpacked|expected a zip or tar archive).*fetch it again", archive)


def test_an_encrypted_zip_is_refused(folder):
    archive = make_zip(folder / "set.zip", {"set/a": b"a"})
    content = bytearray(archive.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1
    archive.write_bytes(content)
    refused("can't be unpacked .*encrypted", archive)


def test_something_else_under_the_name_of_an_archive_is_refused(make):
    archive = make(GOOD)
    archive.write_text("<html>log in</html>")
    refused("expected a zip or tar archive, got something else; fetch it again", archive)


def test_another_archive_is_refused_with_what_is_in_it(make):
    refused("expected a folder set in it, found dogs, notes; is it", make({"dogs/a": b"a", "notes": b"n"}))


def test_a_file_in_the_place_of_the_folder_is_refused(make):
    refused("expected a folder set in it, found set", make({"set": b"a file"}))


def test_a_disk_that_fills_up_is_one_message_and_leaves_nothing(make):
    archive = make(GOOD)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limit[1]))
    try:
        refused("could not be unpacked: File too large; free space", archive, kind=SaveFailed)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)


def test_an_archive_that_another_process_unpacks_is_left_to_it(make):
    archive = make(GOOD)
    with archive.open("r+b") as file:
        lock(file, archive)
        refused("is in use by another process", archive)


def test_an_archive_that_cannot_be_opened_is_one_message(folder):
    (folder / "set.zip").mkdir()
    refused("could not be unpacked: Is a directory", folder / "set.zip", kind=SaveFailed)
