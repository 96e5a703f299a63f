import html
import json
import re
from importlib.metadata import version

import numpy as np
import pytest
import torch
from configs import rewrite
from PIL import Image
from reading import Reader

from unseen import ADA, Cadence, Domain, evaluate
from unseen.errors import InputError, RunFolderError
from unseen.reporting.finished.methods import read_methods
from unseen.reporting.kit.pictures import picture
from unseen.reporting.runs.page import write_page
from unseen.reporting.runs.samples import first_of_each_class, make_samples
from unseen.runs.job import Job
from unseen.runs.training import Training


@pytest.fixture
def all_runs(runs):
    return [runs / name for name in ("erm-0", "ada-0", "erm-1", "ada-1")]


def test_a_page_is_whole_and_fetches_nothing(page, all_runs):
    text = page(all_runs)
    reader = Reader(text)
    assert reader.open == []
    assert reader.addresses
    assert all(address.startswith("data:") for address in reader.addresses)
    assert not re.search(r"(https?:)?//\w|@import|url\(", re.sub(r"data:image/png;base64,[\w+/=]*", "", text))
    assert not {"script", "iframe", "object", "embed"} & set(reader.tags)


def test_a_page_says_what_was_compared_and_how(page, all_runs):
    text = html.unescape(page(all_runs, title="Bars"))
    for words in (
        "<title>Bars</title>", "Last iterate. Target data selects nothing.", "bars, 24 images", "other-bars (20)",
        "0, 1 for each method", "released (the authors", "ADA (K=2, γ=1)", "round 2", "2 seeds",
        "95 % t-interval for the mean paired difference", "one factor for the whole gallery",
    ):  # fmt: skip
        assert words in text, words


def test_the_table_has_the_measured_accuracies(page, all_runs, load_net, target):
    text = Reader(page(all_runs)).text
    for run in all_runs:
        assert f"{100 * evaluate(load_net(run), target):.1f}" in text


def test_a_loss_is_said_plainly(page, all_runs):
    for run in all_runs:
        page([run])  # so that there is an evaluation.json to put other scores in
        path = run / "evaluation.json"
        content = json.loads(path.read_text())
        content["scores"][0]["accuracy"] = 0.7 if run.name.startswith("erm") else 0.5 + 0.002 * int(run.name[-1])
        path.write_text(json.dumps(content))
    text = Reader(page(all_runs)).text
    assert "ADA does worse than ERM on other-bars" in text
    assert "On other-bars ADA does NOT beat ERM: 19.9 points below" in text


@pytest.mark.parametrize("name", ["erm-0", "ada-0"])
def test_one_run_alone_makes_a_page_without_a_comparison(page, runs, name):
    text = Reader(page([runs / name])).text
    assert "unseen domain" in text
    assert "points above" not in text
    assert "NOT beat" not in text
    assert ("What the rounds made" in text) == (name == "ada-0")


def test_one_seed_has_no_interval_and_the_page_says_so(page, runs):
    text = Reader(page([runs / "erm-0", runs / "ada-0"])).text
    assert "1 seed: no interval can be given" in text
    assert "Wilson" in text


def test_names_are_text_never_markup(page, runs, target):
    nasty = "<script>alert(\"1\")</script> & 'co'"
    where = runs / "<b>ada-0 & co"
    (runs / "ada-0").rename(where)
    other = Domain(nasty, target.images, target.labels, (nasty, *target.classes[1:]), origin=nasty)
    reader = Reader(page([runs / "erm-0", where], targets=[other], title=nasty))
    assert "script" not in reader.tags
    assert "b>ada-0 & co" in reader.text
    assert nasty in reader.text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def test_a_run_by_name_needs_nothing_but_its_folder(tmp_path):
    """As the command line makes them: the job in the config says what the model and the source are."""
    draw = np.random.default_rng(0)
    for place in ("here", "there"):
        for kind in ("cat", "owl"):
            (tmp_path / place / kind).mkdir(parents=True)
            for i in range(4):
                Image.fromarray(draw.integers(0, 255, (20, 20, 3), np.uint8)).save(tmp_path / place / kind / f"{i}.png")
    job = Job(source=f"folder:{tmp_path / 'here'}", size=32)
    source = job.load_source()
    ada = ADA(K=1, T_min=1, T_max=1, T=3, batch=4)
    Training(
        net=job.build_model(2, 0),
        source=source,
        ada=ada,
        folder=tmp_path / "run",
        job=job,
        cadence=Cadence(record=1, watch=1),
    ).run()
    there = job.load_target(str(tmp_path / "there"), source.classes)
    text = Reader(write_page([tmp_path / "run"], tmp_path / "page.html", targets=[there]).read_text()).text
    assert "there" in text
    assert {"cat", "owl"} <= set(text.split())


def test_a_folder_that_was_watched_by_its_path_is_the_target_of_its_name(page, runs, target, monkeypatch):
    renamed = Domain(f"/photos/{target.name}", target.images, target.labels, target.classes)
    called = page([runs / "ada-0"], targets=[renamed])
    assert "watched on other images" not in called
    assert f"/photos/{target.name}" in called


def test_curves_watched_on_other_images_are_marked(page, runs, target):
    mark = "watched on other images"
    assert mark not in page([runs / "ada-0"])
    assert mark in page([runs / "ada-0"], targets=[target.head(8)])


def test_the_page_names_the_version_that_writes_it_also_where_a_run_has_lost_its_own(page, runs):
    rewrite(runs / "ada-0", lambda config: config["versions"].pop("unseen") and None)
    assert f"Page written by unseen {version('unseen')};" in page([runs / "ada-0"])


def test_the_first_image_of_each_class_is_shown_for_ten_classes_at_most():
    labels = torch.tensor([5, 3, 3, 5, 0])
    few = Domain("few", torch.zeros(5, 1, 8, 8), labels, tuple("abcdef"))
    assert first_of_each_class(few) == [4, 1, 0]
    many = Domain("many", torch.zeros(30, 1, 8, 8), torch.arange(30) % 15, tuple(f"class {i}" for i in range(15)))
    samples = make_samples(many, [], many.classes)
    assert ([sample.label for sample in samples.shown], samples.classes) == ([f"class {i}" for i in range(10)], 15)


def test_answers_are_the_models_own(runs, target, load_net):
    (method,) = read_methods([runs / "ada-0"])
    net = load_net(runs / "ada-0")
    samples = make_samples(target, [(method, net)], target.classes)
    rows = first_of_each_class(target)
    scores = net(target.images[rows]).softmax(1).detach()
    for sample, row, score in zip(samples.shown, rows, scores, strict=True):
        (answer,) = sample.answers
        assert answer.predicted == target.classes[int(score.argmax())]
        assert answer.confidence == pytest.approx(float(score.max()), abs=1e-6)
        assert answer.right == (int(score.argmax()) == int(target.labels[row]))
    assert samples.right(method) == sum(sample.answers[0].right for sample in samples.shown)


def test_an_unfinished_run_is_refused(page, runs):
    (runs / "ada-0" / "weights.safetensors").unlink()
    with pytest.raises(RunFolderError, match="resume=True"):
        page([runs / "ada-0"])


def test_the_source_is_no_target(page, runs, source):
    with pytest.raises(InputError, match="bars is what the runs trained on"):
        page([runs / "ada-0"], targets=[source])


def test_other_data_than_the_run_trained_on_is_refused_as_its_source(page, runs, target):
    with pytest.raises(InputError, match=r"other-bars is not the data that .*ada-0 trained on"):
        page([runs / "ada-0"], source=target)


def test_a_run_from_python_needs_its_source(page, runs):
    with pytest.raises(InputError, match=r"started from Python: expected source=.*load_net="):
        page([runs / "ada-0"], source=None)


@pytest.mark.parametrize("targets", [[], None], ids=["none", "twice"])
def test_targets_are_given_and_given_once(page, runs, target, targets):
    with pytest.raises(InputError, match="targets: "):
        page([runs / "ada-0"], targets=[target, target] if targets is None else targets)


@pytest.mark.parametrize("package", ["jinja2", "PIL", "matplotlib"])
def test_a_missing_package_is_asked_for(page, runs, monkeypatch, package):
    import sys

    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Without(package), *sys.meta_path])
    with pytest.raises(InputError, match=r"pip install 'unseen\[report\]'"):
        page([runs / "ada-0"])


class _Without:
    def __init__(self, package):
        self.package = package

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(name, name=self.package)


@pytest.mark.parametrize("shape", [(3, 32, 32), (1, 28, 20), (3, 640, 480), (4, 8, 8)])
def test_images_of_any_kind_are_shown_small_and_in_proportion(shape):
    shown = picture(2 * torch.rand(shape, generator=torch.Generator().manual_seed(0)) - 0.5)
    assert shown.uri.startswith("data:image/png;base64,")
    assert max(shown.width, shown.height) == min(160, max(shape[1:]))
    assert shown.width / shown.height == pytest.approx(shape[2] / shape[1], rel=0.02)
    assert shown.pixelated == (max(shape[1:]) <= 64)
