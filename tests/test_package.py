"""The package's names: imported when they are first used, and typed as if they were imported at once."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import unseen

ENGINES_ALONE = {"cpu", "cuda", "get_num_threads", "set_num_threads", "sched_getaffinity", "cpu_count"}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)


def imported_for_type_checkers() -> dict[str, str]:
    """Each name that a type checker sees in ``unseen``, with the module it is from."""
    tree = ast.parse(Path(unseen.__file__).read_text())
    block = next(n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    return {alias.name: str(line.module) for line in block.body for alias in line.names}


def test_import_unseen_imports_no_torch():
    done = run("import unseen, sys; print([name for name in ('torch', 'numpy', 'rich') if name in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


def test_type_checkers_and_python_find_the_same_names():
    seen = imported_for_type_checkers()
    assert sorted(seen) == sorted(unseen.__all__)
    rooms = {name for name, module in seen.items() if module == "unseen"}
    assert {name: module for name, module in seen.items() if name not in rooms} == unseen._HOMES
    for name in unseen.__all__:
        home = import_module(f"unseen.{name}" if name in rooms else seen[name])
        assert getattr(unseen, name) is (home if name in rooms else getattr(home, name))


@pytest.mark.parametrize(
    "code",
    [
        "from unseen import ADA, fit; import pickle; assert pickle.loads(pickle.dumps(ADA())) == ADA()",
        "import unseen; unseen.sweep.run, unseen.rules.RULES, unseen.theory.surrogate, unseen.models.ConvNet",
        "import unseen; unseen.errors.InputError, unseen.data, unseen.scenes",
        "from unseen import *; fit, rules.RULES",
        "from unseen import cli, scenes; cli.main",
    ],
)
def test_names_and_rooms_are_found_when_they_are_first_used(code):
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_the_names_are_listed_before_they_are_used():
    done = run("import unseen; assert set(unseen.__all__) <= set(dir(unseen)); assert 'fit' not in vars(unseen)")
    assert done.returncode == 0, done.stderr


def test_first_use_moves_no_global_generator():
    done = run(
        "import random, unseen\n"
        "before = random.getstate()\n"
        "for name in unseen.__all__:\n"
        "    getattr(unseen, name)\n"
        "assert random.getstate() == before"
    )
    assert done.returncode == 0, done.stderr


def test_a_wrong_name_is_an_attribute_error_with_the_nearest_right_one():
    assert not hasattr(unseen, "fot")
    assert not hasattr(unseen, "__wrapped__")
    with pytest.raises(ImportError, match="fot"):
        from unseen import fot  # noqa: F401
    assert (
        "AttributeError: module 'unseen' has no attribute 'fot'. Did you mean: 'fit'?"
        in run("import unseen; unseen.fot").stderr
    )


def test_devices_and_threads_are_the_engines_alone():
    """What import-linter can't see: tensors moved between devices, and threads counted, outside of the engine."""
    source = Path(unseen.__file__).parent
    found = [
        f"{file.relative_to(source)}: {ast.unparse(node)}"
        for file in source.rglob("*.py")
        if "engine" not in file.relative_to(source).parts
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ENGINES_ALONE
    ]
    assert not found
