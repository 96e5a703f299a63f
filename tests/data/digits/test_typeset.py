import numpy as np
import pytest
from PIL import ImageDraw

from unseen.data.digits import built_in_digits as digits
from unseen.data.digits import typeset
from unseen.errors import InputError


def test_nothing_handwritten_enters(monkeypatch):
    monkeypatch.setattr(digits, "_mnist5k", lambda: pytest.fail("typeset read handwritten digits"))
    assert typeset._picture(np.random.default_rng(0), 3).shape == (32, 32, 3)


@pytest.mark.parametrize("name", typeset.FONTS)
def test_a_font_has_ten_different_digits_of_the_height_asked_for(name):
    font = typeset._font(name, 60)
    shapes = {bytes(font.getmask(character)) for character in "0123456789"}
    assert len(shapes) == 10
    assert abs(typeset._height(font) - 60) <= 2


def test_images_are_drawn_apart_so_that_each_depends_on_its_own_number_only():
    seventh = typeset._picture(np.random.default_rng([typeset.SEED, 7]), 7)
    built = (typeset.typeset().images[7].movedim(0, 2) * 255).round().byte().numpy()
    np.testing.assert_array_equal(built, seventh)


def test_the_digit_asked_for_is_the_one_in_the_middle():
    # The same draws with another digit change the middle and leave the neighbours at the edges alone.
    changed = np.zeros((32, 32))
    for i in range(50):
        three, eight = (typeset._print(np.random.default_rng([1, i]), digit) for digit in (3, 8))
        changed += three != eight
    assert changed[:, 8:24].sum() > 0.9 * changed.sum()


def test_neighbours_are_cut_off_at_the_edges():
    edges = [typeset._print(np.random.default_rng([2, i]), 1)[:, [0, -1]].max(0) > 0.3 for i in range(300)]
    left, right = np.mean(edges, axis=0)
    assert 0.35 < left < 0.65
    assert 0.35 < right < 0.65


def test_no_neighbour_comes_so_close_that_it_would_be_seen_whole(monkeypatch):
    places = []
    monkeypatch.setattr(ImageDraw.ImageDraw, "text", lambda self, place, *_, **__: places.append(place))
    pitches = []
    for i in range(300):
        places.clear()
        typeset._print(np.random.default_rng([3, i]), 1)
        pitches += [abs(x - places[0][0]) / typeset._OVERSAMPLING for x, _ in places[1:]]
    assert len(pitches) > 250
    assert min(pitches) >= 15 - 1e-9


def test_the_light_falls_on_the_picture(monkeypatch):
    assert typeset._picture(np.random.default_rng(0), 3).max() > 100
    monkeypatch.setattr(typeset, "_light", lambda rng: np.zeros((32, 32, 1)))
    assert typeset._picture(np.random.default_rng(0), 3).max() < 100


def test_ink_and_paper_always_differ_in_luminance_by_the_least_contrast():
    rng = np.random.default_rng(0)
    for _ in range(500):
        ink, paper = typeset._colours(rng)
        assert abs((ink - paper) @ [0.299, 0.587, 0.114]) >= 0.3 - 1e-12
        assert min(ink.min(), paper.min()) >= 0
        assert max(ink.max(), paper.max()) <= 1


def test_light_falls_from_1_to_no_less_than_06():
    lights = [typeset._light(np.random.default_rng(i)) for i in range(100)]
    assert all(light.max() == 1 for light in lights)
    assert 0.6 <= min(light.min() for light in lights) < 0.65


def test_a_font_that_is_not_there_is_named_with_the_fix():
    with pytest.raises(InputError, match=r"Papyrus\.ttf.*pip install 'unseen\[digits\]'"):
        typeset._font("Papyrus", 40)
