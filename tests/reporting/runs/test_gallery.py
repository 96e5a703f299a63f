import numpy as np
import pytest
import torch

from unseen.reporting.finished.methods import read_methods
from unseen.reporting.kit.pictures import amplification
from unseen.reporting.runs.ancestry import candidates, lineage, trace
from unseen.reporting.runs.gallery import make_gallery
from unseen.runs.folder import RunFolder


@pytest.fixture
def ancestry():
    """Source rows 0..3; round 1 is rows 4..6, made from 2, 0, 1; round 2 is rows 7..9, made from 4, 2, 3."""
    return trace(4, [np.array([2, 0, 1]), np.array([4, 2, 3])])


def test_every_row_goes_back_to_the_source(ancestry):
    assert ancestry.roots.tolist() == [0, 1, 2, 3, 2, 0, 1, 2, 2, 3]
    assert ancestry.rounds.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_digit_is_followed_along_its_chain_and_missing_where_no_round_took_it(ancestry):
    assert lineage(ancestry, 2) == [4, 7]  # 7 was made from 4; 8 from the source again
    assert lineage(ancestry, 0) == [5, None]
    assert lineage(ancestry, 3) == [None, 9]


def test_a_chain_of_three_rounds_is_found_whichever_comes_first():
    ancestry = trace(2, [np.array([0, 1]), np.array([0, 2]), np.array([4, 5])])
    assert ancestry.roots.tolist()[2:] == [0, 1, 0, 0, 0, 0]
    assert lineage(ancestry, 0) == [2, 5, 7]


def test_rows_that_most_rounds_took_up_are_candidates(ancestry):
    assert candidates(ancestry, np.array([0, 0, 0, 1])) == [[2], [3]]
    assert candidates(ancestry, np.array([0, 0, 1, 2])) == [[0, 1], [2], [3]]


def test_a_real_run_is_shown_with_the_changes_it_made(runs, source):
    (ada,) = read_methods([runs / "ada-0"])
    gallery = make_gallery(ada, source)
    assert [row.label for row in gallery.rows] == list("0123")
    for row in gallery.rows:
        line = lineage(trace(24, [RunFolder(runs / "ada-0").read_round(k)[1].numpy() for k in (1, 2)]), row.number)
        assert [step is None for step in row.steps] == [found is None for found in line]
    images, parents = RunFolder(runs / "ada-0").read_round(1)
    moved = (images - source.images[parents]).flatten(1).norm(dim=1).tolist()
    first = [row.steps[0] for row in gallery.rows if row.steps[0]]
    assert first
    assert all(
        step.made_from == "original" and step.moved == pytest.approx(min(moved, key=lambda m: abs(m - step.moved)))
        for step in first
    )


def test_the_factor_is_round_and_the_same_for_all():
    small, large = torch.full((1, 4, 4), 0.004), torch.full((1, 4, 4), -0.02)
    assert amplification([small]) == 100
    assert amplification([small, large]) == 20
    assert amplification([torch.zeros(1, 4, 4)]) == 1
    assert amplification([torch.full((1, 2, 2), 3.0)]) == 1
