"""SYNTHIA's sequences in the official layout: read to the right classes, drawn with a seed, refused when broken."""

import numpy as np
import pytest
import torch
from PIL import Image

from unseen.base.labels import VOID
from unseen.data.catalogue import domain, domains, names
from unseen.data.streets import synthia
from unseen.data.streets.classes import CLASSES, LABELS, PICTURES, SYNTHIA_IDS
from unseen.data.streets.synthia import read_sequence
from unseen.errors import InputError

IDS = np.array([0, *SYNTHIA_IDS.values()], np.uint16)
HEIGHT, WIDTH = 24, 40


def ids_of(frame):
    """Blocks of 4x4 pixels with every id, another arrangement in each frame."""
    blocks = np.random.default_rng(frame).permutation(np.resize(IDS, HEIGHT * WIDTH // 16))
    return blocks.reshape(HEIGHT // 4, WIDTH // 4).repeat(4, 0).repeat(4, 1)


def labels_of(ids):
    """What the ids stand for, the slow and obvious way."""
    by_id = {number: CLASSES.index(name) for name, number in SYNTHIA_IDS.items()} | {0: VOID}
    return np.vectorize(by_id.get)(ids)


@pytest.fixture
def publish(tmp_path, write_png):
    """Call it with a sequence's name and a number of frames: they are written as the archives unpack."""

    def write(sequence="SYNTHIA-SEQS-01-DAWN", frames=5, below="synthia"):
        folder = tmp_path / below / sequence
        for frame in range(frames):
            rng = np.random.default_rng(100 + frame)
            (folder / PICTURES).mkdir(parents=True, exist_ok=True)
            picture = rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
            Image.fromarray(picture).save(folder / PICTURES / f"{frame:06d}.png")
            instances = rng.integers(0, 65536, (HEIGHT, WIDTH), dtype=np.uint16)
            samples = np.stack([ids_of(frame), instances, np.zeros_like(instances)], 2)
            write_png(folder / LABELS / f"{frame:06d}.png", samples, filters=(1, 4))
        (folder / "GT/COLOR/Stereo_Left/Omni_F").mkdir(parents=True, exist_ok=True)
        (folder / "README.txt").write_text("as in the archive")
        return folder

    return write


def refused(folder, **options):
    with pytest.raises(InputError) as caught:
        read_sequence(folder, **options)
    return str(caught.value)


def test_the_ids_in_the_first_channel_of_16_bits_become_the_thirteen_classes(publish):
    made = read_sequence(publish(), size=(HEIGHT, WIDTH))
    assert (len(made), made.classes, made.labels.dtype) == (5, CLASSES, torch.uint8)
    assert len(CLASSES) == 13
    assert set(made.labels.unique().tolist()) == {*range(13), VOID}, (
        "void is unlabelled, and traffic lights are class 12"
    )
    for frame, labels in enumerate(made.labels):
        np.testing.assert_array_equal(labels, labels_of(ids_of(frame)))


def test_the_images_are_those_of_the_left_front_camera(publish):
    folder = publish()
    made = read_sequence(folder, size=(HEIGHT, WIDTH))
    first = np.asarray(Image.open(folder / PICTURES / "000000.png"))
    np.testing.assert_array_equal((made.images[0] * 255).round().byte().movedim(0, 2), first)


def test_images_are_192x320_by_bilinear_and_labels_by_nearest(publish, tmp_path):
    folder = publish()
    made = domain("synthia-highway-dawn", data=tmp_path)
    assert made.images.shape == (5, 3, 192, 320)
    picture = Image.open(folder / PICTURES / "000002.png").resize((320, 192), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal((made.images[2] * 255).round().byte().movedim(0, 2), np.asarray(picture))
    np.testing.assert_array_equal(made.labels[2], labels_of(ids_of(2)).repeat(8, 0).repeat(8, 1))
    small = read_sequence(folder, size=(6, 10))
    np.testing.assert_array_equal(small.labels[2], labels_of(ids_of(2))[2::4, 2::4])


@pytest.mark.parametrize("below", ["", "synthia", "SYNTHIA", "SYNTHIA/SYNTHIA_VIDEO_SEQUENCES", "SYNTHIA-SEQS-04-FOG"])
def test_a_sequence_is_found_where_people_unpack_it(below, publish, tmp_path):
    folder = publish("SYNTHIA-SEQS-04-FOG", 2, below)
    made = domain("Synthia-Old-Town-Fog", data=tmp_path)
    assert (made.name, len(made)) == ("synthia-old-town-fog", 2)
    (entry,) = (entry for entry in domains(tmp_path) if entry.name == made.name)
    assert (entry.count, entry.where, entry.origin, entry.missing) == (2, folder, made.origin, None)


def test_there_are_fifteen_domains_three_places_in_five_conditions():
    assert len(synthia.SEQUENCES) == 15
    assert synthia.SEQUENCES["synthia-new-york-winter"] == "SYNTHIA-SEQS-02-WINTER"
    assert set(synthia.SEQUENCES) < set(names())


def test_the_images_are_drawn_with_the_seed_without_replacement_in_order(publish):
    folder = publish(frames=20)
    whole = read_sequence(folder, size=(HEIGHT, WIDTH))

    def drawn(seed):
        made = read_sequence(folder, size=(HEIGHT, WIDTH), images=8, seed=seed)
        assert made.origin == f"SYNTHIA-SEQS-01-DAWN, 8 of its 20 images, drawn with seed {seed}"
        return [next(i for i in range(20) if torch.equal(whole.images[i], image)) for image in made.images]

    first = drawn(0)
    assert first == sorted(set(first)) == drawn(0)
    assert len(first) == 8
    assert len({tuple(drawn(seed)) for seed in range(4)}) == 4


def test_two_sequences_have_draws_of_their_own(publish):
    first, second = (
        read_sequence(publish(sequence, 20), size=(HEIGHT, WIDTH), images=8)
        for sequence in ("SYNTHIA-SEQS-01-DAWN", "SYNTHIA-SEQS-01-FOG")
    )
    assert first.fingerprint != second.fingerprint, "the same frames are in both"


def test_the_seed_reaches_the_domain_by_its_name(publish, tmp_path, monkeypatch):
    publish(frames=12)
    seen = []
    monkeypatch.setattr(synthia, "read_sequence", lambda *_, **options: seen.append(options))
    domain("synthia-highway-dawn", data=tmp_path, seed=3)
    assert (seen[0]["seed"], seen[0]["images"], seen[0]["size"]) == (3, 900, (192, 320))


@pytest.mark.parametrize(("images", "said"), [(None, ""), (5, ""), (900, " (900 were asked for)")])
def test_a_short_sequence_is_used_whole_and_its_origin_says_so(images, said, publish):
    made = read_sequence(publish(), size=(HEIGHT, WIDTH), images=images)
    assert made.origin == f"SYNTHIA-SEQS-01-DAWN, all its 5 images{said}"


def test_only_what_is_drawn_is_decoded(publish):
    folder = publish(frames=6)
    drawn = {file.name for file in synthia._drawn(sorted((folder / PICTURES).iterdir()), folder.name, 2, 0)}
    for part in (PICTURES, LABELS):
        for file in (folder / part).iterdir():
            if file.name not in drawn:
                file.write_bytes(b"not read")
    assert len(read_sequence(folder, size=(HEIGHT, WIDTH), images=2)) == 2


def test_no_images_is_refused(publish):
    assert "images is 0, expected 1 or more, or None for all" in refused(publish(), images=0)


@pytest.mark.parametrize(("part", "lacking"), [(PICTURES, PICTURES), (LABELS, LABELS), (PICTURES.parent, PICTURES)])
def test_a_sequence_without_its_images_or_labels_is_half_copied(part, lacking, publish):
    folder = publish()
    (folder / part).rename(folder / "elsewhere")
    said = refused(folder)
    assert said == f"{folder}: expected {PICTURES} and {LABELS} in it, got no {lacking}; unpack the sequence again"


def test_missing_labels_and_missing_images_are_reported_in_one_message(publish):
    folder = publish(frames=9)
    for frame in (3, 4, 5):
        (folder / LABELS / f"{frame:06d}.png").unlink()
    (folder / PICTURES / "000007.png").unlink()
    said = refused(folder)
    assert said.startswith(f"{folder}: 2 problems")
    assert (
        f"3 of 8 images in {folder / PICTURES} have no mask NAME.png in {folder / LABELS}, the first is 000003.png"
        in said
    )
    assert f"1 of 6 masks in {folder / LABELS} have no image in {folder / PICTURES}, the first is 000007.png" in said


def test_a_half_copied_sequence_is_listed_with_what_is_wrong(publish, tmp_path):
    folder = publish()
    (folder / LABELS / "000001.png").unlink()
    (entry,) = (entry for entry in domains(tmp_path) if entry.name == "synthia-highway-dawn")
    assert "1 of 5 images" in entry.missing
    assert "the first is 000001.png" in entry.missing


def test_an_empty_sequence_is_refused(publish):
    folder = publish(frames=1)
    for part in (PICTURES, LABELS):
        (folder / part / "000000.png").unlink()
    assert refused(folder) == f"{folder}: no images in {PICTURES}; unpack the sequence again"


def eight_bits(path, write_png):
    write_png(path, np.stack([ids_of(1).astype(np.uint8)] * 3, 2))


def strange_ids(path, write_png):
    ids = ids_of(1)
    ids[0, :7], ids[1, 3] = 13, 300
    write_png(path, np.stack([ids] * 3, 2))


def cut_short(path, write_png):
    path.write_bytes(path.read_bytes()[:-40])


def another_size(path, write_png):
    write_png(path, np.stack([ids_of(1)[:, :39]] * 3, 2))


def no_image(path, write_png):
    path.write_text("<!doctype html>")


BROKEN = {
    "8 bits": (
        eight_bits,
        f"{LABELS}/000001.png has 8 bits per channel, expected 16",
        "has lost the class ids; unpack",
    ),
    "unknown ids": (
        strange_ids,
        f"{LABELS}/000001.png has ids of no class: 13 (7 pixels), 300 (1 pixels)",
        "expected 0 to 12 and 15",
    ),
    "cut short": (cut_short, f"{LABELS}/000001.png can't be read (it is cut short", "replace or remove it"),
    "a web page": (no_image, f"{LABELS}/000001.png can't be read (it isn't a PNG file)", "replace or remove it"),
    "another size": (
        another_size,
        f"{PICTURES}/000001.png is 24x40, its mask 000001.png is 24x39",
        "expected one size",
    ),
}


@pytest.mark.parametrize(("damage", "said", "fix"), BROKEN.values(), ids=BROKEN)
def test_a_broken_label_file_is_named_with_what_is_wrong(damage, said, fix, publish, write_png):
    folder = publish()
    damage(folder / LABELS / "000001.png", write_png)
    message = refused(folder)
    assert message.startswith(f"{folder}: ")
    assert said in message
    assert fix in message


def test_every_broken_file_is_in_one_message_and_many_are_counted(publish, write_png):
    folder = publish(frames=14)
    for file in (folder / LABELS).iterdir():
        eight_bits(file, write_png)
    Image.new("RGB", (5, 5)).save(folder / PICTURES / "000003.png")
    said = refused(folder).splitlines()
    assert len(said) == 12
    assert said[-1].strip() == "- and 4 more like these"


def test_a_sequence_that_is_not_there_is_reported_with_where_it_was_looked_for(tmp_path):
    with pytest.raises(InputError) as caught:
        domain("synthia-highway-night", data=tmp_path)
    for part in ("SYNTHIA-SEQS-01-NIGHT/", str(tmp_path), "synthia/", "https://synthia-dataset.net"):
        assert part in str(caught.value)
    with pytest.raises(InputError, match=r"no data folder is named; .*UNSEEN_DATA.*if not: get it by hand from https"):
        domain("synthia-highway-night")


def test_the_list_has_one_line_for_the_sequences_that_are_not_there(publish, tmp_path):
    publish("SYNTHIA-SEQS-02-FOG")
    listed = [entry for entry in domains(tmp_path) if entry.name.startswith("synthia")]
    assert [entry.name for entry in listed] == ["synthia-new-york-fog", "synthia-PLACE-CONDITION"]
    assert "synthia-highway-dawn, " in listed[1].missing
    assert "synthia-new-york-fog" not in listed[1].missing
    assert "old-town" in listed[1].origin


def test_the_name_of_the_whole_set_is_refused_with_how_its_parts_are_called():
    with pytest.raises(
        InputError, match=r"the set has the parts synthia-PLACE-CONDITION: .*PLACE is highway, new-york"
    ):
        domain("SYNTHIA")


def test_a_target_with_other_classes_than_the_source_is_refused(publish, tmp_path):
    publish()
    assert len(domain("synthia-highway-dawn", data=tmp_path, classes=CLASSES)) == 5
    with pytest.raises(InputError, match=r"its classes are sky, building.*expected those of the source, cat, dog"):
        domain("synthia-highway-dawn", data=tmp_path, classes=("cat", "dog"))
