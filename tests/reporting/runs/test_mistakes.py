"""What the page shows of mistakes, and the page of runs that were started from Python."""

import re

import pytest
import torch

import unseen
from unseen.errors import InputError
from unseen.reporting.evaluation import answers_of
from unseen.reporting.finished.methods import read_methods
from unseen.reporting.runs import mistakes
from unseen.reporting.runs.mistakes import answer_methods, make_mistakes
from unseen.scoring.accuracy import Choice


@pytest.fixture
def methods(runs):
    return read_methods(sorted(runs.iterdir()))


def test_they_are_those_of_the_confusion(methods, target, load_net):
    answers = answer_methods(methods, [target], load_net)
    found = make_mistakes(target, answers[target.name], methods, methods)
    assert [each.method for each in found.methods] == methods
    for each in found.methods:
        expected = unseen.confusion(load_net(each.method.runs[0].folder), target)
        assert (each.wrong, each.of) == (len(expected.wrong), len(target))
        assert each.most == expected.mistakes(3)
        assert [shown.number for shown in each.shown] == expected.wrong[:10].tolist()
        assert all(shown.true != shown.given for shown in each.shown)
    assert found.chart.absent == []
    assert found.missing == ()


def test_a_class_that_the_domain_lacks_has_no_bar_and_is_named(methods, target, load_net, page, runs):
    fewer = target.part((target.labels != 2).nonzero().flatten())
    answers = answer_methods(methods, [fewer], load_net)
    found = make_mistakes(fewer, answers[fewer.name], methods, methods)
    assert (found.missing, found.charted) == (("2",), 3)
    text = page([runs / "erm-0", runs / "ada-0"], targets=[fewer])
    assert "<b>It has none of 2:</b> its accuracy says nothing about that class" in text


def test_of_many_classes_those_right_least_often_are_charted(methods, monkeypatch):
    monkeypatch.setattr(mistakes, "CLASSES_CHARTED", 2)
    labels = torch.arange(12) % 4
    domain = unseen.Domain("bars", torch.rand(12, 1, 2, 2, generator=torch.Generator()), labels, tuple("abcd"))
    given = Choice(torch.tensor([0, 1, 3, 3, 0, 0, 3, 3, 0, 0, 0, 3]), torch.zeros(12), torch.ones(12))
    seeds = {run.seed: given for run in methods[0].runs}
    found = make_mistakes(domain, {methods[0].label: seeds}, methods[:1], methods[:1])
    assert found.charted == 2
    assert found.methods[0].matrix is None, "more classes than a matrix has room for"
    assert found.methods[0].most == [("b", "a", 2), ("c", "d", 2), ("c", "a", 1)]


def test_the_page_has_a_matrix_and_pictures_for_each_method(page, runs):
    text = page([runs / "erm-0", runs / "ada-0"])
    section = text[text.index('<section id="mistakes">') : text.index('<section id="runs">')]
    assert len(re.findall(r'aria-label="Confusion matrix of ', section)) == 2
    assert 'aria-label="Accuracy of each class on other-bars"' in section
    assert "of 20 wrong, most often " in section
    assert "var(--m0)" in section
    assert "var(--m1)" in section


def test_masks_have_no_such_section(street_page):
    assert 'id="mistakes"' not in street_page("erm-0", "ada-0")


def test_answers_are_saved_and_not_computed_again(runs, target, load_net, monkeypatch):
    first = answers_of(runs / "ada-0", target, load_net(runs / "ada-0"))
    monkeypatch.setattr("unseen.reporting.evaluation.answers_on", lambda *_, **__: pytest.fail("measured again"))
    again = answers_of(runs / "ada-0", target)
    assert torch.equal(first.classes, again.classes)
    assert torch.equal(first.confidence, again.confidence)


def test_a_report_is_made_from_python_with_a_network_of_any_weights(runs, source, target, make_net, tmp_path):
    net = make_net("plain", seed=9)
    before = net.state_dict()["0.weight"].clone()
    out = unseen.report([runs / "erm-0", runs / "ada-0"], target, net=net, source=source, out=tmp_path / "mine.html")
    assert 'id="mistakes"' in out.read_text()
    assert torch.equal(net.state_dict()["0.weight"], before)


def test_a_report_of_runs_from_python_says_what_it_needs(runs, target, tmp_path):
    with pytest.raises(InputError, match=r"was started from Python: expected source="):
        unseen.report(runs / "erm-0", target, out=tmp_path / "mine.html")
    with pytest.raises(InputError, match=r"was started from Python.*--model FILE.py:FUNCTION"):
        unseen.report(runs / "erm-0", "somewhere", out=tmp_path / "mine.html")
