"""torchvision and timm can be imported after unseen, beside a torch without CUDA too; a matching pair is left alone."""

import subprocess
import sys

import pytest
import torch

from unseen.base import torchvision


@pytest.mark.parametrize("package", ["torchvision", "timm"])
def test_it_can_be_imported_after_unseen(package):
    pytest.importorskip(package)
    code = f"import unseen, sys; assert 'torch' not in sys.modules; import {package}; print({package}.__version__)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_finder_finds_nothing_and_declares_once_for_torchvision_alone(monkeypatch):
    declared = []
    monkeypatch.setattr(torchvision, "declare_missing_operators", lambda: declared.append(1))
    finder = torchvision._BeforeTorchvision()
    assert finder.find_spec("torch", None, None) is None
    assert declared == []
    for name in ("torchvision", "torchvision.ops", "torchvision"):
        assert finder.find_spec(name, None, None) is None
    assert declared == [1]


def test_there_is_one_finder_however_often_it_is_asked_for():
    torchvision.declare_before_import()
    torchvision.declare_before_import()
    assert sys.meta_path.count(torchvision._finder) == 1


@pytest.mark.parametrize(("torchvision_cuda", "torch_cuda"), [(False, None), (True, "12.8")], ids=["cpu", "cuda"])
def test_a_matching_pair_is_left_alone(monkeypatch, torchvision_cuda, torch_cuda):
    monkeypatch.setattr(torchvision, "_built_for_cuda", lambda: torchvision_cuda)
    monkeypatch.setattr(torch.version, "cuda", torch_cuda)
    assert torchvision.declare_missing_operators() is None
