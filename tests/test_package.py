"""The package's names: imported when they are first used, and typed as if they were imported at once."""

import ast
import json
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


FIRST_USES = (
    "from unseen import ADA, fit; import pickle; assert pickle.loads(pickle.dumps(ADA())) == ADA()",
    "import unseen; unseen.sweep.run, unseen.rules.RULES, unseen.theory.surrogate, unseen.models.ConvNet",
    "import unseen; unseen.errors.InputError, unseen.data, unseen.scenes",
    "from unseen import *; fit, rules.RULES",
    "from unseen import cli, scenes; cli.main",
)
EACH_IN_A_FORK = """
import json, os, sys, traceback
import lightning_fabric, torch  # which take seconds, and once is enough
assert "unseen" not in sys.modules
for code in json.loads(sys.argv[1]):
    if os.fork() == 0:
        try:
            exec(code, {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.fixture(scope="module")
def ends_of_first_uses() -> tuple[dict[str, str], str]:
    """The exit code of each, and all that was said."""
    command = [sys.executable, "-W", "error", "-c", EACH_IN_A_FORK, json.dumps(FIRST_USES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return dict(zip(FIRST_USES, done.stdout.split(), strict=True)), done.stderr


@pytest.mark.parametrize("code", FIRST_USES)
def test_names_and_rooms_are_found_when_they_are_first_used(ends_of_first_uses, code):
    ends, said = ends_of_first_uses
    assert ends[code] == "0", said


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


DOORS = {
    "open", "read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "mkdir", "unlink", "rmtree", "touch",
    "safe_open", "load_file", "save_file", "rename", "listdir", "scandir", "memmap", "fromfile", "tofile",
}  # fmt: skip
"""what reads or writes a file, by the last part of its name"""
ALSO_DOORS = {"open", "json.load", "tomllib.load", "np.load", "numpy.load", "torch.load", "torch.save", "os.replace"}
"""and by its whole name, since the last part alone means other things"""
MAY_OPEN = {
    "base": "the doors themselves, and what ``import unseen`` looks at before anything can be told",
    "cli/app.py": "sends what can't be printed nowhere",
    "engine/cpu.py": "what the kernel says of this machine, in /proc and /sys",
    "models/weight_files.py": "decodes inside a door of its own, with the words for weights of others",
    "deploy/play/drawing.py": "the page's own style sheet, which is part of the package",
    "paper/published.py": "the paper's numbers, which are part of the package",
    "paper/family/published.py": "others' numbers, which are part of the package",
    "sweep/shared_rounds.py": "renames a folder, inside the door out",
    "data/decoded.py": "asks the cache for its images, whose method is called open",
    "data/decoded_cache.py": "large files, written in pieces by several processes: its messages have the cache's words",
    "data/decoding.py": "one of those processes",
    "data/formats/image_file.py": "Pillow decodes what came through the door",
    "data/formats/npz.py": "a member of an archive that came through the door",
    "data/download/https.py": "opens an address",
    "data/download/fetch.py": "removes what pooch left, inside the partial file's door",
    "data/download/partial.py": "a file that grows, is locked and resumed: a door of its own, with the words for it",
    "data/download/unpack.py": "members of an archive, inside a door with the words for archives",
}


def opened(file: Path) -> list[str]:
    """Every call in a file that reads or writes files."""
    calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    return [
        f"{file.name}: {ast.unparse(node)}"
        for node in calls
        if (isinstance(node, ast.Attribute) and node.attr in DOORS) or ast.unparse(node) in ALSO_DOORS
    ]


def test_files_are_read_and_written_through_the_doors_alone():
    """One place turns what is wrong with a file into a message: ``base.reading`` and ``base.writing``."""
    source = Path(unseen.__file__).parent
    files = {str(file.relative_to(source)): file for file in source.rglob("*.py")}
    ruled = {n: f for n, f in files.items() if n.partition("/")[0] != "base"}
    assert not [call for name, file in ruled.items() if name not in MAY_OPEN for call in opened(file)]
    for name in MAY_OPEN.keys() - {"base"}:
        assert opened(files[name]), f"{name} needs no exception any more"
