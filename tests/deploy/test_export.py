"""What is exported says what the network says: in onnxruntime, in torch.export's own file, and without unseen."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn

import unseen
from unseen import Predictor
from unseen.deploy.check import checked, trial_images
from unseen.deploy.graph import Graph, GraphInput
from unseen.deploy.pictures import Preparation
from unseen.ensembles.rules import PIXEL_RULES
from unseen.errors import InputError
from unseen.runs.job import Job

PAGE = Path(__file__).parents[2] / "docs" / "deploy.md"
NEITHER = """
import sys
class Nothing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in ("torch", "unseen"):
            raise ImportError(f"{name} isn't here")
sys.meta_path.insert(0, Nothing())
"""


def outputs(file, images):
    session = onnxruntime.InferenceSession(str(file))
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"images": images}), strict=True))


@pytest.fixture(scope="session")
def onnx_file(_trained, tmp_path_factory):
    """The ensemble as a graph that takes bytes."""
    file = tmp_path_factory.mktemp("graphs") / "ensemble.onnx"
    unseen.export(_trained / "ensemble", onnx=file, from_bytes=True)
    return file


def test_an_ensemble_is_one_graph_with_its_rule(trained, onnx_file, photos):
    predictor, files = Predictor.load(trained / "ensemble"), sorted(photos.glob("*/*.png"))
    images = torch.stack([predictor.prepare(file) for file in files])
    for count in (1, 5, 12):  # any number of them
        given = outputs(onnx_file, (images[:count] * 255).round().byte().permute(0, 2, 3, 1).numpy())
        assert list(given) == ["label", "probabilities", "answered_by", "scores"]
        for i, said in enumerate(predictor(files[:count])):
            assert predictor.classes[given["label"][i]] == said.label
            assert predictor.net.names[given["answered_by"][i]] == said.answered_by
            assert given["probabilities"][i] == pytest.approx(list(said.probabilities.values()), abs=1e-5)
        assert given["scores"].shape == (2, count, 3)


def test_the_graph_says_where_it_is_from(onnx_file, photos):
    model = onnx.load(onnx_file)
    onnx.checker.check_model(model)
    about = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(about["unseen.classes"]) == ["dark", "grey", "light"]
    assert about["unseen.input"] == "images: uint8 (N, 32, 32, 3), RGB, 0..255"
    assert "32x32 (height x width) by Pillow's bilinear kernel" in about["unseen.preparation"]
    assert about["unseen.rule"] == "greatest-softmax"
    assert about["unseen.selection"] == "last iterate"
    members = json.loads(about["unseen.members"])
    assert [member["seed"] for member in members.values()] == [0, 1]
    assert members["convnet"]["source"]["name"] == photos.name
    assert members["convnet"]["ada"]["T"] == 40
    assert members["convnet"]["versions"]["torch"] == torch.__version__
    assert [d.dim_param or d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim] == ["N", 32, 32, 3]


def test_the_page_s_script_answers_without_torch_and_without_unseen(trained, onnx_file, photos):
    script = PAGE.read_text().split("```py\n")[1].split("```")[0]
    picture = photos / "light" / "2.png"
    done = subprocess.run(
        [sys.executable, "-c", NEITHER + script, str(onnx_file), str(picture)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said = Predictor.load(trained / "ensemble")(picture)
    assert done.stdout == f"{picture}: {said.label} ({said.confidence:.1%}), {said.answered_by} answered\n"


RULES = [PIXEL_RULES[name] for name in ("least-entropy", "mean-softmax", "majority-vote", "surest-region")]
"""Between them, with the ensemble's own, they have every operation that a rule has."""


class _Rules(nn.Module):
    """Several on the same scores: an export takes a second, however little there is to export."""

    def forward(self, scores):
        said = []
        for rule in RULES:
            choice = rule.choose(scores)
            said += [choice.classes, rule.probabilities(scores, choice), choice.member]
        return tuple(said)


def test_the_other_rules_are_the_same_in_onnxruntime(tmp_path):
    draw = torch.Generator().manual_seed(0)
    scores, few = (3 * torch.randn(3, n, 4, 10, 12, generator=draw) for n in (5, 2))
    rules = _Rules().eval()
    with pytest.warns(FutureWarning, match="LeafSpec"):
        made = torch.onnx.export(
            rules,
            (few,),
            dynamo=True,
            verbose=False,
            input_names=["images"],
            dynamic_shapes=({1: "N"},),
            optimize=False,
        )
    made.save(tmp_path / "rules.onnx")
    for given, expected in zip(outputs(tmp_path / "rules.onnx", scores.numpy()).values(), rules(scores), strict=True):
        assert np.allclose(given, expected, atol=1e-6)


def test_torch_s_own_file_keeps_the_graph_for_masks(trained, views, tmp_path):
    made = unseen.export(trained / "pixels", torch=tmp_path / "pixels.pt2")
    remark = made[tmp_path / "pixels.pt2"]
    assert remark.startswith("takes images: float32 (N, 3, 12, 16), RGB in [0, 1]; scores differ by ")
    assert remark.endswith(f"on 4 images of {views}")
    extra = {"unseen.json": ""}
    graph = torch.export.load(tmp_path / "pixels.pt2", extra_files=extra).module()
    assert json.loads(extra["unseen.json"])["unseen.classes"] == '["left", "right"]'
    predictor = Predictor.load(trained / "pixels")
    image = predictor.prepare(views / "images" / "2.png")
    label, probabilities, scores = graph(image[None].expand(3, -1, -1, -1))
    assert torch.equal(label[1].byte(), predictor(image).mask)
    assert scores.shape == probabilities.shape == (3, 2, 12, 16)


def test_an_operator_that_onnx_lacks_is_named(make_bars, tmp_path):
    class Bessel(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 4)

        def forward(self, x):
            return self.fc(torch.special.bessel_j0(x).mean((2, 3)))

    with torch.random.fork_rng(devices=[]):
        unseen.fit(Bessel(), make_bars("bars", 8), unseen.ERM(T=1), folder=tmp_path / "run")
        model = Bessel()
    with pytest.raises(InputError, match=r"ONNX can't hold the network: it has no operator for \w+\.\w*bessel_j0; "):
        unseen.export(tmp_path / "run", model=model, onnx=tmp_path / "bessel.onnx")
    assert not (tmp_path / "bessel.onnx").exists()


def test_a_graph_that_says_something_else_is_refused_and_not_written(trained, views, tmp_path, monkeypatch):
    predictor = Predictor.load(trained / "pixels")
    graph = Graph(predictor, GraphInput.of(predictor))
    trial = trial_images(predictor, Job(source=str(views)), (12, 16))
    with pytest.raises(InputError, match="says something else than the network, so nothing was written"):
        checked(graph, lambda images: tuple(out + 0.1 for out in graph(images)), trial, "the graph")
    with pytest.raises(InputError, match="says something else"):
        checked(graph, lambda images: tuple(out * torch.nan for out in graph(images)), trial, "the graph")
    with pytest.raises(InputError, match=r"gives other answers than its scores do.* of label differ"):
        checked(graph, lambda images: (1 - graph(images)[0], *graph(images)[1:]), trial, "the graph")
    assert checked(graph, graph, trial, "the graph").difference < 1e-5


def test_without_its_source_a_graph_is_tried_on_generated_images(trained):
    predictor = Predictor.load(trained / "shades")
    gone = trial_images(predictor, Job(source="folder:/nowhere"), (10, 12))
    assert gone.origin == "generated images (the source isn't there)"
    assert gone.images.shape == (16, 3, 10, 12)
    assert 0 <= gone.images.min() < gone.images.max() <= 1
    assert trial_images(predictor, None, (10, 12)).images.equal(gone.images)
    digits = trial_images(Predictor.load(trained / "convnet"), Job(source="uci-8x8"), (32, 32))
    assert (len(digits.images), digits.origin) == (16, "images of uci-8x8")


def test_a_network_that_can_t_be_traced_is_refused(tmp_path, make_bars):
    class Asking(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(192, 4)

        def forward(self, x):
            return self.fc(x.flatten(1)) if x.sum() > 0 else self.fc(-x.flatten(1))

    with torch.random.fork_rng(devices=[]):
        unseen.fit(Asking(), make_bars("bars", 8), unseen.ERM(T=1), folder=tmp_path / "run")
        model = Asking()
    with pytest.raises(InputError, match=r"torch.export can't make a graph of the network for any number of images: "):
        unseen.export(tmp_path / "run", model=model, torch=tmp_path / "asking.pt2")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "expected a file or a folder to write: --onnx FILE, --torch FILE or --folder FOLDER"),
        (["--onnx", "nowhere/model.onnx"], 2, "nowhere/model.onnx can't be written: there is no folder"),
        (["--onnx", "model.pt2"], 2, "its ending is that of --torch; say --torch model.pt2, or give the file another"),
        (["--onnx", "."], 2, ". is a folder; expected the name of a file in it"),
        (["--torch", "model.pt2", "--size", "64"], 2, "its images were 10x12; leave --size out"),
        (["--folder", "."], 3, ". exists and is not empty; choose a new or empty folder"),
    ],
    ids=["nothing", "no folder", "another ending", "a folder", "size", "not its own"],
)
def test_what_can_t_be_exported_is_one_message(shell, trained, words, code, message):
    found = shell("export", trained / "shades", "--run-model-code", *words)
    assert found[0] == code
    assert message in found[1].replace("\n", " ")


def test_a_network_of_any_size_needs_one_for_its_graph(tmp_path, make_net):
    predictor = Predictor(unseen.split(make_net("plain")), "0123", Preparation())
    with pytest.raises(InputError, match="give it with --size"):
        GraphInput.of(predictor)
    assert GraphInput.of(predictor, 8).size == (8, 8)
