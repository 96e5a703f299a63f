"""unseen reproduce, and unseen results."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from unseen.cli import app as frame
from unseen.errors import InputError
from unseen.paper.recipes import RECIPES


def run(*words: str) -> str:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(frame.app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_list_has_every_recipe() -> None:
    told = run("reproduce", "--list")
    assert all(name in told for name in RECIPES)
    assert run("reproduce") == told


def test_without_data_there_is_one_message_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSEEN_DATA", str(tmp_path))
    with pytest.raises(InputError, match="domains that this takes are missing") as caught:
        run("reproduce", "figure2b-top", "--seeds", "1", "--out", str(tmp_path / "out"))
    assert "--stand-ins" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_samples_of_the_stand_ins_are_drawn_on_a_machine_with_no_data(tmp_path: Path) -> None:
    told = run("reproduce", "figure1-top", "--stand-ins", "--out", str(tmp_path / "p"))
    assert "figure1-top.svg" in told
    assert (tmp_path / "p" / "figure1-top.png").exists()


@pytest.mark.parametrize("words", [("reproduce", "figure1-top", "--stand-ins"), ("demo",)], ids=lambda words: words[0])
def test_a_file_where_the_folder_should_go_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    result = CliRunner(env={"COLUMNS": "300"}).invoke(frame.app, [*words, "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "is a file" in result.output
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reproduce", "figure9"], 'no recipe is called "figure9"'),
        (["reproduce", "figure2b"], "there are figure2b-top, figure2b-middle and figure2b-bottom"),
        (["reproduce", "table1", "--stand-ins", "--without", "SYN"], "there is nothing to leave out"),
        (
            ["reproduce", "table1", "--scale", "smal"],
            '--scale smal: expected paper or small for table1; did you mean "small"',
        ),
        (["results", "no.jsonl"], "got no file; make some"),
        (
            ["reproduce", "figure2b-top", "--stand-ins", "--scale", "small", "--method", "EMR"],
            'for figure2b-top, got "EMR"; did you mean "ERM"',
        ),
        (["reproduce", "table1", "--without", "SYN,Svhn"], 'got "Svhn"; did you mean "SVHN"'),
        (["reproduce", "table1", "--without", "SVHN, MNIST-M", "--without", "SYN,USPS"], "no column would be left"),
    ],
)
def test_what_is_wrong_is_reported(words: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        run(*words)
    assert message in str(caught.value)


def test_a_method_like_no_other_lists_what_there_is_once() -> None:
    with pytest.raises(InputError) as caught:
        run("reproduce", "figure2b-top", "--stand-ins", "--scale", "small", "--method", "zzzz")
    assert str(caught.value).count("Dropout") == 1
