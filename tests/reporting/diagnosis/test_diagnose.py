import math
import shutil
import sys

import pytest
import safetensors.torch
import torch
from configs import rewrite
from torch import nn

from unseen import Domain, evaluate, load, split, theory
from unseen.errors import InputError, RunFolderError
from unseen.method.cost import softmax_loss
from unseen.reporting.diagnosis.baseline import finished_run, other_differences
from unseen.reporting.diagnosis.diagnose import diagnose
from unseen.reporting.diagnosis.matching import pair, sample_source, transport
from unseen.reporting.diagnosis.networks import SHARES
from unseen.reporting.diagnosis.record import FILE, read_current
from unseen.reporting.diagnosis.tables import sheets


@pytest.fixture
def net(make_net, runs):
    return load(runs / "ada", make_net("plain"))


def change_weights(folder, change):
    path = folder / "weights.safetensors"
    state = safetensors.torch.load_file(path)
    change(state)
    path.write_bytes(safetensors.torch.save(state))


def change_config(folder, **ada):
    rewrite(folder, lambda config: config["ada"].update(ada))


def test_the_numbers_are_those_of_the_theory(diagnosis, net, source):
    x, y, model = source.images, source.labels, diagnosis.model
    known = theory.constants(net)
    assert (model.L1, model.L_theta) == pytest.approx((known.L1, known.L_theta))
    assert diagnosis.gamma == pytest.approx(2 * 1.0 / model.features)
    assert model.regularizer == pytest.approx(theory.regularizer(net, x, y).mean().item(), rel=1e-4)
    surrogate = theory.surrogate(net, x, y, diagnosis.gamma)
    assert model.surrogate == pytest.approx((surrogate.value.mean().item(), surrogate.upper.mean().item()), rel=1e-4)
    z = net.features(x).detach().double()
    assert model.spread == pytest.approx(float((z - z.mean(0)).square().sum(1).mean()) / 2, rel=1e-5)
    assert model.shares == pytest.approx(SHARES)
    expected = theory.certificate(net, source, model.curve.rho)
    assert model.curve.bound == pytest.approx(expected.bound, rel=1e-4)
    assert model.loss == pytest.approx(softmax_loss(net(x), y).mean().item(), rel=1e-4)


def test_each_domain_is_as_the_network_has_it(diagnosis, net, source, target, near):
    far, close = diagnosis.model.domains
    assert [(there.domain, there.images, there.matched) for there in (far, close)] == [
        ("other-bars", 30, 30), ("near-bars", 24, 24)
    ]  # fmt: skip
    assert far.accuracy == evaluate(net, target)
    assert far.loss == pytest.approx(softmax_loss(net(target.images), target.labels).mean().item(), rel=1e-4)
    assert set(far.classes) == set("0123")
    assert close.radius < far.radius
    rows = sample_source(source)
    pairing = pair(source.labels[rows], target, source.classes)
    ours, theirs = source.images[rows[pairing.source[1]]], target.images[pairing.domain[1]]
    with torch.no_grad():
        assert far.classes["1"] == pytest.approx(transport(net.features(ours), net.features(theirs)).mean().item())
    parts = [far.classes[name] * int((target.labels == i).sum()) for i, name in enumerate("0123")]
    assert far.radius == pytest.approx(sum(parts) / len(target))


def test_the_bound_is_the_certificate_of_the_matched_source_images(diagnosis, net, source, target):
    rows = sample_source(source)
    rows = rows[torch.cat(pair(source.labels[rows], target, source.classes).source)]
    matched = Domain("matched", source.images[rows], source.labels[rows], source.classes)
    far = diagnosis.model.domains[0]
    assert len(matched) == far.matched < len(source)
    assert far.bound == pytest.approx(theory.certificate(net, matched, far.radius).bound[0], rel=1e-4)


def test_the_certificate_bounds_the_loss_on_the_matched_images(diagnosis):
    for network in diagnosis.networks:
        for there in network.domains:
            assert there.loss <= there.bound


def test_the_bound_holds_for_images_at_any_distance(look_at, runs, source):
    shutil.rmtree(runs / "erm")
    noise = torch.rand(source.images.shape, generator=torch.Generator().manual_seed(1)).round()
    shifted = {shift: (1 - shift) * source.images + shift * noise for shift in (0.0, 0.05, 0.2, 0.5, 1.0)}
    domains = [Domain(str(shift), x[1:], source.labels[1:], source.classes) for shift, x in shifted.items()]
    found = look_at(runs / "ada", *domains).model.domains
    assert [there.loss <= there.bound for there in found] == [True] * 5
    assert sorted(found, key=lambda there: there.radius) == list(found)


def test_features_in_other_units_change_no_share_of_the_spread(look_at, diagnosis, runs, target, near):
    def scale(state, by=8.0):
        for name in ("4.weight", "4.bias"):
            state[name] *= by
        state["6.weight"] /= by

    change_weights(runs / "ada", scale)
    other = look_at(runs / "ada", target, near)
    assert other.model.spread == pytest.approx(64 * diagnosis.model.spread, rel=1e-4)
    assert other.model.curve.bound == pytest.approx(diagnosis.model.curve.bound, rel=1e-4)
    for one, two in zip(diagnosis.model.domains, other.model.domains, strict=True):
        assert two.radius == pytest.approx(64 * one.radius, rel=1e-4)
        assert (two.loss, two.bound) == pytest.approx((one.loss, one.bound), rel=1e-4)


def test_a_network_that_is_given_keeps_its_weights(make_net, runs, source):
    given = make_net("plain", seed=9)
    before = {name: tensor.clone() for name, tensor in given.state_dict().items()}
    diagnose(runs / "ada", net=given, source=(source.images, source.labels))
    assert all(torch.equal(tensor, before[name]) for name, tensor in given.state_dict().items())


# Over transformations.


def test_a_run_over_transformations_is_diagnosed_as_far_as_the_theory_goes(look_at, train, runs, source, target):
    settings = {"over": "standard", "K": 3, "keep": 1, "spread": True, "sampling": "source", "links": 2, "entropy": 0.5}
    found = look_at(train(runs / "over", **settings), target)
    assert found.model.label == "ADA over standard transformations (K=3, entropy 0.5)"
    assert found.plain is not None, "links says nothing about a training that draws no transformations"
    assert [each.number for each in found.rounds] == [1, 2, 3]
    assert not any(each.reached or each.overshot for each in found.rounds)
    assert found.gamma is None
    assert found.model.surrogate is None
    made = sheets(found)
    assert "There is no gamma to hold against them: this run's ascent moves transformations" in made["gamma"].caption
    assert "none here: this run's ascent moves transformations" in made["rounds"].caption
    assert {row[-1] for row in made["rounds"].rows} == {"none"}
    assert found.model.domains[0].loss <= found.model.domains[0].bound
    assert read_current(runs / "over", source, [target]) == found


# The plain run.


def test_the_plain_run_beside_it_is_found(diagnosis):
    assert (diagnosis.plain.label, diagnosis.plain.folder.rpartition("/")[2]) == ("ERM", "erm")
    assert not diagnosis.plain_given
    assert diagnosis.plain_apart == ()
    assert diagnosis.plain.spread != diagnosis.model.spread


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "weights.safetensors").unlink(),
        lambda folder: change_config(folder, T=41),
        lambda folder: change_config(folder, K=1),
        lambda folder: (folder / "config.json").write_text("{"),
    ],
    ids=["unfinished", "trained longer", "with a round", "damaged"],
)
def test_a_run_that_differs_in_more_than_its_rounds_is_not_taken_for_the_plain_one(look_at, runs, spoil):
    spoil(runs / "erm")
    assert look_at(runs / "ada").plain is None


def test_a_plain_run_of_another_seed_is_taken_only_if_it_is_given(look_at, train, runs, tmp_path):
    (runs / "erm").rename(tmp_path / "there")
    train(runs / "other", seed=1, K=0)
    assert look_at(runs / "ada").plain is None
    given = look_at(runs / "ada", plain=runs / "other")
    assert (given.plain.seed, given.plain_given) == (1, True)
    assert given.plain_apart == ("seed (1, here 0)",)


def test_a_given_plain_run_of_another_training_says_what_differs(look_at, runs):
    change_config(runs / "erm", T=41)
    other = {"job": {"width": 0.5, "watch": ["near"]}}
    rewrite(runs / "erm", lambda config: config | other | {"model": config["model"] | {"class": "Other"}})
    run, plain = (finished_run(runs / name) for name in ("ada", "erm"))
    assert other_differences(run, plain) == ("T (41, here 40)", "width (0.5, here 1.0)", "the network")
    assert other_differences(run, run) == ()


def test_from_inside_its_folder_a_run_still_finds_the_plain_one(look_at, runs, monkeypatch):
    monkeypatch.chdir(runs / "ada")
    assert look_at(".").plain is not None


def test_a_plain_run_has_no_rounds_no_gamma_and_nothing_beside_it(look_at, runs):
    found = look_at(runs / "erm")
    assert (found.rounds, found.gamma, found.plain) == ((), None, None)
    assert "ERM makes no" in found.no_gamma
    assert found.model.surrogate is None


@pytest.mark.parametrize(
    ("ada", "why"),
    [({"cost": "pixel"}, "weighs distances in pixels"), ({"gamma": 0.0}, "gamma is 0")],
    ids=["pixel", "no penalty"],
)
def test_a_gamma_that_the_theory_does_not_know_is_left_out_with_the_reason(look_at, train, tmp_path, ada, why):
    found = look_at(train(tmp_path / "run", **ada))
    assert (found.gamma, found.model.surrogate) == (None, None)
    assert why in found.no_gamma
    assert len(found.rounds) == 2
    assert all(math.isfinite(each.radius) and each.reached is None for each in found.rounds)


# What is kept.


def test_a_diagnosis_is_kept_as_it_is(diagnosis, diagnosed, source, target, near):
    assert read_current(diagnosed / "ada", source, [target, near]) == diagnosis
    assert read_current(diagnosed / "ada", source) == diagnosis
    assert read_current(diagnosed / "erm", source) is None


def test_one_that_was_made_with_other_weights_is_not_used(diagnosed, source):
    change_weights(diagnosed / "ada", lambda state: state["6.bias"].add_(1))
    assert read_current(diagnosed / "ada", source) is None


def test_one_whose_plain_run_was_trained_again_is_not_used(look_at, runs, source):
    look_at(runs / "ada")
    change_weights(runs / "erm", lambda state: state["6.bias"].add_(1))
    assert read_current(runs / "ada", source) is None
    shutil.rmtree(runs / "erm")
    assert read_current(runs / "ada", source) is not None


def test_one_that_was_made_with_other_data_is_not_used(diagnosed, source, target, near):
    assert read_current(diagnosed / "ada", near) is None
    other = Domain(target.name, target.images[1:], target.labels[1:], target.classes)
    assert read_current(diagnosed / "ada", source, [other]) is None


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"plain": null, "rounds": [], "model": {}}'])
def test_one_that_can_not_be_read_counts_as_none(diagnosed, source, content):
    (diagnosed / "ada" / FILE).write_text(content)
    assert read_current(diagnosed / "ada", source) is None


def test_a_diagnosis_that_fails_leaves_the_kept_one_alone(look_at, diagnosed, diagnosis, source):
    stranger = Domain("stranger", source.images, (source.labels + 1) % 5, tuple("abcde"))
    with pytest.raises(InputError, match="stranger has images of classes that the source has none of: e"):
        look_at(diagnosed / "ada", stranger)
    assert read_current(diagnosed / "ada", source) == diagnosis


# What is refused.


class Doubled(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return 2 * self.inner(x)


def test_a_head_that_is_not_linear_is_refused(look_at, train, tmp_path, make_net):
    def several():
        layers = make_net("plain")
        return nn.Sequential(layers[:4], layers[4:])

    net = split(several(), head="1")
    with pytest.raises(InputError, match=r'head "1" is a Sequential, expected torch\.nn\.Linear'):
        look_at(train(tmp_path / "run", net=net), net=several())


def test_a_loss_that_is_not_softmax_is_refused(look_at, train, tmp_path, make_net):
    net = split(Doubled(make_net("plain")), head="inner.6")
    with pytest.raises(InputError, match=r'after head "inner\.6" the model changes the scores'):
        look_at(train(tmp_path / "run", net=net), net=Doubled(make_net("plain")))


def test_features_that_are_all_the_same_are_refused(look_at, runs):
    change_weights(runs / "ada", lambda state: state["4.weight"].zero_())
    with pytest.raises(InputError, match="gives every image of bars the same features"):
        look_at(runs / "ada")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "weights.safetensors").unlink(), r"ada is not finished; resume with: unseen\.fit"),
        (lambda folder: (folder / "weights.safetensors").write_bytes(b"no"), r"weights\.safetensors is damaged"),
        (lambda folder: (folder / "config.json").unlink(), "ada holds no run"),
    ],
    ids=["unfinished", "damaged weights", "no run"],
)
def test_a_folder_that_can_not_be_used_is_refused(look_at, runs, spoil, message):
    spoil(runs / "ada")
    with pytest.raises(RunFolderError, match=message):
        look_at(runs / "ada")
    assert not (runs / "ada" / FILE).exists()


def test_an_adaptation_is_no_run_of_ada_or_erm(look_at, runs):
    rewrite(runs / "ada", lambda config: config.update(adda=config.pop("ada")))
    with pytest.raises(RunFolderError, match=r"holds an adaptation \(ADDA\), expected a run of ADA or ERM"):
        look_at(runs / "ada")


def test_a_plain_run_on_other_images_is_refused(look_at, train, runs, near, tmp_path):
    with pytest.raises(
        InputError, match=r"elsewhere was trained on near-bars \(24 images\), .*ada on bars \(40 images\)"
    ):
        look_at(runs / "ada", plain=train(tmp_path / "elsewhere", on=near, K=0))


def test_a_plain_run_with_rounds_is_refused(look_at, runs):
    with pytest.raises(InputError, match="ada has K=2; expected an ERM run, K=0"):
        look_at(runs / "erm", plain=runs / "ada")


@pytest.mark.parametrize(
    ("left_out", "message"),
    [("source", r"expected source=.*bars, 40 images.*net="), ("net", "expected net=, its network")],
)
def test_a_run_from_python_needs_its_network_and_its_source(look_at, runs, left_out, message):
    with pytest.raises(InputError, match=message):
        look_at(runs / "ada", **{left_out: None})


def test_other_data_than_the_run_trained_on_is_refused(look_at, runs, near):
    with pytest.raises(InputError, match="near-bars is not the data that"):
        look_at(runs / "ada", source=near)


def test_masks_are_refused(look_at, runs, source):
    masked = Domain("streets", source.images, torch.zeros(40, 8, 8, dtype=torch.uint8), source.classes)
    with pytest.raises(InputError, match="streets: labels are masks; expected one label for each image"):
        look_at(runs / "ada", masked)


class NoSciPy:
    def find_spec(self, name, path=None, target=None):
        if name == "scipy":
            raise ModuleNotFoundError(name, name=name)


def test_scipy_is_asked_for_before_anything_is_computed(look_at, runs, target, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [NoSciPy(), *sys.meta_path])
    with pytest.raises(InputError, match=r"^scipy is not installed: pip install 'unseen\[theory\]'$"):
        look_at(runs / "ada", target)
    assert not (runs / "ada" / "evaluation.json").exists()
    assert look_at(runs / "ada").model.domains == ()
