"""The page in a real Chromium: a picture goes in, the answer comes out, a slider moves it, a wrong file gets a message.

The command runs as a person starts it, in a process of its own that ends at the first step to another machine.
"""

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from unseen.base.extras import global_generator_kept

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SECONDS = 120
"""a busy machine takes its time"""


def _gradio() -> int:
    try:
        return int(metadata.version("gradio").partition(".")[0])
    except metadata.PackageNotFoundError:
        return 0


pytestmark = [
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}: apt-get install chromium"),
    pytest.mark.skipif(_gradio() < 6, reason="Gradio 6 is not installed: pip install 'unseen[play]'"),
]

GUARDED = """
import os, sys

def stay_here(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        address = arguments[1] if event == "socket.connect" else arguments
        host = address[0] if isinstance(address, tuple) else address
        if host not in ("127.0.0.1", "localhost", "::1", b"127.0.0.1", None):
            print(f"LEFT THIS MACHINE: {event} {host}", file=sys.stderr, flush=True)
            os._exit(99)

sys.addaudithook(stay_here)
from unseen.cli import main
main()
"""


@pytest.fixture(scope="module")
def address(runs) -> Iterator[str]:
    """Where the page is, while ``unseen play`` runs."""
    command = [sys.executable, "-c", GUARDED, "play", str(runs / "erm"), str(runs / "ada"), "--no-browser"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "http_proxy": "http://192.0.2.1:9", "COLUMNS": "200"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        select.select([process.stdout], [], [], SECONDS)
        line = process.stdout.readline() if process.poll() is None else ""
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        try:
            if found is None:
                process.kill()
                pytest.fail(f"no page: {line!r} {process.communicate()[1]}")
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=SECONDS)
    assert "LEFT THIS MACHINE" not in errors, errors
    assert "Traceback" not in errors, errors
    assert "Closed." in out
    assert process.returncode == 0


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with global_generator_kept(), sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(address, browser) -> Iterator["sync_api.Page"]:
    """The page in the browser; everything that it fetches comes from this machine."""
    fetched: list[str] = []
    with global_generator_kept():  # playwright numbers its files by it
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.on("request", lambda request: fetched.append(request.url))
        page.set_default_timeout(1000 * SECONDS)
        page.goto(address)
        page.wait_for_selector("#picture input[type=file]", state="attached")
        yield page
        page.close()
    assert [url for url in fetched if not url.startswith((address, "data:", "blob:"))] == []


def answers(page) -> str:
    return page.locator("#answers").inner_text()


def test_wrong_files_a_picture_a_slider_and_a_fictitious_image(page, photos, tmp_path):
    for name in ("notes.txt", "broken.png"):
        (tmp_path / name).write_text("no picture at all")
    page.locator("#picture input[type=file]").set_input_files(tmp_path / "notes.txt")
    page.wait_for_selector("text=Invalid file type")
    page.locator("#picture input[type=file]").set_input_files(tmp_path / "broken.png")
    page.wait_for_selector("#problem [role=alert]")
    assert "can't be read" in page.locator("#problem").inner_text()
    assert "Drop a picture" in answers(page)

    page.locator("#picture input[type=file]").set_input_files(photos / "dark" / "0.png")
    page.wait_for_selector("#answers .u-card")
    assert page.locator("#answers .u-card").count() == 3
    for words in ("ERM", "ADA over affine and tone", "ensemble", "dark", "grey", "light", "%"):
        assert words in answers(page)
    assert page.locator("#problem [role=alert]").count() == 0
    assert page.locator("#label input").input_value() == "dark"
    page.wait_for_selector("#strip-affine-shift polyline")

    before = answers(page)
    number = page.locator("#exposure-gain input[type=number]")
    number.fill("1")
    number.press("Tab")
    page.wait_for_function("before => document.querySelector('#answers').innerText !== before", arg=before)
    page.wait_for_function("document.querySelector('#strip-exposure-gain .u-place').style.left === '100%'")

    page.locator("#make").click()
    page.wait_for_selector("#made img")
    assert page.locator("#made img").count() == 3
    made = page.locator("#made").inner_text()
    assert "2 ascent steps over affine, tone" in made
    assert "probability of dark" in made

    page.locator("#reset").click()
    page.wait_for_function("before => document.querySelector('#answers').innerText === before", arg=before)
    page.locator("#examples button").nth(2).click()
    page.wait_for_function("document.querySelector('#label input').value === 'light'")


def test_the_page_fits_a_narrow_screen(page, tmp_path):
    Image.fromarray(np.zeros((8, 300, 3), np.uint8)).save(tmp_path / "wide.png")
    page.set_viewport_size({"width": 400, "height": 800})
    page.locator("#picture input[type=file]").set_input_files(tmp_path / "wide.png")
    page.wait_for_selector("#answers .u-card")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
