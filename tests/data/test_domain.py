"""What a domain promises, what is taken for one, and every way of being refused."""

import dataclasses
import hashlib

import numpy as np
import pytest
import torch
from torch.utils.data import Dataset, TensorDataset

from unseen.base.labels import VOID
from unseen.data.domain import Domain, as_domain
from unseen.errors import InputError

NAMES = ("zero", "one", "two", "three")


@pytest.fixture
def domain(digits):
    return Domain("bars", *digits, NAMES)


def test_a_domain_has_a_length_a_name_and_a_readable_form(domain):
    assert len(domain) == 24
    assert repr(domain) == "Domain('bars': 24 images of 3x8x8, 4 classes)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        domain.name = "other"


def test_the_head_of_a_domain_is_its_first_samples(domain):
    first = domain.head(5)
    assert torch.equal(first.images, domain.images[:5])
    assert torch.equal(first.labels, domain.labels[:5])
    assert (first.name, first.classes, first.origin) == (domain.name, domain.classes, domain.origin)


def test_one_fingerprint_is_one_set_of_data(domain, digits):
    x, y = digits
    same = Domain("another name", x.clone(), y.clone(), NAMES)
    assert same.fingerprint == domain.fingerprint
    assert len(domain.fingerprint) == len(hashlib.sha256().hexdigest())
    pixel, label, shape = x.clone(), y.clone(), x.transpose(2, 3).contiguous()
    pixel[23, 2, 7, 7] += 2**-20
    label[23] = 0
    others = [
        Domain("bars", pixel, y, NAMES),
        Domain("bars", x, label, NAMES),
        Domain("bars", shape, y, NAMES),
        Domain("bars", x.reshape(24, 3, 4, 16), y, NAMES),
        domain.head(23),
    ]
    assert len({domain.fingerprint, *(other.fingerprint for other in others)}) == 6


def test_the_fingerprint_sees_values_not_memory(domain, digits):
    x, y = digits
    strided = Domain("bars", x.to(memory_format=torch.channels_last), y, NAMES)
    assert strided.fingerprint == domain.fingerprint


class Pairs(Dataset):
    """The least a torch Dataset has to be."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


FORMS = {
    "pair of tensors": lambda x, y: (x, y),
    "list of two tensors": lambda x, y: [x, y],
    "float64 images": lambda x, y: (x.double(), y),
    "int32 labels": lambda x, y: (x, y.int()),
    "uint8 labels": lambda x, y: (x, y.byte()),
    "TensorDataset": TensorDataset,
    "Dataset with int labels": lambda x, y: Pairs([(image, int(label)) for image, label in zip(x, y, strict=True)]),
    "list of pairs": lambda x, y: [(image, int(label)) for image, label in zip(x, y, strict=True)],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_accepted_form_gives_the_same_domain(form, domain, digits):
    made = as_domain(form(*digits))
    assert made.name == "source"
    assert made.images.dtype == torch.float32
    assert made.labels.dtype == torch.int64
    assert made.classes == ("0", "1", "2", "3")
    assert made.fingerprint == domain.fingerprint


def test_a_domain_stays_itself(domain):
    assert as_domain(domain) is domain
    assert as_domain(domain, classes=4) is domain


def test_classes_are_as_many_as_the_model_has(digits):
    x, y = digits
    assert len(as_domain((x, y), classes=7).classes) == 7
    assert len(as_domain((x, y)).classes) == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda x, y: (x.double(), y),
        lambda x, y: (x.half(), y),
        lambda x, y: (x, y.int()),
    ],
    ids=["float64 images", "float16 images", "int32 labels"],
)
def test_a_domain_keeps_its_promise_of_float32_and_int64(change, digits):
    """Either refused or converted, but never held as it is."""
    try:
        domain = Domain("bars", *change(*digits), NAMES)
    except InputError as error:
        assert "float32" in str(error) or "int64" in str(error)  # noqa: PT017
    else:
        assert (domain.images.dtype, domain.labels.dtype) == (torch.float32, torch.int64)


def changed(place, value):
    def change(x, y):
        x[place] = value
        return x, y

    return change


def labelled(value):
    def change(x, y):
        y[7] = value
        return x, y

    return change


BAD = {
    "above 1": (lambda x, y: (x * 255, y), ["pixel values lie in [0.", "], expected [0, 1]", "divide by 255"]),
    "a little above 1": (
        changed((2, 0, 0, 0), 1.25),
        ["1.25], expected [0, 1]", "put the normalization inside the model"],
    ),
    "below 0": (
        lambda x, y: (x - 1.5, y),
        ["lie in [-1.", "expected [0, 1]", "put the normalization inside the model"],
    ),
    "integers": (
        lambda x, y: ((x * 255).int(), y),
        ["images are torch.int32", "expected float in [0, 1] or bytes (torch.uint8) of 0..255", "convert them"],
    ),
    "NaN": (
        changed((slice(3, 5), 0, 0, 0), float("nan")),
        ["2 images have NaN or infinite pixels, the first is image 3", "in [0, 1]", "repair or drop them"],
    ),
    "infinity": (
        changed((4, 1, 2, 3), float("inf")),
        ["1 images have NaN or infinite pixels, the first is image 4", "in [0, 1]"],
    ),
    "minus infinity": (changed((4, 1, 2, 3), -float("inf")), ["the first is image 4"]),
    "no channels": (lambda x, y: (x[:, 0], y), ["images have shape (24, 8, 8)", "expected (N, C, H, W)"]),
    "a single image": (lambda x, y: (x[0], y[:3]), ["images have shape (3, 8, 8)", "expected (N, C, H, W)"]),
    "empty": (lambda x, y: (x[:0], y[:0]), ["no images", "expected at least one"]),
    "label too great": (
        labelled(4),
        ["labels lie in 0..4", "expected 0..3 (the model gives 4 scores)", "with 5 scores"],
    ),
    "negative label": (labelled(-1), ["labels lie in -1..3", "expected 0..3", "number the classes from 0"]),
    "float labels": (lambda x, y: (x, y.float()), ["labels are torch.float32", "expected integers", "labels.long()"]),
    "truth values as labels": (lambda x, y: (x, y > 1), ["labels are torch.bool", "expected integers"]),
    "one-hot labels": (
        lambda x, y: (x, torch.nn.functional.one_hot(y)),
        ["labels have shape (24, 4)", "expected (N,) with one class number each"],
    ),
    "fewer labels": (lambda x, y: (x, y[:20]), ["24 images but 20 labels", "expected one label for each image"]),
    "more labels": (lambda x, y: (x[:20], y), ["20 images but 24 labels", "expected one label for each image"]),
}


def assert_refused(x, y, entry, said):
    with pytest.raises(InputError) as caught:
        Domain("mine", x, y, NAMES) if entry == "Domain" else as_domain((x, y), "mine", classes=4)
    assert str(caught.value).startswith("mine: ")
    assert "\n" not in str(caught.value), "one mistake, one problem"
    for part in said:
        assert part in str(caught.value)


@pytest.mark.parametrize(("change", "said"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("entry", ["Domain", "as_domain"])
def test_bad_data_is_refused_with_the_value_the_expected_and_the_fix(change, said, entry, digits):
    assert_refused(*change(*digits), entry, said)


def test_values_of_exactly_0_and_1_are_fine(digits):
    x, y = digits
    x[0], x[1] = 0.0, 1.0
    assert len(as_domain((x, y))) == 24


def test_all_problems_are_in_one_message(digits):
    x, y = digits
    with pytest.raises(InputError) as caught:
        as_domain((x * 255, y[:20] - 1), "mine", classes=3)
    first, *problems = str(caught.value).splitlines()
    assert first == "mine: 3 problems"
    assert ["divide by 255" in p for p in problems] == [True, False, False]
    assert "labels lie in -1..2" in problems[1]
    assert "24 images but 20 labels" in problems[2]


def test_a_domain_with_more_classes_than_the_model_is_refused(domain):
    with pytest.raises(InputError, match=r"bars: labels lie in 0\.\.3, expected 0\.\.2 \(the model gives 3 scores\)"):
        as_domain(domain, classes=3)


class Anything:
    pass


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        yield torch.zeros(3, 8, 8), 0


BAD_SETS = {
    "empty": (Pairs([]), ["the data set is empty", "expected at least one (image, label)"]),
    "not pairs": (Pairs([torch.zeros(3, 8, 8)]), ["item 0 is not a pair (image, label)"]),
    "labels that are words": (Pairs([(torch.zeros(3, 8, 8), "cat")]), ["label", "cat"]),
    "labels that are not whole": (Pairs([(torch.zeros(3, 8, 8), 0), (torch.zeros(3, 8, 8), 0.5)]), ["label", "0.5"]),
    "one-hot labels": (Pairs([(torch.zeros(3, 8, 8), torch.tensor([0, 1]))]), ["label", "(2,)"]),
    "images that are not tensors": (
        Pairs([(torch.zeros(3, 8, 8), 0), ("a picture", 1)]),
        ["image 1 is a str", "expected a float tensor (C, H, W) in [0, 1]", "add a transform", "ToDtype"],
    ),
    "images of two sizes": (
        Pairs([(torch.zeros(3, 8, 8), 0), (torch.zeros(3, 8, 9), 1)]),
        ["image 1 has shape (3, 8, 9), image 0 has (3, 8, 8)", "expected one shape for all", "resize or crop"],
    ),
    "integer images": (Pairs([(torch.zeros(3, 8, 8, dtype=torch.int16), 0)]), ["images are torch.int16", "bytes"]),
    "something else": (
        Anything(),
        ["expected a Domain, a pair of tensors (images, labels) or a torch Dataset", "got Anything"],
    ),
    "nothing": (None, ["expected a Domain", "got NoneType"]),
}


@pytest.mark.parametrize(("data", "said"), BAD_SETS.values(), ids=BAD_SETS)
def test_a_data_set_that_gives_no_images_and_labels_is_refused(data, said):
    with pytest.raises(InputError) as caught:
        as_domain(data, "mine")
    assert str(caught.value).startswith("mine: ")
    for part in said:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("photos/studio", "got the name 'photos/studio'; use unseen.folder"),
        (torch.zeros(4, 3, 8, 8), "expected a Domain, a pair of tensors"),
        ((np.zeros((4, 3, 8, 8)), np.zeros(4)), "got numpy arrays; use torch.from_numpy"),
        (Pairs([{"image": 1, "label": 2}]), "item 0 is not a pair (image, label) but a dict"),
        (Stream(), "with a length, got Stream"),
    ],
    ids=["a path", "images alone", "numpy", "dicts", "no length"],
)
def test_what_people_pass_by_mistake_is_refused_with_what_to_pass(data, said):
    with pytest.raises(InputError) as caught:
        as_domain(data, "mine")
    assert said in str(caught.value)


@pytest.fixture
def streets(digits):
    """The images, and masks of four classes with a band of unlabelled pixels."""
    images, labels = digits
    masks = (torch.arange(8)[None, :, None] + labels[:, None, None]).expand(24, 8, 8) % 4
    masks = masks.clone()
    masks[:, 0] = VOID
    return images, masks


def test_masks_are_kept_as_bytes_and_make_the_domain_a_segmented_one(streets, domain):
    made = Domain("streets", *streets, NAMES)
    assert (made.labels.dtype, made.labels.shape) == (torch.uint8, (24, 8, 8))
    assert torch.equal(made.labels.long(), streets[1])
    assert (made.segmented, domain.segmented) == (True, False)
    assert repr(made) == "Domain('streets': 24 images of 3x8x8 with masks, 4 classes)"
    assert torch.equal(made.head(5).labels, made.labels[:5])


def test_the_fingerprint_sees_every_pixel_of_the_masks(streets, domain):
    images, masks = streets
    made = Domain("streets", images, masks, NAMES)
    assert Domain("other", images, masks.byte(), NAMES).fingerprint == made.fingerprint
    changed = masks.clone()
    changed[23, 7, 7] = VOID
    assert Domain("streets", images, changed, NAMES).fingerprint not in (made.fingerprint, domain.fingerprint)


def test_labels_and_masks_of_the_same_bytes_differ_in_fingerprint():
    images = torch.zeros(1, 1, 2, 4)
    numbers, masks = torch.zeros(1, dtype=torch.long), torch.zeros(1, 2, 4, dtype=torch.uint8)
    assert len({Domain("a", images, labels, NAMES).fingerprint for labels in (numbers, masks)}) == 2


MASK_FORMS = {
    "pair of tensors": lambda x, y: (x, y),
    "uint8 masks": lambda x, y: (x, y.byte()),
    "int16 masks": lambda x, y: (x, y.short()),
    "TensorDataset": TensorDataset,
    "list of pairs": lambda x, y: list(zip(x, y, strict=True)),
}


@pytest.mark.parametrize("form", MASK_FORMS.values(), ids=MASK_FORMS)
def test_every_accepted_form_of_masks_gives_the_same_domain(form, streets):
    made = as_domain(form(*streets))
    assert made.fingerprint == Domain("streets", *streets, NAMES).fingerprint
    assert made.classes == ("0", "1", "2", "3"), "unlabelled pixels are no class"
    assert len(as_domain(form(*streets), classes=7).classes) == 7


def test_an_image_without_a_labelled_pixel_is_taken_and_a_domain_without_one_is_not(streets):
    images, masks = streets
    masks[3] = VOID
    assert len(Domain("streets", images, masks, NAMES)) == 24
    with pytest.raises(InputError, match=r"streets: every pixel is unlabelled \(255\); expected at least one"):
        Domain("streets", images, torch.full_like(masks, VOID), NAMES)


def test_masks_hold_255_classes_and_no_more(streets):
    images, masks = streets
    masks[0, 1, 1] = 254
    assert len(as_domain((images, masks)).classes) == 255
    with pytest.raises(InputError, match="256 classes, expected 255 or fewer for masks: 255 marks unlabelled pixels"):
        Domain("streets", images, masks, tuple(map(str, range(256))))


def marked(value):
    def change(x, y):
        y[7, 2, 2] = value
        return x, y

    return change


BAD_MASKS = {
    "minus one for void": (marked(-1), ["labels lie in -1..3", "expected 0..3", "mark unlabelled pixels by 255"]),
    "a class too many": (
        marked(4),
        ["labels lie in 0..4", "expected 0..3 (the model gives 4 scores) or 255", "with 5 scores"],
    ),
    "a number beyond bytes": (marked(1000), ["labels lie in 0..1000", "or 255; mark unlabelled pixels by 255"]),
    "a channel": (
        lambda x, y: (x, y[:, None]),
        ["labels have shape (24, 1, 8, 8)", "masks (N, H, W)", "labels.squeeze(1)"],
    ),
    "one-hot": (
        lambda x, y: (x, torch.nn.functional.one_hot(y % 4).movedim(3, 1)),
        ["(24, 4, 8, 8)", "labels.argmax(1) if it is one-hot"],
    ),
    "floats": (lambda x, y: (x, y.float()), ["labels are torch.float32", "expected integers", "labels.long()"]),
    "another size": (lambda x, y: (x, y[:, :7]), ["images are 8x8, masks are 7x8; expected one size", "nearest"]),
    "fewer": (lambda x, y: (x, y[:20]), ["24 images but 20 labels"]),
}


@pytest.mark.parametrize(("change", "said"), BAD_MASKS.values(), ids=BAD_MASKS)
@pytest.mark.parametrize("entry", ["Domain", "as_domain"])
def test_bad_masks_are_refused_with_the_value_the_expected_and_the_fix(change, said, entry, streets):
    assert_refused(*change(*streets), entry, said)


IMAGE, MASK = torch.zeros(3, 8, 8), torch.zeros(8, 8, dtype=torch.long)
BAD_MASK_SETS = {
    "minus one in the second": ([(IMAGE, MASK), (IMAGE, MASK - 1)], "mine, label 1: labels lie in -1..-1"),
    "a channel": ([(IMAGE, MASK[None])], r"label 0 has shape \(1, 8, 8\), expected a mask \(H, W\).*label.squeeze"),
    "masks of two sizes": ([(IMAGE, MASK), (IMAGE, MASK[:7])], r"label 1 has shape \(7, 8\), label 0 has \(8, 8\)"),
    "a mask, then a number": ([(IMAGE, MASK), (IMAGE, 1)], r"label 1 has shape \(\), label 0 has \(8, 8\)"),
    "masks that are no tensors": (
        [(IMAGE, MASK.numpy())],
        r"label 0 is a ndarray of shape \(8, 8\).*for a mask, give a tensor \(H, W\)",
    ),
    "masks of another size than the images": ([(IMAGE, MASK[:7])], "images are 8x8, masks are 7x8"),
}


@pytest.mark.parametrize(("items", "said"), BAD_MASK_SETS.values(), ids=BAD_MASK_SETS)
def test_a_data_set_with_bad_masks_is_refused_with_the_first_of_them(items, said):
    with pytest.raises(InputError, match=said):
        as_domain(Pairs(items), "mine")


def test_a_name_is_no_row():
    domain = Domain("few", torch.zeros(2, 1, 8, 8), torch.tensor([0, 1]), ("a", "b"))
    with pytest.raises(TypeError, match=r"domain\['name'\]: expected a row, a slice or rows; did you mean domain.name"):
        domain["name"]
