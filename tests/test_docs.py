"""The README, the docs and the tutorials are true: what they show runs, and what they point at is there."""

import inspect
import math
import re
import shlex
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import fields
from pathlib import Path

import pytest
import torch
import typer
from PIL import Image

import unseen
from unseen.choosing.choose import plan, read_candidates
from unseen.cli.app import app
from unseen.runs.job import Job
from unseen.runs.request import read_request

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
WRITTEN = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")] + [
    *sorted((ROOT / "docs").glob("*.md")), *TUTORIALS,
]  # fmt: skip
READMES = [ROOT / folder / "README.md" for folder in ("experiments", "results", "benchmarks")]
BLOCK = re.compile(r"^```(python|console|toml)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ )?(?:torchrun .*-m )?unseen (.*)", re.MULTILINE)
AVOIDED = re.compile(r"\b(ours|plain (?:training|run|network)s?|climb(?:s|ed|ing)?|told|go(?:es)? on)\b", re.IGNORECASE)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text())


def with_blocks(language: str, pages: list[Path]) -> list[Path]:
    return [page for page in pages if any(kind == language for kind, _ in blocks(page))]


def commands(text: str) -> list[list[str]]:
    """The words of each ``unseen ...`` in a console block, without what only ends the example."""
    return [shlex.split(line, comments=True) for line in COMMAND.findall(text)]


@pytest.fixture
def folder(tmp_path) -> Iterator[Path]:
    """A folder to work in, with a few photographs, as a reader would have one."""
    generator = torch.Generator().manual_seed(0)
    for place in ("studio", "street"):
        for label in ("cup", "key", "shoe"):
            (tmp_path / "photos" / place / label).mkdir(parents=True)
            for i in range(6):
                pixels = torch.randint(256, (48, 40, 3), generator=generator, dtype=torch.uint8)
                Image.fromarray(pixels.numpy()).save(tmp_path / "photos" / place / label / f"{i}.jpg")
    with chdir(tmp_path):
        yield tmp_path


OTHER_LIBRARIES = ("timm", "pytorch_lightning", "accelerate")
"""that pages may import, and a test skips where they aren't installed"""


def run_python(text: str, page: Path, names: dict[str, object]) -> None:
    with torch.random.fork_rng(devices=[]):  # a reader's own code may draw from the global generator
        exec(compile(text, page.name, "exec"), names)


def need_libraries(page: Path) -> None:
    for name in OTHER_LIBRARIES:
        if re.search(rf"^(?:import|from) {name}\b", page.read_text(), re.MULTILINE):
            pytest.importorskip(name)


@pytest.mark.parametrize("page", TUTORIALS, ids=name_of)
def test_a_tutorial_runs_from_its_first_line_to_its_last(page, folder, shell):
    need_libraries(page)
    names: dict[str, object] = {"__name__": "__main__"}
    for language, text in blocks(page):
        if language == "python":
            run_python(text, page, names)
        elif language == "toml":
            Path(text.splitlines()[0].removeprefix("# ")).write_text(text)
        else:
            for words in commands(text):
                code, printed = shell(*(path for word in words for path in (sorted(folder.glob(word)) or [word])))
                assert code == 0, f"unseen {shlex.join(words)}: {printed}"


@pytest.mark.parametrize("page", with_blocks("python", sorted(set(WRITTEN) - set(TUTORIALS))), ids=name_of)
def test_every_python_snippet_of_a_page_runs_in_the_order_it_is_read(page, folder, capsys):
    need_libraries(page)
    code = "\n".join(text for language, text in blocks(page) if language == "python")
    with warnings.catch_warnings():
        if "pytorch_lightning" in code:  # it warns of its own use of torch, and of few workers
            warnings.simplefilter("ignore")
        run_python(code, page, {"__name__": "__main__"})
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", with_blocks("console", [*WRITTEN, *READMES]), ids=name_of)
def test_every_command_shown_has_a_verb_and_flags_that_exist(page):
    verbs = typer.main.get_command(app)
    top = typer.Context(verbs, info_name="unseen")
    for language, text in blocks(page):
        for verb, *words in commands(text) if language == "console" else []:
            command = verbs.get_command(top, verb)
            assert command is not None, verb
            context = typer.Context(command, info_name=verb)
            command.make_parser(context).parse_args(words)  # raises for a flag that isn't there or lacks its value


@pytest.mark.parametrize("page", with_blocks("toml", WRITTEN), ids=name_of)
def test_every_config_file_shown_is_one_that_train_sweep_or_choose_takes(page, tmp_path):
    for i, (_, text) in enumerate(block for block in blocks(page) if block[0] == "toml"):
        file = tmp_path / f"{i}.toml"
        file.write_text(text)
        given = tomllib.loads(text)
        if "grid" in given:
            assert len(unseen.sweep.read_grid(file, None)) == math.prod(map(len, given["grid"].values()))
        elif "candidates" in given:
            candidates, shared = read_candidates(file)
            assert {trial.candidate for trial in plan(candidates, shared, tmp_path, seeds=1)} == set(candidates)
        else:
            assert read_request(file, {}).ada.gamma == given["gamma"]


@pytest.mark.parametrize("page", [*WRITTEN, *READMES], ids=name_of)
def test_links_between_pages_lead_somewhere(page):
    for link, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)]+))?\)", page.read_text()):
        target = (page.parent / link) if link else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), f"{link}#{anchor}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    titles = re.findall(r"^#+ (.+)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(
    ("builder", "pages"), [("text", ["docs/api.txt"]), ("html", ["docs/api.html", "index.html"])], ids=["text", "html"]
)
def test_the_site_builds_without_a_warning(tmp_path, builder, pages):
    pytest.importorskip("sphinx")
    command = ["-m", "sphinx", "-b", builder, "-W", "--keep-going", "-q", "-c", "docs", ".", "SITE", "-d", "KEPT"]
    folders = {"SITE": str(tmp_path / "site"), "KEPT": str(tmp_path / "kept")}
    command = [sys.executable, *(folders.get(word, word) for word in command)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reference, *_ = written = [(tmp_path / "site" / page).read_text() for page in pages]
    assert all(written)
    assert "penalty on the distance" in " ".join(reference.split())  # the docstring of a field


def test_every_setting_is_in_the_list_of_settings_with_its_default():
    text = (ROOT / "docs/settings.md").read_text()
    for kind in (unseen.ADA, Job, unseen.Cadence):
        for field in fields(kind):
            assert f"| `{field.name}` |" in text, field.name
    for field in fields(unseen.ADA):
        if isinstance(field.default, str):
            assert f'| `{field.name}` | "{field.default}" |' in text


def test_the_readme_is_short_and_applies_unseen_to_an_own_model_in_about_ten_lines():
    readme = ROOT / "README.md"
    code = next(text for language, text in blocks(readme) if language == "python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 12
    assert len(readme.read_text().splitlines()) < 150


def test_every_public_name_has_a_docstring_and_is_in_the_reference():
    reference = (ROOT / "docs/api.md").read_text()
    modules = ("models", "rules", "sweep", "theory", "transforms")
    documented = {f"{name}": getattr(unseen, name) for name in unseen.__all__ if name not in modules}
    for module in (unseen.models, unseen.sweep, unseen.theory, unseen.transforms):
        documented |= {f"{module.__name__.split('.')[-1]}.{name}": getattr(module, name) for name in module.__all__}
    rules = {name: kind for name, kind in vars(unseen.rules).items() if inspect.isclass(kind)}
    documented |= {f"rules.{name}": kind for name, kind in rules.items() if issubclass(kind, unseen.rules.Rule)}
    for name, thing in documented.items():
        assert thing.__doc__, name
        assert re.search(rf":: unseen\.{re.escape(name)}\n", reference), name


def test_the_architecture_page_and_its_picture_show_the_rooms_that_there_are():
    package = ROOT / "src/unseen"
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rooms = [room.strip() for row in contracts[0]["layers"] for room in row.split("|")]
    picture = (ROOT / "docs/images/layers.svg").read_text()
    assert re.findall(r'class="name">(\w+)[/.]', picture) == rooms
    text = (ROOT / "docs/architecture.md").read_text()
    for path in re.findall(rf"`((?:{'|'.join(rooms)})/[\w/.]*)`", text):
        assert (package / path).exists(), path
    for path in re.findall(r"`(tests/[\w/.]*)`", text):
        assert (ROOT / path).exists(), path


UNWRITTEN = {"docs/results.md", "docs/streets.md", "docs/glossary.md"}  # generated; or has to name these words


@pytest.mark.parametrize("page", [page for page in WRITTEN if name_of(page) not in UNWRITTEN], ids=name_of)
def test_pages_keep_to_the_words_of_the_glossary(page):
    found = [match[0] for match in AVOIDED.finditer(page.read_text())]
    assert not found
