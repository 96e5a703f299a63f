"""The ten real domains: found in the layouts people have, read to the right pixels and digits, refused when damaged."""

import gzip
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from unseen.data import official, root
from unseen.data.catalogue import domain, domains, names, targets
from unseen.data.digits import real_digits
from unseen.data.digits.blend import blend
from unseen.errors import InputError
from unseen.runs.job import Job

FIRST_10_000 = "bd87a23d10146ca19788967e2a4254402644ca2edfb813c82167dc4f4611889f"


def entry(name, data=None):
    return next(entry for entry in domains(data) if entry.name == name)


def as_bytes(images):
    return (images.movedim(1, 3) * 255).round().byte().numpy()


def refused(name, data):
    """What is said, by the domain and by the list where that sees it too."""
    with pytest.raises(InputError) as caught:
        domain(name, data=data)
    return str(caught.value)


@pytest.mark.parametrize("name", real_digits.NAMES)
def test_every_official_layout_gives_its_digits_and_its_pixels(name, publish, tmp_path):
    images, labels = publish(name)
    built = domain(name, data=tmp_path)
    assert (built.name, built.labels.tolist()) == (name, labels.tolist())
    assert built.images.shape == (12, 3, 32, 32)
    assert built.classes == tuple("0123456789")
    if images.shape[1:] == (32, 32, 3):
        np.testing.assert_array_equal(as_bytes(built.images), images)
    else:
        assert torch.equal(built.images[:, 0], built.images[:, 2])
        assert abs(built.images.mean() - images.mean() / 255) < 0.01


def test_grey_levels_of_usps_survive_the_text(publish, tmp_path):
    images, _ = publish("usps-test")
    pixels, _ = real_digits.found("usps-test", tmp_path).read()
    np.testing.assert_array_equal(pixels, images)


def test_a_value_that_the_text_leaves_out_is_the_grey_in_the_middle(tmp_path, monkeypatch):
    import bz2

    (tmp_path / "usps.t.bz2").write_bytes(bz2.compress(b"10 1:-1 256:1\n"))
    monkeypatch.setitem(
        publishable(monkeypatch), "usps-test", (replace(official.OFFICIAL["usps-test"][0], sha256=None),)
    )
    pixels, labels = real_digits.found("usps-test", tmp_path).read()
    assert (pixels[0, 0, 0], pixels[0, 0, 1], pixels[0, 15, 15], labels.tolist()) == (0, 128, 255, [9])


def publishable(monkeypatch):
    table = dict(official.OFFICIAL)
    monkeypatch.setattr(official, "OFFICIAL", table)
    return table


@pytest.mark.parametrize("packed", [True, False], ids=["gzipped", "plain"])
@pytest.mark.parametrize("folder", ["", "mnist", "MNIST/raw"])
def test_mnist_is_found_gzipped_or_not_in_the_root_and_in_torchvisions_folders(folder, packed, publish, tmp_path):
    _, labels = publish("mnist-test", folder, packed=packed)
    assert domain("mnist-test", data=tmp_path).labels.tolist() == labels.tolist()
    assert entry("mnist-test", tmp_path).where == tmp_path / folder


def test_a_file_that_a_browser_unpacked_is_read_under_its_old_name(publish, tmp_path):
    publish("mnist-test")
    for file in tmp_path.glob("*.gz"):
        file.write_bytes(gzip.decompress(file.read_bytes()))
    assert len(domain("mnist-test", data=tmp_path)) == 12


def test_a_file_that_was_compressed_again_is_still_the_official_one(publish, tmp_path):
    publish("mnist-test")
    for file in tmp_path.glob("*.gz"):
        file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()), 1))
    assert len(domain("mnist-test", data=tmp_path)) == 12


@pytest.mark.parametrize("name", ["svhn-test", "SVHN-Test"])
def test_names_are_taken_in_any_case(name, publish, tmp_path):
    publish("svhn-test", "SVHN")
    assert domain(name, data=tmp_path).name == "svhn-test"


@pytest.mark.parametrize("folder", ["", "digits", "svhn"])
def test_an_npz_is_found_in_the_root_in_digits_and_in_the_sets_folder(folder, pixels, tmp_path):
    images, labels = pixels("svhn-test", 20)
    (tmp_path / folder).mkdir(exist_ok=True)
    np.savez_compressed(tmp_path / folder / "svhn_test.npz", images=images, labels=labels)
    built = domain("svhn-test", data=tmp_path)
    np.testing.assert_array_equal(as_bytes(built.images), images)
    assert built.origin == "SVHN, 20 of the 26,032 test images, svhn_test.npz"
    listed = entry("svhn-test", tmp_path)
    assert (listed.count, listed.published, listed.missing) == (20, 26_032, None)
    assert "20 of the 26,032 test images" in listed.origin


def test_the_official_file_wins_over_the_npz(publish, pixels, tmp_path):
    images, labels = pixels("svhn-test", 20)
    np.savez(tmp_path / "svhn_test.npz", images=images, labels=labels)
    publish("svhn-test", "svhn")
    assert domain("svhn-test", data=tmp_path).origin == "SVHN, all 12 test images, the official file"


def test_the_published_mnist_m_wins_over_the_npz_and_the_npz_over_making_it(
    publish, publish_photographs, pixels, tmp_path
):
    publish("mnist-test")
    publish_photographs()
    assert "made here" in domain("mnist-m-test", data=tmp_path).origin
    images, labels = pixels("mnist-m-test", 5)
    np.savez(tmp_path / "mnist_m_test.npz", images=images, labels=labels)
    assert domain("mnist-m-test", data=tmp_path).origin.endswith("5 of the 9,001 test images, mnist_m_test.npz")
    publish("mnist-m-test", "mnist_m")
    assert domain("mnist-m-test", data=tmp_path).origin == "MNIST-M, all 12 test images, the published folder"


def test_mnist_m_is_made_of_mnists_first_digits_and_crops_of_the_photographs(publish, publish_photographs, tmp_path):
    digits, labels = publish("mnist-train")
    publish_photographs()
    made = domain("mnist-m-train", data=tmp_path)
    assert made.labels.tolist() == labels.tolist()
    assert made.origin == (
        "MNIST-M, 12 of the 59,001 training images, made here from MNIST and 5 of the 200 training photographs of "
        "BSDS500 by the published recipe"
    )
    crops = blend(digits, as_bytes(made.images))  # inverting twice gives the photograph back
    photographs = [np.asarray(Image.open(file)) for file in sorted((tmp_path / "bsds500").glob("*.jpg"))]
    windows = [np.lib.stride_tricks.sliding_window_view(photograph, (32, 32, 3)) for photograph in photographs]
    for crop in crops:
        assert any((window == crop).all((3, 4, 5)).any() for window in windows)


def test_a_made_mnist_m_has_no_more_images_than_the_published_one(publish, publish_photographs, tmp_path, monkeypatch):
    _, labels = publish("mnist-train")
    publish_photographs()
    monkeypatch.setattr(official, "IMAGES", {**official.IMAGES, "mnist-m-train": 7})
    made = domain("mnist-m-train", data=tmp_path)
    assert made.labels.tolist() == labels[:7].tolist()
    assert made.origin.startswith("MNIST-M, all 7 training images, made here")


def test_mnist_m_comes_out_the_same_from_either_layout_of_bsds500(publish, publish_photographs, tmp_path):
    publish("mnist-train")
    publish_photographs("bsds500")
    made = domain("mnist-m-train", data=tmp_path)
    (tmp_path / "BSR/BSDS500/data/images").mkdir(parents=True)
    shutil.move(tmp_path / "bsds500", tmp_path / "BSR/BSDS500/data/images/train")
    assert domain("mnist-m-train", data=tmp_path).fingerprint == made.fingerprint


def test_the_parts_of_a_made_mnist_m_have_backgrounds_of_their_own(publish, publish_photographs, tmp_path):
    for part in ("train", "test"):
        publish(f"mnist-{part}")
    publish_photographs()
    train, test = (
        blend(publish_digits, as_bytes(domain(f"mnist-m-{part}", data=tmp_path).images))
        for part, publish_digits in (
            (part, real_digits.found(f"mnist-{part}", tmp_path).read()[0]) for part in ("train", "test")
        )
    )
    assert not any(np.array_equal(one, other) for one, other in zip(train, test, strict=True))


def test_lanczos_is_pillows_on_whole_levels_and_bilinear_is_not(publish, tmp_path):
    images, _ = publish("mnist-test")
    lanczos, bilinear = (domain("mnist-test", data=tmp_path, resize=kernel) for kernel in ("lanczos", "bilinear"))
    expected = Image.fromarray(images[3]).resize((32, 32), Image.Resampling.LANCZOS)
    np.testing.assert_array_equal((lanczos.images[3, 1] * 255).round().byte().numpy(), np.asarray(expected))
    assert lanczos.fingerprint != bilinear.fingerprint


def test_no_kernel_touches_32x32_images(publish, tmp_path):
    publish("svhn-test")
    assert (
        len({domain("svhn-test", data=tmp_path, resize=kernel).fingerprint for kernel in ("lanczos", "bilinear")}) == 1
    )


def test_an_unknown_kernel_is_refused_with_the_nearest_known_one(tmp_path):
    with pytest.raises(
        InputError, match=r'resize=\'lanzcos\': expected one of bilinear, bicubic, lanczos; did you mean "lanczos"'
    ):
        domain("mnist-test", data=tmp_path, resize="lanzcos")


def test_the_data_folder_is_the_one_given_else_that_of_the_environment(publish, tmp_path, monkeypatch):
    publish("usps-test", "here/usps")
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path / "here"))
    assert len(domain("usps-test")) == 12
    (tmp_path / "empty").mkdir()
    assert str(tmp_path / "empty") in refused("usps-test", tmp_path / "empty")


def test_using_a_folder_holds_for_this_process_and_those_it_starts(publish, tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_DATA", "/nowhere")
    publish("usps-test")
    monkeypatch.chdir(tmp_path)
    root.use(".")
    assert root.os.environ["UNSEEN_DATA"] == str(tmp_path)
    assert len(domain("usps-test")) == 12


def test_without_a_data_folder_it_says_how_to_name_one():
    with pytest.raises(InputError, match=r"^mnist-train: .*set UNSEEN_DATA .*--data .*data="):
        domain("mnist-train")
    assert "UNSEEN_DATA" in entry("mnist-train").missing


@pytest.mark.parametrize(
    ("path", "said"), [("nope", "nothing there"), ("file", "a file")], ids=["a path that is not there", "a file"]
)
def test_a_data_folder_that_is_none_is_refused_and_reported_in_the_list(path, said, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=rf"expected a folder with data sets, found {said}"):
        root.use(tmp_path / path)
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path / path))
    assert entry("svhn-test").missing == (
        f"UNSEEN_DATA is '{tmp_path / path}': expected a folder with data sets, found {said}; check the path"
    )


@pytest.mark.parametrize("name", real_digits.NAMES)
def test_a_set_that_is_not_there_is_reported_with_where_it_was_looked_for_and_how_to_get_it(name, tmp_path):
    said = refused(name, tmp_path)
    assert said == f"{name}: {entry(name, tmp_path).missing}"
    assert str(tmp_path) in said
    assert real_digits.file_name(name) in said
    assert f"unseen download {name}" in said
    assert "https://" in said


@pytest.mark.parametrize("name", ["MNIST", "svhn", "mnist_m"])
def test_the_name_of_a_whole_set_is_refused_with_its_parts(name):
    part = name.lower().replace("_", "-")
    with pytest.raises(InputError, match=rf"the set has the parts {part}-train and {part}-test$"):
        domain(name)


def test_listing_decodes_no_image(publish, pixels, tmp_path, monkeypatch):
    for name in ("mnist-train", "svhn-test", "mnist-m-test", "usps-test"):
        publish(name)
    images, labels = pixels("syn-test", 4)
    np.savez(tmp_path / "syn_test.npz", images=images, labels=labels)
    readers = (
        "formats.idx._array", "formats.mat._content", "formats.libsvm._lines", "formats.npz._read",
        "digits.mnist_m._decoded",
    )  # fmt: skip
    for reader in readers:
        monkeypatch.setattr(f"unseen.data.{reader}", lambda *_: pytest.fail("decoded"))
    counts = {e.name: e.count for e in domains(tmp_path) if e.where is not None}
    assert counts == {"mnist-train": 12, "svhn-test": 12, "mnist-m-test": 12, "syn-test": 4, "usps-test": 12}


def test_mnists_targets_are_the_real_ones_that_are_there(publish, tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    publish("usps-test")
    publish("svhn-test")
    assert targets("mnist-train") == ("svhn-test", "usps-test")
    assert targets() == ("photo-blend", "typeset", "uci-8x8")


def test_all_names_are_known_without_looking_at_the_disk(monkeypatch):
    monkeypatch.setattr(real_digits, "found", lambda *_: pytest.fail("looked"))
    assert set(real_digits.NAMES) < set(names())


def test_real_digits_have_one_size(publish, tmp_path):
    publish("svhn-test")
    assert len(domain("svhn-test", 32, data=tmp_path)) == 12
    with pytest.raises(InputError, match="expected images of size 64, but these are digits, 32x32"):
        domain("svhn-test", 64, data=tmp_path)


def test_the_first_10_000_images_of_mnist_are_those_of_every_published_number(real_data, monkeypatch):
    if absent := entry("mnist-train", real_data).missing:
        pytest.skip(absent)
    monkeypatch.setenv("UNSEEN_DATA", str(real_data))
    source = Job(source="mnist-train", images=10_000).load_source()
    assert source.fingerprint == FIRST_10_000


def test_the_real_targets_are_read_as_they_are(real_data):
    for name in targets_there(real_data):
        built = domain(name, data=real_data)
        assert re.search(r"(all|\d of the) [\d,]+ test images", built.origin)
        assert built.labels.bincount(minlength=10).min() > 0
        assert built.images.mean() > 0.1


def targets_there(data):
    present = [e.name for e in domains(data) if e.missing is None and e.name.endswith("-test") and e.where]
    return present or pytest.skip(f"no real set in {data}")
