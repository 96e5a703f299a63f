import shutil

import pytest
import torch
from configs import rewrite

from unseen import Ensemble, split
from unseen.errors import InputError
from unseen.reporting.finished.ensembles import is_ensemble, load_network, read_ensembles
from unseen.reporting.finished.methods import read_methods


@pytest.fixture
def methods(street_runs):
    return read_methods([street_runs / "erm-0", street_runs / "ada-0"])


@pytest.fixture
def make(street_runs, tmp_path, load_street_net):
    """Call it with a name and runs: the folder of their ensemble."""

    def save(name, *runs, **options):
        folders = [street_runs / run for run in runs]
        Ensemble.of_runs(folders, models=[load_street_net(f) for f in folders], **options).save(tmp_path / name)
        return tmp_path / name

    return save


def test_ensembles_that_differ_in_the_seed_only_are_one_method_after_the_runs(street_runs, methods):
    (both,) = read_ensembles([street_runs / "both-1", street_runs / "both-0"], methods)
    assert (both.label, both.name) == ("ensemble of 1 ERM and 1 ADA (greatest-softmax)", "the ensemble")
    assert (both.seeds, both.rounds, both.style) == ([0, 1], 0, 2)
    assert [is_ensemble(street_runs / name) for name in ("both-0", "ada-0")] == [True, False]


def test_another_rule_is_another_method(street_runs, methods, make):
    other = make("mean", "erm-0", "ada-0", rule="mean-softmax")
    names = [method.name for method in read_ensembles([street_runs / "both-0", other], methods)]
    assert names == ["ensemble of 1 ERM and 1 ADA (greatest-softmax)", "ensemble of 1 ERM and 1 ADA (mean-softmax)"]


def test_members_of_several_seeds_pair_with_no_run(methods, make):
    plain, ours = make("plain", "erm-0", "erm-1"), make("ours", "ada-0", "ada-1")
    found = read_ensembles([plain, ours], methods)
    assert [method.label for method in found] == [
        "ensemble of 2 ERM (greatest-softmax)",
        "ensemble of 2 ADA (greatest-softmax)",
    ]
    assert all(method.seeds[0] < 0 for method in found)


def test_several_gammas_are_named(street_runs, methods, make, tmp_path):
    shutil.copytree(street_runs / "ada-1", tmp_path / "small")
    rewrite(tmp_path / "small", lambda config: config["ada"].update(gamma=0.01))
    folder = make("gammas", tmp_path / "small", "ada-0")
    assert read_ensembles([folder], methods)[0].label == "ensemble of 2 ADA (γ=1, 0.01; greatest-softmax)"


@pytest.mark.parametrize("name", ["both-0", "plain"])
def test_the_same_ensemble_twice_is_refused(street_runs, methods, make, name):
    folder = make("plain", "erm-0", "erm-1") if name == "plain" else street_runs / name
    with pytest.raises(InputError, match="counted twice"):
        read_ensembles([folder, folder], methods)


def test_an_ensemble_that_says_nothing_of_its_training_is_refused(methods, make_net, tmp_path):
    Ensemble([split(make_net("plain")), split(make_net("plain", seed=1))], names=["one", "two"]).save(tmp_path / "own")
    with pytest.raises(InputError, match=r"how one and two was trained; expected an ensemble of run folders"):
        read_ensembles([tmp_path / "own"], methods)


def test_an_ensemble_on_another_source_is_refused(runs, street_runs):
    with pytest.raises(InputError, match=r"got 2 sources: .*erm-0 on bars .*; .*both-0 on sunny street"):
        read_ensembles([street_runs / "both-0"], read_methods([runs / "erm-0"]))


def test_members_from_python_are_loaded_with_their_networks(street_runs, far_street, load_street_net):
    ensemble = load_network(street_runs / "both-0", load_street_net)
    scores = [load_street_net(street_runs / name)(far_street.images) for name in ("erm-0", "ada-0")]
    assert torch.equal(ensemble.predict(far_street.images).classes, ensemble.rule(torch.stack(scores)).classes)
