"""Getting published sets to where they are looked for, from a server of our own."""

import gzip
import hashlib
import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from serving import gives, says, trusted

from unseen.data import official
from unseen.data.download.obtain import TERMS, download_folder, files_of, found, obtain, published_sets
from unseen.data.download.transfer import RetryPolicy
from unseen.data.official import OfficialFile
from unseen.errors import InputError, SaveFailed

PIXELS = bytes(range(256)) * 8
QUICK = RetryPolicy(attempts=2, pause=0.001, timeout=5)


def archive_of(**files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def published(content, url, **options):
    given = {"name": "file.mat", "folder": "svhn", "size": len(content)}
    return OfficialFile(url=url, sha256=hashlib.sha256(content).hexdigest(), **(given | options))


@pytest.fixture
def server(monkeypatch, tmp_path):
    with trusted(monkeypatch, tmp_path) as server:
        yield server


@pytest.fixture
def root(tmp_path):
    return tmp_path / "data"


def test_a_file_goes_to_its_folder(server, root):
    server.does(gives(PIXELS))
    file = published(PIXELS, server.url())
    assert found(file, root) is None
    assert obtain(file, root, retry=QUICK) == root / "svhn" / "file.mat"
    assert (root / "svhn" / "file.mat").read_bytes() == PIXELS
    assert found(file, root) == root / "svhn" / "file.mat"


@pytest.mark.parametrize("size", [None, 1], ids=["size-unknown", "size-known"])
def test_an_archive_is_unpacked_to_the_folder_it_holds(server, root, size):
    content = archive_of(**{"set/train/a.png": b"a", "tools/b": b"b"})
    server.does(gives(content))
    file = published(content, server.url(), name="set.tar.gz", folder="", holds="set", size=size and len(content))
    assert obtain(file, root, retry=QUICK) == root / "set"
    assert (root / "set" / "train" / "a.png").read_bytes() == b"a"
    assert not (root / "tools").exists()
    assert found(file, root) == root / "set"


def test_an_archive_with_names_that_lead_out_is_refused_though_its_digest_is_right(server, root, tmp_path):
    content = archive_of(**{"set/a.png": b"a", "../../evil": b"evil"})
    server.does(gives(content))
    file = published(content, server.url(), name="set.tar.gz", folder="", holds="set")
    with pytest.raises(InputError, match=r'its member "\.\./\.\./evil" would be written outside'):
        obtain(file, root, retry=QUICK)
    assert sorted(entry.name for entry in root.iterdir()) == ["set.tar.gz"]
    assert not list(tmp_path.parent.rglob("evil"))


def test_an_archive_that_was_got_by_hand_is_unpacked_without_a_request(server, root):
    content = archive_of(**{"set/a.png": b"a"})
    file = published(content, server.url(), name="set.tar.gz", folder="", holds="set")
    root.mkdir()
    (root / "set.tar.gz").write_bytes(content)
    server.does(says(404))
    assert obtain(file, root, retry=QUICK) == root / "set"
    (root / "set" / "a.png").unlink()
    (root / "set").rmdir()
    assert obtain(replace(file, url=None, how="ask"), root) == root / "set"
    assert server.requests == []


def test_what_cannot_be_fetched_is_reported_with_how_to_get_it_by_hand_and_where_it_belongs(server, root):
    server.does(says(404))
    file = published(PIXELS, server.url(), how="write to the authors")
    place = rf"Got by hand \(write to the authors\), it belongs at {root}/svhn/file\.mat"
    with pytest.raises(InputError, match=rf"answered 404 Not Found.*{place.replace('write', f'{file.url}; or write')}"):
        obtain(file, root, retry=QUICK)
    assert not root.exists()
    with pytest.raises(InputError, match=rf"file\.mat can't be fetched over https\. {place}"):
        obtain(replace(file, url=None), root)
    (root / "svhn").mkdir(parents=True)
    (root / "svhn" / "file.mat").write_bytes(b"wrong")
    with pytest.raises(InputError, match=rf"is not the published file: expected sha256:{file.sha256}\. {place}"):
        obtain(replace(file, url=None), root)


def test_a_full_disk_keeps_its_own_message_and_exit_code(server, root):
    server.does(gives(PIXELS, announces=2**60))
    with pytest.raises(SaveFailed, match="more bytes are needed") as caught:
        obtain(published(PIXELS, server.url(), size=2**60), root)
    assert "by hand" not in str(caught.value)


@pytest.mark.parametrize(
    "place",
    ["mnist/idx.gz", "mnist/idx", "MNIST/raw/idx", "MNIST/raw/idx.gz", "idx.gz"],
)
@pytest.mark.parametrize("level", [None, 1, 9], ids=["plain", "lightly-packed", "well-packed"])
def test_what_people_already_have_is_found_in_its_layout_and_compression(root, place, level):
    file = published(gzip.compress(PIXELS, 6, mtime=0), "https://x/", name="idx.gz", folder="mnist")
    file = replace(file, content_sha256=hashlib.sha256(PIXELS).hexdigest())
    (root / place).parent.mkdir(parents=True)
    (root / place).write_bytes(PIXELS if level is None else gzip.compress(PIXELS, level))
    assert found(file, root) == root / place
    (root / place).write_bytes(b"\x1f\x8b damaged" if level else PIXELS[1:])
    assert found(file, root) is None


def test_a_set_is_all_of_its_parts_and_each_file_is_had_once():
    assert set(published_sets()) == {"mnist", "svhn", "mnist-m", "syn", "usps", "bsds500"}
    assert [file.name for file in files_of(["svhn", "SVHN-test"])] == ["train_32x32.mat", "test_32x32.mat"]
    assert [file.name for file in files_of(["mnist-test"])] == [
        "t10k-images-idx3-ubyte.gz",
        "t10k-labels-idx1-ubyte.gz",
    ]
    assert [file.name for file in files_of(["mnist-m"])] == ["mnist_m.tar.gz"]
    assert len(published_sets()["mnist-m"]) == 1  # one archive has both parts
    assert len(files_of(["mnist"])) == 4


@pytest.mark.parametrize(("name", "meant"), [("shvn", "svhn"), ("mnist-tset", "mnist-test"), ("imagenet", None)])
def test_an_unknown_set_is_refused_with_the_nearest(name, meant):
    with pytest.raises(InputError, match=f'did you mean "{meant}"' if meant else "known are bsds500, mnist, mnist-m"):
        files_of([name])


def test_every_set_has_terms_and_every_file_an_https_address_or_a_way_by_hand_and_a_digest():
    assert published_sets().keys() == TERMS.keys()
    for files in official.OFFICIAL.values():
        for file in files:
            assert file.url.startswith("https://") if file.url else file.how
            assert len(file.sha256 or "") == 64 or len(file.md5 or "") == 32


def test_the_folder_is_the_given_one_else_the_environments(monkeypatch, tmp_path):
    monkeypatch.setenv("UNSEEN_DATA", "~/sets")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert download_folder(None) == tmp_path / "sets"
    assert download_folder(Path("~/other")) == tmp_path / "other"
    monkeypatch.delenv("UNSEEN_DATA")
    with pytest.raises(InputError, match="expected a folder to put the files in; give it with --data, or set UNSEEN_D"):
        download_folder(None)
