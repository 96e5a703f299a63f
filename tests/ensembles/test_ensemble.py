"""Ensembles: what they answer, what they refuse, and the folder they are saved to."""

import copy
import errno
import json
import re
import shutil

import pytest
import torch
from configs import rewrite
from sweeping import settings
from torch import nn

import unseen
from benchmarks import ensemble as benchmark
from unseen import sweep
from unseen.errors import InputError, RunFolderError, SaveFailed
from unseen.runs.folder import RunFolder
from unseen.runs.request import train


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Three runs of the command line on eight images, as small as they can be."""
    place = tmp_path_factory.mktemp("home")
    for request in sweep.grid(settings(place, T=6), K=[0], seed=[0, 1, 2], out=place / "runs"):
        train(request)
        request.out.rename(place / "runs" / f"run{request.seed}")
    return place


@pytest.fixture
def runs(home, tmp_path):
    shutil.copytree(home / "runs", tmp_path / "runs")
    return [tmp_path / "runs" / f"run{seed}" for seed in range(3)]


@pytest.fixture
def images(home):
    return unseen.folder(home / "images", size=6)


@pytest.fixture
def nets(make_net):
    return [make_net("normalized", seed=seed) for seed in range(3)]


def same(one, two):
    return all(torch.equal(getattr(one, name), getattr(two, name)) for name in ("classes", "member", "confidence"))


def saved_again(folder, changes):
    record = json.loads((folder / "ensemble.json").read_text())
    (folder / "ensemble.json").write_text(json.dumps(record | changes))


# What it answers.


@pytest.mark.parametrize("rule", unseen.rules.RULES)
@pytest.mark.parametrize("batch", [None, 1, 7, 24])
def test_the_answer_is_the_rules_on_what_each_member_scores_alone(nets, digits, rule, batch):
    with torch.no_grad():
        alone = torch.stack([copy.deepcopy(net).eval()(digits[0]) for net in nets])
    ensemble = unseen.Ensemble(nets, rule=rule)
    expected, answer = unseen.rules.RULES[rule](alone), ensemble.predict(digits[0], batch=batch)
    assert torch.equal(answer.classes, expected.classes)
    assert torch.equal(answer.member, expected.member)
    torch.testing.assert_close(answer.confidence, expected.confidence)
    torch.testing.assert_close(ensemble.scores(digits[0], batch=batch), alone)


def test_accuracy_is_that_of_the_answers(nets, digits):
    ensemble = unseen.Ensemble(nets)
    right = (ensemble.predict(digits[0]).classes == digits[1]).double().mean()
    assert unseen.evaluate(ensemble, digits) == float(right)
    assert 0 < right < 1


def test_an_ensemble_of_one_is_as_accurate_as_its_member(make_net, digits):
    assert unseen.evaluate(unseen.Ensemble([make_net()]), digits) == unseen.evaluate(make_net(), digits)


def test_predicting_leaves_the_members_as_they_were(nets, digits):
    nets[0].train()
    before = [{name: tensor.clone() for name, tensor in net.state_dict().items()} for net in nets]
    modes = [[module.training for module in net.modules()] for net in nets]
    unseen.Ensemble(nets).predict(digits[0])
    assert [[module.training for module in net.modules()] for net in nets] == modes
    assert all(p.requires_grad and p.grad is None for net in nets for p in net.parameters())
    for net, state in zip(nets, before, strict=True):
        assert all(torch.equal(tensor, state[name]) for name, tensor in net.state_dict().items())


def test_no_more_scores_than_a_batchs_are_held_at_once(nets, make_digits):
    class Watched(unseen.rules.GreatestSoftmax):
        shapes: list = []  # noqa: RUF012

        def choose(self, scores):
            self.shapes.append(tuple(scores.shape))
            return super().choose(scores)

    unseen.Ensemble(nets, rule=Watched()).predict(make_digits(50)[0], batch=16)
    assert Watched.shapes == [(3, 16, 4), (3, 16, 4), (3, 16, 4), (3, 2, 4)]


def test_the_benchmarks_stacked_weights_and_plain_twin_answer_alike():
    members, x = benchmark.nets(1 / 16), torch.rand(40, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    ensemble = unseen.Ensemble(members)
    answer = ensemble.predict(x)
    torch.testing.assert_close(benchmark.stacked(members, x), ensemble.scores(x), rtol=1e-4, atol=1e-5)
    classes, member, confidence = zip(*benchmark.plain(members, x), strict=True)
    assert (list(classes), list(member)) == (answer.classes.tolist(), answer.member.tolist())
    assert confidence == pytest.approx(answer.confidence.tolist(), abs=1e-5)


def test_it_says_who_it_is(nets):
    ensemble = unseen.Ensemble(nets, names=["near", "far", "farther"], rule="mean-softmax")
    assert repr(ensemble) == "Ensemble(near, far, farther; rule=mean-softmax)"
    assert (len(ensemble), unseen.Ensemble(nets).names) == (3, ("0", "1", "2"))


# What it refuses.


def small(classes=4, channels=3):
    return nn.Sequential(nn.Conv2d(channels, 2, 3), nn.Flatten(), nn.Linear(72, classes))


@pytest.fixture
def unlike():
    """Networks that don't go together, by what is wrong; made without drawing from the global generator."""
    with torch.random.fork_rng(devices=[]):
        flat = nn.Sequential(nn.Flatten(), nn.Linear(3 * 6 * 6, 4))
        return {"classes": [small(), small(5)], "channels": [small(), small(channels=1)], "size": [small(), flat]}


def test_members_with_other_numbers_of_classes_are_refused_when_they_are_put_together(unlike):
    with pytest.raises(InputError, match=r"differ in the number of classes: 4 \(a\); 5 \(b\); expected the same"):
        unseen.Ensemble(unlike["classes"], names=["a", "b"])


def test_members_that_know_other_classes_are_refused_where_the_classes_have_names(make_net):
    cats, dogs, numbers, bare = (unseen.split(make_net()) for _ in range(4))
    cats.classes, dogs.classes, numbers.classes = ("cat", "no", "a", "b"), ("dog", "no", "a", "b"), tuple("0123")
    with pytest.raises(InputError, match=r"differ in the classes: cat, no, a, b \(x\); dog, no, a, b \(y\)"):
        unseen.Ensemble([cats, dogs], names=["x", "y"])
    assert unseen.Ensemble([numbers, bare, dogs]).classes == dogs.classes
    assert unseen.Ensemble([numbers, bare]).classes is None


@pytest.mark.parametrize(
    ("what", "said"),
    [("channels", r"b: the images have 3 channels, expected 1"), ("size", r"b: the model can't take images of shape")],
)
def test_images_that_a_member_cannot_take_are_refused_by_its_name(unlike, digits, what, said):
    with pytest.raises(InputError, match=said):
        unseen.Ensemble(unlike[what], names=["a", "b"]).predict(digits[0])


def test_classes_that_only_show_in_the_scores_are_counted_there(make_net, digits):
    class Fewer(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = make_net("user")

        def forward(self, x):
            return self.net(x)[:, :3]

    with pytest.raises(InputError, match=r"differ in the number of classes: 4 \(0\); 3 \(1\)"):
        unseen.Ensemble([make_net(), unseen.split(Fewer(), "net.fc2")]).predict(digits[0])


def test_a_network_given_twice_is_refused_because_training_is_in_place(make_net):
    net = make_net()
    with pytest.raises(InputError, match="0 and 1 are one network: fit trains in place"):
        unseen.Ensemble([unseen.split(net), unseen.split(net)])


def test_networks_without_parameters_are_told_apart(digits):
    class Fixed(nn.Module):
        def __init__(self, sign):
            super().__init__()
            self.sign, self.head = sign, nn.Identity()

        def forward(self, x):
            return self.head(self.sign * x[:, 0, 0, :4])

    ensemble = unseen.Ensemble([unseen.split(Fixed(sign), "head") for sign in (1.0, -1.0)])
    assert torch.equal(*ensemble.scores(digits[0]) * torch.tensor([1.0, -1.0])[:, None, None])


def test_one_alone_is_not_taken_for_a_list(make_net, runs):
    with pytest.raises(InputError, match="expected a list of networks, got one Sequential"):
        unseen.Ensemble(make_net())
    with pytest.raises(InputError, match="expected a list of run folders, got one str"):
        unseen.Ensemble.of_runs(str(runs[0]))


@pytest.mark.parametrize(
    ("count", "names", "said"),
    [
        (0, None, "no members; expected one or more"),
        (2, ["a"], "1 names for 2 members"),
        (3, ["a", "b", "a"], "a is the name of several members"),
    ],
)
def test_members_without_a_name_of_their_own_are_refused(nets, count, names, said):
    with pytest.raises(InputError, match=said):
        unseen.Ensemble(nets[:count], names=names)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (lambda x: x[0], r"images have shape \(3, 8, 8\), expected \(N, C, H, W\)"),
        (lambda x: 255 * x, r"expected \[0, 1\]; divide by 255"),
        (lambda x: x[:0], "no images"),
        (lambda x: x.numpy(), "expected a float tensor .* got ndarray"),
    ],
    ids=["one image", "0..255", "none", "numpy"],
)
def test_images_are_checked_as_those_of_a_domain(nets, digits, bad, said):
    with pytest.raises(InputError, match=said):
        unseen.Ensemble(nets).predict(bad(digits[0]))


def test_labels_that_no_member_knows_are_refused(nets, digits):
    with pytest.raises(InputError, match=r"expected 0\.\.3 \(the model gives 4 scores\)"):
        unseen.evaluate(unseen.Ensemble(nets), (digits[0], digits[1] + 1))


def test_a_diverged_member_is_told_of(nets, digits):
    with torch.no_grad():
        nets[1][-1].bias.fill_(torch.nan)
    with pytest.raises(InputError, match=r"scores of member 1 \(counted from 0\) are NaN"):
        unseen.Ensemble(nets).predict(digits[0])


# Runs as members.


def test_the_members_are_the_runs_networks_and_have_their_names(runs, images):
    ensemble = unseen.Ensemble.of_runs([str(run) for run in runs])
    alone = torch.stack([unseen.load(run)(images.images[:]).detach() for run in runs])
    assert ensemble.names == ("run0", "run1", "run2")
    assert torch.equal(ensemble.scores(images.images), alone)


def test_runs_whose_folders_have_one_name_are_called_by_their_paths(runs, tmp_path):
    shutil.copytree(runs[1], tmp_path / "other" / "run0")
    names = unseen.Ensemble.of_runs([runs[0], tmp_path / "other/run0"]).names
    assert names == (str(runs[0]), str(tmp_path / "other/run0"))


def test_runs_from_python_need_models(tmp_path, make_net, digits):
    for seed in (0, 1):
        unseen.fit(make_net(seed=seed), digits, unseen.ERM(T=2, batch=4), folder=tmp_path / str(seed))
    folders = [tmp_path / "0", tmp_path / "1"]
    with pytest.raises(InputError, match=r"0, 1 came from Python .* give models=, a network for each of 0, 1 in this"):
        unseen.Ensemble.of_runs(folders)
    with pytest.raises(InputError, match="1 models for 2 members; expected one for each of 0, 1"):
        unseen.Ensemble.of_runs(folders, models=[make_net()])
    net = make_net()
    with pytest.raises(InputError, match="models= has one network twice"):
        unseen.Ensemble.of_runs(folders, models=[net, unseen.split(net)])
    ensemble = unseen.Ensemble.of_runs(folders, models=[make_net(seed=8), make_net(seed=9)])
    alone = torch.stack([unseen.load(folder, make_net())(digits[0]).detach() for folder in folders])
    assert torch.equal(ensemble.scores(digits[0]), alone)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda config: config["source"].update(classes=["light", "dark"]), "differ in the classes: dark, light"),
        (lambda config: config["job"].update(size=12), r"differ in the size of the images: side 6, .*; side 12,"),
    ],
    ids=["classes in another order", "another size"],
)
def test_runs_that_do_not_go_together_are_refused_with_the_difference(runs, change, said):
    rewrite(runs[2], change)
    with pytest.raises(InputError, match=said):
        unseen.Ensemble.of_runs(runs)


def test_a_run_given_twice_by_other_paths_is_refused(runs):
    with pytest.raises(InputError, match="are one run; expected different ones"):
        unseen.Ensemble.of_runs([*runs, runs[0] / ".." / "run1"])


def test_every_folder_that_cannot_be_used_is_told_in_one_message(runs, tmp_path):
    (runs[1] / "weights.safetensors").unlink()
    with pytest.raises(RunFolderError) as caught:
        unseen.Ensemble.of_runs([*runs, tmp_path / "absent"])
    assert re.search(r"run1 is not finished.*\n.*absent holds no run", str(caught.value))


# One folder.


def test_a_saved_ensemble_of_runs_comes_back_to_the_bit_without_the_runs(runs, images, tmp_path):
    ensemble = unseen.Ensemble.of_runs(runs, rule="mean-softmax")
    ensemble.save(tmp_path / "ens")
    shutil.rmtree(tmp_path / "runs")
    loaded = unseen.Ensemble.load(str(tmp_path / "ens"))
    assert (loaded.names, loaded.rule) == (ensemble.names, ensemble.rule)
    assert same(loaded.predict(images.images), ensemble.predict(images.images))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again/ensemble.json").read_bytes() == (tmp_path / "ens/ensemble.json").read_bytes()


def test_a_member_of_a_saved_ensemble_is_loaded_like_a_run(runs, images, tmp_path):
    unseen.Ensemble.of_runs(runs).save(tmp_path / "ens")
    member = unseen.load(tmp_path / "ens/members/1")
    assert torch.equal(member(images.images[:]), unseen.load(runs[1])(images.images[:]))


def test_a_saved_ensemble_from_python_comes_back_with_models(nets, make_net, digits, tmp_path):
    ensemble = unseen.Ensemble(nets, names=["a", "b", "c"])
    ensemble.save(tmp_path / "ens")
    with pytest.raises(InputError, match=r"a, b, c came from Python"):
        unseen.Ensemble.load(tmp_path / "ens")
    with pytest.raises(RunFolderError, match="another model"):
        unseen.Ensemble.load(tmp_path / "ens", [make_net("plain") for _ in nets])
    loaded = unseen.Ensemble.load(tmp_path / "ens", models=[make_net("normalized", seed=9) for _ in nets])
    assert same(loaded.predict(digits[0]), ensemble.predict(digits[0]))


def test_a_rule_of_ones_own_is_not_saved(nets, tmp_path):
    class Own(unseen.rules.GreatestScore):
        name = "own"

    with pytest.raises(InputError, match=r"Own\(\) is a rule of your own, which a folder can't hold"):
        unseen.Ensemble(nets, rule=Own()).save(tmp_path / "ens")
    assert not (tmp_path / "ens").exists()


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_nothing_is_written_over(nets, tmp_path, kind):
    place = tmp_path / "ens"
    if kind == "folder":
        place.mkdir()
        (place / "mine.txt").write_text("mine")
    else:
        place.write_text("mine")
    with pytest.raises(RunFolderError, match="ens exists and is not empty; choose a new or empty folder"):
        unseen.Ensemble(nets).save(place)
    assert (place / "mine.txt" if kind == "folder" else place).read_text() == "mine"


def test_an_empty_folder_is_taken(nets, tmp_path):
    (tmp_path / "ens").mkdir()
    unseen.Ensemble(nets).save(tmp_path / "ens")
    assert (tmp_path / "ens/ensemble.json").exists()


@pytest.mark.parametrize(
    ("broken", "raised"),
    [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(errno.ENOSPC, "No space left"), SaveFailed)],
    ids=["interrupted", "disk full"],
)
def test_a_save_that_fails_anywhere_leaves_nothing(nets, tmp_path, monkeypatch, broken, raised):
    reached = iter(())

    def fsync(handle):
        if next(reached, "end") == "fails":
            raise broken

    monkeypatch.setattr("unseen.base.writing.os.fsync", fsync)
    moments = 2 * (2 * len(nets) + 1) + 1  # each file and its folder, the whole; then it has its name
    for moment in range(moments):
        reached = iter(["passes"] * moment + ["fails"])
        with pytest.raises(raised):
            unseen.Ensemble(nets).save(tmp_path / "ens")
        assert list(tmp_path.iterdir()) == [], moment
    reached = iter(["passes"] * moments)
    unseen.Ensemble(nets).save(tmp_path / "ens")
    assert [path.name for path in tmp_path.iterdir()] == ["ens"]


def test_a_folder_that_another_process_fills_meanwhile_is_left_alone(nets, tmp_path, monkeypatch):
    def fsync(handle):
        (tmp_path / "ens").mkdir(exist_ok=True)
        (tmp_path / "ens" / "theirs.txt").write_text("theirs")

    monkeypatch.setattr("unseen.base.writing.os.fsync", fsync)
    with pytest.raises(SaveFailed, match="ens: Directory not empty; choose another folder"):
        unseen.Ensemble(nets).save(tmp_path / "ens")
    assert [path.name for path in tmp_path.rglob("*")] == ["ens", "theirs.txt"]


DAMAGES = {
    "cut off": (lambda file: file.write_bytes(file.read_bytes()[:-9]), r"members/1/weights.safetensors is not what"),
    "a bit": (lambda file: flip(file), r"members/1/weights.safetensors is not what was saved \(SHA-256 differs\)"),
    "missing": (lambda file: file.unlink(), r"members/1/weights.safetensors is missing"),
    "half-copied": (
        lambda file: shutil.rmtree(file.parent),
        r"members/1/config.json is missing\n.*members/1/weights.safetensors is missing\n.*again",
    ),
    "a config": (
        lambda file: file.with_name("config.json").write_text("{"),
        r"members/1/config.json is not what was saved",
    ),
}


def flip(file):
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_refused_with_what_is_damaged(runs, tmp_path, damage):
    unseen.Ensemble.of_runs(runs).save(tmp_path / "ens")
    harm, said = DAMAGES[damage]
    harm(tmp_path / "ens/members/1/weights.safetensors")
    with pytest.raises(RunFolderError, match=said):
        unseen.Ensemble.load(tmp_path / "ens")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", r"ensemble\.json is damaged"),
        ("[]", r"ensemble\.json is damaged: expected an object, got list; copy the folder again"),
        ('{"format": 2}', "expected an object with format 1"),
        ('{"format": 1}', r"ensemble\.json is damaged: 'rule' is missing in it; copy the folder again"),
        ('{"format": 1, "rule": "mean-softmax", "members": []}', "it has no members"),
        (
            '{"format": 1, "rule": "mean-softmax", "members": [{"name": "a", "sha256": 3}]}',
            r"ensemble\.json is damaged: 'int'",
        ),
    ],
)
def test_a_record_of_another_form_is_refused(runs, tmp_path, text, said):
    unseen.Ensemble.of_runs(runs).save(tmp_path / "ens")
    (tmp_path / "ens/ensemble.json").write_text(text)
    with pytest.raises(RunFolderError, match=said):
        unseen.Ensemble.load(tmp_path / "ens")


def test_a_rule_this_version_does_not_know_is_refused(runs, tmp_path):
    unseen.Ensemble.of_runs(runs).save(tmp_path / "ens")
    saved_again(tmp_path / "ens", {"rule": "mean-softmx"})
    with pytest.raises(InputError, match='did you mean "mean-softmax"'):
        unseen.Ensemble.load(tmp_path / "ens")


def test_folders_of_other_things_are_refused_with_what_they_are(runs, tmp_path):
    with pytest.raises(RunFolderError, match=r"run0 holds a run, not an ensemble; use it with: unseen\.load\("):
        unseen.Ensemble.load(runs[0])
    with pytest.raises(RunFolderError, match=r"absent holds no ensemble: .*unseen ensemble RUN\.\.\. --out"):
        unseen.Ensemble.load(tmp_path / "absent")


# The command line.


@pytest.fixture
def shell(shell, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    return shell


def test_runs_become_an_ensemble_that_is_evaluated_like_a_run(shell, runs, home, tmp_path):
    code, text = shell("ensemble", *runs, "--out", tmp_path / "ens", "--rule", "majority-vote", "--run-model-code")
    assert (code, "3 members, majority-vote. Next: unseen evaluate" in text) == (0, True), text
    code, text = shell("evaluate", tmp_path / "ens", runs[0], "--target", home / "images", "--run-model-code")
    domain = unseen.folder(home / "images", size=6)
    accuracy = unseen.evaluate(unseen.Ensemble.load(tmp_path / "ens"), domain)
    assert (code, "images (8)" in text) == (0, True), text
    assert re.search(rf"ens +│ {accuracy:.1%}", text), text
    assert RunFolder(runs[0]).finished


def test_a_slip_in_the_rule_costs_nothing(shell, runs, tmp_path):
    code, text = shell("ensemble", *runs, "--out", tmp_path / "ens", "--rule", "majority")
    assert (code, 'did you mean "majority-vote"?' in text) == (2, True), text
    assert not (tmp_path / "ens").exists()


def test_an_ensemble_from_python_is_told_to_be_used_there(shell, nets, tmp_path, home):
    unseen.Ensemble(nets).save(tmp_path / "ens")
    code, text = shell("evaluate", tmp_path / "ens", "--target", home / "images")
    assert (code, "unseen.Ensemble.load(" in text) == (3, True), text
