"""Threads on a machine that others use."""

import pytest
import torch

from unseen.engine import busy_machine, cpu, using_threads


@pytest.mark.parametrize(
    ("threads", "cores", "busy", "said"),
    [(1, 2, 5.0, False), (2, 2, 0.4, False), (2, 2, 1.6, True), (2, 8, 5.0, False), (8, 8, 2.0, True)],
    ids=["one thread", "nobody else", "all cores taken", "enough left", "not enough left"],
)
def test_several_threads_are_remarked_on_where_others_use_the_cores(monkeypatch, threads, cores, busy, said):
    monkeypatch.setattr(cpu, "cores", lambda: cores)
    monkeypatch.setattr(cpu, "busy_cores", lambda: busy)
    assert (busy_machine(threads) is not None) is said


def test_the_load_is_what_it_was_lately_and_is_now(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu.os, "getloadavg", lambda: (3.5, 1.0, 1.0))
    monkeypatch.setattr(cpu, "LOAD", tmp_path / "loadavg")
    assert cpu.busy_cores() == 3.5, "where only the average is known"
    (tmp_path / "loadavg").write_text("3.50 1.00 1.00 2/345 6789\n")
    assert cpu.busy_cores() == 1.0, "what ran a minute ago is over"


def test_threads_are_as_before_afterwards():
    with using_threads(3):
        assert torch.get_num_threads() == 3
    assert torch.get_num_threads() == 1
