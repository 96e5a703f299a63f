"""Files that can't be used: each gets one message with its path, what was expected, what came, and what to do."""

import bz2
import gzip
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

from unseen.data import official
from unseen.data.catalogue import domain, domains
from unseen.errors import InputError

HTML = b"\n<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>"


def said(name, data):
    with pytest.raises(InputError) as caught:
        domain(name, data=data)
    return str(caught.value)


def listed(name, data):
    return next(entry.missing for entry in domains(data) if entry.name == name)


def without_digest(monkeypatch, name):
    files = tuple(
        replace(f, size=None, sha256=None, content_size=None, content_sha256=None) for f in official.OFFICIAL[name]
    )
    monkeypatch.setattr(official, "OFFICIAL", {**official.OFFICIAL, name: files})


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("mnist-test", "t10k-images-idx3-ubyte.gz"),
        ("mnist-test", "t10k-labels-idx1-ubyte.gz"),
        ("svhn-train", "train_32x32.mat"),
        ("syn-test", "synth_test_32x32.mat"),
        ("usps-test", "usps.t.bz2"),
        ("mnist-m-test", "mnist_m_test_labels.txt"),
    ],
    ids=lambda value: value,
)
def test_a_web_page_saved_as_the_file_is_called_that_in_the_message_and_in_the_list(name, file, publish, tmp_path):
    publish(name)
    (tmp_path / file).write_bytes(HTML)
    message = said(name, tmp_path)
    assert message.startswith(f"{tmp_path / file}: expected the data of {name}, got a web page")
    assert message.endswith(f"unseen download {name}")
    assert listed(name, tmp_path) == message


@pytest.mark.parametrize(
    ("name", "file", "expected"),
    [
        ("mnist-test", "t10k-images-idx3-ubyte", "9,424 bytes, got 9,000 (it was cut short)"),
        ("mnist-test", "t10k-labels-idx1-ubyte", "20 bytes, got 15 (it was cut short)"),
        ("svhn-test", "test_32x32.mat", "(it was cut short)"),
    ],
    ids=["images", "labels", "mat"],
)
def test_a_file_that_was_cut_short_is_reported_by_its_length(name, file, expected, publish, tmp_path):
    publish(name, packed=False)
    content = (tmp_path / file).read_bytes()
    (tmp_path / file).write_bytes(content[: 9000 if len(content) > 9000 else 15])
    message = said(name, tmp_path)
    assert str(tmp_path / file) in message
    assert expected in message
    assert f"unseen download {name}" in message


def test_a_cut_mat_is_seen_by_the_list_without_reading_it(publish, tmp_path):
    publish("svhn-test")
    file = tmp_path / "test_32x32.mat"
    file.write_bytes(file.read_bytes()[:-1])
    assert "cut short" in listed("svhn-test", tmp_path)


@pytest.mark.parametrize("packed", [True, False], ids=["gzipped", "plain"])
@pytest.mark.parametrize("kind", ["images-idx3", "labels-idx1"])
def test_a_cut_idx_file_is_seen_by_the_list_without_unpacking_it(kind, packed, publish, tmp_path):
    publish("mnist-test", packed=packed)
    file = tmp_path / f"t10k-{kind}-ubyte{'.gz' * packed}"
    file.write_bytes(file.read_bytes()[:-1])
    assert str(file) in listed("mnist-test", tmp_path)
    assert "cut short" in listed("mnist-test", tmp_path)


@pytest.mark.parametrize(("name", "file"), [("mnist-test", "t10k-images-idx3-ubyte.gz"), ("usps-train", "usps.bz2")])
def test_a_compressed_file_that_was_cut_short_is_called_damaged(name, file, publish, tmp_path):
    publish(name)
    (tmp_path / file).write_bytes((tmp_path / file).read_bytes()[:-200])
    assert re.search("expected .*a whole (gzip|bzip2) file, got", said(name, tmp_path))


def test_images_and_labels_with_each_others_name_are_recognized(publish, tmp_path):
    publish("mnist-train")
    images, labels = (tmp_path / f"train-{kind}-ubyte.gz" for kind in ("images-idx3", "labels-idx1"))
    aside = images.rename(tmp_path / "aside")
    labels.rename(images)
    aside.rename(labels)
    message = said("mnist-train", tmp_path)
    assert message == f"{images}: expected images, got labels; the two files' names are swapped: rename them"
    assert listed("mnist-train", tmp_path) == message


@pytest.mark.parametrize(
    ("content", "got"), [(b"", "an empty file"), (b"PK\x03\x04rest", "50 4b 03 04"), (b"\0\0\x08\x03\0", "00 00 08 03")]
)
def test_a_file_that_is_no_idx_file_is_reported_by_how_it_begins(content, got, publish, tmp_path):
    publish("mnist-test", packed=False)
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(content)
    assert f"expected an idx file, which begins 00 00 08 03, got {got}" in said("mnist-test", tmp_path)


def test_half_of_mnist_is_refused_with_the_other_halfs_name(publish, tmp_path):
    publish("mnist-test")
    (tmp_path / "t10k-labels-idx1-ubyte.gz").unlink()
    message = said("mnist-test", tmp_path)
    assert "expected t10k-labels-idx1-ubyte.gz (or without .gz) beside it, got nothing there" in message


@pytest.mark.parametrize("name", ["mnist-test", "svhn-test", "syn-test", "usps-test"])
def test_a_file_with_other_content_of_the_same_kind_is_reported_by_its_digest(name, publish, monkeypatch, tmp_path):
    publish(name)
    zeros = "0" * 64
    files = tuple(
        replace(f, **{"content_sha256" if f.content_sha256 else "sha256": zeros}) for f in official.OFFICIAL[name]
    )
    monkeypatch.setattr(official, "OFFICIAL", {**official.OFFICIAL, name: files})
    assert f"expected the official file, SHA-256 {zeros}, got SHA-256 " in said(name, tmp_path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.zeros((32, 32, 3, 5), np.uint8)}, "expected arrays X and y, got none named y"),
        (
            {"X": np.ones((5, 1), np.uint8), "y": np.zeros((32, 32, 3, 5), np.uint8)},
            "expected X as uint8 (32, 32, 3, N), got uint8 (5, 1)",
        ),
        (
            {"X": np.zeros((32, 32, 3, 5), np.uint8), "y": np.ones((4, 1), np.uint8)},
            "expected a label for each image, got 5 images and 4 labels",
        ),
        (
            {"X": np.zeros((32, 32, 3, 2), np.uint8), "y": np.array([[3], [11]], np.uint8)},
            "expected labels 0 to 9, got labels 3 to 11",
        ),
        ({"X": np.zeros((32, 32, 3, 2), np.uint8), "y": np.array([[0], [10]], np.uint8)}, "got both 0 and 10"),
        ({"X": np.zeros((32, 32, 3, 2), np.uint8), "y": np.array([[0.5], [1]])}, "expected labels as whole numbers"),
        ({"X": np.zeros((32, 32, 3, 2)), "y": np.ones((2, 1), np.uint8)}, "expected images as uint8"),
    ],
    ids=["no labels", "swapped", "a label short", "11", "0 and 10", "half a label", "floating point"],
)
def test_a_mat_file_with_other_arrays_is_refused(arrays, message, monkeypatch, tmp_path):
    without_digest(monkeypatch, "svhn-test")
    savemat(tmp_path / "test_32x32.mat", arrays)
    assert message in said("svhn-test", tmp_path)


def test_labels_of_a_mat_file_may_be_floating_point(monkeypatch, tmp_path):
    without_digest(monkeypatch, "syn-test")
    savemat(tmp_path / "synth_test_32x32.mat", {"X": np.zeros((32, 32, 3, 3), np.uint8), "y": [[0.0], [9.0], [4.0]]})
    assert domain("syn-test", data=tmp_path).labels.tolist() == [0, 9, 4]


def test_what_is_no_mat_file_is_refused(monkeypatch, tmp_path):
    without_digest(monkeypatch, "svhn-test")
    (tmp_path / "test_32x32.mat").write_bytes(b"nothing of the kind" * 20)
    assert "expected a MATLAB file, got what can't be read as one" in said("svhn-test", tmp_path)


@pytest.mark.parametrize(
    "line",
    ["x 1:0", "3 1:2", "3 257:0", "3 0:1", "3 -1:1", "3 1:nan", "3 1", "", "# 3", "nan 1:0", "1e99 1:0", "1.5 1:0"],
    ids=lambda line: line or "empty",
)
def test_a_line_of_usps_that_cannot_be_one_is_reported_by_its_number(line, monkeypatch, tmp_path):
    without_digest(monkeypatch, "usps-test")
    (tmp_path / "usps.t.bz2").write_bytes(bz2.compress(f"1 1:0.5\n{line}\n2 1:0\n".encode()))
    assert f'got "{line}" in line 2' in said("usps-test", tmp_path)


def test_more_text_than_usps_can_have_is_refused_before_all_of_it_is_unpacked(monkeypatch, tmp_path):
    without_digest(monkeypatch, "usps-test")
    monkeypatch.setattr(official, "IMAGES", {**official.IMAGES, "usps-test": 1})
    (tmp_path / "usps.t.bz2").write_bytes(bz2.compress(b"1 1:0.5\n" * 100_000))
    assert "expected at most 8,192 bytes of text, got more" in said("usps-test", tmp_path)


@pytest.mark.parametrize("label", [0, 11])
def test_a_label_of_usps_out_of_range_is_refused(label, monkeypatch, tmp_path):
    without_digest(monkeypatch, "usps-test")
    (tmp_path / "usps.t.bz2").write_bytes(bz2.compress(f"{label} 1:0.5\n1 1:0\n".encode()))
    assert "expected labels 0 to 9" in said("usps-test", tmp_path)


def test_a_published_folder_that_lacks_images_or_has_others_is_refused_with_one_of_them(publish, tmp_path):
    publish("mnist-m-test", "mnist_m")
    (tmp_path / "mnist_m/mnist_m_test/00000003.png").unlink()
    assert "1 of them missing and 0 that it doesn't name, for instance 00000003.png" in said("mnist-m-test", tmp_path)
    shutil.copy(tmp_path / "mnist_m/mnist_m_test/00000002.png", tmp_path / "mnist_m/mnist_m_test/00000003.png")
    shutil.copy(tmp_path / "mnist_m/mnist_m_test/00000002.png", tmp_path / "mnist_m/mnist_m_test/extra.png")
    assert "0 of them missing and 1 that it doesn't name, for instance extra.png" in said("mnist-m-test", tmp_path)


def test_an_empty_folder_beside_its_list_is_refused(publish, tmp_path):
    publish("mnist-m-test")
    shutil.rmtree(tmp_path / "mnist_m_test")
    (tmp_path / "mnist_m_test").mkdir()
    message = said("mnist-m-test", tmp_path)
    assert "expected the 12 images that mnist_m_test_labels.txt names, got 12 of them missing" in message


@pytest.mark.parametrize("kept", ["mnist_m_test", "mnist_m_test_labels.txt"])
def test_half_of_the_published_folder_is_refused_with_the_other_halfs_name(kept, publish, tmp_path):
    publish("mnist-m-test")
    if kept == "mnist_m_test":
        (tmp_path / "mnist_m_test_labels.txt").unlink()
    else:
        shutil.rmtree(tmp_path / "mnist_m_test")
    assert said("mnist-m-test", tmp_path).startswith(f"{tmp_path / kept}: expected mnist_m_test")


@pytest.mark.parametrize(("line", "shown"), [("00000001.png", "00000001.png"), ("a.png x", "a.png x"), ("", "")])
def test_a_line_of_the_list_that_is_none_is_reported_by_its_number(line, shown, publish, tmp_path):
    publish("mnist-m-test")
    labels = tmp_path / "mnist_m_test_labels.txt"
    labels.write_text(f"00000000.png 5\n{line}\n00000002.png 3\n")
    assert f'expected lines such as "00000000.png 5", got "{shown}" in line 2' in said("mnist-m-test", tmp_path)


def test_a_label_of_the_list_out_of_range_is_refused(publish, tmp_path):
    publish("mnist-m-test")
    labels = tmp_path / "mnist_m_test_labels.txt"
    labels.write_text(labels.read_text().replace("00000004.png 4", "00000004.png 14"))
    assert "expected labels 0 to 9, got labels 0 to 14" in said("mnist-m-test", tmp_path)


@pytest.mark.parametrize("content", [b"not a png", b""], ids=["text", "empty"])
def test_an_image_that_cannot_be_read_is_named(content, publish, publish_photographs, tmp_path):
    publish("mnist-m-test")
    (tmp_path / "mnist_m_test/00000007.png").write_bytes(content)
    assert said("mnist-m-test", tmp_path).startswith(f"{tmp_path / 'mnist_m_test/00000007.png'} can't be read")
    publish("mnist-train")
    publish_photographs()
    (tmp_path / "bsds500/98.jpg").write_bytes(content)
    assert said("mnist-m-train", tmp_path).startswith(f"{tmp_path / 'bsds500/98.jpg'} can't be read")


def test_an_image_of_another_size_is_named(publish, tmp_path):
    from PIL import Image

    publish("mnist-m-test")
    Image.new("RGB", (28, 30)).save(tmp_path / "mnist_m_test/00000007.png")
    assert "00000007.png: expected 32x32 pixels, got 28x30" in said("mnist-m-test", tmp_path)


def test_an_empty_folder_of_photographs_is_no_folder_of_photographs(publish, tmp_path):
    publish("mnist-test")
    (tmp_path / "bsds500").mkdir()
    assert "not found" in said("mnist-m-test", tmp_path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"images": np.zeros((3, 16, 16), np.uint8)}, "expected arrays images and labels"),
        (
            {"images": np.zeros(3, np.int64), "labels": np.zeros((3, 16, 16), np.uint8)},
            "expected images, then labels, got them the other way round; swap the two",
        ),
        ({"images": np.zeros((3, 16, 16)), "labels": np.zeros(3, np.int64)}, "got float64 (3, 16, 16)"),
        ({"images": np.zeros((3, 16, 16, 4), np.uint8), "labels": np.zeros(3, np.int64)}, "got uint8 (3, 16, 16, 4)"),
        ({"images": np.zeros((3, 16, 16), np.uint8), "labels": np.zeros(3)}, "expected labels as whole numbers (N,)"),
        ({"images": np.zeros((3, 16, 16), np.uint8), "labels": np.zeros(2, np.int64)}, "got 3 images and 2 labels"),
        ({"images": np.zeros((0, 16, 16), np.uint8), "labels": np.zeros(0, np.int64)}, "got 0 images and 0 labels"),
        ({"images": np.zeros((1, 16, 16), np.uint8), "labels": np.array([-1])}, "got labels -1 to -1"),
        ({"images": np.zeros((1, 16, 16), np.uint8), "labels": np.array([{}])}, "expected an npz file"),
    ],
    ids=["no labels", "swapped", "float", "four channels", "float labels", "a label short", "none", "-1", "objects"],
)
def test_an_npz_with_other_arrays_is_refused(arrays, message, tmp_path):
    np.savez(tmp_path / "usps_test.npz", **arrays)
    assert message in said("usps-test", tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing", b"text"], ids=["empty", "cut short", "text"])
def test_an_npz_that_cannot_be_read_is_refused_and_listed_so(content, tmp_path):
    (tmp_path / "usps_test.npz").write_bytes(content)
    message = said("usps-test", tmp_path)
    assert message.startswith(f"{tmp_path / 'usps_test.npz'}: expected an npz file, got what can't be read as one")
    assert listed("usps-test", tmp_path) == message


def test_an_npz_with_more_images_than_the_set_has_is_another_set(tmp_path):
    np.savez(tmp_path / "usps_test.npz", images=np.zeros((2008, 16, 16), np.uint8), labels=np.zeros(2008, np.int64))
    assert "expected 2,007 images or fewer, got 2,008; it can't be usps-test: rename it" in said("usps-test", tmp_path)


def test_a_gzip_file_that_holds_no_idx_file_is_refused(publish, tmp_path):
    publish("mnist-test")
    (tmp_path / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(b"something else"))
    assert "expected an idx file" in said("mnist-test", tmp_path)
