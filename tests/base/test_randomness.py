import pytest
import torch

from unseen.base.randomness import PURPOSES, Draws, generator
from unseen.errors import InputError


def sample(draws):
    return (
        draws.minibatch(1000, 8).tolist(),
        draws.without_replacement(1000, 8).tolist(),
        draws.model_seed(),
    )


def test_one_seed_gives_one_sequence():
    a, b = Draws(7), Draws(7)
    assert [sample(a) for _ in range(3)] == [sample(b) for _ in range(3)]


def test_two_seeds_give_two_sequences():
    for one, other in zip(sample(Draws(7)), sample(Draws(8)), strict=True):
        assert one != other


def test_purposes_have_streams_of_their_own():
    drawn = {torch.randint(2**62, (), generator=generator(0, purpose)).item() for purpose in (*PURPOSES, "weights")}
    assert len(drawn) == len(PURPOSES) + 1


@pytest.mark.parametrize("other", ["without_replacement", "model_seed"])
def test_what_one_purpose_draws_moves_no_other(other):
    plain, mixed = Draws(0), Draws(0)
    getattr(mixed, other)(*((50, 9) if other == "without_replacement" else ()))
    assert mixed.minibatch(1000, 8).tolist() == plain.minibatch(1000, 8).tolist()


def test_minibatches_are_uniform_and_with_replacement():
    rows = Draws(0).minibatch(10, 50_000)
    assert rows.shape == (50_000,)
    counts = torch.bincount(rows, minlength=10)
    assert len(counts) == 10
    assert (counts - 5000).abs().max() < 4.5 * (50_000 * 0.1 * 0.9) ** 0.5


def test_rounds_are_uniform_and_without_replacement():
    draws, counts = Draws(0), torch.zeros(10)
    for _ in range(3000):
        rows = draws.without_replacement(10, 4)
        assert len(set(rows.tolist())) == 4
        counts[rows] += 1
    assert (counts - 1200).abs().max() < 4.5 * (3000 * 0.4 * 0.6) ** 0.5


@pytest.mark.parametrize(
    ("size", "n", "times"),
    [(5, 5, {1}), (5, 7, {1, 2}), (5, 10, {2}), (5, 13, {2, 3}), (1, 3, {3})],
)
def test_more_than_there_are_comes_evenly(size, n, times):
    rows = Draws(0).without_replacement(size, n)
    assert len(rows) == n
    assert set(torch.bincount(rows, minlength=size).tolist()) == times
    assert sorted(rows[:size].tolist()) == list(range(size))


def test_a_restored_state_goes_on_where_it_was_taken():
    draws = Draws(3)
    sample(draws)
    state = draws.state()
    expected = [sample(draws) for _ in range(3)]
    other = Draws(99)
    other.restore(state)
    assert [sample(other) for _ in range(3)] == expected


def test_a_state_is_a_copy():
    draws = Draws(3)
    state = draws.state()
    kept = {purpose: tensor.clone() for purpose, tensor in state.items()}
    sample(draws)
    assert all(torch.equal(state[purpose], kept[purpose]) for purpose in PURPOSES)


@pytest.mark.parametrize("seed", [-1, 2**63, 2**80, 0.5, None])
def test_what_no_generator_takes_is_refused(seed):
    with pytest.raises(InputError, match=r"seed=.*: expected a whole number, 0 or more and below 2\*\*63"):
        Draws(seed)


@pytest.mark.parametrize("seed", [0, 1, 2**40, 2**63 - 1])
def test_any_whole_number_is_a_seed(seed):
    assert sample(Draws(seed)) == sample(Draws(seed))
