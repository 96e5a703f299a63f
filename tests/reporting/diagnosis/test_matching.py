from itertools import permutations

import pytest
import torch

from unseen import Domain
from unseen.errors import InputError
from unseen.reporting.diagnosis.matching import pair, sample_source, transport


def domain(labels, classes="abc", name="some"):
    labels = torch.tensor(labels)
    draw = torch.Generator().manual_seed(len(labels))
    return Domain(name, torch.rand(len(labels), 1, 2, 2, generator=draw), labels, tuple(classes))


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_no_other_matching_costs_less(n):
    draw = torch.Generator().manual_seed(n)
    ours, theirs = torch.randn(2, n, 3, generator=draw, dtype=torch.float64)
    every = [
        sum(float((ours[i] - theirs[j]).square().sum()) / 2 for i, j in enumerate(p)) for p in permutations(range(n))
    ]
    assert float(transport(ours, theirs).sum()) == pytest.approx(min(every), rel=1e-12)


def test_a_cloud_in_another_order_is_at_no_distance():
    draw = torch.Generator().manual_seed(0)
    cloud = torch.randn(50, 8, generator=draw, dtype=torch.float64)
    assert transport(cloud, cloud[torch.randperm(50, generator=draw)]).sum() == 0


def test_a_cloud_that_is_moved_costs_half_the_squared_length_of_the_move_for_each_point():
    cloud = torch.eye(4, dtype=torch.float64)
    assert transport(cloud, cloud + 3).tolist() == pytest.approx([18.0] * 4)


def test_some_of_a_large_source_are_looked_at_and_some_of_each_class(monkeypatch):
    monkeypatch.setattr("unseen.reporting.diagnosis.matching.SOURCE_IMAGES", 50)
    source = domain([0, 1] * 5000 + [2])
    rows = sample_source(source)
    assert set(source.labels[rows].tolist()) == {0, 1, 2}
    assert 50 <= len(rows) <= 51
    assert len(set(rows.tolist())) == len(rows)
    assert torch.equal(rows, sample_source(source))


def test_all_of_a_small_source_are_looked_at():
    assert sorted(sample_source(domain([0, 1, 2, 1])).tolist()) == [0, 1, 2, 3]


def test_pairs_are_of_one_class_and_in_the_domains_proportions(monkeypatch):
    monkeypatch.setattr("unseen.reporting.diagnosis.matching.PER_CLASS", 30)
    labels = torch.tensor([0, 1, 2] * 40)
    other = domain([0] * 300 + [1] * 100 + [2])
    made = pair(labels, other, "abc")
    assert made.classes == (0, 1, 2)
    assert [len(rows) for rows in made.domain] == [30, 10, 1]
    for label, ours, theirs in zip(made.classes, made.source, made.domain, strict=True):
        assert set(labels[ours].tolist()) == set(other.labels[theirs].tolist()) == {label}
        assert len(ours) == len(theirs) == len(set(ours.tolist())) == len(set(theirs.tolist()))


def test_no_more_are_matched_than_in_all(monkeypatch):
    monkeypatch.setattr("unseen.reporting.diagnosis.matching.IN_ALL", 20)
    made = pair(torch.tensor([0, 1, 2]), domain([0, 1] * 200), "abc")
    assert [len(rows) for rows in made.domain] == [10, 10]


def test_where_the_source_has_few_each_comes_once_before_any_comes_again():
    made = pair(torch.tensor([0, 0, 0]), domain([0] * 8), "abc")
    assert sorted(torch.bincount(made.source[0]).tolist()) == [2, 3, 3]


def test_pairs_are_the_same_every_time():
    one, other = (pair(torch.tensor([0, 1] * 100), domain([0, 1] * 300), "abc") for _ in range(2))
    assert all(map(torch.equal, one.domain + one.source, other.domain + other.source))


def test_classes_that_the_source_has_none_of_are_named():
    with pytest.raises(InputError, match=r"other has images of classes .*: c \(2\), d \(1\); expected only a, b"):
        pair(torch.tensor([0, 1]), domain([0, 1, 2, 2, 3], "abcd", name="other"), "abc")
