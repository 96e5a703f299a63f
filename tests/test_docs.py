"""The snippets of the README and the docs run, top to bottom, as a reader would paste them."""

import math
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
import torch
from PIL import Image

import unseen
from unseen.runs.job import Job
from unseen.runs.request import read_request

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def write_photographs(root: Path) -> None:
    generator = torch.Generator().manual_seed(0)
    for place in ("studio", "street"):
        for label in ("cup", "key", "shoe"):
            folder = root / "photos" / place / label
            folder.mkdir(parents=True)
            for i in range(6):
                pixels = torch.randint(256, (48, 40, 3), generator=generator, dtype=torch.uint8)
                Image.fromarray(pixels.numpy()).save(folder / f"{i}.jpg")


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda page: page.name)
def test_every_python_snippet_of_a_page_runs_in_the_order_it_is_read(page, tmp_path):
    if "timm" in page.read_text():
        pytest.importorskip("timm", reason="the README's own-model snippet needs timm")
    write_photographs(tmp_path)
    (tmp_path / "pasted.py").write_text("\n".join(blocks(page, "python")))
    done = subprocess.run(
        [sys.executable, "-W", "error", "pasted.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_setting_is_in_the_list_of_settings_with_its_default():
    text = (ROOT / "docs/settings.md").read_text()
    for kind in (unseen.ADA, Job, unseen.Cadence):
        for field in fields(kind):
            assert f"| `{field.name}` |" in text, field.name
    for field in fields(unseen.ADA):
        if isinstance(field.default, str):
            assert f'| `{field.name}` | "{field.default}" |' in text


def test_the_readme_applies_unseen_to_an_own_model_in_about_ten_lines():
    lines = [line for line in blocks(ROOT / "README.md", "python")[0].splitlines() if line.strip()]
    assert len(lines) <= 12


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "toml")], ids=lambda page: page.name)
def test_every_config_file_shown_is_one_that_train_or_sweep_takes(page, tmp_path):
    for i, text in enumerate(blocks(page, "toml")):
        file = tmp_path / f"{i}.toml"
        file.write_text(text)
        given = tomllib.loads(text)
        if "grid" in given:
            assert len(unseen.sweep.read_grid(file, None)) == math.prod(map(len, given["grid"].values()))
        else:
            assert read_request(file, {}).ada.gamma == given["gamma"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / link).exists(), link


def test_every_public_name_has_a_docstring():
    for name in unseen.__all__:
        assert getattr(unseen, name).__doc__, name
