"""Prose whose numbers are asked for by name."""

from pathlib import Path

import pytest
from digit_lines import add_results

from unseen.errors import InputError
from unseen.paper.page import read_page
from unseen.paper.prose import Quantities, fill, prose_html, split_prose
from unseen.paper.results import Results
from unseen.reporting.kit.wording import signed
from unseen.runs.rounds import RoundRecord


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return add_results(tmp_path_factory.mktemp("prose") / "digits.jsonl", ["figure2b-top"], 2).path


def said(file: Path, text: str) -> str:
    return fill(text, Quantities(read_page(file).sections, "discussion.md").names(), "discussion.md")


ASKED = '{{ difference("figure2b-top/K=2", "figure2b-top/ERM", "SVHN") }}'


def test_a_number_is_that_of_the_lines_and_follows_them(file: Path, tmp_path: Path) -> None:
    changed = tmp_path / "digits.jsonl"
    changed.write_bytes(file.read_bytes())
    results = Results(changed)
    line = next(line for line in results if line["ada"]["K"] == 2 and line["seed"] == 0)
    (svhn,) = (score for score in line["scores"] if score["domain"] == "svhn-test")
    svhn["accuracy"] += 0.1
    results.add(line)
    before, after = (float(said(each, ASKED)) for each in (file, changed))
    assert after - before == pytest.approx(100 * 0.1 / 2, abs=0.11)


def test_what_was_not_run_says_so(file: Path) -> None:
    assert said(file, '{{ gap("figure2b-middle/ridge 10⁻²", "figure2b-middle/ERM", "SVHN") }}') == "not run"
    assert said(file, '{{ moved("figure2a-top/pixels") }}') == "not run"
    assert said(file, '{{ control("noise", "figure2b-top/K=4", "SVHN") }}') == "not run"


def test_how_far_a_control_moved_is_that_of_its_lines(file: Path) -> None:
    controls = Results(file.with_name("controls.jsonl"))
    for seed, moved in enumerate([0.1, 0.2]):
        record = RoundRecord(round=1, step=2, fictitious=2, moved=moved, cost=0.0, loss_before=0.0, loss_after=0.0)
        controls.add({"key": str(seed), "control": "noise", "rounds": [record.asdict()], "scores": []})
    assert said(file, '{{ control_moved("noise") }}') == "0.1 to 0.2"
    assert said(file, '{{ control_moved("copies") }}') == "not run"


def test_seeds_and_accuracies_can_be_of_the_first_seeds_alone(file: Path) -> None:
    cells = {c.method: c for s in read_page(file).sections for c in s.every if s.recipe.name == "figure2b-top"}
    assert said(file, '{{ seeds("figure2b-top/ERM", "SVHN") }}') == "2"
    first = said(file, '{{ accuracy("figure2b-top/ERM", "USPS", first=1) }}')
    assert first == f"{cells['ERM'].percent[0]:.1f}"
    gap = said(file, '{{ gap("figure2b-top/K=2", "figure2b-top/ERM", "USPS", first=1) }}')
    assert gap == f"{signed(cells['K=2'].percent[0] - cells['ERM'].percent[0])} (1 seed)"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{{ gap("figure9/K=2", "figure2b-top/ERM", "SVHN") }}', 'no recipe "figure9" is in the results'),
        ('{{ accuracy("figure2b-top/K=9", "SVHN") }}', 'no "figure2b-top/K=9" on "SVHN" is in the results'),
        ("{{ gain() }}", "'gain' is undefined; expected {{ NAME(...) }} with one of accuracy, "),
        ("{{ accuracy }", "discussion.md: "),
        ("{{ accuracy() }}", "missing 2 required positional arguments"),
    ],
)
def test_what_nobody_measured_is_refused_with_its_name(file: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        said(file, text)
    assert problem in str(refused.value)


def test_text_is_split_at_its_headings() -> None:
    prose = split_prose("First.\n\n## A, b\n\nOne.\n\nTwo.\n\n## C\n\nThree.\n")
    assert prose.lead == "First."
    assert prose.parts == {"A, b": "One.\n\nTwo.", "C": "Three."}


def test_html_has_paragraphs_tables_and_bold_type_and_escapes_the_rest() -> None:
    made = prose_html("**It** is *so* <dark>, see [here](a.md) and `b`.\n\n| x | y |\n| --- | ---: |\n| 1 | **2** |\n")
    assert "<p><strong>It</strong> is <em>so</em> &lt;dark&gt;, see here and b.</p>" in made
    assert "<th>x</th><th>y</th>" in made
    assert "<tr><td>1</td><td><strong>2</strong></td></tr>" in made


def test_what_is_clear_among_several_domains_is_judged_as_a_claim_is(tmp_path: Path) -> None:
    file = add_results(tmp_path / "digits.jsonl", ["figure2b-top"], 3).path
    asked = '{{ clear("figure2b-top/K=%d", "figure2b-top/%s", "SVHN", "SYN", "USPS") }}'
    assert said(file, asked % (2, "ERM")) == "{'SVHN': 'yes', 'USPS': 'yes'}", "SYN has no result"
    assert said(file, asked % (2, "K=3")) == "{'SVHN': 'not decided', 'USPS': 'not decided'}"
    results = Results(file)
    for line in [line for line in results if line["ada"]["K"] == 2]:
        (svhn,) = (score for score in line["scores"] if score["domain"] == "svhn-test")
        svhn["accuracy"] = 0.3 * line["seed"]
        results.add(line)
    assert said(file, asked % (2, "ERM")) == "{'SVHN': 'not decided', 'USPS': 'yes'}"
