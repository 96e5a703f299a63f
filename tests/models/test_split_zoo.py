"""The heads of torchvision's, timm's and segmentation-models' networks are found without being told.

No weights are fetched.
"""

import pytest
import torch

import unseen  # before torchvision: lets a CUDA build of it be imported to_device_of a CPU torch
from unseen.models.split import split

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

MASKS = [
    ("Unet", "segmentation_head.0", 64),
    ("UnetPlusPlus", "segmentation_head.0", 64),
    ("MAnet", "segmentation_head.0", 64),
    ("Linknet", "segmentation_head.0", 64),
    ("FPN", "segmentation_head.0", 64),
    ("PSPNet", "segmentation_head.0", 64),
    ("DeepLabV3", "segmentation_head.0", 64),
    ("DeepLabV3Plus", "segmentation_head.0", 64),
    ("PAN", "segmentation_head.0", 128),
    ("UPerNet", "segmentation_head.0", 64),
    ("Segformer", "segmentation_head.0", 64),
    ("DPT", "segmentation_head.head.4", 224),
]
SOMETHING_FOLLOWS |= {name for name, _, _ in MASKS}  # most enlarge the scores after their last convolution


@pytest.fixture
def build():
    def make(library, name):
        pytest.importorskip("torchvision")
        create = {"timm": _timm, "torchvision": _torchvision, "segmentation-models": _segmentation}[library]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return create(name, 7).eval()

    return make


def _timm(name, classes):
    return pytest.importorskip("timm").create_model(name, num_classes=classes)


def _segmentation(name, classes):
    models = pytest.importorskip("segmentation_models_pytorch")
    options = {"encoder_name": "tu-vit_tiny_patch16_224"} if name == "DPT" else {"encoder_name": "resnet18"}
    return getattr(models, name)(**options, encoder_weights=None, classes=classes)


def _torchvision(name, classes):
    import torchvision

    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    return torchvision.models.get_model(name, weights=None, num_classes=classes, **options)


CASES = [
    pytest.param(library, *case, id=f"{library}-{case[0]}")
    for library, cases in (("torchvision", TORCHVISION), ("timm", TIMM), ("segmentation-models", MASKS))
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
        assert expected.shape == ((2, 7, side, side) if library == "segmentation-models" else (2, 7))
        assert torch.equal(scores, expected)
        assert torch.equal(net.features(x), z)
        if name not in SOMETHING_FOLLOWS:
            torch.testing.assert_close(net.head(z), expected)


def test_a_segmentation_models_network_trains_on_masks():
    models = pytest.importorskip("segmentation_models_pytorch")
    dawn = unseen.domain("highway-dawn", size=(32, 64), images=6)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = models.Unet("resnet18", encoder_weights=None, classes=len(dawn.classes))
    before = unseen.evaluate(net, dawn)
    result = unseen.fit(net, dawn, unseen.ADA(K=1, T_min=30, T_max=2, T=60, batch=2, alpha=1e-3), seed=0)
    assert unseen.evaluate(net, dawn) > before + 0.1
    assert len(result.pool) == 12
