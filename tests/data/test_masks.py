"""One's own images and masks as a domain, and every way they can be wrong."""

import shutil

import numpy as np
import pytest
import torch
from PIL import Image

from unseen.base.labels import VOID
from unseen.data.catalogue import domain
from unseen.data.masks import masks
from unseen.errors import InputError

NAMES = ["sky", "road", "tree"]
SIZE = (8, 10)
COLOURS = {"sky": (0, 0, 255), "road": "#808080", "tree": [(0, 128, 0), (0, 255, 0)]}


def numbers(i):
    labels = np.random.default_rng(i).integers(0, 3, SIZE, dtype=np.uint8)
    labels[0] = VOID
    return labels


def picture(i):
    return np.random.default_rng(50 + i).integers(0, 256, (*SIZE, 3), dtype=np.uint8)


@pytest.fixture
def mine(tmp_path):
    """A folder with images/, masks/ and classes.txt."""
    root = tmp_path / "mine"
    for part in ("images", "masks"):
        (root / part).mkdir(parents=True)
    for i in range(3):
        Image.fromarray(picture(i)).save(root / "images" / f"{i}.bmp")
        Image.fromarray(numbers(i)).save(root / "masks" / f"{i}.png")
    (root / "classes.txt").write_text("sky\nroad\ntree\n")
    return root


def read(mine, classes=NAMES, **options):
    return masks(mine / "images", mine / "masks", classes, **options)


def refused(mine, classes=NAMES, **options):
    with pytest.raises(InputError) as caught:
        read(mine, classes, **options)
    return str(caught.value)


def test_pairs_of_one_name_become_a_domain_with_masks(mine):
    made = read(mine)
    assert (made.name, len(made), made.classes, made.segmented) == ("mine", 3, tuple(NAMES), True)
    for i in range(3):
        np.testing.assert_array_equal((made.images[i] * 255).round().byte().movedim(0, 2), picture(i))
        np.testing.assert_array_equal(made.labels[i], numbers(i))
    assert str(mine / "masks") in made.origin


def test_hidden_files_and_other_files_are_left_out(mine):
    (mine / "images/notes.txt").touch()
    (mine / "masks/.0.png").touch()
    (mine / "masks/Thumbs.db").touch()
    assert len(read(mine)) == 3


def test_masks_may_have_a_suffix(mine):
    for file in (mine / "masks").iterdir():
        file.rename(file.with_stem(f"{file.stem}_L"))
    assert read(mine, suffix="_L").fingerprint
    assert "3 of 3 images" in refused(mine)


def test_the_indices_of_a_palette_are_the_numbers_whatever_its_colours(mine):
    plain = read(mine).fingerprint
    for i in range(3):
        image = Image.fromarray(numbers(i)).convert("P")
        image.putpalette([200, 0, 0] * 256)
        image.save(mine / "masks" / f"{i}.png")
    assert read(mine).fingerprint == plain


@pytest.mark.parametrize("bits", [2, 4])
def test_packed_grey_is_not_scaled(bits, mine, write_png):
    for i in range(3):
        write_png(mine / "masks" / f"{i}.png", numbers(i) % 2, bits=bits)
    made = read(mine)
    assert made.labels.unique().tolist() == [0, 1]


def test_classes_can_have_any_numbers_and_several(mine):
    made = read(mine, {"green": 2, "grey": [0, 1], "water": []})
    assert made.classes == ("green", "grey", "water")
    np.testing.assert_array_equal(made.labels[1], np.choose(np.minimum(numbers(1), 3), [1, 1, 0, VOID]))


def test_void_can_be_any_value(mine):
    made = read(mine, {"sky": 0, "road": 1}, void=[2, 255])
    assert (made.labels == VOID).sum() == sum((numbers(i) >= 2).sum() for i in range(3))


def test_a_class_may_have_the_number_255(mine):
    made = read(mine, {"thing": 255, "rest": [0, 1, 2]})
    assert made.labels.unique().tolist() == [0, 1]
    assert (made.labels == 0).sum() == 30


def test_classes_can_be_colours(mine):
    table = np.array([(0, 0, 255), (128, 128, 128), (0, 255, 0), (0, 0, 0)], np.uint8)
    plain = read(mine)
    for i in range(3):
        Image.fromarray(table[np.minimum(numbers(i), 3)]).save(mine / "masks" / f"{i}.png")
    assert read(mine, COLOURS, void=(0, 0, 0)).fingerprint == plain.fingerprint
    assert "0.png has values of no class: #000000 (10 pixels); add them to the classes, or to void" in refused(
        mine, COLOURS
    )
    assert "is a PNG of kind RGB, but the classes are given as numbers" in refused(mine)


def test_numbers_where_colours_are_expected_are_refused(mine):
    assert "is a PNG of kind grey with 8 bits, but the classes are given as colours; expected 8-bit RGB" in refused(
        mine, COLOURS
    )


def test_images_are_resized_by_bilinear_and_masks_by_nearest(mine):
    made = read(mine, size=(4, 5))
    small = Image.fromarray(picture(2)).resize((5, 4), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal((made.images[2] * 255).round().byte().movedim(0, 2), np.asarray(small))
    np.testing.assert_array_equal(made.labels[2], numbers(2)[1::2, 1::2])
    assert read(mine, size=6).images.shape == (3, 3, 6, 6)
    assert read(mine, size=(4, 5), resize="lanczos").fingerprint != made.fingerprint


def test_grey_images_have_one_channel(mine):
    assert read(mine, channels=1).images.shape == (3, 1, *SIZE)
    assert "channels is 2, expected 3 (RGB) or 1 (grey)" in refused(mine, channels=2)


def test_every_unpaired_file_is_reported_in_one_message(mine):
    (mine / "masks/0.png").unlink()
    (mine / "images/2.bmp").unlink()
    shutil.copy(mine / "images/1.bmp", mine / "images/1.png")
    said = refused(mine)
    assert said.startswith(f"{mine}: 3 problems")
    assert "1 of 2 images" in said
    assert "the first is 0.bmp; add them, or remove the images" in said
    assert "1 of 2 masks" in said
    assert "the first is 2.png; add them, or remove the masks" in said
    assert "1 images in" in said
    assert "have the name of another, with another ending, the first is 1.bmp; keep one of each name" in said


def test_every_unusable_file_is_reported_in_one_message(mine):
    strange = numbers(0)
    strange[3, :4], strange[4, 0] = 7, 9
    Image.fromarray(strange).save(mine / "masks/0.png")
    (mine / "masks/1.png").write_bytes((mine / "masks/1.png").read_bytes()[:40])
    Image.new("RGB", (10, 9)).save(mine / "images/2.bmp")
    said = refused(mine)
    assert said.startswith(f"{mine}: 3 problems")
    assert "masks/0.png has values of no class: 7 (4 pixels), 9 (1 pixels); add them to the classes, or to void" in said
    assert "masks/1.png can't be read (it is cut short" in said
    assert "images/2.bmp is 9x10, its mask 2.png is 8x10; expected one size" in said


def test_images_of_two_sizes_are_refused_with_the_size_to_give(mine):
    Image.new("RGB", (12, 9)).save(mine / "images/2.bmp")
    Image.new("L", (12, 9)).save(mine / "masks/2.png")
    assert "2 of 3 are 8x10, images/2.bmp isn't; expected one size: pass size=(8, 10)" in refused(mine)
    assert read(mine, size=SIZE).images.shape == (3, 3, *SIZE)


@pytest.mark.parametrize("part", ["images", "masks"])
def test_a_folder_that_is_not_there_is_refused(part, mine):
    shutil.rmtree(mine / part)
    assert f"{mine / part}: expected a folder of images and one of masks, found nothing there" in refused(mine)


def test_empty_folders_are_refused(mine):
    for part in ("images", "masks"):
        shutil.rmtree(mine / part)
        (mine / part).mkdir()
    assert "no images in" in refused(mine)


BAD_CLASSES = {
    "none": ([], None, "0 classes, expected 1 to 255"),
    "too many": ([str(i) for i in range(256)], None, "256 classes, expected 1 to 255: 255 marks unlabelled pixels"),
    "one name twice": (["sky", "sky"], None, "a class is named twice"),
    "one value for two": ({"sky": 0, "road": [0, 1]}, None, '0 stands for "sky" and for "road"; expected one meaning'),
    "a class's value for void": (NAMES, 1, '1 stands for "road" and for unlabelled pixels'),
    "numbers and colours": ({"sky": 0, "road": (1, 2, 3)}, None, "some values are numbers and some colours"),
    "a word": ({"sky": "blue"}, None, 'the value of "sky" isn\'t one; expected a number 0..65535, a colour'),
    "negative": ({"sky": -1}, None, 'the value of "sky" isn\'t one'),
    "true": ({"sky": True}, None, 'the value of "sky" isn\'t one'),
    "a colour beyond bytes": ({"sky": (1, 2, 256)}, None, 'the value of "sky" isn\'t one'),
}


@pytest.mark.parametrize(("classes", "void", "said"), BAD_CLASSES.values(), ids=BAD_CLASSES)
def test_classes_with_one_value_for_two_are_refused(classes, void, said, mine):
    message = refused(mine, classes, void=void)
    assert message.startswith("classes: ")
    assert said in message


@pytest.mark.parametrize("spelling", ["masks:{}", "{}"], ids=["by prefix", "by path"])
def test_a_folder_with_images_masks_and_classes_goes_by_its_name(spelling, mine):
    made = domain(spelling.format(mine), (4, 5))
    assert (made.name, made.classes, made.labels.shape) == ("mine", tuple(NAMES), (3, 4, 5))
    assert made.fingerprint == read(mine, size=(4, 5)).fingerprint


def test_by_the_folder_prefix_its_subfolders_are_classes(mine):
    assert domain(f"folder:{mine}").classes == ("images", "masks")


CLASS_FILES = {
    "names": ("# mine\nsky\n\nroad\ntree\n", NAMES),
    "numbers": ("sky = 0\nroad=1\ntree = 2\n", {"sky": 0, "road": 1, "tree": 2}),
    "several": ("green = 2\nrest = 0, 1\n", {"green": 2, "rest": [0, 1]}),
}


@pytest.mark.parametrize(("text", "classes"), CLASS_FILES.values(), ids=CLASS_FILES)
def test_the_list_of_classes_has_names_or_values(text, classes, mine):
    (mine / "classes.txt").write_text(text)
    made = domain(f"masks:{mine}")
    assert (made.fingerprint, made.classes) == (read(mine, classes).fingerprint, tuple(classes))


def test_the_list_of_classes_can_have_void_and_colours(mine):
    (mine / "classes.txt").write_text("sky = 0\nroad = 1\nvoid = 2, 255\n")
    assert torch.equal(domain(f"masks:{mine}").labels, read(mine, {"sky": 0, "road": 1}, void=[2, 255]).labels)
    (mine / "classes.txt").write_text("sky\nvoid\nroad\n")
    with pytest.raises(InputError, match=r"0.png has values of no class: 255 \(10 pixels\)"):
        domain(f"masks:{mine}")
    (mine / "classes.txt").write_text("sky = #0000ff\nroad = #808080\n")
    with pytest.raises(InputError, match="the classes are given as colours"):
        domain(f"masks:{mine}")


BAD_FILES = {
    "some with values": ("sky = 0\nroad\n", 'got "road" beside lines with ='),
    "empty": ("", "expected for each class a line NAME .* got no class"),
    "a colour without =": ("sky #808080\nroad #804080\n", 'such as road = 3 or road = #804080; got "sky #808080"'),
    "a colour after a colon": ("sky: 128, 128, 128\n", 'got "sky: 128, 128, 128"'),
    "a number first": ("0 sky\n1 road\n", 'got "0 sky"'),
    "a name twice": ("sky\nroad\nsky\n", "got sky twice"),
    "words for values": ("sky = blue\n", 'the value of "sky" isn\'t one'),
}


@pytest.mark.parametrize(("text", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_list_of_classes_is_refused(text, said, mine):
    (mine / "classes.txt").write_text(text)
    with pytest.raises(InputError, match=said):
        domain(f"masks:{mine}")


def test_without_a_list_of_classes_it_says_what_is_expected(mine):
    (mine / "classes.txt").unlink()
    with pytest.raises(
        InputError,
        match=r"classes.txt is missing; expected a text file with a class on each line",
    ):
        domain(f"masks:{mine}")


def test_a_target_has_the_sources_class_numbers(mine):
    made = domain(mine, classes=("car", "tree", "road", "sky"))
    assert made.classes == ("car", "tree", "road", "sky")
    np.testing.assert_array_equal(made.labels[0], np.choose(np.minimum(numbers(0), 3), [3, 2, 1, VOID]))
    with pytest.raises(InputError, match="expected the source's classes sky, road, got also tree"):
        domain(mine, classes=("sky", "road"))


@pytest.mark.parametrize("classes", ["sky", None, 3])
def test_classes_that_are_no_list_of_names_are_refused(mine, classes):
    with pytest.raises(InputError, match="expected a list of names, or a mapping from names to values"):
        masks(mine / "images", mine / "masks", classes)


def test_masks_saved_as_jpeg_are_not_called_missing_ones(mine):
    for file in (mine / "masks").glob("*.png"):
        file.rename(file.with_suffix(".jpg"))
    with pytest.raises(InputError, match=r"save them as PNG \(there are .jpg; JPEG changes the values\)"):
        domain(f"masks:{mine}")


def test_a_list_of_classes_may_begin_with_a_byte_order_mark_and_its_file_is_named(mine):
    (mine / "classes.txt").write_text("sky\nroad\nvoid\n", encoding="utf-8-sig")
    with pytest.raises(InputError, match="has values of no class"):
        domain(f"masks:{mine}")
    (mine / "classes.txt").write_text("sky = 0\nroad = 1\nvoid = 2, 255\n", encoding="utf-8-sig")
    assert domain(f"masks:{mine}").classes == ("sky", "road")
    (mine / "classes.txt").write_text("sky = 0\nroad = 0\n")
    with pytest.raises(InputError, match=r"classes\.txt: classes: 0 stands for"):
        domain(f"masks:{mine}")
    with pytest.raises(InputError, match="nowhere: expected a folder with images/, masks/ and classes"):
        domain(f"masks:{mine / 'nowhere'}")
