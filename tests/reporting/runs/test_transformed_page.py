"""The page about runs whose ascent moves transformations."""

import html

from reading import Reader

from unseen import ADA, Engine, fit
from unseen.reporting.finished.methods import read_methods
from unseen.reporting.runs.gallery import make_gallery
from unseen.runs.folder import RunFolder


def test_a_page_shows_transformations_in_place_of_differences(page, transformed):
    text = page([transformed])
    reader = Reader(text)
    assert reader.open == []
    words = " ".join(html.unescape(reader.text).split())
    for said in (
        "ADA over standard transformations (K=6)", "by the parameters of transformations",
        "interrupts the training 6 times",
        "where the last rounds replace earlier ones", "affine, colour, tone, filter, shade, warp",
        "Rounds 4, 5 and 6 of 6 are shown", "1 is the end of the range", "round 4",
    ):  # fmt: skip
        assert said in words, said
    for wrong in ("Change is", "change ×", "round 3,", "γ and η", "pixel by pixel", "Drawn means"):
        assert wrong not in words, wrong


def test_both_kinds_of_gallery_are_open_and_transformations_come_first(page, runs, transformed):
    text = page([runs / "erm-0", runs / "ada-0", transformed])
    section = text[text.index('id="gallery"') : text.index('id="samples"')]
    assert section.index("ADA over standard transformations (K=6), seed 0") < section.index("ADA (K=2, γ=1), seed 0")
    assert "<details>" not in section
    assert "change ×" in section
    assert "pixel by pixel or (over transformations)" in text


def test_what_is_drawn_at_each_step_is_said(page, runs, train, tmp_path):
    text = page([runs / "erm-0", train(tmp_path / "drawn", K=0, n=None, augment="jitter")])
    words = " ".join(Reader(text).text.split())
    assert "Drawn means transformations drawn at random at each training step" in words
    assert "exposure, hue" in words
    assert "ERM is training on the source alone" in words
    assert "What the rounds made" not in words


def test_scenes_whose_masks_moved_have_their_images(street_net, street, tmp_path):
    ada = ADA(K=5, keep=4, over="affine", sampling="source", T_min=1, T_max=1, T=7, batch=4, alpha=1e-2)
    folder, engine = tmp_path / "moved", Engine(device="cpu", threads=1)
    fit(street_net(), street, ada, seed=0, folder=folder, engine=engine, warn=lambda _: None)
    (method,) = read_methods([folder])
    gallery = make_gallery(method, street)
    assert gallery.scenes
    assert gallery.rounds == [2, 4, 5]
    assert RunFolder(folder).read_round(5)[0].labels is not None
    steps = [step for row in gallery.rows for step in row.steps if step]
    assert steps
    assert all(step.went[0].startswith("affine 0.") and step.change is None for step in steps)
