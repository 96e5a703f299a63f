"""unseen predict: files, folders and patterns in, lines, a CSV file or masks out; what can't be read is said."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import unseen
from unseen.deploy import streaming
from unseen.deploy.finding import pictures_in
from unseen.errors import InputError


def test_pictures_are_found_in_files_folders_and_patterns(photos, tmp_path, monkeypatch):
    monkeypatch.chdir(photos)
    everything = sorted(photos.glob("*/*.png"))
    assert pictures_in([photos]) == everything
    assert [path.name for path in pictures_in(["dark", "dark/0.png"])] == ["0.png", "1.png", "2.png", "3.png"]
    assert [str(path) for path in pictures_in(["*/1.png"])] == ["dark/1.png", "grey/1.png", "light/1.png"]
    assert pictures_in([f"{photos}/**/*.png"]) == everything
    (tmp_path / ".hidden.png").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("no picture")
    with pytest.raises(InputError) as refused:
        pictures_in([tmp_path, "nothing", "*.gif", photos])
    message = str(refused.value)
    assert "3 problems" in message
    assert f"{tmp_path} has no pictures in it or below; expected files that end in .png" in message
    assert "nothing: there is no such file or folder; check the path" in message
    assert "*.gif matches no pictures" in message


def test_links_that_lead_in_circles_are_followed_once(photos, tmp_path):
    place = Path(shutil.copytree(photos, tmp_path / "photos"))
    everything = pictures_in([place])
    for name in ("again", "and-again"):
        (place / name).symlink_to(".")
        (place / "dark" / name).symlink_to("..")
    assert pictures_in([place]) == everything


def test_each_picture_gets_a_line_and_the_classes_are_counted(shell, trained, photos):
    code, printed = shell("predict", trained / "shades", photos / "dark", "--threads", 1, "--run-model-code")
    assert code == 0
    predictor = unseen.Predictor.load(trained / "shades")
    for i in range(4):
        assert f"{photos}/dark/{i}.png: {predictor(photos / 'dark' / f'{i}.png')}\n" in printed
    assert "4 pictures: " in printed


def test_the_csv_file_has_a_line_for_each_picture_and_the_members_own_answers(shell, trained, photos, tmp_path):
    code, printed = shell("predict", trained / "ensemble", photos, "--csv", tmp_path / "answers.csv")
    assert code == 0
    assert f"Wrote {tmp_path}/answers.csv" in printed.replace("\n", "")
    with (tmp_path / "answers.csv").open() as file:
        rows = list(csv.DictReader(file))
    predictor = unseen.Predictor.load(trained / "ensemble")
    assert [row["picture"] for row in rows] == [str(path) for path in pictures_in([photos])]
    said = predictor(rows[5]["picture"])
    assert (rows[5]["class"], rows[5]["answered_by"]) == (said.label, said.answered_by)
    assert float(rows[5]["confidence"]) == pytest.approx(said.confidence, rel=1e-4)
    assert float(rows[5]["agreement"]) == said.agreement
    assert rows[5]["convnet says"] == said.members["convnet"].label
    assert float(rows[5]["probability of grey"]) == pytest.approx(said.probabilities["grey"], rel=1e-4)


def test_unreadable_pictures_are_named_and_counted_and_the_others_answered(
    shell, trained, photos, tmp_path, monkeypatch
):
    monkeypatch.setattr(streaming, "BATCH", 3)  # so that there are several
    mixed = tmp_path / "mixed"
    shutil.copytree(photos, mixed)
    (mixed / "dark" / "0.png").write_text("no picture")
    whole = (mixed / "grey" / "1.png").read_bytes()
    (mixed / "grey" / "1.png").write_bytes(whole[: len(whole) // 2])
    code, printed = shell("predict", trained / "shades", mixed, "--csv", "answers.csv", "--run-model-code")
    assert code == 8
    assert "10 pictures: " in printed
    assert "error: 2 pictures can't be read, the others are answered:" in printed
    assert "dark/0.png can't be read (cannot identify image file" in printed
    assert "grey/1.png can't be read (" in printed
    rows = (tmp_path / "answers.csv").read_text().splitlines()
    assert len(rows) == 1 + 10
    assert [row.split(",")[0] for row in rows[1:3]] == [str(mixed / "dark" / f"{i}.png") for i in (1, 2)]


def test_masks_become_palette_files_of_the_pictures_size_with_the_picture_beside(shell, trained, tmp_path):
    draw = np.random.default_rng(1)
    for name, size in {"a/1.png": (24, 32), "b/1.jpg": (12, 16), "b/1.png": (30, 20)}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(draw.integers(255, size=(*size, 3)).astype(np.uint8)).save(tmp_path / "in" / name)
    code, printed = shell("predict", trained / "pixel-ensemble", tmp_path / "in", "--out", "masks", "--run-model-code")
    assert code == 0
    assert "% sure)" in printed
    written = sorted(str(path.relative_to(tmp_path / "masks")) for path in (tmp_path / "masks").rglob("*.png"))
    names = ["a/1.png", "b/1.jpg.png", "b/1.png.png"]
    assert written == [f"{kind}/{name}" for kind in ("beside", "masks") for name in names]
    with Image.open(tmp_path / "masks/masks/a/1.png") as mask:
        assert (mask.mode, mask.size) == ("P", (32, 24))
        numbers = np.asarray(mask)
    predicted = unseen.Predictor.load(trained / "pixel-ensemble")(tmp_path / "in/a/1.png").mask
    assert np.array_equal(numbers[::2, ::2], predicted.numpy())  # twice as large, by nearest
    assert (tmp_path / "masks/classes.txt").read_text() == "left\nright\n"
    with Image.open(tmp_path / "masks/beside/a/1.png") as beside:
        assert beside.width == 160
    code, printed = shell("predict", trained / "pixel-ensemble", tmp_path / "in", "--out", "masks", "--run-model-code")
    assert code == 2
    assert "masks exists and is not empty" in printed


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nowhere", "photos"], 3, "nowhere holds no run"),
        (["unfinished", "photos"], 3, "unfinished is not finished; resume with: unseen train --resume"),
        (["shades", "empty"], 2, "empty has no pictures in it or below"),
        (["shades", "photos", "--out", "masks"], 2, "--out masks is for masks"),
        (["shades", "photos", "--csv", "nowhere/answers.csv"], 5, "could not save nowhere/answers.csv"),
        (["shades", "photos", "--threads", "0"], 2, "threads=0: expected a whole number, 1 or more"),
    ],
    ids=["no run", "unfinished", "no pictures", "no masks", "no folder", "threads"],
)
def test_what_can_t_be_done_is_one_message(shell, trained, photos, tmp_path, words, code, message):
    (tmp_path / "photos").symlink_to(photos)
    shutil.copytree(trained / "shades", tmp_path / "shades")
    shutil.copytree(trained / "shades", tmp_path / "unfinished")
    (tmp_path / "unfinished" / "weights.safetensors").unlink()
    (tmp_path / "empty").mkdir()
    assert (found := shell("predict", *words, "--run-model-code"))[0] == code
    assert message in found[1].replace("\n", " ")
    assert not (tmp_path / "masks").exists()
    assert not list(tmp_path.glob("**/*.part"))
