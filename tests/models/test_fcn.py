import pytest
import safetensors.torch
import torch
from torchvision.models import resnet18, resnet50
from torchvision.models.segmentation import fcn_resnet50

import unseen
from unseen.errors import InputError
from unseen.models import FCN


def noise(*shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def small():
    return FCN(5, body="resnet18").eval()


def test_every_pixel_of_an_image_gets_a_score_for_each_class(small):
    assert small(noise(2, 3, 64, 96)).shape == (2, 5, 64, 96)


@pytest.mark.parametrize(("body", "channels", "stride"), [("resnet18", 128, 16), ("resnet50", 512, 8)])
def test_the_features_are_what_enters_the_last_convolution(body, channels, stride):
    net = unseen.split(FCN(5, body=body).eval())
    assert net.head_name == "classifier.3"
    with torch.no_grad():
        assert net.features(noise(1, 3, 64, 96)).shape == (1, channels, 64 // stride, 96 // stride)


def test_the_resnet50_body_is_the_one_of_torchvisions_fcn():
    ours = FCN(5).eval()
    with torch.random.fork_rng():
        theirs = fcn_resnet50(weights=None, weights_backbone=None, aux_loss=False, num_classes=5).eval()
    theirs.backbone.load_state_dict(ours.body.state_dict())
    x = noise(1, 3, 64, 64)
    with torch.no_grad():
        torch.testing.assert_close(ours.body(x), theirs.backbone(x)["out"])


def test_images_are_normalized_inside_as_the_bodys_weights_expect(small):
    x = noise(1, 3, 32, 32)
    seen = []
    handle = small.body.register_forward_pre_hook(lambda module, args: seen.append(args[0]))
    with torch.no_grad():
        small(x)
    handle.remove()
    torch.testing.assert_close(seen[0][:, 0], (x[:, 0] - 0.485) / 0.229)
    torch.testing.assert_close(seen[0][:, 2], (x[:, 2] - 0.406) / 0.225)


def test_the_seed_decides_the_weights_and_torchs_generator_stays_where_it_was():
    before = torch.random.get_rng_state()
    first, again, other = (FCN(3, body="resnet18", seed=seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["body.conv1.weight"], other["body.conv1.weight"])
    assert all(torch.isfinite(value).all() for value in first.values())


def test_its_first_answers_are_neither_dead_nor_exploding(small):
    with torch.no_grad():
        z = unseen.split(small).features(noise(2, 3, 64, 96))
    assert 0.01 < float(z.std()) < 100


@pytest.mark.parametrize("ending", [".pth", ".safetensors"])
def test_a_trained_body_is_read_from_torchvisions_own_file(tmp_path, ending):
    with torch.random.fork_rng():
        body = resnet18(weights=None)
    path = tmp_path / f"resnet18{ending}"
    state = {name: value.contiguous() for name, value in body.state_dict().items()}
    torch.save(state, path) if ending == ".pth" else safetensors.torch.save_file(state, path)
    net = FCN(4, body="resnet18", weights=path)
    assert torch.equal(net.body.layer4[1].conv2.weight, body.layer4[1].conv2.weight)


def test_bad_weights_and_bodies_are_refused(tmp_path):
    with pytest.raises(InputError, match=r'body="resnet51": expected resnet50 or resnet18; did you mean "resnet50"'):
        FCN(body="resnet51")
    with pytest.raises(InputError, match=r"none.pth is not a file; expected a model's weights"):
        FCN(body="resnet18", weights=tmp_path / "none.pth")
    (tmp_path / "page.pth").write_text("<html>404</html>")
    with pytest.raises(InputError, match="can't be read as weights"):
        FCN(body="resnet18", weights=tmp_path / "page.pth")
    with torch.device("meta"):
        names = resnet50(weights=None).state_dict()
    safetensors.torch.save_file({name: torch.zeros(1) for name in names}, tmp_path / "other.safetensors")
    with pytest.raises(InputError, match=r"expected the weights of torchvision's resnet18, got others"):
        FCN(body="resnet18", weights=tmp_path / "other.safetensors")
