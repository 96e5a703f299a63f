import numpy as np
import pytest
import torch

from unseen.base.images import FileRows, StoredImages, as_float, in_batches, part_of
from unseen.base.writing import nameless_file
from unseen.errors import InputError


@pytest.fixture
def levels():
    return torch.randint(0, 256, (20, 3, 4, 5), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


@pytest.fixture(params=["in memory", "in a file"])
def stored(request, levels, tmp_path):
    if request.param == "in memory":
        return StoredImages(levels)
    rows = FileRows(nameless_file(levels.numel(), tmp_path, "the test", "mend it"), levels.shape, torch.uint8)
    rows[0:12], rows[12:20] = levels[:12], levels[12:]
    return StoredImages(rows)


INDICES = {
    "one": 3,
    "the last": -1,
    "a slice": slice(2, 9),
    "all": slice(None),
    "every third": slice(1, None, 3),
    "a list": [7, 7, 2],
    "a tensor": torch.tensor([19, 0, 5, 6]),
    "a mask": torch.arange(20) % 2 == 0,
    "none": torch.tensor([], dtype=torch.long),
    "a pixel of one": (4, 2, 3),
    "a channel of some": (slice(3, 5), 1),
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_stored_images_are_indexed_as_the_floats_they_stand_for(stored, levels, index):
    whole = torch.from_numpy(np.divide(levels.numpy(), 255, dtype=np.float32))
    taken = stored[index]
    assert taken.dtype == torch.float32
    assert torch.equal(taken, whole[index])


def test_a_part_of_stored_images_shares_them(stored, levels):
    rows = torch.tensor([9, 1, 4])
    part = part_of(stored, rows)
    assert part.kept is stored.kept
    assert (len(part), part.shape, part.dtype) == (3, (3, 3, 4, 5), torch.float32)
    assert torch.equal(part[:], as_float(levels[rows]))
    assert torch.equal(part.part(torch.tensor([2]))[0], as_float(levels[4]))


def test_images_come_in_batches_whatever_they_are(stored):
    batches = list(in_batches(stored, 8))
    assert [len(batch) for batch in batches] == [8, 8, 4]
    assert torch.equal(torch.cat(batches), stored[:])
    assert torch.equal(torch.stack(list(stored)), stored[:])


def test_functions_of_torch_take_all_of_the_images(stored, levels):
    assert torch.equal(stored, as_float(levels))
    assert torch.equal(torch.cat([stored, stored])[20:], as_float(levels))


def test_what_only_a_tensor_has_is_refused_with_what_to_write(stored):
    with pytest.raises(AttributeError, match=r"not a tensor.*images\[:8\].mean, or all.*images\[:\].mean"):
        stored.mean()


def test_a_file_that_is_cut_short_is_an_error_and_not_the_end_of_the_process(tmp_path):
    (tmp_path / "images").write_bytes(b"x" * 10)
    rows = FileRows((tmp_path / "images").open("rb", buffering=0), (4, 1, 2, 2), torch.uint8)
    assert rows[0:2].shape == (2, 1, 2, 2)
    with pytest.raises(InputError, match="images is damaged: it is cut short: expected 4 images of 4 bytes"):
        rows[2:4]
