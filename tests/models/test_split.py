"""Any model as features | head: which head is found, what comes out, and what is said when it can't be done."""

import copy

import pytest
import torch
from torch import nn

import unseen
from unseen.errors import InputError
from unseen.models.split import Split, count_classes, refuse_other_heads, split

CLASSES = 4


def conv(outputs=5):
    return nn.Conv2d(3, outputs, 3)


def flat():
    return nn.Sequential(nn.Flatten(), nn.Linear(192, 6), nn.ReLU())


class Model(nn.Module):
    """A body and whatever other modules it is given, by name; forward is a function of itself and x."""

    def __init__(self, forward, **modules):
        super().__init__()
        self.body = flat()
        for name, module in modules.items():
            setattr(self, name, module)
        self._forward = forward

    def forward(self, x):
        return self._forward(self, x)


def named_head(name, head):
    return Model(lambda self, x: getattr(self, name)(self.body(x)), **{name: head})


class TimmStyle(Model):
    """Has layers fc and last, of which the last one called makes the scores, and timm's get_classifier."""

    def __init__(self, answer, order=("fc", "last")):
        def forward(self, x):
            return getattr(self, order[1])(getattr(self, order[0])(self.body(x)))

        super().__init__(forward, **{order[0]: nn.Linear(6, 6), order[1]: nn.Linear(6, CLASSES)})
        self.answer = answer

    def get_classifier(self):
        return self.answer(self)


MODELS = {
    "sequential": (lambda: nn.Sequential(conv(), nn.Flatten(), nn.Linear(180, 6), nn.Linear(6, CLASSES)), "3"),
    "sequential ending in softmax-free layers": (
        lambda: nn.Sequential(conv(), nn.Conv2d(5, CLASSES, 6), nn.Flatten(), nn.Identity()),
        "1",
    ),
    "nested sequential": (lambda: nn.Sequential(flat(), nn.Sequential(nn.ReLU(), nn.Linear(6, CLASSES))), "1.1"),
    "a model behind a normalization": (
        lambda: nn.Sequential(nn.Identity(), named_head("fc", nn.Linear(6, CLASSES)), nn.Identity()),
        "1.fc",
    ),
    "a layer with a normalization behind it": (
        lambda: nn.Sequential(flat(), nn.Linear(6, CLASSES), nn.BatchNorm1d(CLASSES, affine=False, eps=0.0)),
        "1",
    ),
    ".head": (lambda: named_head("head", nn.Linear(6, CLASSES)), "head"),
    ".fc": (lambda: named_head("fc", nn.Linear(6, CLASSES)), "fc"),
    ".classifier, a Sequential": (
        lambda: named_head("classifier", nn.Sequential(nn.Linear(6, 7), nn.ReLU(), nn.Linear(7, CLASSES))),
        "classifier.2",
    ),
    ".heads": (lambda: named_head("heads", nn.Sequential(nn.Linear(6, CLASSES))), "heads.0"),
    ".segmentation_head, a convolution": (
        lambda: Model(
            lambda self, x: self.segmentation_head(self.encoder(x)),
            encoder=conv(),
            segmentation_head=nn.Sequential(nn.Conv2d(5, CLASSES, 1), nn.Identity()),
        ),
        "segmentation_head.0",
    ),
    "get_classifier": (lambda: TimmStyle(lambda self: self.last), "last"),
    "get_classifier that gives nothing": (
        lambda: TimmStyle(lambda self: nn.Identity(), order=("last", "fc")),
        "fc",
    ),
}


@pytest.fixture
def x(make_digits):
    return make_digits(3)[0]


@pytest.fixture
def built():
    """Calls its argument and leaves torch's generator alone."""

    def build(make):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return make()

    return build


@pytest.mark.parametrize(("make", "head"), MODELS.values(), ids=MODELS)
def test_the_head_is_found(make, head, built, x):
    model = built(make).eval()
    net = split(model)
    assert net.head_name == head
    z, scores = net.features_and_scores(x)
    assert torch.equal(scores, model(x))
    assert torch.equal(net(x), scores)
    assert torch.equal(net.features(x), z)
    layer = model.get_submodule(head)
    entries = layer.in_features if isinstance(layer, nn.Linear) else layer.in_channels
    assert z.shape[1] == entries
    assert torch.equal(net.head(z), layer(z))
    assert torch.equal(net.head(z).flatten(), scores.flatten())
    assert net.features_and_scores(x)[1].shape[1] == CLASSES


def test_z_is_what_enters_the_head(make_net, x):
    model = make_net("plain")
    assert torch.equal(split(model).features(x), model[:-1](x))


@pytest.mark.parametrize("by", ["name", "module"])
def test_a_head_can_be_given_by_name_and_as_the_module(make_net, x, by):
    model = make_net("user")
    net = split(model, head="fc2" if by == "name" else model.fc2)
    assert net.head_name == "fc2"
    assert torch.equal(net.features(x), torch.tanh(model.fc1(x.flatten(1))))


def test_a_given_head_wins_over_the_one_that_would_be_found(make_net, x):
    net = split(make_net("plain"), head="4")
    assert net.features(x).shape == (3, 54)
    assert torch.equal(net(x), make_net("plain")(x))


def test_splitting_a_split_gives_it_back_unless_another_head_is_asked_for(make_net):
    net = split(make_net("plain"))
    assert split(net) is net
    other = split(net, head="4")
    assert other.head_name == "4"
    assert other.model is net.model


def test_the_weights_are_the_models_own(make_net, x):
    model = make_net("plain")
    net = split(model)
    assert [id(p) for p in net.parameters()] == [id(p) for p in model.parameters()]


def test_features_compute_nothing_after_the_head_is_reached(built, x):
    reached = []
    model = built(lambda: nn.Sequential(flat(), nn.Linear(6, CLASSES), nn.Identity()))
    model[1].register_forward_hook(lambda *_: reached.append("head"))
    model[2].register_forward_hook(lambda *_: reached.append("after"))
    split(model).features(x)
    assert reached == []
    split(model).features_and_scores(x)
    assert reached == ["head", "after"]


@pytest.mark.parametrize("call", ["features", "features_and_scores", "__call__"])
def test_no_hook_stays_behind(make_net, x, call):
    net = split(make_net("plain"))
    getattr(net, call)(x)
    assert not any(m._forward_pre_hooks for m in net.modules())


def test_features_carry_gradients_to_the_image_and_the_weights(make_net, x):
    net = split(make_net("user"), head="fc2")
    x.requires_grad_()
    net.features(x).sum().backward()
    assert x.grad.abs().sum() > 0
    assert net.model.fc1.weight.grad.abs().sum() > 0
    assert net.model.fc2.weight.grad is None


def test_frozen_is_evaluation_without_gradients_for_parameters(make_net):
    net = split(make_net("normalized")).train()
    with net.frozen():
        assert not any(m.training for m in net.modules())
        assert not any(p.requires_grad for p in net.parameters())
    assert all(m.training for m in net.modules())
    assert all(p.requires_grad for p in net.parameters())


def test_a_deep_copy_of_a_split_is_independent(make_net, x):
    net = split(make_net("plain"))
    other = copy.deepcopy(net)
    with torch.no_grad():
        other.model[-1].weight.zero_()
    assert not torch.equal(net(x), other(x))
    assert torch.equal(net.features(x), other.features(x))


def two_tensors():
    return Model(lambda self, x: self.pair(self.body(x), self.body(x)), pair=nn.Bilinear(6, 6, CLASSES))


class ByKeyword(nn.Linear):
    def forward(self, input, shift=0.0):
        return super().forward(input) + shift


def by_keyword():
    return Model(lambda self, x: self.last(input=self.body(x)), last=ByKeyword(6, CLASSES))


def a_tensor_and_a_keyword():
    return Model(lambda self, x: self.last(self.body(x), shift=x.mean()), last=ByKeyword(6, CLASSES))


def by_tuple():
    class Both(nn.Module):
        def forward(self, pair):
            return pair[0] + pair[1]

    return Model(lambda self, x: self.last((self.fc(self.body(x)), 1)), fc=nn.Linear(6, CLASSES), last=Both())


def twice():
    return Model(lambda self, x: self.fc(self.body(x)) + self.fc(self.body(x)), fc=nn.Linear(6, CLASSES))


def never():
    return Model(lambda self, x: self.other(self.body(x)), other=nn.Linear(6, CLASSES), fc=nn.Linear(6, CLASSES))


def ten_layers():
    return Model(lambda self, x: x, **{f"layer{i}": nn.Linear(6, 6) for i in range(10)})


UNUSABLE = {
    "fed by two tensors": (
        two_tensors, "pair", ['head "pair": expected it to be fed by one tensor', "got (Tensor, Tensor)", "pass head="],
    ),
    "fed by a tuple": (by_tuple, "last", ["fed by one tensor", "got (tuple)", 'head="fc"']),
    "fed by keyword": (by_keyword, "last", ["fed by one tensor", "keyword", "pass head="]),
    "fed by a tensor and a keyword": (a_tensor_and_a_keyword, "last", ["fed by one tensor", "keyword", "shift"]),
    "called twice": (twice, None, ['head "fc"', "calls it 2 times, expected once", "pass head="]),
    "never called": (never, None, ['head "fc"', "never calls it", 'head="other" (of "body.1", "other")']),
}  # fmt: skip


@pytest.mark.parametrize(("make", "head", "said"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_head_that_gives_no_features_is_refused_with_the_candidates(make, head, said, built, x):
    net = split(built(make), head=head)
    with pytest.raises(InputError) as caught:
        net.features_and_scores(x)
    for part in said:
        assert part in str(caught.value)
    assert not any(m._forward_pre_hooks for m in net.modules())


@pytest.mark.parametrize("make", [two_tensors, by_keyword, never], ids=["two tensors", "keyword", "never called"])
def test_features_alone_refuse_it_too(make, built, x):
    with pytest.raises(InputError, match="pass head="):
        split(built(make), head={two_tensors: "pair", by_keyword: "last", never: "fc"}[make]).features(x)


NOT_FOUND = {
    "a class with names of its own": (
        ten_layers,
        None,
        ["Model: the head can't be found", "get_classifier()", ".head, .fc, .classifier, .heads, .segmentation_head",
         "Sequential", 'pass head=', 'for instance head="layer9" (of "layer7", "layer8", "layer9")'],
    ),
    "no layer at all": (
        lambda: nn.Sequential(nn.Flatten(), nn.ReLU()),
        None,
        ["the head can't be found", "it has no linear layer or convolution", "pass head="],
    ),
    "a Sequential that ends in a class with names of its own": (
        lambda: nn.Sequential(conv(), ten_layers()),
        None,
        ["Sequential: the head can't be found", 'head="1.layer9"'],
    ),
    "a name nearly right": (ten_layers, "layr3", ['head="layr3"', "no module of that name", 'did you mean "layer3"?']),
    "a name far off": (two_tensors, "zzz", ['head="zzz"', "no module of that name", "known are body.1"]),
    "an empty name": (ten_layers, "", ['head=""', "no module of that name"]),
    "a module of another model": (ten_layers, nn.ReLU(), ["head=: the ReLU given is not part of the model", "layer9"]),
}  # fmt: skip


@pytest.mark.parametrize(("make", "head", "said"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_a_head_that_is_not_there_is_refused_with_what_was_looked_for(make, head, said, built):
    with pytest.raises(InputError) as caught:
        split(built(make), head=head)
    for part in said:
        assert part in str(caught.value)


def test_the_head_that_the_message_proposes_works(make_net, x):
    model = make_net("user")
    with pytest.raises(InputError, match='for instance head="fc2"'):
        split(model)
    assert split(model, head="fc2")(x).shape == (3, CLASSES)


@pytest.mark.parametrize("model", [None, "resnet18", lambda x: x, nn.Linear], ids=["None", "name", "function", "class"])
def test_what_is_not_a_module_is_refused(model):
    with pytest.raises(InputError, match=r"expected a torch\.nn\.Module, got (NoneType|str|function|type)"):
        split(model)


RETURNS = {
    "a tuple": (lambda s: (s, s), "Model returned tuple"),
    "a dict": (lambda s: {"out": s}, "Model returned dict"),
    "one number": (lambda s: s.mean(), "Model returned ()"),
    "one number for each image": (lambda s: s[:, 0], "Model returned (3,)"),
}


@pytest.mark.parametrize(("wrap", "said"), RETURNS.values(), ids=RETURNS)
@pytest.mark.parametrize("call", ["features_and_scores", "__call__"])
def test_a_model_that_returns_something_else_than_scores_is_refused(wrap, said, call, built, x):
    net = split(built(lambda: Model(lambda self, x: wrap(self.fc(self.body(x))), fc=nn.Linear(6, CLASSES))))
    with pytest.raises(InputError) as caught:
        getattr(net, call)(x)
    assert f"{said}, expected a tensor of scores, (N, classes) or for masks (N, classes, H, W); wrap" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("norm", "name"),
    [(nn.BatchNorm1d, "BatchNorm1d"), (nn.SyncBatchNorm, "SyncBatchNorm")],
    ids=["BatchNorm1d", "SyncBatchNorm"],
)
def test_batch_normalization_without_running_statistics_is_refused(norm, name, built):
    layers = built(lambda: [flat(), norm(6, track_running_stats=False), nn.Linear(6, CLASSES)])
    with pytest.raises(InputError) as caught:
        split(nn.Sequential(*layers))
    for part in (f'"1" is a {name} without running statistics', "track_running_stats=True", "GroupNorm"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "norm", [nn.BatchNorm1d(6), nn.GroupNorm(2, 6), nn.LayerNorm(6)], ids=lambda m: type(m).__name__
)
def test_normalization_that_keeps_samples_apart_is_accepted(norm, built):
    assert isinstance(split(nn.Sequential(built(flat), norm, built(lambda: nn.Linear(6, CLASSES)))), Split)


def test_images_with_the_wrong_channels_are_refused_with_the_fix_for_grey(make_net, x):
    net = split(make_net("plain"))
    with pytest.raises(InputError) as caught:
        count_classes(net, x[:, :1])
    assert str(caught.value) == (
        "the images have 1 channels, expected 3, what the model's first convolution takes; "
        "repeat a grey channel with images.expand(-1, 3, -1, -1)"
    )
    with pytest.raises(InputError, match=r"the images have 2 channels, expected 3, what the model's first convolution"):
        count_classes(net, x[:, :2])


def test_images_of_a_size_the_model_can_not_take_are_refused(make_net, x):
    with pytest.raises(InputError, match=r"can't take images of shape \(3, 7, 8\) .*; resize the images"):
        count_classes(split(make_net("user"), head="fc2"), x[:, :, :7])


def test_counting_classes_leaves_the_model_as_it_was(make_net, x):
    net = split(make_net("normalized")).train()
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    assert count_classes(net, x) == CLASSES
    assert all(torch.equal(tensor, before[name]) for name, tensor in net.state_dict().items())
    assert all(m.training for m in net.modules())


def test_classes_are_counted_where_the_model_is(make_net, x):
    assert count_classes(split(make_net("plain").to("meta")), x) == CLASSES


def test_channels_that_come_last_are_recognized(make_net, x):
    with pytest.raises(InputError, match=r"have 8 channels, expected 3.*permute\(0, 3, 1, 2\)"):
        count_classes(split(make_net("plain")), x.permute(0, 2, 3, 1))


def test_scores_for_each_pixel_are_refused_with_the_way_out(built, x):
    model = built(lambda: nn.Sequential(nn.Conv2d(3, CLASSES, 3)))
    with pytest.raises(InputError, match=r"scores of shape \(4, 6, 6\).*AdaptiveAvgPool2d"):
        count_classes(split(model), x)


def test_a_layer_without_a_shape_yet_is_refused_by_name():
    with pytest.raises(InputError, match=r'"1\.weight" has no shape yet: run one batch'):
        split(nn.Sequential(nn.Flatten(), nn.LazyLinear(4)))


class Functional(nn.Module):
    """A convolution, and a last layer that is no module."""

    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 6, 3)
        self.weight = nn.Parameter(torch.empty(CLASSES, 6))

    def forward(self, x):
        return nn.functional.linear(self.c(x).mean((2, 3)), self.weight)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 6, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.fc = nn.Linear(6, CLASSES)
        self.beside = nn.Linear(6, CLASSES)
        self.scale = nn.Parameter(torch.empty(()))

    def forward(self, x):
        z = self.body(x)
        return self.fc(z) * self.scale + self.beside(z)


def drawn(model):
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=torch.Generator().manual_seed(0))
    return model


OTHER_HEADS = {
    "the input convolution of a functional head": (Functional, "c", ['depend on "weight"', "nn.Linear(...)"]),
    "a layer in the middle": (Residual, "body.0", ["isn't in it", "expected the layer whose output is the scores"]),
    "one of two beside each other": (Residual, "fc", ['depend on "beside.weight"']),
}


@pytest.mark.parametrize(("make", "head", "said"), OTHER_HEADS.values(), ids=OTHER_HEADS)
def test_a_head_that_does_not_make_the_scores_is_refused(make, head, said, x):
    with torch.device("meta"):
        model = make()
    net = split(drawn(model.to_empty(device="cpu")).requires_grad_(False), head=head)
    with pytest.raises(InputError) as caught:
        refuse_other_heads(net, x)
    for part in said:
        assert part in str(caught.value)
    assert not any(parameter.requires_grad for parameter in net.parameters())
    assert not any(module._forward_hooks for module in net.modules())


def test_a_head_of_several_layers_is_taken_and_what_scales_the_scores_may_follow(make_net, x):
    refuse_other_heads(split(make_net("user"), head="fc2"), x)
    layers = make_net("plain")
    refuse_other_heads(split(nn.Sequential(layers[:4], layers[4:]), head="1"), x)
    with torch.device("meta"):
        scaled = Residual()
    scaled.beside = nn.Identity()
    scaled.forward = lambda z: scaled.fc(scaled.body(z)) * scaled.scale
    refuse_other_heads(split(drawn(scaled.to_empty(device="cpu"))), x)


def test_the_advice_for_a_functional_head_is_to_make_it_a_layer(x):
    with (
        torch.device("meta"),
        pytest.raises(InputError, match=r'"weight" is a parameter that no layer holds.*nn.Linear'),
    ):
        split(Functional())


def test_what_a_forward_raises_is_one_message_in_an_ascent_too(built):
    def transformer():
        def forward(self, x):
            assert x.shape[-1] == 16, "Input height (8) doesn't match model (16)."
            return self.fc(self.body(x))

        return Model(forward, fc=nn.Linear(6, CLASSES))

    with pytest.raises(InputError, match=r"can't take images of shape \(3, 8, 8\).*AssertionError: Input height"):
        unseen.ascend(built(transformer), torch.zeros(2, 3, 8, 8), torch.tensor([0, 1]), unseen.ADA(T_max=1))


def test_a_run_in_place_of_its_network_is_refused_with_what_to_give(make_net):
    class Run:
        net = unseen.split(make_net())

    with pytest.raises(InputError, match=r"expected a torch\.nn\.Module, got Run; give its \.net"):
        unseen.split(Run())
    with pytest.raises(InputError, match=r"expected a torch\.nn\.Module, got str$"):
        unseen.split("resnet18")
