"""Draws the diagrams of the docs, layers, sweep, deploy and saving.svg: ``python docs/images/diagrams.py``."""

from html import escape
from pathlib import Path

HERE = Path(__file__).parent
STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#3f3f46}.name{font:600 14px ui-monospace,monospace;fill:#18181b}"
    ".line{fill:none;stroke:#52525b;stroke-width:2}</style>"
)

# From top to bottom. Rooms of one row know nothing of each other, except that data may know scenes.
LAYERS = [
    [("cli/", "verbs: they parse and call")],
    [("paper/", "the paper's figures and tables, as recipes")],
    [("choosing/", "settings chosen without a target"), ("deploy/", "predictions, exported graphs, hand-over")],
    [("reporting/", "pages, charts, tables, statistics; the diagnosis")],
    [("sweep/", "many runs"), ("adda/", "the baseline"), ("ensembles/", "members, rules")],
    [("runs/", "fit, the run folder, checkpoints, resume")],
    [("theory/", "Section 3, computed for a trained network")],
    [("scoring/", "accuracy, mIoU")],
    [("method/", "Algorithm 1, ascent, cost, pool, settings"), ("data/", "domains, formats, download")],
    [
        ("models/", "features | head; networks"),
        ("scenes/", "the street renderer"),
        ("transforms/", "what the ascent may move"),
    ],
    [("engine/", "device, precision, threads, ranks, the fast ascent")],
    [("base/", "files, checks, random generators, optional packages")],
    [("errors.py", "what can go wrong, with its exit code")],
]
HUES = ["#eef2ff"] * 4 + ["#ecfdf5"] * 4 + ["#fff7ed"] * 2 + ["#f4f4f5"] * 3


def box(x: float, y: float, width: float, height: float, hue: str, name: str, meaning: str = "") -> str:
    """A rounded box with a name and, below it, what it means."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="7" fill="{hue}" stroke="#a1a1aa"/>'
        f'<text x="{x + 14}" y="{y + 19}" class="name">{escape(name)}</text>'
        f'<text x="{x + 14}" y="{y + 36}">{escape(meaning)}</text>'
    )


def svg(width: int, height: int, label: str, drawn: list[str]) -> str:
    """The whole picture, on a white card, so that it can be read on a dark page, too."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{escape(label)}">{STYLE}<rect width="{width}" height="{height}" rx="10" fill="#fff"/>'
        f"{''.join(drawn)}</svg>\n"
    )


def layers() -> str:
    """The rooms of src/unseen, each above those it may import."""
    width, row, gap, left, top = 900, 46, 8, 96, 16
    height = top * 2 + len(LAYERS) * (row + gap) - gap
    bottom = height - top - 8
    drawn = [
        f'<path d="M48 {top + 4}V{bottom}" class="line"/>',
        f'<path d="M41 {bottom - 6}L48 {bottom + 6}L55 {bottom - 6}Z" fill="#52525b"/>',
        f'<text transform="translate(34 {height / 2}) rotate(-90)" text-anchor="middle">may import</text>',
    ]
    for i, (rooms, hue) in enumerate(zip(LAYERS, HUES, strict=True)):
        each = (width - left - top - gap * (len(rooms) - 1)) / len(rooms)
        for j, (name, meaning) in enumerate(rooms):
            drawn.append(box(left + j * (each + gap), top + i * (row + gap), each, row, hue, name, meaning))
    return svg(width, height, "The layers of unseen: a room may import only rooms below it", drawn)


def sweep() -> str:
    """Three runs that differ only in K, and the rounds they share."""
    drawn = []
    for i in range(3):
        x = 16 + i * 190
        drawn.append(box(x, 24, 150, 46, "#fff7ed", f"round {i + 1}", "made once, shared"))
        if i < 2:
            drawn.append(f'<path d="M{x + 150} 47h40" class="line"/>')
        turn, y = x + 75, 112 + (2 - i) * 58  # the last round on top, so that no lines cross
        drawn.append(f'<path d="M{turn} 70V{y + 23}H596" class="line"/>')
        drawn.append(box(596, y, 288, 46, "#ecfdf5", f"run with K={i + 1}", "trains on by itself, in its own folder"))
    return svg(900, 292, "Runs with K = 1, 2 and 3 share their rounds", drawn)


def deploy() -> str:
    """A trained network and the three ways in which it is used."""
    uses = [
        ("unseen predict, unseen.Predictor", "pictures in, answers out: lines, CSV, masks"),
        ("unseen export --onnx", "one graph for onnxruntime; no torch, no unseen"),
        ("unseen export --folder", "weights, config and a model card, for someone else"),
    ]
    drawn = [box(16, 82, 250, 46, "#ecfdf5", "run or ensemble", "a folder with trained weights")]
    for i, (name, meaning) in enumerate(uses):
        y = 16 + i * 66
        drawn.append(f'<path d="M266 105H330V{y + 23}H396" class="line"/>')
        drawn.append(box(396, y, 488, 46, "#eef2ff", name, meaning))
    return svg(900, 210, "A run or an ensemble gives predictions, an ONNX file and a folder to hand over", drawn)


def saving() -> str:
    """How a file is saved, and what is there after a crash in each of the steps."""
    steps = [
        ("write", "to .NAME.part, aside"),
        ("fsync", "its bytes reach the disk"),
        ("rename", "it gets its name, at once"),
        ("fsync the folder", "so does its name"),
    ]
    found = [
        (0, "#f4f4f5", "the old file, whole"),
        (2, "#ecfdf5", "the old file or the new one, whole; then the new one"),
    ]
    step, gap, top = 203, 20, 20
    drawn = []
    for i, (name, meaning) in enumerate(steps):
        x = 14 + i * (step + gap)
        drawn.append(box(x, top, step, 46, "#eef2ff", name, meaning))
        if i < len(steps) - 1:
            drawn.append(f'<path d="M{x + step} {top + 23}h{gap - 7}" class="line"/>')
            drawn.append(f'<path d="M{x + step + gap - 8} {top + 18}l8 5l-8 5Z" fill="#52525b"/>')
    for first, hue, what in found:
        x, width = 14 + first * (step + gap), 2 * step + gap
        drawn.append(f'<path d="M{x} {top + 58}v8h{width}v-8" class="line"/>')
        drawn.append(box(x, top + 80, width, 46, hue, "a crash here leaves", what))
    return svg(
        900, 166, "A file is written aside, fsynced, renamed, and its folder fsynced; a crash leaves it whole", drawn
    )


if __name__ == "__main__":
    (HERE / "layers.svg").write_text(layers())
    (HERE / "sweep.svg").write_text(sweep())
    (HERE / "deploy.svg").write_text(deploy())
    (HERE / "saving.svg").write_text(saving())
