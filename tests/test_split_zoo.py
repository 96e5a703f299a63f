"""The heads of the models people take from torchvision and timm, found without being told. No weights are fetched."""

import pytest
import torch

import unseen  # noqa: F401  before torchvision: lets a CUDA build of it be imported beside a CPU torch
from unseen.split import split

TORCHVISION = [
    # name, head, side of the input
    ("alexnet", "classifier.6", 64),
    ("vgg11", "classifier.6", 32),
    ("resnet18", "fc", 32),
    ("resnext50_32x4d", "fc", 32),
    ("shufflenet_v2_x0_5", "fc", 32),
    ("regnet_y_400mf", "fc", 32),
    ("densenet121", "classifier", 32),
    ("mobilenet_v2", "classifier.1", 32),
    ("mobilenet_v3_small", "classifier.3", 32),
    ("efficientnet_b0", "classifier.1", 32),
    ("mnasnet0_5", "classifier.1", 32),
    ("convnext_tiny", "classifier.2", 32),
    ("squeezenet1_0", "classifier.1", 32),
    ("googlenet", "fc", 64),
    ("inception_v3", "fc", 96),
    ("vit_b_16", "heads.head", 224),
    ("swin_t", "head", 32),
]
SOMETHING_FOLLOWS = {"squeezenet1_0"}  # a convolution is its head; ReLU and average pooling make scores of its output

TIMM = [
    ("resnet18", "fc", 32),
    ("efficientnet_b0", "classifier", 32),
    ("mobilenetv3_small_050", "classifier", 32),
    ("convnext_atto", "head.fc", 32),
    ("vit_tiny_patch16_224", "head", 224),
    ("swin_tiny_patch4_window7_224", "head.fc", 224),
    ("regnetx_002", "head.fc", 32),
    ("densenet121", "classifier", 32),
    ("mixer_s32_224", "head", 224),
    ("deit_tiny_patch16_224", "head", 224),
]


@pytest.fixture
def build():
    def make(library, name):
        pytest.importorskip("torchvision")
        create = pytest.importorskip("timm").create_model if library == "timm" else _torchvision
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return create(name, num_classes=7).eval()

    return make


def _torchvision(name, num_classes):
    import torchvision

    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    return torchvision.models.get_model(name, weights=None, num_classes=num_classes, **options)


CASES = [
    pytest.param(library, *case, id=f"{library}-{case[0]}")
    for library, cases in (("torchvision", TORCHVISION), ("timm", TIMM))
    for case in cases
]


@pytest.mark.parametrize(("library", "name", "head", "side"), CASES)
def test_the_head_is_found(build, library, name, head, side):
    model = build(library, name)
    net = split(model)
    assert net.head_name == head
    x = torch.rand(2, 3, side, side, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        expected = model(x)
        z, scores = net.features_and_scores(x)
        assert expected.shape == (2, 7)
        assert torch.equal(scores, expected)
        assert torch.equal(net.features(x), z)
        if name not in SOMETHING_FOLLOWS:
            torch.testing.assert_close(net.head(z), expected)
