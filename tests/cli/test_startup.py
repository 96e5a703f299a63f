"""What the command line answers at once: help, version, completion and mistakes, none of which needs torch."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.main import get_command

from unseen.cli.app import app

HEAVY = ("torch", "numpy", "scipy", "sklearn", "matplotlib", "lightning_fabric", "joblib", "torchvision", "PIL")
VERBS = tuple(get_command(app).commands)

ASK = """
import json, sys
from unseen.cli import main

heavy, answers = json.loads(sys.argv[1]), {}
for line in sys.argv[2:]:
    sys.argv = ["unseen", *line.split()]
    try:
        main()
    except SystemExit as stopped:
        answers[line] = [stopped.code, [name for name in heavy if name in sys.modules]]
print("\\n" + json.dumps(answers))
"""


def ask(*lines: str, **environment: str) -> tuple[dict[str, list], str]:
    """The exit code of each command line and which heavy packages were imported by then; all that was printed."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps(HEAVY), *lines],
        capture_output=True, text=True, check=True, env=os.environ | environment,
    )  # fmt: skip
    *printed, answers = done.stdout.splitlines()
    return json.loads(answers), "\n".join(printed) + done.stderr


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["--version"], 0),
        (["--help", *(f"{verb} --help" for verb in VERBS)], 0),
        (["trian", "--gama", "train --gama 1", "train --gamma big", "ensemble", "download"], 2),
    ],
    ids=["version", "help", "mistakes"],
)
def test_is_answered_without_importing_torch(lines, code):
    answers, _ = ask(*lines)
    assert answers == {line: [code, []] for line in lines}


def test_a_wrong_flag_is_one_message_with_the_nearest_one():
    _, printed = ask("train --gama 1")
    assert "Try" in printed
    assert "No such option: --gama" in printed
    assert "--gamma" in printed


def test_the_version_is_that_of_the_installed_package(shell):
    assert shell("--version") == (0, f"unseen {version('unseen')}\n")


def test_a_completion_script_is_shown_for_the_shell_one_is_in(tmp_path):
    program = tmp_path / "unseen"
    program.write_text(f"#!{sys.executable}\nfrom unseen.cli import main\nmain()\n")
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", f"{program} --show-completion bash; exit $?"], capture_output=True, text=True, check=True
    )
    assert "complete -o default -F _unseen_completion unseen" in done.stdout


def test_a_shell_is_given_the_verbs_without_importing_torch():
    answers, printed = ask("", _UNSEEN_COMPLETE="complete_bash", COMP_WORDS="unseen re", COMP_CWORD="1")
    assert answers == {"": [0, []]}
    assert printed.split() == ["report", "reproduce", "results"]


def test_the_help_names_the_options_that_concern_no_verb(shell):
    text = shell("--help")[1]
    for option in ("--version", "--install-completion", "--show-completion"):
        assert option in text


def test_the_names_of_the_rules_in_the_help_are_the_rules_there_are():
    from unseen.ensembles import rule_names, rules

    assert tuple(rules.PIXEL_RULES) == rule_names.NAMES
    assert rules.DEFAULT in rules.RULES
