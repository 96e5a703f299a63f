"""A small seeded share of every attack holds, and the page that says what is promised has the counts of the whole."""

import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attacks import mutating, results
from attacks.catalogue import ATTACKS
from attacks.harness import Attack, Outcome, Told, carry_out, problem
from attacks.processes import Ended

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(sys.platform != "linux", reason="attacks are for Linux")
def test_a_small_share_of_every_attack_holds():
    command = [sys.executable, "-m", "attacks", "--share", "0.001"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^(\w+) +(?:(\d+) +\2 +0 |skipped)", done.stdout, re.MULTILINE)
    assert [name for name, _ in rows] == list(ATTACKS), done.stdout


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (Ended(0, "", 1.0), None),
        (Ended(2, "error: no such file", 1.0), None),
        (Ended(-9, "", 1.0, hung=True), "hangs"),
        (Ended(1, "Traceback (most recent call last):\n", 1.0), "a traceback"),
        (Ended(1, "error", 1.0), "exit code 1"),
        (Ended(-11, "", 1.0), "exit code -11"),
        (Ended(2, "", 1.0), "exit code 2 and not a word"),
        (Ended(2, "error: x can't be read: it needs more memory than there is", 1.0), "above the memory limit"),
    ],
    ids=str,
)
def test_a_break_is_seen(ended, said):
    found = problem(ended)
    assert found is None if said is None else found.startswith(said)


def test_a_mistake_of_the_harness_breaks_its_case_and_the_others_are_carried_out(tmp_path):
    def undergo(case):
        return Told() if case.number else case.dice.nothing_of_that_name

    attack, until = Attack("mistaken", "none", 2, undergo), time.monotonic() + 60
    outcome = carry_out(attack, range(2), seed=0, home=tmp_path, jobs=1, until=until)
    assert (outcome.tried, outcome.held) == (2, 1)
    assert outcome.broken[0][1].startswith("the harness itself failed")


def test_what_broke_is_told_with_what_repeats_it():
    outcome = Outcome("kills", tried=8, broken=[(3, "other bits", "/tmp/3"), (5, "other bits", "/tmp/5")])
    text = results.breaks(outcome, seed=7)
    assert outcome.held == 6
    assert "python -m attacks kills --seed 7 --only 3   (/tmp/3)" in text
    assert "2 broken, 1 kinds of it" in text


@pytest.mark.parametrize("mutation", mutating.PLAIN, ids=lambda each: each.__name__)
def test_a_mutation_follows_from_its_dice_and_changes_most_files(mutation):
    content = bytes(range(256)) * 3
    made = [mutation(content, random.Random(seed)) for seed in range(20)]
    assert made == [mutation(content, random.Random(seed)) for seed in range(20)]
    assert sum(each != content for each in made) > 15


@pytest.mark.parametrize(
    ("mutation", "content"),
    [
        (mutating.change_json, b'{"a": [1, {"b": "c"}], "d": null}'),
        (mutating.change_json_line, b'{"a": 1}\n{"b": [2]}\n'),
        (mutating.change_toml, b'a = 1\nb = "x"\n'),
    ],
    ids=["json", "lines", "toml"],
)
def test_what_a_file_says_is_changed_in_one_place(mutation, content):
    made = {mutation(content, random.Random(seed)) for seed in range(30)}
    assert len(made - {content}) > 10


def test_the_page_has_a_sentence_for_every_attack():
    page = results.PAGE.read_text()
    assert all(f"*{name}*" in page for name in ATTACKS)


def test_counts_are_put_into_the_page_and_the_newest_replace_the_others(tmp_path):
    page, file = tmp_path / "page.md", tmp_path / "results.jsonl"
    page.write_text(f"before\n{results.BEGIN}old{results.END}\nafter\n")
    for tried in (5, 7):
        results.append([Outcome("kills", tried=tried), Outcome("disks", skipped="no root")], seed=3, file=file)
        results.publish(page, file)
    text = page.read_text()
    assert f"| kills | {ATTACKS['kills'].promise} | 7 | 7 | 0 |" in text
    assert "old" not in text
    assert "| disks |" not in text
    assert (text[:7], text[-7:]) == ("before\n", "\nafter\n")


@pytest.fixture
def whole():
    if not results.FILE.exists():
        pytest.skip("nobody has attacked all of it yet: make attack")
    return results.newest()


def test_the_page_has_the_counts_of_the_results_file(whole):
    assert results.table(whole) in results.PAGE.read_text()
    assert set(whole) == set(ATTACKS), "attack all of it: make attack"


def test_what_has_to_be_shown_is_shown(whole):
    assert whole["kills"]["tried"] >= 1000
    assert whole["mutations"]["tried"] >= 10_000
    assert not sum(line["broken"] for line in whole.values())
