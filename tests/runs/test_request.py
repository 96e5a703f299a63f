"""What `unseen train` was asked for."""

from pathlib import Path

import pytest

from unseen.errors import InputError
from unseen.runs.request import read_request


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "my.toml"
    file.write_text(text)
    return file


def test_no_file_and_no_flags_is_the_papers_training_on_the_built_in_digits():
    request = read_request(None, {})
    assert request.job.source == "mnist5k-train"
    assert (request.ada.K, request.ada.gamma, request.ada.T, request.seed) == (2, 1.0, 10_000, 0)
    assert request.out == Path("runs/mnist5k-train-ada-K2-gamma1-seed0")


def test_a_flag_wins_over_the_file_and_the_file_over_the_default(tmp_path):
    file = write(tmp_path, "gamma = 0.5\nK = 3\nseed = 7\n[cadence]\nsave = 100\n")
    request = read_request(file, {"gamma": 2.0, "K": None})
    assert (request.ada.gamma, request.ada.K, request.seed, request.cadence.save) == (2.0, 3, 7, 100)


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ({"K": 0}, "mnist5k-train-erm-seed0"),
        ({"gamma": 0.01, "seed": 4}, "mnist5k-train-ada-K2-gamma0.01-seed4"),
        ({"K": 0, "dropout": 0.5}, "mnist5k-train-erm-dropout0.5-seed0"),
        ({"source": "photos/studio"}, "studio-ada-K2-gamma1-seed0"),
    ],
)
def test_the_default_folder_is_named_after_what_people_vary(flags, name):
    assert read_request(None, flags).out == Path("runs") / name


def test_all_unknown_settings_are_refused_in_one_message_with_the_nearest_name(tmp_path):
    file = write(tmp_path, "gama = 1\nsorce = 'x'\n[cadence]\nsav = 3\n")
    with pytest.raises(InputError) as caught:
        read_request(file, {})
    message = str(caught.value)
    assert "my.toml: 3 problems" in message
    for nearest in ('"gamma"', '"source"', '"save"'):
        assert f"did you mean {nearest}?" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gamma = ", "not valid TOML"),
        ("seed = 'a'", "seed='a': expected a whole number"),
        ("seed = true", "seed=True: expected a whole number"),
        ("cadence = 3", "expected a table"),
        ("gamma = -1\neta = -2\ncost = 'semantik'", "3 problems"),
        ("threads = 0", "threads=0: expected a whole number, 1 or more"),
        ("device = 'abacus'", 'device="abacus"'),
        ("dropout = 'much'", "dropout='much'"),
        ("size = -3", "size=-3"),
        ("watch = 'typeset'", "watch='typeset'"),
        ("source = 3", "source=3"),
    ],
)
def test_a_wrong_value_is_refused_with_what_was_expected(tmp_path, text, expected):
    with pytest.raises(InputError) as caught:
        read_request(write(tmp_path, text), {})
    assert expected in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.toml.*expected a TOML file"):
        read_request(tmp_path / "absent.toml", {})


def test_paths_become_absolute_and_names_stay_names_even_where_a_folder_is_called_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("studio", "street", "mnist5k-train", "convnet"):
        Path(name).mkdir()
    Path("mine.py").touch()
    own = read_request(None, {"source": "studio", "model": "mine.py:make", "watch": ["street", "typeset"]}).job
    assert (own.source, own.model) == (f"{tmp_path}/studio", f"{tmp_path}/mine.py:make")
    assert own.watch == (f"{tmp_path}/street", "typeset")
    built_in = read_request(None, {"source": "mnist5k-train", "model": "convnet"}).job
    assert (built_in.source, built_in.model) == ("mnist5k-train", "convnet")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("gama", "gamma"),
        ("t_max", "T_max"),
        ("Tmin", "T_min"),
        ("learning_alpha", "alpha"),
        ("k", "K"),
        ("lr", "alpha"),
        ("batch-size", "batch"),
        ("steps", "T"),
        ("lambda", "gamma"),
    ],
)  # fmt: skip
def test_an_unknown_setting_is_refused_with_the_nearest(name, nearest):
    with pytest.raises(InputError) as caught:
        read_request(None, {name: 1})
    assert str(caught.value) == f'settings: unknown setting "{name}"; did you mean "{nearest}"?'


@pytest.mark.parametrize(
    ("name", "ours"),
    [("lr", "alpha"), ("learning_rate", "alpha"), ("batch_size", "batch"), ("ema", "average"), ("steps", "T")],
)
def test_the_words_of_other_libraries_are_pointed_to_ours(name, ours):
    with pytest.raises(InputError) as caught:
        read_request(None, {name: 1})
    assert str(caught.value) == f'settings: unknown setting "{name}"; did you mean "{ours}"?'


def test_a_run_is_the_same_whether_a_setting_that_is_off_is_given_or_not():
    off = {
        "optimizer": "adam",
        "validation": 0.0,
        "average": 0,
        "freeze_norms": False,
        "select": "last",
        "momentum": 0.9,
    }
    assert read_request(None, off).identity == read_request(None, {}).identity
    assert read_request(None, {"validation": 0.1}).identity != read_request(None, {}).identity


def test_lists_in_a_file_are_taken(tmp_path):
    text = 'schedule = "steps"\ndrops = [0.3, 0.6]\nclass_weights = [1, 2.5]\nfreeze = ["conv1"]\nsize = [8, 8]'
    ada = read_request(write(tmp_path, text), {}).ada
    assert (ada.drops, ada.class_weights, ada.freeze) == ((0.3, 0.6), (1, 2.5), ("conv1",))


def test_steps_and_epochs_are_not_both_taken():
    with pytest.raises(InputError, match="settings: T=10000 and epochs=3: both say how long; leave one out"):
        read_request(None, {"T": 10_000, "epochs": 3})


def test_a_setting_like_none_is_refused_with_all_there_are():
    with pytest.raises(
        InputError, match=r'unknown setting "zzz"; known are K, T, T_max, T_min, alpha, augment, augment_share, average'
    ):
        read_request(None, {"zzz": 1})


def test_unknown_settings_and_wrong_values_are_in_one_message():
    with pytest.raises(InputError) as caught:
        read_request(None, {"gama": 1, "eta": -1, "scale": "released"[::-1], "K": 9, "T_min": 10, "T": 20})
    first, *problems = str(caught.value).splitlines()
    assert first == "settings: 4 problems"
    for said in ('"gama"; did you mean "gamma"?', "eta=-1", 'scale="desaeler"', "K=9 rounds of T_min=10"):
        assert sum(said in problem for problem in problems) == 1, said


def test_what_is_wrong_with_a_flag_is_not_said_of_the_file_alone(tmp_path):
    file = write(tmp_path, "gamma = 1.0")
    with pytest.raises(InputError, match=rf"^{file} and the flags: K=-1: "):
        read_request(file, {"K": -1})
    with pytest.raises(InputError, match=rf"^{file}: K=-1: "):
        read_request(write(tmp_path, "K = -1"), {"gamma": None})


@pytest.mark.parametrize(
    ("text", "flags", "T", "epochs"), [("T = 4", {"epochs": 2}, None, 2), ("epochs = 2", {"T": 4}, 4, None)]
)
def test_a_flag_that_says_how_long_wins_over_the_file_by_either_name(tmp_path, text, flags, T, epochs):
    ada = read_request(write(tmp_path, text), {"K": 0, **flags}).ada
    assert ada.epochs == epochs
    assert T is None or ada.T == T


def test_the_mark_that_windows_puts_before_a_text_is_no_setting(tmp_path):
    assert read_request(write(tmp_path, "\ufeffK = 0"), {}).ada.K == 0


def test_how_often_a_run_is_saved_by_time_makes_it_no_other_run():
    often, seldom = (read_request(None, {"cadence": {"minutes": minutes}}) for minutes in (1, 60))
    assert often.identity == seldom.identity == read_request(None, {}).identity
    assert often.cadence == seldom.cadence
    with pytest.raises(InputError, match=r"minutes=0: expected a number above 0"):
        read_request(None, {"cadence": {"minutes": 0}})
