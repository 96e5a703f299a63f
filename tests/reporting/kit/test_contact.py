"""Contact sheets."""

import numpy as np
import pytest
import torch

from unseen.errors import InputError
from unseen.reporting.kit.contact import contact_sheet


def images(count, channels=3, height=8, width=12):
    return torch.rand(count, channels, height, width, generator=torch.Generator().manual_seed(0)) * 1.4 - 0.2


def test_every_image_is_in_its_row_and_column_and_in_proportion():
    rows = {"original": images(3), "after the ascent": images(3).flip(0)}
    figure = contact_sheet(rows, width=6)
    assert len(figure.axes) == 6
    for axes, image in zip(figure.axes, torch.cat(list(rows.values())), strict=True):
        assert np.allclose(axes.images[0].get_array(), image.clamp(0, 1).movedim(0, 2).numpy())
        box, (wide, high) = axes.get_position(), figure.get_size_inches()
        assert box.width * wide / (box.height * high) == pytest.approx(12 / 8)
    places = [(axes.get_position().x0, axes.get_position().y0) for axes in figure.axes]
    assert places[0][0] == places[3][0] < places[1][0]
    assert places[0][1] == places[2][1] > places[3][1]
    assert [text.get_text() for text in figure.texts] == ["original", "after the\nascent"]


def test_captions_go_below_their_images_and_make_room():
    rows = {"before": images(2, 1), "after": images(2, 1)}
    plain, with_words = contact_sheet(rows), contact_sheet(rows, {"before": ["warp 0.5", "colour 0.8 · tone 0.1"]})
    assert with_words.get_figheight() > plain.get_figheight()
    words = {text.get_text(): text.get_position() for text in with_words.texts}
    (first, second, *_), (below, *_) = with_words.axes[:2], with_words.axes[2:]
    x, y = words["warp 0.5"]
    assert first.get_position().x0 < x < first.get_position().x1 < second.get_position().x0
    assert first.get_position().y0 > y > below.get_position().y1


@pytest.mark.parametrize(
    ("rows", "captions"),
    [
        ({}, {}),
        ({"a": images(0)}, {}),
        ({"a": images(2), "b": images(3)}, {}),
        ({"a": images(2), "b": images(2, width=8)}, {}),
        ({"a": images(2)}, {"a": ["one"]}),
        ({"a": images(2)}, {"b": ["one", "two"]}),
    ],
    ids=["nothing", "no images", "other counts", "other sizes", "too few captions", "captions of no row"],
)
def test_what_makes_no_sheet_is_refused(rows, captions):
    with pytest.raises(InputError, match="contact_sheet: "):
        contact_sheet(rows, captions)
