import pytest
import torch

from unseen.base.randomness import Draws
from unseen.method.pool import Pool


@pytest.fixture
def pool(digits):
    return Pool(*digits, K=2, n=5)


def grow(pool, parents, value):
    pool.write(torch.full((pool.n, *pool.images.shape[1:]), value), torch.tensor(parents), at=0)
    pool.close()


def test_it_starts_as_the_source_which_is_not_copied(pool, digits):
    x, y = digits
    assert (len(pool), pool.rounds, pool.n) == (24, 0, 5)
    images, labels = pool.take(torch.arange(24))
    assert torch.equal(images, x)
    assert torch.equal(labels, y)
    assert pool.source is x
    pool.labels[0] = 3
    assert y[0] == 0


def test_a_round_is_appended_with_the_labels_of_its_parents(pool, digits):
    _, y = digits
    grow(pool, [3, 3, 0, 22, 9], 0.5)
    assert (len(pool), pool.rounds) == (29, 1)
    assert pool.labels[24:29].tolist() == y[[3, 3, 0, 22, 9]].tolist()
    assert pool.parents[24:29].tolist() == [3, 3, 0, 22, 9]
    grow(pool, [24, 1, 27, 28, 2], 0.25)
    assert (len(pool), pool.rounds) == (34, 2)
    assert pool.labels[29:34].tolist() == y[[3, 1, 22, 9, 2]].tolist()
    assert pool.parents[29:34].tolist() == [24, 1, 27, 28, 2]
    assert (pool.images[24:29] == 0.5).all()
    assert (pool.images[29:34] == 0.25).all()
    assert pool.parents[:24].tolist() == list(range(24))


def test_the_rows_of_each_round_and_their_names(pool):
    for _ in range(2):
        grow(pool, [0, 1, 2, 3, 4], 0.5)
    assert [(pool.round(k).start, pool.round(k).stop) for k in (0, 1, 2)] == [(0, 24), (24, 29), (29, 34)]
    assert [pool.name(row) for row in (0, 23, 24, 28, 29, 33)] == [
        "source image 0", "source image 23", "image 0 of round 1", "image 4 of round 1", "image 0 of round 2",
        "image 4 of round 2",
    ]  # fmt: skip


def test_a_round_has_as_many_images_as_the_source_unless_told(digits):
    assert Pool(*digits, K=1).n == 24


def test_a_union_draws_from_the_whole_pool_without_replacement(pool):
    draws, seen = Draws(0), set()
    for k in range(2):
        for _ in range(60):
            rows = pool.starts("union", draws).tolist()
            assert len(rows) == len(set(rows)) == 5
            seen |= set(rows)
        assert seen == set(range(24 + 5 * k))
        grow(pool, rows, 0.5)


def test_a_chain_draws_once_and_then_goes_on_from_the_round_before(pool):
    first = pool.starts("chain", Draws(0))
    assert first.tolist() == Draws(0).without_replacement(24, 5).tolist()
    for k in (1, 2):
        grow(pool, first.tolist(), 0.5)
        assert pool.starts("chain", Draws(0)).tolist() == list(range(24 + 5 * (k - 1), 24 + 5 * k))


def test_a_round_of_another_size_is_a_mistake_of_ours(pool):
    with pytest.raises(AssertionError):
        pool.write(torch.zeros(4, 3, 8, 8), torch.arange(4), at=2)
    with pytest.raises(AssertionError):
        pool.write(torch.zeros(4, 3, 8, 8), torch.arange(3), at=0)
    assert len(pool) == 24


def test_a_round_is_written_in_parts_and_counts_once_it_is_closed(pool):
    pool.write(torch.full((2, 3, 8, 8), 0.1), torch.arange(2), at=0)
    pool.write(torch.full((3, 3, 8, 8), 0.2), torch.arange(2, 5), at=2)
    assert (len(pool), pool.rounds) == (24, 0)
    pool.close()
    assert (len(pool), pool.rounds) == (29, 1)
    assert pool.images[24:29, 0, 0, 0].tolist() == pytest.approx([0.1, 0.1, 0.2, 0.2, 0.2])


# A pool that keeps its last rounds.


@pytest.fixture
def ring(digits):
    return Pool(*digits, K=7, n=5, keep=3)


def rounds_in(pool):
    """Of which round each place of the pool's rounds is, by the value that ``grow`` gave it."""
    return [round(float(value) * 10) for value in pool.images[24 : len(pool) : 5, 0, 0, 0]]


def test_a_new_round_takes_the_place_of_the_oldest_and_the_source_stays(ring, digits):
    held = []
    for k in range(1, 8):
        grow(ring, [k, k, 0, 22, 9], k / 10)
        held.append(rounds_in(ring))
        assert len(ring) == 24 + 5 * min(k, 3)
        assert ring.oldest == max(k - 2, 1)
        rows = ring.round(k)
        assert (ring.images[rows] == k / 10).all()
        assert ring.labels[rows].tolist() == digits[1][[k, k, 0, 22, 9]].tolist()
    assert held == [[1], [1, 2], [1, 2, 3], [4, 2, 3], [4, 5, 3], [4, 5, 6], [7, 5, 6]]
    assert torch.equal(ring.images[:24], digits[0])
    assert torch.equal(ring.labels[:24], digits[1])
    assert len(ring.images) == 24 + 3 * 5, "there is no room for more"


def test_the_rows_of_a_ring_have_the_names_of_the_rounds_that_are_there(ring):
    for k in range(1, 8):
        grow(ring, [0, 1, 2, 3, 4], k / 10)
        names = [ring.name(row) for row in range(24, len(ring), 5)]
        assert names == [f"image 0 of round {of}" for of in rounds_in(ring)]
    assert ring.name(23) == "source image 23"
    assert ring.name(28) == "image 4 of round 7"


def test_while_a_round_is_written_the_others_are_there(ring):
    for k in range(1, 4):
        grow(ring, [0, 1, 2, 3, 4], k / 10)
    ring.write(torch.full((2, 3, 8, 8), 0.4), torch.tensor([8, 9]), at=0)
    assert (ring.rounds, len(ring)) == (3, 39)
    assert rounds_in(ring)[1:] == [2, 3]


def test_rounds_that_are_kept_start_from_the_source_only(ring):
    for k in range(1, 5):
        starts = ring.starts("source", Draws(k))
        assert starts.tolist() == Draws(k).without_replacement(24, 5).tolist()
        grow(ring, starts.tolist(), k / 10)


def test_every_sample_goes_back_to_a_source_image(pool):
    grow(pool, [3, 3, 0, 22, 9], 0.5)
    grow(pool, [24, 1, 27, 28, 2], 0.25)
    assert pool.origins(torch.arange(34)).tolist() == [*range(24), 3, 3, 0, 22, 9, 3, 1, 22, 9, 2]


def test_a_moved_mask_is_kept_in_place_of_the_parents():
    masks = torch.zeros(4, 8, 8, dtype=torch.uint8)
    pool = Pool(torch.zeros(4, 3, 8, 8), masks, K=1, n=2)
    moved = torch.full((2, 8, 8), 255, dtype=torch.uint8)
    pool.write(torch.zeros(2, 3, 8, 8), torch.tensor([1, 2]), at=0, labels=moved)
    pool.close()
    assert torch.equal(pool.labels[4:], moved)
    assert not pool.labels[:4].any()


@pytest.mark.parametrize("made", [0, 1, 3, 5, 7])
def test_a_ring_is_filled_again_from_the_rounds_that_stay(ring, digits, made):
    for k in range(1, made + 1):
        grow(ring, [0, 1, 2, 3, 4], k / 10)
    again = Pool(*digits, K=7, n=5, keep=3)
    again.resume(made)
    for k in range(again.rounds + 1, made + 1):
        grow(again, [0, 1, 2, 3, 4], k / 10)
    assert (again.rounds, len(again)) == (made, len(ring))
    assert torch.equal(again.images[: len(again)], ring.images[: len(ring)])
    assert torch.equal(again.parents[: len(again)], ring.parents[: len(ring)])


@pytest.mark.parametrize("masks", [False, True], ids=["class numbers", "masks"])
def test_the_sources_labels_are_not_copied_and_masks_of_rounds_have_room_of_their_own(masks, digits):
    x, y = digits
    y = y[:, None, None].expand(-1, 2, 2).byte() if masks else y
    asked = []

    def room(rows, like):
        asked.append((rows, tuple(like.shape[1:]), like.dtype))
        return torch.empty(rows, *like.shape[1:], dtype=like.dtype)

    pool = Pool(x, y, K=2, n=5, room=room)
    assert pool.source_labels is y
    assert asked == [(10, tuple(x.shape[1:]), x.dtype), (10, (2, 2), torch.uint8)][: 1 + masks]
    grow(pool, [3, 3, 0, 22, 9], 0.5)
    images, labels = pool.take(torch.tensor([24, 3, 28, 0]))
    assert labels.tolist() == y[[3, 3, 9, 0]].tolist()
    assert torch.equal(images[1], x[3])
