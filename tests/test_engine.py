import copy
import subprocess
import sys
from contextlib import nullcontext

import pytest
import torch
from torch import nn

from unseen.engine import ASCENT_BATCH, PART_BYTES, Engine, adam
from unseen.errors import InputError


def denormals_flushed():
    return float(torch.full((), 1e-30) * 1e-10) == 0


@pytest.fixture
def engine():
    return Engine(device="cpu", threads=1)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_threads_that_are_no_number_of_threads_are_refused(threads):
    with pytest.raises(InputError, match=f"threads={threads!r}: expected a whole number, 1 or more"):
        Engine(threads=threads)


@pytest.mark.parametrize("device", ["cuda:77", "tpu", "nonsense"])
def test_a_device_that_is_not_here_is_refused_with_one_that_is(device):
    with pytest.raises(InputError, match=f'device="{device}": not usable here .*; try "cpu"'):
        Engine(device=device)


def test_the_record_has_what_decides_the_bits():
    assert Engine(device="cpu", threads=3).record() == {"device": "cpu", "threads": 3}
    assert Engine(device="cpu").record() == {"device": "cpu", "threads": torch.get_num_threads()}


@pytest.mark.parametrize("flushed", [False, True], ids=["denormals kept before", "denormals flushed before"])
@pytest.mark.parametrize("raises", [False, True], ids=["returns", "raises"])
def test_threads_and_denormals_are_set_while_running_and_put_back(flushed, raises):
    torch.set_flush_denormal(flushed)
    try:
        with pytest.raises(KeyError) if raises else nullcontext(), Engine(device="cpu", threads=2).running():
            assert torch.get_num_threads() == 2
            assert denormals_flushed()
            if raises:
                raise KeyError
        assert torch.get_num_threads() == 1
        assert denormals_flushed() == flushed
    finally:
        torch.set_flush_denormal(False)


EVERY_THREAD = """
import torch
from unseen.engine import Engine
def flushed(): return float((torch.full((4_000_000,), 1e-30) * 1e-10 == 0).double().mean())
torch.set_num_threads(2)
before = flushed()  # the threads exist from here on, as they do in a program that has used torch before
with Engine(device="cpu", threads=2).running():
    inside = flushed()
print(before, inside, flushed())
"""


def test_denormals_are_flushed_on_every_thread_and_kept_again_afterwards():
    """The flag belongs to a thread: setting it on the caller's leaves half of the arithmetic slow, and its bits
    dependent on whether the other threads were started before or after.
    """
    done = subprocess.run([sys.executable, "-c", EVERY_THREAD], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.0", "1.0", "0.0"]


def test_what_the_model_draws_follows_the_seed_and_the_global_generator_does_not(engine):
    before = torch.get_rng_state()
    drawn = []
    for seed in (1, 1, 2):
        with engine.seeded(seed):
            drawn.append(torch.rand(5).tolist())
    assert drawn[0] == drawn[1] != drawn[2]
    assert torch.equal(torch.get_rng_state(), before)


def test_the_global_generator_is_put_back_after_an_error_too(engine):
    before = torch.get_rng_state()
    with pytest.raises(RuntimeError), engine.seeded(1):
        torch.rand(5) @ torch.rand(6)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("kind", ["plain", "normalized", "user"])
def test_placing_a_model_changes_no_value(engine, make_net, kind):
    net = make_net(kind)
    placed = copy.deepcopy(net)
    engine.place(placed)
    for before, after in zip(net.state_dict().values(), placed.state_dict().values(), strict=True):
        assert torch.equal(before, after)


def test_putting_a_minibatch_changes_no_value(engine, digits):
    x, y = engine.put(*digits)
    assert torch.equal(x, digits[0])
    assert torch.equal(y, digits[1])


@pytest.mark.parametrize(
    "shape", [(3, 32, 32), (1, 8, 8), (3, 96, 160), (3, 224, 224), (3, 192, 320)], ids=lambda s: "x".join(map(str, s))
)
def test_a_part_is_a_whole_number_of_ascent_batches_of_about_16_MiB(engine, shape):
    image = torch.zeros(shape)
    size = engine.part_size(image)
    assert size % ASCENT_BATCH == 0
    assert size == ASCENT_BATCH or size * image.numel() * 4 <= PART_BYTES < (size + ASCENT_BATCH) * image.numel() * 4


def test_adam_decays_weights_but_no_bias_and_no_scale_of_a_normalization(make_net):
    net = make_net("normalized")
    optimizer = adam(net, alpha=0.5, ridge=0.25)
    decay = {id(p): group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    for name, parameter in net.named_parameters():
        assert decay[id(parameter)] == (0.25 if parameter.ndim > 1 else 0.0), name
    assert {group["lr"] for group in optimizer.param_groups} == {0.5}


def test_adam_has_every_trainable_parameter_once_and_no_other(make_net):
    net = make_net("plain")
    net[0].requires_grad_(False)
    taken = [id(p) for group in adam(net, 0.1, 0.1).param_groups for p in group["params"]]
    assert sorted(taken) == sorted(id(p) for p in net.parameters() if p.requires_grad)
    assert len(taken) == 4


def test_adam_needs_something_to_train():
    with pytest.raises(
        InputError, match=r"no trainable parameter \(requires_grad is False for all\): nothing to train"
    ):
        adam(nn.ReLU(), 0.1, 0.0)
