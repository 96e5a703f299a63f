import shutil

import pytest
from configs import rewrite

from unseen.errors import InputError, RunFolderError
from unseen.reporting.finished.labels import everything_set
from unseen.reporting.finished.methods import baseline_of, other_settings, read_methods


def change(folder, **changes):
    """Rewrite settings in a run's config, as if it had been made with them."""

    def changed(config):
        for name, value in changes.items():
            if name in config["ada"]:
                config["ada"][name] = value
            elif name == "dropout":
                config["job"] = {"source": "bars", "model": "convnet", "dropout": value}
            else:
                config[name] = value

    rewrite(folder, changed)


def variant(runs, name, base="ada-0", **changes):
    shutil.copytree(runs / base, runs / name)
    change(runs / name, **changes)
    return runs / name


def labels(*folders):
    return [method.label for method in read_methods(folders)]


def test_runs_that_differ_in_the_seed_only_are_one_method(runs):
    erm, ada = read_methods([runs / name for name in ("ada-1", "erm-1", "ada-0", "erm-0")])
    assert (erm.label, erm.name, erm.seeds, erm.style) == ("ERM", "ERM", [0, 1], 0)
    assert (ada.label, ada.name, ada.seeds, ada.style) == ("ADA (K=2, γ=1)", "ADA", [0, 1], 1)
    assert baseline_of([erm, ada]) is erm
    assert baseline_of([ada]) is None


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({"gamma": 10.0}, "ADA (K=2, γ=10)"),
        ({"cost": "pixel"}, "ADA (K=2, γ=1, pixel cost)"),
        ({"scale": "paper", "ridge": 0.01}, "ADA (K=2, γ=1, paper scale, ridge 0.01)"),
        ({"dropout": 0.5, "K": 0}, "ERM (dropout 0.5)"),
    ],
)
def test_a_label_has_the_settings_that_matter(runs, changes, label):
    assert label in labels(runs / "ada-0", variant(runs, "other", **changes))


@pytest.mark.parametrize(
    ("base", "changes", "label"),
    [
        ("ada-0", {"over": "standard", "K": 20, "spread": True, "T": 6000}, "ADA over standard transformations (K=20)"),
        ("ada-0", {"over": ["standard", "pixels"], "entropy": 1.0}, "ADA over standard and pixels (K=2, entropy 1)"),
        ("ada-0", {"over": ["affine", "hue", "tone", "warp"]}, "ADA over affine, hue and 2 more (K=2)"),
        (
            "ada-0",
            {"over": "standard", "T_max": 0, "gamma": 3.0},
            "ADA over standard transformations (K=2, γ=3, no ascent)",
        ),
        ("ada-0", {"over": "standard", "strength": 0.5}, "ADA over standard transformations (K=2, strength 0.5)"),
        ("ada-0", {"augment": "jitter", "consistency": 2.0}, "ADA + jitter drawn (K=2, γ=1, consistency 2)"),
        ("erm-0", {"augment": "standard"}, "ERM + standard drawn"),
        ("erm-0", {"contrast": 0.1, "confidence_penalty": 0.2}, "ERM (confidence penalty 0.2, contrast 0.1)"),
    ],
)
def test_a_label_says_what_moves_and_what_is_added(runs, base, changes, label):
    assert labels(runs / "ada-0", runs / "erm-0", variant(runs, "other", base, **changes)).count(label) == 1


def test_a_name_is_the_label_without_its_numbers_where_that_is_enough(runs):
    over = variant(runs, "over", over="standard")
    drawn = variant(runs, "drawn", "erm-0", augment="standard")
    methods = read_methods([over, drawn, runs / "erm-0", runs / "ada-0"])
    assert [method.name for method in methods] == [
        "ERM",
        "ERM + standard drawn",
        "ADA",
        "ADA over standard transformations",
    ]
    assert baseline_of(methods).label == "ERM"


@pytest.mark.parametrize(
    ("base", "changes"),
    [
        ("ada-0", {"links": 1, "strength": 0.3, "start": "identity", "step": 0.1, "augment_share": 0.9}),
        ("erm-0", {"links": 1, "strength": 0.3, "augment_share": 0.9, "keep": 1, "spread": True, "sampling": "source"}),
    ],
)
def test_settings_of_transformations_mean_nothing_where_there_are_none(runs, base, changes):
    other = variant(runs, "other", base, seed=9, **changes)
    assert [method.seeds for method in read_methods([runs / base, other])] == [[0, 9]]


def test_settings_of_pixels_mean_nothing_where_transformations_move(runs):
    one = variant(runs, "one", over="standard", eta=1.0)
    other = variant(runs, "other", over="standard", eta=7.0, seed=9)
    assert [method.seeds for method in read_methods([one, other])] == [[0, 9]]


def test_two_of_one_name_are_told_apart_by_what_they_move(runs):
    one, other = (variant(runs, each, over=["affine", "hue", "tone", each]) for each in ("warp", "shade"))
    assert labels(one, other) == [
        "ADA over affine, hue and 2 more (K=2, over=affine+hue+tone+shade)",
        "ADA over affine, hue and 2 more (K=2, over=affine+hue+tone+warp)",
    ]


def test_everything_that_was_set_leaves_out_what_is_off(runs):
    (method,) = read_methods([variant(runs, "other", over=["standard", "pixels"], entropy=0.5)])
    said = everything_set(method.settings).split(", ")
    assert {"over=standard+pixels", "entropy=0.5", "K=2"} <= set(said)
    assert not {word.partition("=")[0] for word in said} & {"ridge", "contrast", "keep", "spread", "shapes"}


def test_other_settings_are_named_where_labels_would_be_the_same(runs):
    assert labels(runs / "ada-0", variant(runs, "other", T_max=7)) == [
        "ADA (K=2, γ=1, T_max=2)",
        "ADA (K=2, γ=1, T_max=7)",
    ]


def test_settings_of_rounds_mean_nothing_without_rounds(runs):
    other = variant(runs, "other", "erm-0", gamma=7.0, n=3, seed=9)
    assert [method.seeds for method in read_methods([runs / "erm-0", other])] == [[0, 9]]


def test_n_left_out_is_n_of_the_sources_size(runs):
    other = variant(runs, "other", n=None, seed=9)
    assert [method.seeds for method in read_methods([runs / "ada-0", other])] == [[0, 9]]


def test_plain_erm_is_the_baseline_whatever_the_order(runs):
    ridge = variant(runs, "ridge", "erm-0", ridge=0.1)
    methods = read_methods([ridge, runs / "ada-0", runs / "erm-0"])
    assert [method.label for method in methods] == ["ERM", "ERM (ridge 0.1)", "ADA (K=2, γ=1)"]
    assert [method.name for method in methods] == ["ERM", "ERM (ridge 0.1)", "ADA"]
    assert baseline_of(methods) is methods[0]


def test_a_comparison_of_other_settings_trainings_is_named(runs):
    erm, ada = read_methods([runs / "erm-0", variant(runs, "long", T=6000)])
    assert other_settings(ada, erm) == ["T (6,000 and 6)"]
    erm, ada = read_methods([runs / "erm-0", variant(runs, "cosine", schedule="cosine")])
    assert other_settings(ada, erm) == ["schedule (cosine and constant)"]


def test_runs_on_different_sources_are_refused(runs):
    other = variant(runs, "other", source={"name": "elsewhere", "images": 3, "classes": ["a"], "sha256": "0"})
    with pytest.raises(InputError, match=r"got 2 sources: .*ada-0 on bars \(24 images at 8x8\); .*other on elsewhere"):
        read_methods([runs / "ada-0", other])


def test_the_same_run_twice_is_refused(runs):
    with pytest.raises(InputError, match="same seed 0: one would be counted twice"):
        read_methods([runs / "ada-0", runs / "ada-0"])


def test_an_unfinished_run_is_refused_with_the_command_that_resumes_it(runs):
    (runs / "ada-0" / "weights.safetensors").unlink()
    with pytest.raises(
        RunFolderError, match=r"ada-0 is not finished; resume with: unseen.fit\(\.\.\., folder=.*ada-0'"
    ):
        read_methods([runs / "erm-0", runs / "ada-0"])


def test_no_folder_is_refused():
    with pytest.raises(InputError, match="at least one"):
        read_methods([])
