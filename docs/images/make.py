"""Makes the pictures of the docs from built-in data, short trainings and results/.

``python docs/images/make.py [NAME ...]``, with ``unseen[test]`` installed. The diagrams are in diagrams.py.
``python docs/images/make.py report demo/report.html`` takes the page of ``make demo``, and needs Chromium.
``python docs/images/make.py play http://127.0.0.1:7860`` takes the page of a running ``unseen play``, and needs it too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import torch
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor, nn

import unseen
from unseen.reporting.kit.contact import contact_sheet
from unseen.reporting.kit.links import how_far, in_words

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "results"

plt.rcParams |= {"font.size": 11, "font.family": "DejaVu Sans", "svg.hashsalt": "unseen", "axes.axisbelow": True}


def sheet(
    rows: dict[str, Tensor], width: float, *, left: float = 0.19, gaps: tuple[int, ...] = (), sharp: bool = False
) -> plt.Figure:
    """Rows of images, (N, 3, H, W) each, with a name on the left; before the rows in ``gaps`` there is some space.

    The names take the share ``left`` of the width.
    """
    count = len(next(iter(rows.values())))
    shape = next(iter(rows.values())).shape
    side = width * (1 - left) / count
    tall = side * shape[2] / shape[3]
    height = tall * len(rows) + 0.18 * len(gaps)
    figure = plt.figure(figsize=(width, height))
    y = 1.0
    for i, (name, images) in enumerate(rows.items()):
        y -= (tall + 0.18 * (i in gaps)) / height
        figure.text(0.005, y + tall / height / 2, name, va="center", linespacing=1.35)
        for j, image in enumerate(images.clamp(0, 1)):
            axes = figure.add_axes((left + j * (1 - left) / count, y, (1 - left) / count * 0.97, tall / height * 0.97))
            axes.imshow(image.movedim(0, 2).numpy(), interpolation="nearest" if sharp else "antialiased")
            axes.axis("off")
    return figure


def change(x: Tensor, x0: Tensor, times: float | Tensor) -> Tensor:
    """The difference of two images on mid-grey, so many times as strong."""
    return 0.5 + times * (x - x0)


def overview() -> None:
    """Originals, what the ascent makes of them, and the unseen domains: the README's picture."""
    digits = unseen.domain("mnist5k-train")
    rows = torch.tensor([int((digits.labels == label).nonzero()[3]) for label in range(10)])
    x0, y = digits.images[rows], digits.labels[rows]
    net = unseen.fit(unseen.models.ConvNet(width=0.5), digits, unseen.ERM(T=100), seed=0).net
    released = unseen.ascend(net, x0, y, unseen.ADA())
    text = unseen.ascend(net, x0, y, unseen.ADA(scale="paper"))
    transformed = unseen.ascend(net, x0, y, unseen.ADA(over="standard", T_max=5))
    rows_of = {
        "Trained on\nMNIST": x0,
        "Fictitious,\ntransformations": transformed,
        "Fictitious, pixels\n(default)": released,
        "What changed,\n50 times as strong": change(released, x0, 50),
        'Fictitious, pixels,\nscale="paper"': text,
    }
    for name in ("photo-blend", "typeset", "uci-8x8"):
        domain = unseen.domain(name)
        first = torch.stack([(domain.labels == label).nonzero()[2][0] for label in range(10)])
        rows_of[f"Unseen:\n{name}"] = domain.images[first]
    sheet(rows_of, 9, gaps=(1, 5), sharp=True).savefig(HERE / "overview.png", dpi=130)


def photos() -> None:
    """Crops of scikit-learn's two photographs, two classes, and what the ascent makes of them."""
    from sklearn.datasets import load_sample_images

    draw = torch.Generator().manual_seed(0)
    crops, labels = [], []
    for label, photograph in enumerate(load_sample_images().images):
        pixels = torch.from_numpy(photograph.copy()).movedim(2, 0).float() / 255
        for _ in range(24):
            top, left = (int(torch.randint(pixels.shape[d] - 224, (), generator=draw)) for d in (1, 2))
            crops.append(pixels[:, top : top + 224 : 2, left : left + 224 : 2])
            labels.append(label)
    domain = unseen.Domain("photographs", torch.stack(crops), torch.tensor(labels), ("temple", "flower"))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        widths = [3, 16, 32, 64]
        body = [layer for a, b in pairwise(widths) for layer in (nn.Conv2d(a, b, 5, stride=2), nn.GELU())]
        model = nn.Sequential(*body, nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(1024, 2))
    net = unseen.fit(model, domain, unseen.ERM(T=30, batch=16), seed=0).net
    shown = [0, 5, 27, 29]
    x0, y = domain.images[shown], domain.labels[shown]
    x = unseen.ascend(net, x0, y, unseen.ADA(batch=16))
    enlarged = change(x, x0, 0.5 / (x - x0).abs().flatten(1).amax(1)[:, None, None, None])
    rows = {"Photographs": x0, "Fictitious,\ndefault settings": x, "What changed,\nenlarged": enlarged}
    sheet(rows, 9).savefig(HERE / "photos.jpg", dpi=110, pil_kwargs={"quality": 82})


def coloured(masks: Tensor) -> Tensor:
    """Masks as images, a colour for each class, black where nothing is labelled."""
    colours = torch.tensor([plt.get_cmap("tab20")(i)[:3] for i in range(20)] + [(0.0, 0.0, 0.0)])
    return colours[masks.long().clamp(max=20)].movedim(3, 1)


def masks() -> None:
    """Street scenes with their masks, at dawn and at night."""
    dawn, night = (unseen.domain(f"highway-{when}", images=3) for when in ("dawn", "night"))
    rows = {"highway-dawn": dawn.images, "Its masks": coloured(dawn.labels), "highway-night": night.images}
    sheet(rows, 9).savefig(HERE / "masks.jpg", dpi=110, pil_kwargs={"quality": 82})


def scenes() -> None:
    """The fifteen built-in street domains on one sheet."""
    rows = {}
    for place in ("highway", "new-york", "old-town"):
        conditions = ("dawn", "fog", "night", "spring", "winter")
        rows[place] = torch.stack([unseen.domain(f"{place}-{when}", images=3).images[2] for when in conditions])
    left = 0.09
    figure = sheet(rows, 11, left=left)
    for j, condition in enumerate(conditions):
        figure.text(left + (j + 0.5) * (1 - left) / 5, 1.02, condition, ha="center")
    figure.savefig(HERE / "scenes.jpg", dpi=120, bbox_inches="tight", pad_inches=0.05, pil_kwargs={"quality": 84})


def streets() -> None:
    """What the ascent makes of street scenes, with a short training of the small network."""
    domain = unseen.domain("highway-dawn", size=(96, 160), images=24)
    ada = unseen.ADA(K=0, T=150, batch=8, eta=2.0, T_max=50)
    net = unseen.fit(unseen.models.FCN(len(domain.classes), body="resnet18"), domain, ada, seed=0).net
    x0, y = domain.images[:3], domain.labels[:3]
    x = unseen.ascend(net, x0, y, ada)
    with torch.no_grad():
        before, after = (net(images).argmax(1) for images in (x0, x))
    rows = {
        "highway-dawn": x0, "Fictitious": x, "What changed,\n5 times as strong": change(x, x0, 5),
        "Answers for\nthe originals": coloured(before), "Answers for\nthe fictitious": coloured(after),
    }  # fmt: skip
    sheet(rows, 9).savefig(HERE / "streets.jpg", dpi=110, pil_kwargs={"quality": 82})


def transforms() -> None:
    """Every transformation, at four shares of a draw from its range: on a digit and on a street scene."""
    digit = unseen.domain("mnist5k-train").images[2100:2101]
    scene = unseen.domain("highway-spring", size=(60, 100), images=3).images[2:]
    shares, draw = (0, 1 / 3, 2 / 3, 1), torch.Generator().manual_seed(11)
    every = [*unseen.transforms.named(["standard", "jitter", "everything", "randconv"])]
    left, tall, wide, top = 92, 68, 2 * 32 + 4, 26
    page = Image.new("RGB", (left + 4 * wide + 4 * 104, top + tall * len(every)), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.truetype(f"{mpl.get_data_path()}/fonts/ttf/DejaVuSans.ttf", 13)
    for j, word in enumerate(("0", "1/3", "2/3", "1") * 2):
        x = left + (j * wide + 26 if j < 4 else 4 * wide + (j - 4) * 104 + 44)
        pen.text((x, 5), word, fill="black", font=font)
    for i, each in enumerate(every):
        w = each.drawn(1, draw)
        bounds = torch.where(w < 0, -each.bounds[0], each.bounds[1])
        w = w / (w / bounds).abs().max()  # so that one parameter reaches the end of its range
        pen.text((4, top + tall * i + 24), each.name, fill="black", font=font)
        for j, share in enumerate(shares):
            for x, image, times in ((left + j * wide, digit, 2), (left + 4 * wide + j * 104, scene, 1)):
                pixels = (each(image, share * w)[0].clamp(0, 1) * 255).byte().movedim(0, 2)
                small = Image.fromarray(pixels.numpy())
                large = small.resize((small.width * times, small.height * times), Image.Resampling.NEAREST)
                page.paste(large, (x, top + tall * i + (tall - large.height) // 2))
    page.quantize(256, dither=Image.Dither.NONE).save(HERE / "transforms.png", optimize=True)


def ascent() -> None:
    """Digits and streets before and after the ascent over transformations, with which ones and how far."""
    digits = unseen.domain("mnist5k-train")
    rows = torch.tensor([int((digits.labels == label).nonzero()[5]) for label in range(10)])
    net = unseen.fit(unseen.models.ConvNet(width=0.5), digits, unseen.ERM(T=300), seed=0).net
    _before_and_after(net, digits.images[rows], digits.labels[rows], "standard", 2, "ascent-digits.png")
    street = unseen.domain("highway-dawn", (96, 160), images=24)
    fcn = unseen.models.FCN(len(street.classes), body="resnet18", seed=0)
    net = unseen.fit(fcn, street, unseen.ERM(T=60, batch=8, alpha=1e-3), seed=0).net
    _before_and_after(net, street.images[:5], street.labels[:5], ("photometric", "affine"), 1, "ascent-streets.jpg")


def _before_and_after(net: nn.Module, x: Tensor, y: Tensor, over: str | tuple[str, ...], seed: int, name: str) -> None:
    ada = unseen.ADA(over=over, T_max=5)
    before = unseen.fictitious(net, x, y, replace(ada, T_max=0), seed=seed)
    after = unseen.fictitious(net, x, y, ada, seed=seed)
    words = [in_words(went) for went in how_far(ada.ascended, after.links)]
    images = {"original": x, "drawn": before.images, "after the ascent": after.images}
    contact_sheet(images, {"after the ascent": words}).savefig(HERE / name, dpi=100)


def rules() -> None:
    """Ensembles of seven gammas (K=4) under each rule, beside the mean of their members: results/digits.jsonl."""
    lines = [json.loads(line) for line in (RESULTS / "digits.jsonl").read_text().splitlines()]
    single = {line["run"]: line for line in lines if line["kind"] == "run"}
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in lines:
        if line["kind"] != "ensemble" or "-K4-" not in line["members"][0]:
            continue
        for score in line["scores"]:
            found[score["domain"], score["rule"]].append(score["accuracy"])
        for score in (score for member in line["members"] for score in single[member]["scores"]):
            found[score["domain"], "one member"].append(score["accuracy"])
    shown = ("one member", "greatest-softmax", "greatest-score", "mean-softmax", "majority-vote")
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.5), layout="constrained", sharey=True)
    for ax, domain in zip(axes, ("svhn-test", "mnist-m-test", "usps-test"), strict=True):
        means = [100 * sum(found[domain, rule]) / len(found[domain, rule]) for rule in shown]
        ax.barh(shown, means, color=["#a1a1aa", "#4338ca", *["#a5b4fc"] * 3], height=0.65)
        ax.set_xlim(0, 100)
        for i, mean in enumerate(means):
            ax.text(mean + 2, i, f"{mean:.1f}", va="center")
        ax.set_title(domain.removesuffix("-test").upper(), fontsize=11)
        ax.set_xlabel("accuracy, %")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    figure.savefig(HERE / "rules.svg", metadata={"Date": None})


def certificate() -> None:
    """The certificate of the network that the tutorial about the theory trains."""
    digits = unseen.domain("mnist5k-train").head(200)
    ada = unseen.ADA(T=60, T_min=20, T_max=3, K=2, n=50)
    run = unseen.fit(unseen.models.ConvNet(width=0.1), digits, ada, seed=0)
    curve = unseen.theory.certificate(run.net, digits, rho=torch.logspace(-4, 1, 40).tolist())
    figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
    ax.semilogx(curve.rho, curve.bound, color="#4338ca", label="bound: no distribution within the radius is worse")
    ax.semilogx(curve.rho, curve.attained, "--", color="#ea580c", label="attained: the worst that was found")
    ax.axhline(curve.loss, color="#71717a", linewidth=1, label="mean loss on the data itself")
    ax.set(xlabel="radius rho, in feature space", ylabel="mean loss", ylim=0)
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "certificate.svg", metadata={"Date": None})


def report(page: str) -> None:
    """A screenshot of the top of a report page."""
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "report.png"
        flags = "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking"
        command = ["chromium", *flags.split(), f"--user-data-dir={folder}/profile", "--window-size=1100,1500"]
        subprocess.run(
            [*command, f"--screenshot={shot}", Path(page).resolve().as_uri()], check=True, capture_output=True
        )
        Image.open(shot).convert("RGB").save(HERE / "report.jpg", quality=80)


def play(address: str) -> None:
    """A screenshot of the page of ``unseen play`` with its fourth example, turned to the left."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 1180})
        page.goto(f"{address}?__theme=light")
        page.locator("#examples button").nth(3).click()
        page.wait_for_selector("#strip-affine-shift polyline")
        page.locator("#affine-angle input[type=number]").fill("-0.4")
        page.locator("#affine-angle input[type=number]").press("Tab")
        page.wait_for_function("document.querySelector('#strip-affine-angle .u-place').style.left === '10%'")
        page.wait_for_timeout(5000)  # the other strips
        page.screenshot(path=HERE / "play.png")
        browser.close()


if __name__ == "__main__":
    pictures = [overview, photos, masks, scenes, streets, transforms, ascent, rules, certificate]
    named = {picture.__name__: picture for picture in pictures}
    match sys.argv[1:]:
        case ["report", page]:
            report(page)
        case ["play", address]:
            play(address)
        case names:
            for name in names or named:
                named[name]()
