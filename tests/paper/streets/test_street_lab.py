"""Where street recipes are carried out."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from street_labs import tiny_lab

import unseen
from unseen.errors import InputError
from unseen.paper.lab import Source
from unseen.paper.results import run_key
from unseen.paper.streets.lab import CAMVID, PAPER, SCENES, SMALL, SYNTHIA, StreetLab
from unseen.paper.streets.names import CAMVID as CAMVID_ROWS
from unseen.paper.streets.names import DAY, DUSK, TABLE2
from unseen.paper.streets.recipes import STREET_RECIPES

ADA = {"K": 1, "gamma": 1.0}


def lab(**options: object) -> StreetLab:
    return StreetLab(**{"out": Path("x"), "data": SCENES, "rows": TABLE2} | options)


def test_the_papers_scale_has_the_papers_settings() -> None:
    request = Source(lab(data=SYNTHIA), "highway-dawn").request(0, ADA)
    job, ada = request.job, request.ada
    assert (job.source, job.model, job.size, job.images) == ("synthia-highway-dawn", "fcn-resnet50", (192, 320), 900)
    assert (ada.K, ada.gamma, ada.eta, ada.T_min, ada.T_max, ada.alpha, ada.batch) == (1, 1.0, 2.0, 500, 50, 1e-4, 8)
    assert ada.T == 5_000


def test_the_small_scale_is_smaller_and_else_the_papers() -> None:
    small, large = (Source(lab(scale=scale), "highway-dawn").request(0, ADA) for scale in (SMALL, PAPER))
    assert (small.job.model, small.job.size, small.job.images, small.ada.T) == ("fcn-resnet18", (96, 160), 150, 1_000)
    assert replace(small.ada, T=large.ada.T) == large.ada


def test_erm_has_the_batch_of_ada() -> None:
    ada = Source(lab(), "highway-dawn").request(0, {"K": 0}).ada
    assert (ada.K, ada.batch, ada.T) == (0, 8, 5_000)


def test_scales_sources_worlds_and_seeds_make_different_runs() -> None:
    usual = Source(lab(), "highway-dawn").request(0, ADA)
    others = [
        Source(lab(scale=SMALL), "highway-dawn").request(0, ADA),
        Source(lab(data=SYNTHIA), "highway-dawn").request(0, ADA),
        Source(lab(), "highway-fog").request(0, ADA),
        Source(lab(), "highway-dawn").request(1, ADA),
        Source(lab(), "highway-dawn").request(0, {"K": 0}),
    ]
    assert len({run_key(request) for request in (usual, *others)}) == 6
    assert len({request.out for request in (usual, *others)}) == 6


def test_camvid_takes_every_image_of_dusk_and_of_the_largest_day_drive() -> None:
    recipe = STREET_RECIPES["camvid"]
    assert recipe.rows == {DUSK: ("0006R0", "0016E5", "Seq05VD"), DAY: ("0001TP", "0006R0", "Seq05VD")}
    request = Source(lab(data=CAMVID, rows=CAMVID_ROWS, scale=recipe.scales["small"]), DUSK).request(0, ADA)
    assert (request.job.source, request.job.images, request.ada.T) == ("camvid-0001TP", None, 1_500)


def test_a_target_has_the_sources_size_and_number_and_is_rendered_once(tmp_path: Path) -> None:
    lab = tiny_lab(tmp_path)
    first = lab.load("old-town-fog")
    assert first.images.shape == (4, 3, 16, 24)
    assert torch.equal(first.labels, unseen.domain("old-town-fog", (16, 24), images=4).labels)
    assert lab.load("old-town-fog") is first
    assert tiny_lab(tmp_path).load("old-town-fog") is first


# Data that isn't there.


def test_without_synthia_the_message_has_what_is_missing_how_to_get_it_and_the_way_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    with pytest.raises(InputError) as caught:
        STREET_RECIPES["table2"].lab(tmp_path / "out", sources=["highway-night"])
    text = str(caught.value)
    assert text.startswith(f"11 of the 11 domains that this takes are missing or damaged, looked for in {tmp_path}:")
    assert "- synthia-old-town-winter: not found" in text
    assert "synthia-highway-dawn" not in text, "its row is not asked for"
    for said in (str(tmp_path), "synthia-dataset.net", "--stand-ins"):
        assert said in text
    assert not (tmp_path / "out").exists()


def test_a_half_copied_sequence_is_reported_with_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    (tmp_path / "SYNTHIA-SEQS-01-NIGHT").mkdir()
    with pytest.raises(InputError, match=r"- synthia-highway-night: .*GT/LABELS/Stereo_Left/Omni_F"):
        STREET_RECIPES["table2"].lab(tmp_path, sources=["highway-night"])


@pytest.mark.parametrize("name", ["table2", "camvid"])
def test_no_data_folder_at_all_is_reported_too(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no data folder is named: set UNSEEN_DATA or use --data FOLDER") as caught:
        STREET_RECIPES[name].lab(tmp_path)
    assert ("--stand-ins" in str(caught.value)) is (name == "table2"), "nothing stands in for CamVid"


def test_stand_ins_need_nothing(tmp_path: Path) -> None:
    made = STREET_RECIPES["table2"].lab(tmp_path, stand_ins=True, scale="small", sources=["new-york-fog"])
    assert (made.data, made.scale, list(made.rows)) == (SCENES, SMALL, ["new-york-fog"])


def test_an_ensemble_has_one_source_by_default(tmp_path: Path) -> None:
    assert list(STREET_RECIPES["scenes-ensemble"].lab(tmp_path, stand_ins=True).rows) == ["highway-night"]
    chosen = STREET_RECIPES["scenes-ensemble"].lab(tmp_path, stand_ins=True, sources=["new-york-dawn"])
    assert list(chosen.rows) == ["new-york-dawn"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("table2", {"sources": ["highway-nigt"]}, 'got "highway-nigt"; did you mean "highway-night"'),
        ("table2", {"scale": "smal"}, '--scale smal: expected paper or small for table2; did you mean "small"'),
        ("camvid", {"scale": "paper"}, "--scale paper: expected small for camvid"),
        ("camvid", {"stand_ins": True}, "nothing stands in for CamVid; leave --stand-ins out"),
    ],
)
def test_what_cant_be_had_is_refused(name: str, options: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        STREET_RECIPES[name].lab(tmp_path, **({"stand_ins": name == "table2"} | options))
    assert message in str(caught.value)
