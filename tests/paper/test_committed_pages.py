"""Pages in docs/ and README.md say what the raw lines in results/ say: where they part, these tests fail."""

import json
import re
from pathlib import Path

import pytest

from experiments import controls, pooling, steps, svhn, why
from unseen.paper.claims import ALPHA
from unseen.paper.digits.lab import SOURCE, DigitLab
from unseen.paper.family.page import leaderboard_sections, write_leaderboard
from unseen.paper.findings import LEAST_PAIRS
from unseen.paper.judging import ERRORS_AT_TWO_LOOKS
from unseen.paper.methods import Ensembled
from unseen.paper.page import claim_paragraph, read_page, write_markdown
from unseen.paper.prose import Quantities
from unseen.paper.results import Results
from unseen.paper.section import ResultsPage, Section
from unseen.reporting.kit.statistics import mean
from unseen.reporting.kit.wording import MINUS, compare, signed, span

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
WORDS = 120  # at most, in a paragraph
PAGES = {"docs/results.md": "digits.jsonl", "docs/streets.md": "streets.jsonl"}
DIGITS = "mean of SVHN, MNIST-M, USPS"
DISCUSSIONS = ["discussion.md", "streets-discussion.md"]
NAMED = re.compile(
    r"K=1 to 4|K=\d|γ=1\b|Up to 10?\b|(Figure|Table) \d\w?|[Ss]eeds 0 (?:and 1|to 9)|95 %|MNIST|BSDS500|bf16|L2|U?SVHN|"
    r"\[0, 1\]|\d{4}TP|\d{4}R0|\d{4}E5|Seq05VD"
)
"""names and settings; every other number has to be asked for"""
SPELLED = "one|two|three|four|five|six|seven|eight|nine|ten"
"""counts of seeds that are typed as words would not follow the lines"""


@pytest.fixture(scope="module")
def pages() -> dict[str, ResultsPage]:
    return {name: read_page(RESULTS / file) for name, file in PAGES.items()}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_its_lines_and_its_discussion_make(
    name: str, pages: dict[str, ResultsPage], tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    made = write_markdown(pages[name], tmp_path / name, tmp_path / "results").read_text()
    again = f"make it again: unseen results results/{PAGES[name]} --markdown {name}"
    assert made.splitlines() == (ROOT / name).read_text().splitlines(), again


@pytest.mark.parametrize("name", DISCUSSIONS)
def test_every_number_of_a_discussion_is_asked_for_and_none_is_typed(name: str) -> None:
    text = re.sub(r"\{[{%].*?[%}]\}|`[^`]*`|\]\([^)]*\)", "", (RESULTS / name).read_text(), flags=re.DOTALL)
    assert re.findall(r".{0,30}\d.{0,30}", NAMED.sub("", text)) == []
    assert re.findall(rf"(?:{SPELLED})(?: \w+)? seeds?\b", text, flags=re.IGNORECASE) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_claim_has_a_paragraph_of_so_many_words_at_most(name: str, pages: dict[str, ResultsPage]) -> None:
    page = pages[name]
    claims = {
        each.judged.claim.name: f"{each.judged.claim.text} {claim_paragraph(page, each)}" for each in page.prospects
    }
    blocks = [block for text in (page.prose.lead, *page.beyond.values()) for block in text.split("\n\n")]
    counts = {title: len(text.split()) for title, text in claims.items()}
    counts |= {block[:30]: len(block.split()) for block in blocks if not block.startswith("|")}
    assert {title: count for title, count in counts.items() if count > WORDS} == {}


def test_every_remark_of_a_discussion_belongs_to_a_claim_or_is_shown_after_them(pages: dict[str, ResultsPage]) -> None:
    for name, page in pages.items():
        text = (ROOT / name).read_text()
        remarks = [part for part in (*map(page.remark, page.judged), *page.beyond.values()) if part]
        assert len(remarks) == len(page.prose.parts)
        assert all(part in text for part in remarks)


def test_the_readmes_table_is_that_of_figure_2b_top(pages: dict[str, ResultsPage]) -> None:
    text = (ROOT / "README.md").read_text()
    (section,) = (s for s in pages["docs/results.md"].sections if s.recipe.name == "figure2b-top")
    cells = {(cell.method, cell.domain): cell for cell in section.every}
    for domain in ("SVHN", "MNIST-M", "USPS"):
        erm, ada = cells["ERM", domain], cells["K=2", domain]
        found = compare(domain, "ADA", "ERM", ada.accuracies, erm.accuracies)
        assert found.interval
        assert erm.published
        assert ada.published
        ours = [100 * mean([cell.accuracies[seed] for seed in found.differences]) for cell in (erm, ada)]
        theirs = [100 * cell.published.mean for cell in (erm, ada) if cell.published]
        shown = [f"{here:.1f} % ({paper:.1f})" for here, paper in zip(ours, theirs, strict=True)]
        row = f"| {shown[0]} | {shown[1]} | {signed(found.gap)} | {span(found.interval)} |".replace(MINUS, "-")
        assert row in text, f"README.md, {domain}: expected {row}"
        assert f"mean over {len(found.differences)} seeds" in text


def test_the_leaderboard_is_what_its_lines_make(tmp_path: Path) -> None:
    results, docs = tmp_path / "results", tmp_path / "docs"
    results.mkdir()
    docs.mkdir()
    for file in RESULTS.glob("*.jsonl"):
        (results / file.name).symlink_to(file)
    (made, *_) = write_leaderboard(results, docs / "leaderboard.md")
    again = "make it again: unseen leaderboard results --markdown docs/leaderboard.md"
    assert made.read_text().splitlines() == (ROOT / "docs/leaderboard.md").read_text().splitlines(), again


def test_the_readmes_numbers_of_the_family_are_those_of_the_lines() -> None:
    asked = Quantities(leaderboard_sections(RESULTS), "README.md")

    def accuracy(method: str) -> str:
        return f"{asked.accuracy(f'family/{method}', DIGITS, first=5)} %"

    def gap(better: str, worse: str) -> str:
        if better == worse:
            return ""
        found = asked.gap(f"family/{better}", f"family/{worse}", DIGITS)
        assert ", 5 seeds)" in found
        return found.replace(", 5 seeds", "").replace(MINUS, "-")

    methods = ["ERM", "Transformations", "Transformations + entropy", "Rounds without ascent", "Random transformations"]
    phrases = []
    for method in [*methods, "ERM at the same rate"]:
        minus_erm, minus_it = gap(method, "ERM"), gap("Transformations", method)
        phrases.append(f"| {method} | {accuracy(method)} | {minus_erm} | {minus_it} |".replace("  ", " "))
    with_entropy = gap("Transformations + entropy", "Random transformations").removeprefix("+")
    phrases.append(f"With the entropy in the ascent, it is {with_entropy.replace(' (', ' points in the mean (')}")
    text = (ROOT / "README.md").read_text()
    assert [phrase for phrase in phrases if phrase not in text] == []


@pytest.fixture(scope="module")
def asked(pages: dict[str, ResultsPage]) -> Quantities:
    return Quantities(pages["docs/results.md"].sections, "a page of docs/")


def test_the_readme_says_what_the_gain_is_against_every_run_of_erm(pages: dict[str, ResultsPage]) -> None:
    (judged,) = (each for each in pages["docs/results.md"].judged if each.claim.name == "ADA beats ERM, K=1 to 4")
    (k2,) = (c for c in judged.compared if (c.comparison.domain, c.comparison.method) == ("SVHN", "K=2"))
    assert k2.unpaired.interval
    (section,) = (s for s in pages["docs/results.md"].sections if s.recipe.name == "figure2b-top")
    (erm,) = (cell for cell in section.every if (cell.method, cell.domain) == ("ERM", "SVHN"))
    gain = (
        f"against all {len(erm.accuracies)} that we have, the gain is {signed(k2.unpaired.gap)} "
        f"({span(k2.unpaired.interval)}, unpaired)"
    )
    assert gain.replace(MINUS, "-") in (ROOT / "README.md").read_text()


def test_the_table_of_ensembles_is_that_of_the_results(pages: dict[str, ResultsPage]) -> None:
    text = (ROOT / "docs/ensembles.md").read_text()
    (section,) = (s for s in pages["docs/results.md"].sections if s.recipe.name == "figure2b-bottom")
    (sheet,) = (sheet for sheet in section.sheets if sheet.title == "Under every rule")
    shown = re.findall(r"`([a-z-]+)`", next(line for line in text.splitlines() if line.startswith("| on | members |")))
    columns = [sheet.headings.index(name) for name in ("one member", *shown)]
    rows = [row for row in sheet.rows if row[1] in ("ERM", "K=4") and row[0] != "SYN"]
    made = [f" | {' | '.join(row[i] for i in columns)} |" for row in rows]
    assert len(made) == 6
    assert [row for row in made if row not in text] == []
    assert f"mean of {('two', 'three', 'four', 'five')[int(rows[0][2]) - 2]} ensembles of seven" in text


def test_the_numbers_of_the_methods_page_are_those_of_the_lines(
    pages: dict[str, ResultsPage], asked: Quantities
) -> None:
    text = (ROOT / "docs/method.md").read_text()
    domains = ("SVHN", "MNIST-M", "USPS")
    ours = "readings/as we read it"
    own = [f"{asked.accuracy(ours, domain, first=2)} %" for domain in domains]
    rows = [f"| as we read it | 2 | {' | '.join(own)} |"]
    for switch, label in {
        '`scale="paper"`': "paper scale", '`sampling="chain"`': "chain", "`clip=True`": "clipped",
        '`resize="lanczos"` (source and targets)': "Lanczos", "`offset=5000`": "images 5,000+",
        "the last two together": "Lanczos, images 5,000+",
    }.items():  # fmt: skip
        seeds = asked.seeds(f"readings/{label}", "SVHN")
        gaps = [asked.difference(f"readings/{label}", ours, domain).replace(MINUS, "-") for domain in domains]
        rows.append(f"| {switch} | {seeds} | {' | '.join(gaps)} |")
    (section,) = (s for s in pages["docs/results.md"].sections if s.recipe.name == "figure2b-bottom")
    rows.append(f"| {' | '.join(_literal_minus_text(section, domain) for domain in domains)} |")
    rows.append(f"in the runs of Figure 2a, top, {asked.moved('figure2a-top/features')} by seed")
    both, own = asked.accuracy("readings/Lanczos, images 5,000+", "SVHN"), asked.accuracy(ours, "SVHN", first=seeds)
    rows.append(f"Together they\ngive {both} %, where our reading gives {own} % with the same seeds")
    assert [row for row in rows if row not in text] == []


def _literal_minus_text(section: Section, domain: str) -> str:
    """How far the equation read literally is above the text's rule, from the least ensemble to the greatest."""
    (source,), found = section.lab.sources, []
    for method in section.recipe.compared(section.lab):
        assert isinstance(method, Ensembled)
        shares = [[section.results.accuracy(method.key(source, seed), source.targets[domain], rule=rule)
                   for rule in ("greatest-score", "greatest-softmax")] for seed in range(section.seeds)]  # fmt: skip
        found.append(mean([100 * (literal - text) for literal, text in shares if literal and text]))
    return f"{signed(min(found))} to {signed(max(found))}".replace(MINUS, "-")


def test_the_numbers_of_rounds_on_the_theorys_page_are_those_of_the_lines(asked: Quantities) -> None:
    text = re.sub(r"\s+", " ", (ROOT / "docs/theory.md").read_text())
    gain = asked.control("noise", "table1/γ=10⁰, K=4", "SVHN")
    points, _, rest = gain.removeprefix("+").partition(" ")
    records = asked._rounds("figure2a-top/features").values()
    rises = [record.loss_after - record.loss_before for record in records]
    falls = [1e4 * record.cost - rise for record, rise in zip(records, rises, strict=True)]
    phrases = [
        f"the ascent is {points} points above noise of about that length {rest}",
        f"the loss rises by {min(rises):.2f} to {max(rises):.2f} and loss - gamma c falls by {min(falls):.0f} to "
        f"{max(falls):.0f}:",
        f"The images move farther, {asked.moved('figure2a-top/features')} in L2",
    ]
    assert len(records) == 10
    assert [phrase for phrase in phrases if phrase not in text] == []


def test_the_readmes_numbers_of_more_steps_and_of_streets_are_the_leaderboards() -> None:
    readme, leaderboard = ((ROOT / name).read_text() for name in ("README.md", "docs/leaderboard.md"))
    longer = re.search(r"Transformations, 50,000 steps − 10,000 \| 2 \| −(\S+) \|", leaderboard)
    jitter = re.search(r"CamVid .*0001TP \(dusk\) .*Jitter − ERM \| 3 \| \+(\S+) \((.*)\) \|", leaderboard)
    assert longer
    assert jitter
    assert f"lower in both seeds that were run (-{longer[1]} in the mean, `--scale long`)" in readme
    assert f"random jitter of colour and light gains {jitter[1]} points of mIoU ({jitter[2]}, 3 seeds;" in readme


def test_the_experiments_tables_are_those_of_their_lines() -> None:
    text = (ROOT / "experiments/README.md").read_text()
    (source,) = DigitLab(out=RESULTS, rows={SOURCE: ("SVHN", "MNIST-M", "USPS")}).sources
    made = [*controls.table(source, Results(RESULTS / "controls.jsonl"), Results(RESULTS / "digits.jsonl"))]
    made += svhn.table(Results(RESULTS / "svhn.jsonl"))
    made += steps.table(Results(RESULTS / "steps.jsonl"))
    made += pooling.table(pooling.read_lines())
    rows = [*why._why_table([json.loads(line) for line in (RESULTS / "why.jsonl").read_text().splitlines()])]
    made += [row for row in rows if row.startswith("|")]
    sentences = [re.fullmatch(r"\nERM of .*: (.*); mean (.*), \d+ pairs", row) for row in rows]
    numbers = [number for sentence in sentences if sentence for number in sentence.groups()]
    assert len(numbers) == 2 * 3
    made += numbers
    assert [line for line in made if line not in text] == []


def test_the_errors_that_the_pages_admit_are_those_that_were_simulated() -> None:
    errors = [line for line in pooling.read_lines() if line["what"] == "errors"]
    assert max(round(line["corrected"], 2) for line in errors) == pytest.approx(ALPHA)
    twice = [round(line["twice"], 2) for line in errors if line["first_look"] >= LEAST_PAIRS]
    assert (min(twice), max(twice)) == ERRORS_AT_TWO_LOOKS
    stricter = [line["stricter"] for line in errors if line["first_look"] >= LEAST_PAIRS]
    assert max(stricter) < ALPHA + 2 * (ALPHA / errors[0]["draws"]) ** 0.5, "at that level two looks err as one does"
