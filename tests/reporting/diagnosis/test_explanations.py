from dataclasses import replace

import pytest

from unseen.reporting.diagnosis import explanations
from unseen.reporting.diagnosis.record import Round
from unseen.reporting.diagnosis.tables import CLASSES, sheets


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (1274.4, "1,274"), (99.97, "100"), (42.0, "42.0"), (0.0019531, "0.00195"), (3.5e-5, "3.5×10⁻⁵")],
)
def test_numbers_have_three_digits_that_matter(value, text):
    assert explanations.number(value) == text


@pytest.mark.parametrize(("share", "text"), [(0.368, "36.8 %"), (1, "100.0 %"), (0.0001234, "0.0123 %"), (0, "0.0 %")])
def test_small_shares_are_not_zero(share, text):
    assert explanations.percent(share) == text


@pytest.mark.parametrize(
    ("times", "said", "not_said"),
    [
        (0.01, ["100 times below L1", "far corner", "Neither Theorem 1"], "applies"),
        (2, ["2.00 times L1", "Theorem 1 applies", "with L1 in the place of L(theta)"], "So does Theorem 2"),
        (1000, ["1,000 times L1", "Theorem 1 applies", "So does Theorem 2"], "Neither"),
    ],
    ids=["below L1", "above L1", "above L(theta)"],
)
def test_what_gamma_means_follows_from_where_it_lies(diagnosis, times, said, not_said):
    assert 2 * diagnosis.model.L1 < diagnosis.model.L_theta < 1000 * diagnosis.model.L1
    text = explanations.gamma(replace(diagnosis, gamma=times * diagnosis.model.L1))
    for part in said:
        assert part in text
    assert not_said not in text


def test_the_regularizer_is_held_against_what_the_worst_case_adds(diagnosis):
    model, gamma = replace(diagnosis.model, regularizer=0.2), 0.1
    for rise, said in (
        (1.5, "1.50 times as much, so the regularizer describes"),
        (50.0, "50.0 times as much, so the r"),
    ):
        at = (model.loss + rise, model.loss + rise)
        assert said in explanations.regularizer(replace(diagnosis, model=replace(model, surrogate=at), gamma=gamma))


@pytest.mark.parametrize(
    ("bounds", "share"),
    [([1, 4, 16], 0.1), ([2, 4, 16], 0.01), ([3, 4, 16], 0.0), ([0.1, 0.2, 0.3], 1.0)],
    ids=["between two radii", "at a radius", "before the first", "never"],
)
def test_where_the_bound_reaches_a_level(diagnosis, bounds, share):
    spread = diagnosis.model.spread
    some = {name: getattr(diagnosis.model.curve, name)[:3] for name in ("gamma", "attained")}
    rho = (spread * 0.01, spread * 1.0, spread * 1.0)
    curve = replace(diagnosis.model.curve, rho=rho, bound=tuple(bounds), **some)
    assert explanations.crossing(replace(diagnosis.model, curve=curve), 2.0) == pytest.approx(share)


def test_the_rounds_are_shown_with_what_was_reached(diagnosis):
    made = [
        Round(1, 1000, 0.5, 0.25, 1.0, 2.0, 0.5, (0.1, 0.1)),
        Round(2, 1000, None, 0.25, 1.0, 2.0, 0.5, (0.1, 0.12)),
    ]
    rows = sheets(replace(diagnosis, rounds=tuple(made)))["rounds"].rows
    assert rows[0] == ("1", "1,000", "0.500", "0.250", "1.00 → 2.00", "10.0 %")
    assert (rows[1][2], rows[1][5]) == ("not recorded", "10.0 % to 12.0 %")


def test_a_round_older_than_the_supremum_says_so(diagnosis):
    older = replace(diagnosis, rounds=tuple(replace(each, reached=None) for each in diagnosis.rounds))
    sheet = sheets(older)["rounds"]
    assert {row[5] for row in sheet.rows} == {"not recorded"}
    assert "the run did not record it: it is an old one" in sheet.caption


def test_steps_that_are_too_long_are_reported(diagnosis):
    wild = replace(diagnosis, rounds=tuple(replace(each, gain=-22.0) for each in diagnosis.rounds))
    sheet = sheets(wild)["rounds"]
    assert {row[5] for row in sheet.rows} == {"overshot"}
    assert "lower eta" in sheet.caption
    assert "lower eta" not in explanations.rounds(diagnosis)


def test_every_table_has_both_networks(diagnosis):
    tables = sheets(diagnosis)
    assert list(tables) == ["rounds", "gamma", "regularizer", "certificate", "domains", "classes"]
    assert tables["gamma"].headings == ("", "ADA (K=2, γ=1)", "ERM")
    assert [row[:2] for row in tables["domains"].rows] == [
        ("other-bars", "ADA"), ("other-bars", "ERM"), ("near-bars", "ADA"), ("near-bars", "ERM")
    ]  # fmt: skip
    for sheet in tables.values():
        assert {len(row) for row in sheet.rows} == {len(sheet.headings)}


def test_without_an_erm_run_it_says_how_to_give_one(diagnosis):
    alone = replace(diagnosis, plain=None)
    assert "--plain RUN" in sheets(alone)["certificate"].caption
    assert sheets(alone)["gamma"].headings == ("", "ADA (K=2, γ=1)")
    plain = replace(alone, rounds=(), gamma=None, no_gamma="no rounds")
    assert "This run is ERM itself." in sheets(plain)["certificate"].caption
    assert "no rounds" in sheets(plain)["gamma"].caption


def test_the_erm_run_is_named_and_how_it_was_found(diagnosis):
    assert "ERM is the run erm, found in the same folder." in explanations.certificate(diagnosis)
    assert "ERM is the run erm, as given." in explanations.certificate(replace(diagnosis, plain_given=True))
    other = replace(diagnosis, plain_given=True, plain_apart=("seed (1, here 0)", "the network"))
    assert (
        "ERM is the run erm, as given, and differs in more than its rounds: seed (1, here 0), the network. The bound"
    ) in explanations.certificate(other)


def test_two_runs_of_one_method_have_two_names(diagnosis):
    twins = replace(diagnosis, plain=replace(diagnosis.plain, label=diagnosis.model.label))
    assert explanations.names(twins) == ("this run", "baseline")
    assert len(set(explanations.labels(twins))) == 2


def test_of_many_classes_the_farthest_are_shown(diagnosis):
    many = {f"class {i}": float(i) for i in range(CLASSES + 5)}
    model = replace(diagnosis.model, domains=tuple(replace(there, classes=many) for there in diagnosis.model.domains))
    sheet = sheets(replace(diagnosis, model=model))["classes"]
    assert [row[0] for row in sheet.rows] == [f"class {i}" for i in range(5, CLASSES + 5)]
    assert f"the {CLASSES} farthest of {CLASSES + 5}" in sheet.title


def test_the_noise_floor_is_pointed_out_where_there_is_one(diagnosis):
    assert "name some" in explanations.domains(diagnosis)
    far, near = diagnosis.model.domains
    held_out = replace(diagnosis, model=replace(diagnosis.model, domains=(far, replace(near, held_out=True))))
    assert "near-bars is held-out source" in explanations.domains(held_out)
