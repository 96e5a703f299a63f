"""Settings are chosen with the source alone: what a candidate is trained without, what it is judged under, who wins."""

from pathlib import Path

import pytest
import torch

from unseen import Domain
from unseen.choosing.choose import Choice, Trial, choose, plan, read_candidates
from unseen.choosing.folds import under, without_kind
from unseen.errors import InputError
from unseen.transforms.catalogue import named
from unseen.transforms.transform import KINDS

SHARED = {"source": "mnist5k-train", "width": 0.05, "T": 9, "watch": [], "precision": "float32", "device": "cpu"}
ROUNDS = {"over": "standard", "K": 2, "spread": True, "T_max": 1, "n": 8}


@pytest.mark.parametrize(
    ("settings", "kind", "expected"),
    [
        pytest.param({"K": 0}, "colour", {"K": 0}, id="plain training has no kind to leave out"),
        pytest.param({"K": 2, "over": "pixels"}, "light", {"K": 2, "over": "pixels"}, id="nor has the paper's ascent"),
        pytest.param(
            {"K": 2, "over": "standard"},
            "viewpoint",
            {"K": 2, "over": ("colour", "tone", "filter", "shade")},
            id="a set without its viewpoints",
        ),
        pytest.param(
            {"K": 2, "over": ["affine", "colour", "pixels"]},
            "colour",
            {"K": 2, "over": ("affine", "pixels")},
            id="pixels on top stay",
        ),
        pytest.param(
            {"K": 2, "over": ["affine", "warp"], "n": 5, "T": 90, "alpha": 1e-3, "width": 0.5},
            "viewpoint",
            {"K": 0, "T": 90, "alpha": 1e-3, "width": 0.5},
            id="nothing left to move: no rounds",
        ),
        pytest.param(
            {"K": 0, "augment": "randconv", "consistency": 10.0},
            "texture",
            {"K": 0},
            id="nothing left to draw: no views either",
        ),
        pytest.param(
            {"K": 2, "over": "standard", "augment": "randconv", "consistency": 1.0},
            "texture",
            {"K": 2, "over": ("affine", "colour", "tone", "shade", "warp"), "consistency": 1.0},
            id="views that are the source's stay",
        ),
    ],
)
def test_a_candidate_is_trained_without_the_kind_it_is_judged_under(settings, kind, expected):
    assert without_kind(settings, kind) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_fold_has_nothing_of_its_kind(kind):
    left = without_kind({"K": 1, "over": "everything", "augment": "everything"}, kind)
    assert {each.kind for each in named(left["over"])} == set(KINDS) - {kind}
    assert left["augment"] == left["over"]


@pytest.mark.parametrize("kind", KINDS)
def test_held_out_images_are_changed_in_one_kind_and_the_same_way_each_time(make_bars, kind):
    domain = make_bars("held out", 24)
    once, again = under(kind, domain), under(kind, domain)
    assert torch.equal(once.images, again.images)
    assert torch.equal(once.labels, domain.labels)
    assert (once.images - domain.images).flatten(1).abs().amax(1).gt(1e-3).double().mean() > 0.8
    assert once.name == f"held out under {kind}"


def test_masks_move_with_images_judged_under_viewpoint():
    labels = torch.arange(16).view(1, 16, 1).expand(3, 16, 16) // 4
    domain = Domain(
        "streets", torch.rand(3, 3, 16, 16, generator=torch.Generator().manual_seed(0)), labels, tuple("abcd")
    )
    assert not torch.equal(under("viewpoint", domain, ("affine", "warp", "standard")).labels, domain.labels)
    assert torch.equal(under("light", domain).labels, domain.labels)


def test_judges_without_a_kind_are_refused(make_bars):
    with pytest.raises(InputError, match="none of jitter is of the kind viewpoint"):
        under("viewpoint", make_bars("held out", 4), "jitter")


def test_every_candidate_is_trained_once_for_each_kind_and_seed_and_one_without_kinds_once():
    trials = plan({"erm": {"K": 0}, "ours": ROUNDS}, SHARED, Path("out"), 2)
    assert [(t.candidate, t.kind, t.seed) for t in trials] == [
        (name, kind, seed) for seed in (0, 1) for name in ("erm", "ours") for kind in KINDS
    ]
    folders = {name: {t.request.out for t in trials if t.candidate == name} for name in ("erm", "ours")}
    assert {name: len(some) for name, some in folders.items()} == {"erm": 2, "ours": 2 * len(KINDS)}


def test_what_is_wrong_with_a_candidate_is_said_with_its_name():
    with pytest.raises(InputError, match=r'candidate bold: unknown setting "strenght"; did you mean "strength"\?'):
        plan({"erm": {"K": 0}, "bold": {"K": 0, "strenght": 2.0}}, SHARED, Path("out"), 1)
    with pytest.raises(InputError, match=r"no candidates; expected a table for each"):
        plan({}, SHARED, Path("out"), 1)


def test_a_transformation_that_breaks_its_promise_is_named_with_its_candidate_before_any_training(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("unseen.choosing.choose.sweep.run", lambda *_, **__: pytest.fail("it began"))
    file = tmp_path / "mine.py"
    file.write_text(
        "from unseen.transforms import Transform\n"
        'half = Transform("half", lambda x, w: x[..., 1:], {"a": (0.0, 1.0)}, kind="light")\n'
    )
    with pytest.raises(InputError, match=r'candidate bold: transformation "half" gave .*; expected the same shape'):
        choose({"erm": {"K": 0}, "bold": {**ROUNDS, "over": f"{file}:half"}}, SHARED, out=tmp_path / "out")


def test_a_choice_that_the_seeds_decide_says_no_more():
    choice = scored(low={0: 0.5, 1: 0.5, 2: 0.5}, high={0: 0.7, 1: 0.71, 2: 0.69})
    assert choice.why.endswith("points against the next, low (3 seeds).")


def scored(**scores: dict[int, float]) -> Choice:
    """A choice between candidates whose score under every kind is the one given for the seed."""
    (request, *_) = (t.request for t in plan({"erm": {"K": 0}}, SHARED, Path("out"), 1))
    return Choice(
        [
            Trial(name, kind, seed, request, score + 0.01 * i)
            for name, by_seed in scores.items()
            for seed, score in by_seed.items()
            for i, kind in enumerate(KINDS)
        ]
    )


def test_the_candidate_with_the_highest_mean_over_kinds_and_seeds_is_chosen():
    choice = scored(low={0: 0.5, 1: 0.5}, high={0: 0.6, 1: 0.7}, middle={0: 0.9, 1: 0.2})
    assert choice.candidates == ["high", "middle", "low"]
    assert choice.criterion("low") == pytest.approx({0: 0.515, 1: 0.515})
    assert choice.why.startswith("high: 66.5% under kinds it was trained without, +10.0")
    assert choice.why.endswith("next, middle (2 seeds). These seeds don't tell the two apart: raise --seeds.")
    assert [row[:3] for row in choice.sheet().rows] == [
        ("high", "2", "66.5"), ("middle", "2", "56.5"), ("low", "2", "51.5"),
    ]  # fmt: skip


def test_a_candidate_that_was_not_judged_under_every_kind_does_not_count():
    whole = scored(high={0: 0.9}, low={0: 0.5})
    partly = Choice([t for t in whole.trials if (t.candidate, t.kind) != ("high", KINDS[0])])
    assert partly.candidates == ["low"]
    assert partly.why == "low: 51.5% under kinds it was trained without, the only candidate."
    with pytest.raises(InputError, match="no candidate was judged under every kind"):
        _ = Choice([t for t in partly.trials if t.kind != KINDS[0]]).chosen


@pytest.mark.parametrize("text", ["K = 1\n", "candidates = 3\n", "[candidates]\nstrong = 2\n"])
def test_a_file_without_candidates_is_refused(tmp_path, text):
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(InputError, match=r"expected a table \[candidates.NAME\] for each candidate"):
        read_candidates(tmp_path / "c.toml")


def test_the_command_trains_judges_and_says_what_it_chose_and_why(shell, tmp_path, monkeypatch):
    monkeypatch.setattr("unseen.runs.job.HELD_OUT", {})
    (tmp_path / "c.toml").write_text(
        'source = "mnist5k-train"\nimages = 200\nhold_out = 0.2\nwidth = 0.05\nT = 8\nwatch = []\n'
        'precision = "float32"\ndevice = "cpu"\nalpha = 1e-3\n'
        '[candidates.erm]\nK = 0\n[candidates.drawn]\nK = 0\naugment = ["colour", "affine"]\n'
    )
    code, said = shell("choose", "c.toml", "--jobs", 1)
    assert code == 0, said
    assert "2 candidates, 4 trainings in choices/c" in said
    assert all(kind in said for kind in KINDS)
    chosen = said.partition("Chosen: ")[2].partition(":")[0]
    assert chosen in ("erm", "drawn")
    assert "points against the next" in said
    assert len((tmp_path / "choices/c/choice.jsonl").read_text().splitlines()) == 8
    again = shell("choose", "c.toml", "--jobs", 1, "--no-train")
    assert again[1].partition("Candidate")[2] == said.partition("Candidate")[2]
