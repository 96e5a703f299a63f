"""The results file."""

import json
import multiprocessing
from pathlib import Path

import pytest

from unseen.errors import InputError
from unseen.paper.results import Results, run_key
from unseen.sweep.grid import grid


def line(key: str, accuracy: float = 0.5) -> dict:
    return {"key": key, "kind": "run", "scores": [{"domain": "uci-8x8", "accuracy": accuracy}]}


def test_what_was_added_is_found_by_another_reader(tmp_path: Path) -> None:
    results = Results(tmp_path / "new" / "r.jsonl")
    results.add(line("a", 0.25))
    results.add(line("b", 0.75))
    again = Results(tmp_path / "new" / "r.jsonl")
    assert again.accuracy("a", "uci-8x8") == 0.25
    assert [each["key"] for each in again] == ["a", "b"]


def test_a_key_that_is_not_there_and_a_domain_that_is_not_there_have_no_accuracy(tmp_path: Path) -> None:
    results = Results(tmp_path / "r.jsonl")
    results.add(line("a"))
    assert results.accuracy("b", "uci-8x8") is None
    assert results.accuracy("a", "typeset") is None


def test_a_line_with_the_same_key_takes_the_place_of_the_old(tmp_path: Path) -> None:
    results = Results(tmp_path / "r.jsonl")
    results.add(line("a", 0.1))
    results.add(line("a", 0.9))
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 1
    assert Results(tmp_path / "r.jsonl").accuracy("a", "uci-8x8") == 0.9


def test_a_score_is_found_by_its_other_properties(tmp_path: Path) -> None:
    results = Results(tmp_path / "r.jsonl")
    scores = [{"domain": "d", "rule": rule, "accuracy": a} for rule, a in (("one", 0.1), ("two", 0.2))]
    results.add({"key": "e", "kind": "ensemble", "scores": scores})
    assert results.accuracy("e", "d", rule="two") == 0.2
    assert results.accuracy("e", "d", rule="three") is None


def _add(path: Path, name: str) -> None:
    results = Results(path)
    for i in range(20):
        results.add(line(f"{name}{i}"))


def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add, args=(tmp_path / "r.jsonl", name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(list(Results(tmp_path / "r.jsonl"))) == 40


@pytest.mark.parametrize("text", ["{", "[]", '{"key": "a"}', '{"key": 1, "scores": []}', "3"])
def test_a_line_that_is_no_result_is_refused_with_its_number(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(line("a")) + f"\n{text}\n")
    with pytest.raises(InputError, match=r"r\.jsonl, line 2: expected a JSON object"):
        Results(path)
    assert path.read_text().count("\n") == 2


def requests(**settings: object) -> list:
    return grid({"T": 30, "T_min": 5} | settings, out="x", seed=[0])


def key_of(**settings: object) -> str:
    return run_key(requests(**settings)[0])


def test_a_run_is_known_by_its_settings_and_not_by_machine_or_watching() -> None:
    assert key_of(K=1) == key_of(K=1, threads=2, precision="float32", watch=["uci-8x8"], watch_images=3)
    assert key_of(K=1) == key_of(K=1, cadence={"record": 10, "watch": 10, "save": 10})


@pytest.mark.parametrize("other", [{"K": 2}, {"gamma": 2.0}, {"images": 7}, {"width": 0.5}, {"resize": "lanczos"}])
def test_another_setting_is_another_key(other: dict) -> None:
    assert key_of(**({"K": 1} | other)) != key_of(K=1)


def test_another_seed_is_another_key() -> None:
    first, second = (run_key(r) for r in grid({"T": 30, "T_min": 5}, out="x", seed=[0, 1]))
    assert first != second


def test_a_setting_at_its_default_says_nothing_so_that_new_settings_keep_old_keys() -> None:
    assert key_of(K=1) == key_of(K=1, gamma=1.0, images=None, offset=0, resize="bilinear")


def test_what_was_known_earlier_has_no_later_line_and_every_line_without_a_date(tmp_path: Path) -> None:
    results = Results(tmp_path / "r.jsonl")
    for name, created in {"old": "2026-11-01T00:00:00+00:00", "new": "2026-11-03T00:00:00+00:00"}.items():
        results.add(line(name) | {"created": created})
    results.add(line("undated"))
    earlier = results.until("2026-11-02T00:00:00+00:00")
    assert [each["key"] for each in earlier] == ["old", "undated"]
    assert results.find("new"), "the results themselves keep it"


def test_a_file_of_another_verb_is_called_that(tmp_path: Path) -> None:
    """Nobody shall take out its lines, one after the other."""
    file = tmp_path / "choice.jsonl"
    file.write_text('{"candidate": "erm", "seed": 0}\n')
    with pytest.raises(InputError, match=r"no file of unseen reproduce.*such as digits\.jsonl") as refused:
        Results(file)
    assert "take the line out" not in str(refused.value)
