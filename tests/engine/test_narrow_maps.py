"""bf16 on maps narrower than a convolution's stride: oneDNN leaves part of the weight gradient unwritten."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import unseen
from unseen.engine.narrow_maps import NarrowMaps

# torch.use_deterministic_algorithms, on in every test, fills new memory with NaN: what isn't written is seen at once.


@pytest.mark.parametrize("stride", [2, 3, (1, 2), (2, 4)], ids=str)
@pytest.mark.parametrize(("kernel", "side"), [(3, 1), (5, 1), ((1, 3), 1), (3, 2)], ids=str)
def test_scores_and_gradients_are_those_of_float32(kernel, side, stride):
    draw = torch.Generator().manual_seed(0)
    padding = kernel // 2 if isinstance(kernel, int) else tuple(k // 2 for k in kernel)
    with torch.device("meta"):
        layer = nn.Conv2d(8, 16, kernel, stride, padding)
    with torch.no_grad():
        for parameter in layer.to_empty(device="cpu").parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=draw).bfloat16())
    x = torch.randn(4, 8, 3, side, generator=draw).bfloat16().float().to(memory_format=torch.channels_last)
    expected = layer(x)
    gradients = torch.autograd.grad(expected.sum(), list(layer.parameters()))
    with torch.autocast("cpu", torch.bfloat16), NarrowMaps():
        scores = layer(x)
    torch.testing.assert_close(scores.float(), expected, rtol=0.02, atol=0.05)
    for ours, theirs in zip(torch.autograd.grad(scores.sum(), list(layer.parameters())), gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0.02, atol=0.05)


def test_other_convolutions_are_left_alone():
    draw = torch.Generator().manual_seed(0)
    x, weight = torch.rand(2, 3, 4, 4, generator=draw), torch.rand(5, 3, 3, 3, generator=draw)
    with NarrowMaps() as maps:
        inside = F.conv2d(x, weight, None, (2, 2), (1, 1), (1, 1), 1)
        F.conv2d(x, weight, padding="same")
    assert not maps.met
    assert torch.equal(inside, F.conv2d(x, weight, None, (2, 2), (1, 1), (1, 1), 1))


def test_a_training_in_bf16_with_single_pixels_before_a_stride_stays_finite():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(
            nn.Conv2d(3, 8, 3, 4, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2)
        )
        x = torch.rand(8, 3, 4, 4)
    before = net[2].weight.detach().clone()
    engine = unseen.Engine("cpu", "bf16", threads=1)
    run = unseen.fit(net, (x, torch.arange(8) % 2), unseen.ERM(T=3, batch=4), engine=engine)
    moved = (net[2].weight - before).detach()
    assert run.metrics[-1]["step"] == 3
    assert moved[:, :, 1, 1].abs().max() > 0
    assert moved[..., [0, 2]].abs().max() == 0  # columns that see only padding
