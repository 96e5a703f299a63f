"""Claims in words."""

from unseen.paper.cells import Cell
from unseen.paper.claim_words import comparisons_sheet, headline, paragraph
from unseen.paper.claims import Claim, Judged, judge
from unseen.paper.prospects import Prospect, prospect
from unseen.paper.published import Published
from unseen.paper.tables import NONE

CLAIM = Claim("ADA is better", "Section 0", (("r/ADA", "r/ERM"), ("r/more", "r/ERM")), ("SVHN", "USPS"))
ERM = Cell("ERM", "SVHN", {0: 0.30, 1: 0.31, 2: 0.32}, Published(0.30, 0.01, (10,), ""))
ADA = Cell("ADA", "SVHN", {0: 0.40, 1: 0.42, 2: 0.41}, Published(0.33, 0.01, (10,), ""))
MORE = Cell("more", "SVHN", {0: 0.30, 1: 0.35, 2: 0.30}, Published(0.3001, 0.01, (10,), ""))


def stands(judged: Judged, planned: int | None = None) -> Prospect:
    return prospect(judged, {"r": planned} if planned else {})


def test_a_paragraph_has_the_verdict_the_effect_the_papers_number_and_the_seeds_that_would_decide() -> None:
    said = paragraph(stands(judge(CLAIM, {"r": [ERM, ADA, MORE]})))
    assert said.startswith("**Holds in part**: 1 of 2 clear (ADA on SVHN). Mean of its comparisons: SVHN +5.3 (")
    assert ", 3 seeds, the paper +1.5)" in said
    assert "Seeds for 80 % power if the paper's differences were true: " in said
    assert said.endswith(" in part, over 200 as a whole."), "the paper has a hundredth of a point for one"
    assert said.count("No data for USPS.") == 1


def test_a_paragraph_says_what_was_not_run_and_what_has_no_result() -> None:
    assert "Not run: 1 of 2 comparisons. No data for USPS." in paragraph(stands(judge(CLAIM, {"r": [ERM, ADA]})))
    assert paragraph(stands(judge(CLAIM, {"r": [ERM]}))) == "**Not measured**: no run of it is finished."
    assert paragraph(stands(judge(CLAIM, {"r": []}))) == "**Not measured**: no result on SVHN and USPS."


def test_the_table_has_every_comparison_and_the_mean() -> None:
    rows = comparisons_sheet(judge(CLAIM, {"r": [ERM, ADA, MORE]})).rows
    assert [(row[1], *row[5:7]) for row in rows] == [
        ("ADA over ERM", "yes", "0.00663"), ("more over ERM", "not decided", "0.742"), ("mean", "", ""),
    ]  # fmt: skip
    few = Cell("ADA", "SVHN", {0: 0.35, 1: 0.36})
    (row,) = comparisons_sheet(judge(CLAIM, {"r": [ERM, few]})).rows
    assert row[5:7] == ("not decided", NONE)


def test_what_is_barely_clear_is_said() -> None:
    claim = Claim("ADA is better", "Section 0", (("r/ADA", "r/ERM"),), ("SVHN",))
    for spread, barely in ((0.7, False), (0.8, True), (0.9, False)):
        differences = {0: 2 - spread, 1: 2, 2: 2 + spread}
        ada = Cell("ADA", "SVHN", {seed: ERM.accuracies[seed] + d / 100 for seed, d in differences.items()})
        judged = judge(claim, {"r": [ERM, ada]})
        assert ("1 clear, 1 of them barely (p over 0.04)." in paragraph(stands(judged))) is barely, judged.corrected


def test_a_mean_over_fewer_seeds_than_its_comparisons_have_says_so() -> None:
    fewer = Cell("more", "SVHN", {0: 0.30, 1: 0.35})
    (*_, last) = comparisons_sheet(judge(CLAIM, {"r": [ERM, ADA, fewer]})).rows
    assert last[1:3] == ("mean, over the 2 seeds that all have", "2")


def test_two_pairs_decide_nothing_however_well_they_agree() -> None:
    claim = Claim("ADA is better", "Section 0", (("r/ADA", "r/ERM"),), ("SVHN",))
    erm, ada = (Cell(name, "SVHN", {0: level, 1: level + 0.0001}) for name, level in (("ERM", 0.3), ("ADA", 0.4)))
    judged = judge(claim, {"r": [erm, ada]})
    assert judged.comparisons[0].interval is not None
    assert judged.comparisons[0].interval.low > 9
    assert judged.verdict == "not decided"


def test_a_paragraph_names_what_is_clear_or_what_is_not_whichever_is_less() -> None:
    claim = Claim("ADA is better", "s", tuple((f"r/K={k}", "r/ERM") for k in (1, 2, 3)), ("SVHN", "USPS"))
    better = {0: 0.40, 1: 0.411, 2: 0.42}
    cells = [Cell(f"K={k}", domain, better) for k in (2, 3) for domain in claim.columns]
    cells += [Cell("ERM", domain, ERM.accuracies) for domain in claim.columns]
    most = [Cell("K=1", "SVHN", MORE.accuracies), Cell("K=1", "USPS", better)]
    assert "5 of 6 clear (all but K=1 on SVHN)." in paragraph(stands(judge(claim, {"r": [*cells, *most]})))
    few = [Cell(c.method, c.domain, MORE.accuracies) for c in cells[1:4]] + cells[4:]
    few += [cells[0], Cell("K=1", "SVHN", better), Cell("K=1", "USPS", MORE.accuracies)]
    assert "2 of 6 clear (K=1 and K=2 on SVHN)." in paragraph(stands(judge(claim, {"r": few})))


def test_comparisons_with_several_baselines_are_named_by_both_sides() -> None:
    claim = Claim("ERM is better", "s", (("r/ERM", "r/ADA"), ("r/ERM", "r/more"), ("r/ERM", "r/less")), ("SVHN",))
    worse = {name: Cell(name, "SVHN", {0: 0.20, 1: 0.211, 2: 0.22}) for name in ("ADA", "more")}
    judged = judge(claim, {"r": [ERM, *worse.values(), Cell("less", "SVHN", MORE.accuracies)]})
    assert "2 of 3 clear (all but ERM over less on SVHN)." in paragraph(stands(judged))
    worse["more"] = Cell("more", "SVHN", MORE.accuracies)
    judged = judge(claim, {"r": [ERM, *worse.values(), Cell("less", "SVHN", worse["ADA"].accuracies)]})
    assert "(all but ERM over more on SVHN)" in paragraph(stands(judged))


def test_the_headline_counts_every_claim_once() -> None:
    judged = [judge(CLAIM, {"r": cells}) for cells in ([ERM, ADA, MORE], [ERM, ADA], [])]
    said = "Of 3 claims (judged on SVHN), 1 holds in part, 1 is measured in part and 1 is not measured"
    assert headline([stands(each) for each in judged]) == said
    assert headline([stands(each, 4) for each in judged]) == f"{said}; 2 of these verdicts are interim"


def test_a_verdict_is_interim_until_the_planned_seeds_are_there() -> None:
    judged = judge(CLAIM, {"r": [ERM, ADA, MORE]})
    assert paragraph(stands(judged, 5)).startswith("**Holds in part** (interim: 3 of 5 planned seeds): 1 of 2 clear (")
    assert paragraph(stands(judged, 3)).startswith("**Holds in part**: ")


def test_a_paragraph_counts_the_comparisons_that_have_too_few_seeds() -> None:
    fewer = Cell("more", "SVHN", {0: 0.30, 1: 0.35})
    assert "1 of 2 clear (ADA on SVHN), 1 with fewer than 3 seeds." in paragraph(
        stands(judge(CLAIM, {"r": [ERM, ADA, fewer]}))
    )


def test_where_two_hardly_differ_the_paragraph_has_those_farthest_apart() -> None:
    claim = Claim("it is all the same", "s", (("r/ADA", "r/ERM"), ("r/less", "r/ERM")), ("SVHN",), alike=True)
    less = Cell("less", "SVHN", {seed: share - 0.12 for seed, share in ERM.accuracies.items()})
    assert "Farthest apart: less over ERM, SVHN −12.0 (" in paragraph(stands(judge(claim, {"r": [ERM, ADA, less]})))


def test_beside_the_pairs_the_table_has_every_seed_of_either_side() -> None:
    more = Cell("ERM", "SVHN", ERM.accuracies | {3: 0.38, 4: 0.24})
    first, *_ = comparisons_sheet(judge(CLAIM, {"r": [more, ADA, MORE]})).rows
    assert first[3].startswith("+10.0 (")
    assert first[-1] == "+10.0 (+3.9 to +16.1)", "Welch's, of three against five: 4.5 degrees"


def test_what_is_clear_the_other_way_is_named() -> None:
    worse = Cell("more", "SVHN", {0: 0.20, 1: 0.22, 2: 0.21})
    equal = Cell("ADA", "SVHN", {0: 0.30, 1: 0.32, 2: 0.31})
    said = paragraph(stands(judge(CLAIM, {"r": [ERM, equal, worse]})))
    assert said.startswith("**Does not hold**: 0 of 2 clear, 1 clearly the other way (more on SVHN).")
    assert "power" not in said, "it is decided"
