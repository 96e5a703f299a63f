"""A claim as it stands, in the table and in the words of what would decide it."""

import re
from collections.abc import Mapping

from unseen.paper.cells import Cell
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.prospects import Prospect, chances_sheet, power_in_words, prospect, within_reach
from unseen.paper.published import Published
from unseen.paper.tables import NONE

CLAIM = Claim("c", "w", (("r/a", "r/e"), ("r/b", "r/e")), ("SVHN",), name="a and b beat e")
SHARES = {"a": [0.34, 0.38, 0.33], "b": [0.36, 0.37, 0.38], "e": [0.30, 0.31, 0.32]}


def stands(
    *, printed: bool, seeds: int = 3, planned: int | None = None, shares: Mapping[str, list[float]] = SHARES
) -> Prospect:
    theirs = {"a": 0.3001, "b": 0.33, "e": 0.30}
    printed_means = {name: Published(share, 0.01, (10,), "") for name, share in theirs.items() if printed}
    cells = [Cell(name, "SVHN", dict(enumerate(own[:seeds])), printed_means.get(name)) for name, own in shares.items()]
    return prospect(judge(CLAIM, {"r": cells}), {"r": planned} if planned else {})


def test_the_row_of_a_claim_has_the_papers_differences_and_the_chances_of_the_plan() -> None:
    (row,) = chances_sheet([stands(printed=True, planned=10)]).rows
    assert row[:5] == ("a and b beat e", "holds in part", "2", "+0.01 to +3.0", "3")
    assert row[6:8] == ("over 200", "10"), "a hundredth of a point: also with the spread as measured"
    assert row[8].endswith(" %")
    (row,) = chances_sheet([stands(printed=False, seeds=2)]).rows
    assert row[:4] == ("a and b beat e ?", "not decided", "2", "(3)"), "two seeds hardly give a spread"
    assert row[7:] == (NONE, NONE, NONE), "nothing is planned"


def test_what_is_out_of_reach_is_named() -> None:
    said = within_reach([stands(printed=True)])
    assert said.endswith(" More than 20, so that we stop: a and b beat e (over 200).")
    assert "Within reach" not in said
    both = within_reach([stands(printed=True), stands(printed=False, seeds=2)])
    assert re.search(r"Within reach, by the spread as measured: a and b beat e \(\d+ to \d+\)\.", both)
    assert "The spreads of 1 claim come from two seeds" in both
    assert "stop" not in within_reach([stands(printed=False)])
    steady = {"e": [0.30, 0.31, 0.32], "a": [0.40, 0.411, 0.42], "b": [0.40, 0.41, 0.421]}
    holds = stands(printed=True, shares=steady)
    assert within_reach([holds]) == "Every claim that has two seeds is decided.", "by differences of its own"
    assert within_reach([holds, stands(printed=True)]) == said, "what is decided is not counted"
    assert within_reach([stands(printed=True, seeds=1)]).startswith("No claim has two seeds yet")


def test_a_claim_in_words_says_what_was_asked_for_and_how_little_two_seeds_say() -> None:
    reach = "Seeds for 80 % power if the differences were 3 points: N to N in part, N to N as a whole."
    pattern = re.escape(reach).replace("N", r"(\d+)")
    said = [re.fullmatch(pattern, power_in_words(stands(printed=False, seeds=seeds))) for seeds in (2, 3)]
    (low, high), (low_of_three, high_of_three) = [tuple(map(int, each.groups()))[:2] for each in said if each]
    assert high / low > 4 * high_of_three / low_of_three, "two seeds leave the spread open"
    assert power_in_words(stands(printed=True, seeds=1)) == ""


def test_it_says_where_the_papers_differences_are_excluded() -> None:
    near = power_in_words(stands(printed=True))
    less = {"a": [0.295, 0.312, 0.318], "b": [0.305, 0.308, 0.321], "e": SHARES["e"]}
    far = power_in_words(stands(printed=True, shares=less))
    assert within_reach([stands(printed=True, shares=less)]).endswith(
        " Less than that here, by most intervals, whatever the seeds: a and b beat e."
    )
    assert " in part, " in near
    assert " in part, " in far
    assert "below" not in near
    assert far.endswith("; but the interval of the mean here lies below that, which more seeds would hardly change.")


def a_beats_e(own: Mapping[str, list[float]]) -> Judged:
    """By the shares that ``a`` has on each column."""
    cells = [Cell("a", column, dict(enumerate(some))) for column, some in own.items()]
    cells += [Cell("e", column, dict(enumerate(SHARES["e"]))) for column in own]
    return judge(Claim("a beats e", "w", (("r/a", "r/e"),), tuple(own)), {"r": cells})


def test_it_counts_the_means_that_are_less_than_is_asked_for() -> None:
    own = {"SVHN": [0.295, 0.312, 0.318], "SYN": [0.305, 0.308, 0.321]}
    said = power_in_words(prospect(a_beats_e(own | {"USPS": [0.33, 0.36, 0.34]}), {}))
    assert said.endswith("; but 2 of 3 intervals here lie below that, which more seeds would hardly change.")
    said = power_in_words(prospect(a_beats_e(own), {}))
    assert said.endswith("; but both intervals here lie below that, which more seeds would hardly change.")


def test_what_is_more_than_is_asked_for_does_not_count_as_less() -> None:
    judged = a_beats_e({"SVHN": [0.40, 0.41, 0.425], "SYN": [0.42, 0.41, 0.42], "USPS": [0.25, 0.40, 0.33]})
    assert [effect.excludes(3.0) for effect in judged.effects] == [True, True, False]
    assert power_in_words(prospect(judged, {})).endswith(" as a whole.")


def test_interim_is_what_has_some_of_its_planned_seeds() -> None:
    assert stands(printed=True, planned=4).interim
    assert not stands(printed=True, planned=3).interim
    assert not stands(printed=True).interim
