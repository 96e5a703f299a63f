import numpy as np
import pytest
import torch
from PIL import Image

from unseen.data.formats.image_file import ENDINGS
from unseen.data.image_folder import folder
from unseen.errors import InputError

RED, GREEN, WHITE, BLACK = (255, 0, 0), (0, 255, 0), (255, 255, 255), (0, 0, 0)


@pytest.fixture
def root(tmp_path):
    return tmp_path / "pets"


def put(root, name, image=None, **options):
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    (image or Image.new("RGB", (6, 4), RED)).save(file, **options)
    return file


def colour(domain, index=0):
    """The one colour of an image that has one."""
    pixels = (domain.images[index] * 255).round().flatten(1)
    assert (pixels == pixels[:, :1]).all()
    return tuple(pixels[:, 0].int().tolist())


def refused(message, root, **options):
    with pytest.raises(InputError, match=message):
        folder(root, **options)


def test_classes_are_numbered_by_sorted_name_and_files_sorted_within(root):
    for name, paint in [("owl/b.png", GREEN), ("owl/a.png", RED), ("cat/z.png", WHITE)]:
        put(root, name, Image.new("RGB", (6, 4), paint))
    pets = folder(root)
    assert (pets.name, pets.classes, pets.labels.tolist()) == ("pets", ("cat", "owl"), [0, 1, 1])
    assert [colour(pets, i) for i in range(3)] == [WHITE, RED, GREEN]
    assert pets.images.shape == (3, 3, 4, 6)
    assert str(root) in pets.origin


@pytest.mark.parametrize("ending", [*ENDINGS, ".PNG"])
def test_every_ending_is_read(root, ending):
    put(root, f"cat/a{ending}", Image.new("RGB", (8, 8), WHITE))
    assert colour(folder(root)) == WHITE


def test_hidden_files_and_other_endings_are_left_out(root):
    put(root, "cat/a.png")
    put(root, "cat/.b.png")
    put(root, ".cache/c.png")
    (root / "cat" / "notes.txt").write_text("not an image")
    (root / "README.md").write_text("not a class")
    said = []
    pets = folder(root, warn=said.append)
    assert (len(pets), pets.classes) == (1, ("cat",))
    assert len(said) == 1
    assert said[0].startswith(f"{root}: passed over what is no image by its ending (1 .txt); images are .png, .jpg")


def test_images_beside_the_class_folders_are_counted(root):
    put(root, "cat/a.png")
    put(root, "stray.png")
    said = []
    assert len(folder(root, warn=said.append)) == 1
    assert said == [f"{root}: passed over 1 images that lie beside the class folders; move each into one"]


def test_of_many_other_endings_the_first_are_named(root):
    put(root, "cat/a.png")
    for letter in "abcdefgh":
        (root / "cat" / f"photo.{letter}").touch()
    said = []
    folder(root, warn=said.append)
    assert "(1 .a, 1 .b, 1 .c, 1 .d, 1 .e, 1 .f, 2 more kinds)" in said[0]


@pytest.mark.parametrize(("size", "shape"), [(16, (16, 16)), ((5, 9), (5, 9))])
def test_size_is_a_side_or_height_and_width(root, size, shape):
    put(root, "cat/a.png")
    put(root, "cat/b.png", Image.new("RGB", (30, 20)))
    assert folder(root, size).images.shape[2:] == shape


def test_resizing_is_bilinear(root):
    ramp = np.tile(np.array([0, 200], np.uint8)[None, :, None], (2, 1, 3))
    put(root, "cat/a.png", Image.fromarray(ramp))
    levels = (folder(root, (2, 4)).images[0, 0, 0] * 255).round().int()
    assert levels.tolist() == [0, 50, 150, 200]


def test_resizing_is_lanczos_when_asked_for(root):
    step = np.repeat(np.array([0, 0, 200, 200], np.uint8), 4).reshape(4, 4).T[..., None].repeat(3, axis=2)
    put(root, "cat/a.png", Image.fromarray(step))
    levels = (folder(root, 8, resize="lanczos").images[0] * 255).round().byte().movedim(0, 2)
    expected = Image.fromarray(step).resize((8, 8), Image.Resampling.LANCZOS)
    np.testing.assert_array_equal(levels.numpy(), np.asarray(expected))
    refused(r"resize='cubic': expected one of bilinear, bicubic, lanczos", root, resize="cubic")


def test_one_channel_is_the_luminance(root):
    put(root, "cat/a.png", Image.new("RGB", (6, 4), RED))
    assert colour(folder(root, channels=1)) == (76,)


def test_the_domain_can_be_named(root):
    put(root, "cat/a.png")
    assert folder(root, name="mine").name == "mine"


def test_a_targets_classes_are_numbered_as_the_sources_are(root):
    put(root, "dog/a.png")
    pets = folder(root, classes=("cat", "dog"))
    assert (pets.classes, pets.labels.tolist()) == (("cat", "dog"), [1])
    refused("subfolders dog are none of the expected classes cat, owl", root, classes=("cat", "owl"))


def test_exif_orientation_is_applied(root):
    picture = Image.new("RGB", (6, 4), BLACK)
    picture.putpixel((0, 0), WHITE)
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees clockwise to see it upright
    put(root, "cat/a.png", picture, exif=exif)
    image = folder(root).images[0, 0]
    assert image.shape == (6, 4)
    assert image.nonzero().tolist() == [[0, 3]]


def test_sixteen_bits_are_scaled_and_not_clipped(root):
    levels = np.array([[0, 257, 32896, 65535]], np.uint16)
    put(root, "cat/a.png", Image.fromarray(levels))
    put(root, "cat/b.tif", Image.fromarray(levels))
    for image in folder(root).images:
        assert (image[0] * 255).round().tolist() == [[0, 1, 128, 255]]


@pytest.mark.parametrize(
    ("name", "picture"),
    [
        ("rgba", Image.new("RGBA", (6, 4), (255, 0, 0, 0))),
        ("grey-alpha", Image.new("LA", (6, 4), (0, 0))),
    ],
)
def test_transparency_is_laid_over_white(root, name, picture):
    put(root, f"cat/{name}.png", picture)
    assert colour(folder(root)) == WHITE


def test_half_transparent_red_is_pink(root):
    put(root, "cat/a.png", Image.new("RGBA", (6, 4), (255, 0, 0, 128)))
    assert colour(folder(root)) == (255, 127, 127)


def test_a_palette_is_looked_up_and_its_transparent_colour_is_white(root):
    picture = Image.new("P", (6, 4), 1)
    picture.putpalette([*BLACK, *GREEN])
    put(root, "cat/a.png", picture)
    put(root, "cat/b.png", picture, transparency=1)
    assert (colour(folder(root), 0), colour(folder(root), 1)) == (GREEN, WHITE)


@pytest.mark.parametrize("mode", ["1", "L", "CMYK"])
def test_other_modes_become_rgb(root, mode):
    put(root, "cat/a.tif", Image.new("RGB", (6, 4), WHITE).convert(mode))
    assert colour(folder(root)) == WHITE


def test_floating_point_and_32_bit_pixels_are_refused(root):
    put(root, "cat/a.tif", Image.new("F", (6, 4), 0.5))
    put(root, "cat/b.tif", Image.new("I", (6, 4), 70000))
    refused(r"2 problems\n.*a\.tif.*floating-point.*\n.*b\.tif.*outside 0\.\.65535", root)


def test_reading_twice_gives_the_same_bits(root):
    put(root, "cat/a.jpg", Image.effect_noise((20, 20), 80).convert("RGB"))
    assert torch.equal(folder(root, 7).images[:], folder(root, 7).images[:])


def test_a_path_that_is_no_folder_is_refused(root, tmp_path):
    refused("pets: expected a folder with one subfolder per class, found nothing there; check the path", root)
    refused("a.png: .*found a file", put(tmp_path, "a.png"))


def test_a_folder_without_subfolders_is_refused_with_what_lies_in_it(root):
    put(root, "a.png")
    refused(r"expected one subfolder per class, found none \(1 images lie in it directly\); move each", root)


def test_empty_class_folders_are_named_with_what_lies_in_them(root):
    put(root, "cat/a.png")
    (root / "dog").mkdir()
    put(root, "owl/deeper/a.png")
    (root / "owl" / "a.gif").write_bytes(b"")
    refused(r'2 problems\n.*"dog" has no images \(found: nothing\).*\n.*"owl".*1 \.gif, 1 folders\)', root)


def test_a_folder_of_empty_classes_is_refused_once(root):
    (root / "cat").mkdir(parents=True)
    (root / "dog").mkdir()
    refused(r"no images in any of its 2 subfolders \(found: nothing\); expected \.png, \.jpg", root)
    (root / "dog" / "a.heic").write_bytes(b"")
    refused(r"\(found: 1 \.heic\); expected .* files: convert them, or check the path", root)


def test_a_folder_one_level_too_high_names_the_one_that_may_be_meant(root):
    for name in ("street/cat", "street/dog", "studio/cat"):
        put(root, f"{name}/a.png")
    refused(r"found: 3 folders\).* its classes may be one folder down: .*street$", root)


def test_a_truncated_and_a_fake_image_are_both_named(root):
    put(root, "cat/a.png")
    whole = put(root, "cat/cut.jpg", Image.effect_noise((64, 64), 80))
    whole.write_bytes(whole.read_bytes()[:-500])
    (root / "cat" / "fake.png").write_text("<html>404</html>")
    refused(
        r"2 problems\n.*cut\.jpg can't be read.*truncated.*\n.*fake\.png can't be read.*replace or remove",
        root,
    )


def test_many_unreadable_images_are_counted_instead_of_listed(root):
    put(root, "cat/a.png")
    for i in range(13):
        (root / "cat" / f"fake{i:02}.png").write_bytes(b"")
    refused(r"fake09\.png[^\n]*\n  - and 3 more like these$", root)


def test_different_sizes_without_size_are_refused_with_the_size_to_pass(root):
    put(root, "cat/a.png")
    put(root, "cat/b.png")
    put(root, "dog/c.png", Image.new("RGB", (9, 9)))
    refused(r"2 different sizes: 2 of 3 are 4x6, dog.c\.png isn't; .*pass size=\(4, 6\)", root)
    assert len(folder(root, size=(4, 6))) == 3


@pytest.mark.parametrize("size", [0, -3, (4,), (4, 0), "32", 3.5, (2.0, 2)])
def test_a_size_that_is_none_is_refused(root, size):
    put(root, "cat/a.png")
    refused("expected a side in pixels or", root, size=size)


def test_two_channels_are_refused(root):
    put(root, "cat/a.png")
    refused(r"channels is 2, expected 3 \(RGB\) or 1 \(grey\)", root, channels=2)
