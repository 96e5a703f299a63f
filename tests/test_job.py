"""Jobs: a training in words, and the network of a finished run."""

from pathlib import Path

import pytest
import torch

import unseen
from unseen.errors import InputError, RunFolderError
from unseen.job import Job

SETTINGS = unseen.ADA(K=1, T=6, T_min=2, T_max=2, n=4, batch=4)


def test_the_same_job_and_seed_give_the_same_initial_weights_and_touch_no_global_generator(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from torch import nn\ndef make(classes):\n    return nn.Sequential(nn.Linear(3, classes))\n"
    )
    job = Job(model=f"{tmp_path}/mine.py:make")
    one, two, other = (job.build_model(4, seed).model[0].weight for seed in (0, 0, 1))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("mine.py:mkae", 'did you mean "make"?'),
        ("mine.py:number", "gave a int, expected a torch.nn.Module"),
        ("broken.py:make", "can't be imported"),
        ("no_such_module_at_all:make", "can't be imported"),
        ("mine.py:picky", "calling it with classes=3 raised TypeError"),
    ],
)
def test_a_model_that_cannot_be_made_is_refused_with_the_reason(tmp_path, monkeypatch, model, said):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def make(classes): ...\ndef number(classes):\n    return 3\ndef picky(): ...\n")
    Path("broken.py").write_text("import no_such_module_at_all\n")
    with pytest.raises(InputError) as caught:
        Job(model=model).build_model(3, 0)
    assert said in str(caught.value)


def test_dropout_is_refused_for_a_model_that_does_not_take_it():
    with pytest.raises(InputError, match=r"dropout=0\.5: only the convnet takes it"):
        Job(model="mine.py:make", dropout=0.5).build_model(3, 0)


def test_a_finished_run_from_python_loads_into_the_same_model_only(tmp_path, make_net, make_digits):
    source = make_digits(16)
    trained = make_net("normalized")
    unseen.fit(trained, source, SETTINGS, folder=tmp_path / "run")
    loaded = unseen.load(tmp_path / "run", make_net("normalized", seed=5))
    assert not loaded.training
    for name, tensor in trained.state_dict().items():
        assert torch.equal(tensor, loaded.model.state_dict()[name]), name
    with pytest.raises(RunFolderError, match="another model"):
        unseen.load(tmp_path / "run", make_net("plain"))
    with pytest.raises(RunFolderError, match=r"unseen\.load\(.*model\)"):
        unseen.load(tmp_path / "run")


def test_an_unfinished_run_is_not_loaded(tmp_path, make_net, make_digits):
    unseen.fit(make_net(), make_digits(16), SETTINGS, folder=tmp_path / "run")
    (tmp_path / "run/weights.safetensors").unlink()
    with pytest.raises(RunFolderError, match="resume=True"):
        unseen.load(tmp_path / "run", make_net())


def test_damaged_weights_are_refused_by_name(tmp_path, make_net, make_digits):
    unseen.fit(make_net(), make_digits(16), SETTINGS, folder=tmp_path / "run")
    (tmp_path / "run/weights.safetensors").write_bytes(b"<html>not found</html>")
    with pytest.raises(RunFolderError, match=r"weights\.safetensors is damaged"):
        unseen.load(tmp_path / "run", make_net())
