"""Where digit recipes are carried out."""

from pathlib import Path

import pytest

from unseen.errors import InputError
from unseen.paper.digits import lab as digit_lab
from unseen.paper.digits.lab import COLUMNS, SCALES, real_lab, stand_in_lab
from unseen.paper.lab import Lab
from unseen.runs.request import Request


def request(lab: Lab, seed: int, settings: dict[str, object]) -> Request:
    (source,) = lab.sources
    return source.request(seed, settings)


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    return tmp_path


def test_without_data_the_message_has_what_is_missing_where_how_to_get_it_and_the_way_round(no_data: Path) -> None:
    with pytest.raises(InputError) as caught:
        real_lab(no_data / "out")
    text = str(caught.value)
    assert text.startswith(f"6 of the 6 domains that this takes are missing or damaged, looked for in {no_data}:")
    for name in ("mnist-train", "mnist-test", *COLUMNS.values()):
        assert f"- {name}: " in text
    assert str(no_data) in text
    assert "unseen download" in text
    assert "--stand-ins" in text
    assert "--without" not in text, "nothing would be left"
    assert not (no_data / "out").exists()


def test_no_data_root_at_all_is_reported_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("UNSEEN_DATA", raising=False)
    with pytest.raises(InputError) as caught:
        real_lab(tmp_path)
    for said in ("mnist-train", "UNSEEN_DATA", "unseen download mnist svhn mnist-m syn usps", "--stand-ins"):
        assert str(caught.value).count(said) == 1


def test_a_recipe_that_adapts_asks_for_the_training_parts_too(no_data: Path) -> None:
    with pytest.raises(InputError, match="usps-train"):
        real_lab(no_data, columns=("USPS",), adapting=True)


def test_columns_that_are_left_out_are_not_asked_for(no_data: Path) -> None:
    with pytest.raises(InputError) as caught:
        real_lab(no_data, without=["SYN", "SVHN"])
    assert "syn-test" not in str(caught.value)
    assert "svhn-test" not in str(caught.value)


def test_an_unknown_column_is_refused_with_the_nearest(no_data: Path) -> None:
    with pytest.raises(InputError, match=r'expected some of SVHN, MNIST-M, SYN, USPS, got "MNISTM".*"MNIST-M"'):
        real_lab(no_data, without=["MNISTM"])


def test_columns_keep_the_papers_order_with_those_left_out_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digit_lab, "refuse_missing", lambda *_: None)
    lab = real_lab(Path("x"), without=["SYN", "MNIST-M"])
    (source,) = lab.sources
    assert lab.rows == {"mnist-train": ("SVHN", "MNIST-M", "SYN", "USPS")}
    assert source.targets == {"SVHN": "svhn-test", "USPS": "usps-test"}


def test_stand_ins_need_nothing_and_say_what_they_are(tmp_path: Path) -> None:
    lab = stand_in_lab(tmp_path)
    assert lab.data.stand_in
    (source,) = lab.sources
    assert set(source.targets) == {"photo-blend", "typeset", "uci-8x8"}
    assert source.scored["source"] == "mnist5k-heldout"


def test_the_same_training_has_the_same_folder_in_every_recipe(tmp_path: Path) -> None:
    lab = stand_in_lab(tmp_path)
    first, again = (request(lab, 3, {"K": 2, "gamma": 1.0}) for _ in range(2))
    assert first.out == again.out
    assert first.out.parent == tmp_path / "runs"
    assert request(lab, 4, {"K": 2, "gamma": 1.0}).out != first.out


def test_a_request_has_the_scale_of_the_lab(tmp_path: Path) -> None:
    made = request(stand_in_lab(tmp_path, scale=SCALES["small"], offset=7, resize="lanczos"), 0, {"K": 1})
    assert (made.ada.T, made.ada.T_min, made.job.width) == (1_000, 100, 0.25)
    assert (made.job.images, made.job.offset, made.job.resize) == (2_000, 7, "lanczos")


def test_erm_is_one_run_whatever_the_rounds_settings(tmp_path: Path) -> None:
    lab = stand_in_lab(tmp_path)
    assert request(lab, 0, {"K": 0}).out == request(lab, 0, {"K": 0, "gamma": 5.0}).out


def test_the_papers_scale_is_the_default_and_says_itself() -> None:
    scale = SCALES["paper"]
    assert (scale.images, scale.T, scale.T_min, scale.T_max, scale.width) == (10_000, 10_000, 100, 15, 1.0)
    assert str(scale) == "paper scale (convnet, 10,000 images, T=10,000)"


def test_stand_ins_at_the_papers_scale_take_the_images_there_are(tmp_path: Path) -> None:
    lab = stand_in_lab(tmp_path)
    assert lab.scale.images == 4_000
    assert len(request(lab, 0, {"K": 0}).job.load_source()) == 4_000
