"""The leaderboard's page, from files alone."""

import re
from pathlib import Path

import pytest
from family_results import MEANS, SMALLER_STREETS, add_results, digit_lab, trials_of, write_trials

from unseen.errors import InputError
from unseen.paper.family.page import write_leaderboard
from unseen.paper.family.recipes import FAMILY_RECIPES


def page(folder: Path) -> str:
    (out, *pictures) = write_leaderboard(folder, folder / "docs" / "leaderboard.md")
    text = out.read_text()
    linked = re.findall(r"\]\((\.\./[^)]+)\)", text)
    assert linked
    assert all((out.parent / link).exists() for link in linked)
    assert {f"../{path.name}" for path in pictures if path.suffix == ".svg"} <= set(linked)
    return text


def test_the_page_has_the_protocol_every_board_and_what_was_not_run(family: Path) -> None:
    (family / "docs").mkdir()
    text = page(family)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## The protocol", "## Digits (paper scale)", "## CamVid (small scale)",
        "## Built-in scenes (built-in, small scale)", "## How the settings were chosen",
    ]  # fmt: skip
    assert "| **Transformations + pixels** | the ascent moves the pixels, too |" in text, "what a row is"
    assert not re.search(r"\*\*Transformations \+ pixels\*\* \| \d", text), "and no row of numbers"
    assert "| **Digits (paper scale), mean of SVHN, MNIST-M, USPS** | Transformations + consistency − ERM | " in text
    assert "Not run: Transformations + pixels." in text
    assert "**CamVid, 1,500 steps, from 0016E5 (day): the methods, the farthest above ERM first**" in text
    assert "|  | Transformations − Rounds without ascent | 3 | +" in text
    short = text[: text.index("## The protocol")]
    assert re.search(r"\| 3 \| \+\d+\.\d \(.*to", short), "three pairs have an interval"
    assert re.search(r"\| 2 \| \+\d+\.\d \|", short), "two have none"
    assert not re.search(r"\| 2 \| [+−]\d+\.\d \(", short)
    assert "nothing shows that the criterion chose the settings" in text
    assert "What had been seen of the targets before" in text
    assert "devised after it had been tested there" in text


def test_methods_with_more_seeds_than_most_leave_the_board_at_the_seeds_of_most(tmp_path: Path) -> None:
    recipe, lab = FAMILY_RECIPES["family"], digit_lab(tmp_path)
    add_results(recipe, lab, 2)
    add_results(recipe, lab, 4, skip=tuple({method.label for method in recipe.compared(lab)} - {"ERM", "ADA, K=2"}))
    text = write_leaderboard(tmp_path, tmp_path / "leaderboard.md")[0].read_text()
    assert "Mean of 2 seeds." in text
    assert "| ADA, K=2 | 4 |" not in text


def test_the_long_scale_stands_beside_the_usual_one_and_others_numbers_are_there_once(family: Path) -> None:
    (family / "docs").mkdir()
    recipe = FAMILY_RECIPES["family"]
    add_results(recipe, digit_lab(family, recipe.scales["long"]), 2, skip=("ERM", "Random transformations"))
    text = page(family)
    assert re.search(r"\| Transformations, 50,000 steps − 10,000 \| 2 \| [+−]\d+\.\d \|", text), "in short"
    _, _, section = text.partition("## Digits (long scale)")
    assert "Not run: ERM and Random transformations." in section
    assert "**Digits, 50,000 steps minus 10,000**" in section
    assert re.search(r"\| \*\*Transformations \+ entropy\*\* \| 2 \| [+−]\d", section)
    assert text.count("**Published numbers**") == 1


def test_with_a_choice_the_page_has_all_that_was_tried_and_the_criterions_plot(family: Path) -> None:
    (family / "docs").mkdir()
    write_trials(trials_of(FAMILY_RECIPES["family"].methods, family, MEANS), family / "choice-digits.jsonl")
    streets = trials_of(FAMILY_RECIPES["family-camvid"].methods, family, MEANS, shared=SMALLER_STREETS)
    write_trials(streets, family / "choice-camvid.jsonl")
    text = page(family)
    assert "Every setting that was tried on digits" in text
    assert "On streets, the settings are those of 5; 5 has the highest criterion (1 seed)." in text
    assert "mIoU in percent on held-out source images" in text
    assert "Trained at a smaller scale: T=400, 96 x 160 pixels." in text
    assert "Spearman's rank correlation of criterion and mean target accuracy over" in text
    assert "or not run: Transformations + pixels and Ensemble over γ." in text
    assert "../family-criterion.svg" in text


def test_methods_that_were_judged_after_the_choice_stand_by_themselves(family: Path) -> None:
    (family / "docs").mkdir()
    methods = FAMILY_RECIPES["family"].methods
    write_trials(trials_of(methods[:2], family, MEANS), family / "choice-digits.jsonl")
    write_trials(trials_of(methods, family, MEANS), family / "choice-family.jsonl")
    text = page(family)
    tried, _, worth = text.partition("## Is the criterion any good?")
    assert "Every setting that was tried on digits, " in tried
    assert "judged by the criterion, too, after the settings had been chosen and tested" in worth
    assert "The methods, judged by the criterion, " in worth
    assert "or not run: Transformations + pixels and Ensemble over γ." in worth


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected results of the family, got none; make some: unseen reproduce"):
        write_leaderboard(tmp_path, tmp_path / "leaderboard.md")
