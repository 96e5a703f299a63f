"""AMX that is announced and not there: oneDNN's code for it would end the process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from unseen.base import tiles

on_linux = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="asks a CPU of this kind, under Linux"
)


@pytest.fixture(autouse=True)
def _asked_anew():
    forget = tiles.tiles_are_empty.cache_clear
    forget()
    yield
    forget()


@on_linux
def test_the_cpu_answers_what_it_is_asked():
    assert tiles._cpuid(0) >= 1  # the highest leaf there is
    assert tiles._cpuid(0) == tiles._cpuid(0)


@pytest.mark.parametrize(
    ("flags", "described", "empty"),
    [
        ("flags : fpu amx_tile amx_bf16", 0, True),
        ("flags : fpu amx_tile amx_bf16", 1, False),
        ("flags : fpu avx2", 0, False),
    ],
    ids=["announced and empty", "announced and described", "not announced"],
)
def test_tiles_are_empty_where_the_flags_promise_what_the_leaf_lacks(monkeypatch, flags, described, empty):
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(tiles, "_flags", lambda: flags.split())
    monkeypatch.setattr(tiles, "_cpuid", lambda leaf: described)
    assert tiles.tiles_are_empty() is empty


def test_where_nothing_may_be_executed_the_flags_are_believed(monkeypatch):
    def refuse(leaf):
        raise PermissionError

    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(tiles, "_flags", lambda: ["amx_tile"])
    monkeypatch.setattr(tiles, "_cpuid", refuse)
    assert not tiles.tiles_are_empty()


@pytest.mark.parametrize(("given", "kept"), [(None, tiles.BELOW_AMX), ("AVX2", "AVX2")])
def test_the_limit_is_set_unless_the_user_has_set_one(monkeypatch, given, kept):
    monkeypatch.setattr(tiles, "tiles_are_empty", lambda: True)
    monkeypatch.setenv(tiles.LIMIT, given or "")
    if given is None:
        monkeypatch.delenv(tiles.LIMIT)
    tiles.avoid_empty_tiles()
    assert os.environ[tiles.LIMIT] == kept


def test_a_product_in_bf16_works_after_import_unseen():
    code = "import unseen, torch; a = torch.ones(256, 256).bfloat16(); print((a @ a).float().mean().item())"
    environment = {name: value for name, value in os.environ.items() if name != tiles.LIMIT}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "256.0"), done.stderr
