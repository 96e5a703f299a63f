import numpy as np
import pytest
import torch

from unseen.reporting.finished.methods import read_methods
from unseen.reporting.kit.links import how_far, parts
from unseen.reporting.kit.pictures import amplification
from unseen.reporting.runs.ancestry import candidates, lineage, trace
from unseen.reporting.runs.gallery import make_gallery
from unseen.reporting.runs.scenes import some_of
from unseen.runs.folder import RunFolder


@pytest.fixture
def ancestry():
    """Source rows 0..3; round 1 is rows 4..6, made from 2, 0, 1; round 2 is rows 7..9, made from 4, 2, 3."""
    return trace(4, [np.array([2, 0, 1]), np.array([4, 2, 3])])


def test_every_row_goes_back_to_the_source(ancestry):
    assert ancestry.roots.tolist() == [0, 1, 2, 3, 2, 0, 1, 2, 2, 3]
    assert ancestry.rounds.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_digit_is_followed_along_its_chain_and_missing_where_no_round_took_it(ancestry):
    assert lineage(ancestry, 2, (1, 2)) == [4, 7]  # 7 was made from 4; 8 from the source again
    assert lineage(ancestry, 0, (1, 2)) == [5, None]
    assert lineage(ancestry, 3, (1, 2)) == [None, 9]


def test_a_chain_of_three_rounds_is_found_whichever_comes_first():
    ancestry = trace(2, [np.array([0, 1]), np.array([0, 2]), np.array([4, 5])])
    assert ancestry.roots.tolist()[2:] == [0, 1, 0, 0, 0, 0]
    assert lineage(ancestry, 0, (1, 2, 3)) == [2, 5, 7]


def test_rows_that_most_rounds_took_up_are_candidates(ancestry):
    assert candidates(ancestry, np.array([0, 0, 0, 1]), (1, 2)) == [[2], [3]]
    assert candidates(ancestry, np.array([0, 0, 1, 2]), (1, 2)) == [[0, 1], [2], [3]]


def test_a_real_run_is_shown_with_the_changes_it_made(runs, source):
    (ada,) = read_methods([runs / "ada-0"])
    gallery = make_gallery(ada, source)
    assert [row.label for row in gallery.rows] == list("0123")
    for row in gallery.rows:
        ancestry = trace(24, [RunFolder(runs / "ada-0").read_round(k)[1].numpy() for k in (1, 2)])
        line = lineage(ancestry, row.number, (1, 2))
        assert [step is None for step in row.steps] == [found is None for found in line]
    made, parents = RunFolder(runs / "ada-0").read_round(1)
    moved = (made.images - source.images[parents]).flatten(1).norm(dim=1).tolist()
    first = [row.steps[0] for row in gallery.rows if row.steps[0]]
    assert first
    assert all(
        step.made_from == "original" and step.moved == pytest.approx(min(moved, key=lambda m: abs(m - step.moved)))
        for step in first
    )


def test_where_earlier_rounds_are_gone_those_kept_have_their_numbers():
    ancestry = trace(3, [np.array([2, 0]), np.array([2, 1])], first=7)
    assert ancestry.rounds.tolist() == [0, 0, 0, 7, 7, 8, 8]
    assert lineage(ancestry, 2, (7, 8)) == [3, 5]
    assert candidates(ancestry, np.array([0, 0, 0]), (8,)) == [[1, 2]], "row 0 is in no round that is shown"


def test_of_many_rounds_the_first_the_last_and_some_between_are_shown():
    assert some_of(range(1, 21), 5) == [1, 6, 11, 15, 20]
    assert some_of(range(4, 7), 5) == [4, 5, 6]
    assert some_of(range(4, 5), 5) == [4]


def test_a_run_over_transformations_shows_what_each_image_went_through(transformed, source):
    (method,) = read_methods([transformed])
    gallery = make_gallery(method, source)
    assert gallery.transformed
    assert gallery.rounds == [4, 5, 6]
    assert gallery.which_rounds.startswith("Rounds 4, 5 and 6 of 6 are shown: the last 3 stayed")
    assert gallery.columns == 4
    ada = method.runs[0].config.ada
    every = {
        (tuple(parts(went)), k)
        for k in gallery.rounds
        for went in how_far(ada.ascended, RunFolder(transformed).read_round(k)[0].links)
    }
    steps = [(step, k) for row in gallery.rows for step, k in zip(row.steps, gallery.rounds, strict=True)]
    assert steps
    assert all((tuple(step.went), k) in every and step.change is None for step, k in steps)


def test_pixels_over_many_rounds_show_five(train, tmp_path, source):
    (method,) = read_methods([train(tmp_path / "run", K=7, T_min=1, T=9)])
    gallery = make_gallery(method, source)
    assert gallery.rounds == [1, 3, 4, 5, 7]
    assert gallery.which_rounds == "Rounds 1, 3, 4, 5 and 7 of 7 are shown."
    assert all(len(row.steps) == 5 for row in gallery.rows)
    assert all(step.change and not step.went for row in gallery.rows for step in row.steps if step)


def test_the_factor_is_round_and_the_same_for_all():
    small, large = torch.full((1, 4, 4), 0.004), torch.full((1, 4, 4), -0.02)
    assert amplification([small]) == 100
    assert amplification([small, large]) == 20
    assert amplification([torch.zeros(1, 4, 4)]) == 1
    assert amplification([torch.full((1, 2, 2), 3.0)]) == 1
