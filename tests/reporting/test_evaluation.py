"""Accuracies and raw scores that are kept in a run's folder, and measured once."""

import json
from dataclasses import replace

import pytest
import torch

import unseen
from unseen.base.tensors import read_tensors
from unseen.errors import InputError, RunFolderError
from unseen.reporting import evaluation
from unseen.reporting.evaluation import job_of, result_line, score_run, scores_of
from unseen.scoring.accuracy import raw_scores


@pytest.fixture
def run(tmp_path, make_net, digits):
    unseen.fit(make_net("normalized"), digits, unseen.ERM(T=4, batch=4), folder=tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def net(run, make_net):
    return unseen.load(run, make_net("normalized", seed=5))


@pytest.fixture
def domains(make_digits):
    """Two, with an accuracy between 0 and 1 on each."""
    return [unseen.Domain(f"bars{seed}", *make_digits(30, seed=seed), tuple("0123")) for seed in (3, 4)]


def never(*_, **__):
    pytest.fail("measured again")


@pytest.mark.parametrize("keep", [False, True], ids=["accuracy alone", "with scores"])
def test_the_accuracy_is_evaluates_to_the_bit(run, net, domains, keep):
    scores = score_run(run, domains, net, keep=keep)
    assert [score.accuracy for score in scores] == [unseen.evaluate(net, domain) for domain in domains]
    assert [(score.domain, score.images) for score in scores] == [("bars3", 30), ("bars4", 30)]
    assert (run / "scores").exists() == keep


def test_kept_scores_are_the_networks_and_are_not_computed_again(run, net, domains, monkeypatch):
    score_run(run, domains, net, keep=True)
    monkeypatch.setattr(evaluation, "scores_on", never)
    monkeypatch.setattr(evaluation, "evaluate", never)
    for domain in domains:
        assert torch.equal(scores_of(run, domain), raw_scores(net, domain.images))
        assert scores_of(run, domain).dtype == torch.float32
    assert score_run(run, domains, keep=True) == score_run(run, domains)


def test_scores_are_kept_for_an_accuracy_that_is_known_and_an_accuracy_comes_from_scores_that_are_kept(
    run, net, domains, monkeypatch
):
    first, second = domains
    known = score_run(run, [first], net)
    scores_of(run, second, net)
    assert score_run(run, [first], net, keep=True) == known
    assert len(list((run / "scores").iterdir())) == 2
    monkeypatch.setattr(evaluation, "scores_on", never)
    assert score_run(run, [second], keep=True)[0].accuracy == unseen.evaluate(net, second)


def test_the_file_says_of_what_the_scores_are(run, net, domains):
    score_run(run, domains, net, keep=True)
    tensors, meta = read_tensors(run / "scores" / f"{domains[0].fingerprint}.safetensors")
    assert tensors.keys() == {"scores"}
    assert meta == {"weights": json.loads((run / "evaluation.json").read_text())["weights"], "domain": "bars3"}


def test_other_weights_in_the_folder_are_measured_anew(run, net, make_net, domains):
    old = scores_of(run, domains[0], net)
    score_run(run, domains, net)
    with torch.no_grad():
        net.model[-1].bias.add_(torch.arange(4.0))
    evaluation.RunFolder(run).save_weights(net.model.state_dict())
    new = unseen.load(run, make_net("normalized"))
    assert torch.equal(scores_of(run, domains[0], new), raw_scores(new, domains[0].images))
    assert not torch.equal(scores_of(run, domains[0]), old)
    assert score_run(run, domains, new)[0].accuracy == unseen.evaluate(new, domains[0])


@pytest.mark.parametrize("harm", [b"", b"<html>"], ids=["empty", "something else"])
def test_a_damaged_file_of_scores_only_costs_computing_them_again(run, net, domains, harm):
    whole = scores_of(run, domains[0], net)
    (run / "scores" / f"{domains[0].fingerprint}.safetensors").write_bytes(harm)
    assert torch.equal(scores_of(run, domains[0], net), whole)
    assert torch.equal(scores_of(run, domains[0]), whole)


def test_an_unfinished_run_has_no_scores(run, net, domains):
    (run / "weights.safetensors").unlink()
    with pytest.raises(RunFolderError, match="run is not finished"):
        scores_of(run, domains[0], net)
    assert not (run / "scores").exists()


def test_labels_the_network_does_not_know_are_refused_and_nothing_is_kept(run, net, digits):
    strange = unseen.Domain("strange", digits[0], digits[1] + 1, tuple("01234"))
    with pytest.raises(InputError, match=r"strange: labels lie in 1\.\.4, expected 0\.\.3"):
        score_run(run, [strange], net, keep=True)
    assert not (run / "scores").exists()


@pytest.fixture
def ensemble(tmp_path, make_net):
    made = unseen.Ensemble([make_net(seed=0), make_net(seed=1)])
    made.save(tmp_path / "ens")
    return made


def test_an_ensemble_is_measured_like_a_run_and_once_for_each_rule(ensemble, tmp_path, domains, monkeypatch):
    folder = tmp_path / "ens"
    scores = score_run(folder, domains, ensemble)
    assert [score.accuracy for score in scores] == [unseen.evaluate(ensemble, domain) for domain in domains]
    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "evaluate", never)
        assert score_run(folder, domains) == scores
    record = folder / "ensemble.json"
    record.write_text(record.read_text().replace("greatest-softmax", "greatest-score"))
    measured = []
    monkeypatch.setattr(evaluation, "evaluate", lambda _, domain, **__: measured.append(domain.name) or 0.5)
    assert [score.accuracy for score in score_run(folder, domains, ensemble)] == [0.5, 0.5]
    assert measured == ["bars3", "bars4"]


def test_scores_are_not_kept_of_an_ensemble(ensemble, tmp_path, domains):
    with pytest.raises(InputError, match="ens holds an ensemble: scores are saved of runs"):
        score_run(tmp_path / "ens", domains, ensemble, keep=True)


def test_an_ensemble_from_python_is_refused_with_what_it_lacks_and_where_to_use_it(ensemble, tmp_path):
    with pytest.raises(RunFolderError, match=r"--model FILE.py:FUNCTION; or .*unseen\.Ensemble\.load\("):
        job_of(tmp_path / "ens", None)


def test_the_same_data_under_another_name_is_not_measured_again_but_named_as_it_is_now(run, net, domains, monkeypatch):
    score_run(run, domains[:1], net)
    renamed = replace(domains[0], name="renamed")
    monkeypatch.setattr(evaluation, "evaluate", never)
    (score,) = score_run(run, [renamed], net)
    assert score.domain == "renamed"
    assert [line["domain"] for line in result_line(run)["scores"]] == ["renamed"]
