"""The leaderboard's page, as Markdown with its figures, made from results files alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import multimode

from unseen.base.writing import write_atomically
from unseen.errors import InputError
from unseen.paper.cells import Cell, over_shared_seeds
from unseen.paper.digits.lab import COLUMNS, SOURCE, DigitLab, stand_in_lab
from unseen.paper.family import criterion
from unseen.paper.family.choices import Line, how_chosen, read_choices, tried_sheets
from unseen.paper.family.chosen import CHOSEN, CHOSEN_STREETS, Settings
from unseen.paper.family.leaderboard import Leaderboard, StreetLeaderboard
from unseen.paper.family.methods import ERM, JITTERED, OURS, RANDOM, controls
from unseen.paper.family.recipes import FAMILY_RECIPES
from unseen.paper.family.rows import rows_sheet
from unseen.paper.family.tables import MEAN, by_source, control_comparisons, ranked
from unseen.paper.findings import LEAST_PAIRS
from unseen.paper.lab import Lab
from unseen.paper.methods import Trained
from unseen.paper.page import folded, folded_if_long
from unseen.paper.published import DOMAINS
from unseen.paper.results import Results
from unseen.paper.section import Section
from unseen.paper.streets.lab import StreetLab
from unseen.reporting.kit.charts import save
from unseen.reporting.kit.tables import Sheet, as_markdown
from unseen.reporting.kit.wording import MINUS, Comparison, listed, with_span

CHOICES = {"digits": "choice-digits*.jsonl", "streets": "choice-camvid*.jsonl"}
"""the files of ``unseen choose`` that the page reads, beside the results"""
JUDGED = "choice-family*.jsonl"
"""those in which the methods of the leaderboard were judged, after the choice, to see what the criterion is worth"""
FIRST_LINES = "earlier-choice-digits.jsonl"
"""the first choice on digits, with transformations as they were then"""
_CRITERION = "family-criterion"
_SETTINGS = {"digits": CHOSEN, "streets": CHOSEN_STREETS}
_ROWS = {"digits": OURS, "streets": f"{JITTERED} (without the jitter: {OURS})"}
_PROTOCOL = (
    "- **One protocol.** Every digit network is the paper's, trained on the first 10,000 MNIST training images, "
    "10,000 steps of 32 images with Adam; the number is that of the last iterate. Tables of another scale say so.\n"
    "- **Two learning rates.** The paper's, 1e-4; for transformations, and for what is said to be at the same rate, "
    "5e-4 that falls as a cosine. So Transformations differ from ADA, jitter and random convolutions in the rate, too; "
    "what the rate alone does is measured for ERM, and on streets for jitter. Trainings are in bf16, but for some of "
    "seeds 0 and 1, in float32.\n"
    "- **As many steps, not as much work.** Rounds, three views of each image and three networks cost more than ERM.\n"
    "- **Targets choose no checkpoint.** How the settings of the ascent over transformations came about, and what had "
    "been seen of the targets before, is [below](#how-the-settings-were-chosen). No setting of the others was tuned.\n"
    "- **The transformations are generic.** None is the recipe that a target was made by; a pilot had seen "
    "the targets, [as is said below](#how-the-settings-were-chosen).\n"
    "- **Seeds are paired**: a difference is between two trainings with the same seed, and its interval is Student's "
    "over the pairs.\n"
    "- **A mean names its targets.** A set that we don't have is in none of them."
)

_FIRST_CHOICE = (
    "The settings on digits were fixed when waves-faster had the highest criterion of eleven candidates, 86.5 with one "
    "seed; the next, faster, had 86.1 ([its lines]({lines})). Then the transformations were changed, so that "
    "none can erase what an image shows, and candidates were judged again: now faster is 0.4 above waves-faster, which "
    "one seed each can't tell apart, and the settings stayed. 20 rounds in place of 10 were set by hand, since the "
    "training is five times as long; the pilot had 20, too."
)
_PILOT = (
    "**What had been seen of the targets before.** A pilot with code of its own, one seed and the same protocol looked "
    "at SVHN, MNIST-M and USPS. In their mean, random transformations reached 74.2, the same at a learning rate of "
    "5e-4 with a cosine schedule 75.1, 20 rounds of ascent with the last 5 kept 75.1, those rounds without "
    "ascent 73.6, random convolutions 63.3. The transformations of `standard` are the pilot's, each made the identity "
    "at w = 0, and candidates of the choice come from it. So the choice between candidates saw no target, but "
    "what led to them did."
)
_DAY_DRIVES = (
    "On streets, by-hand, by-hand-with-random, gentle-with-random and faster were judged before a network over "
    "transformations had been tested on a day drive, and faster was the first choice: the row Transformations. The "
    "other candidates were devised after it had been tested there (2.9 points over ERM in two seeds, jitter 4.0), so "
    "that result may have suggested them, the jitter above all. Their criterion, too, saw the dusk drive alone. Of "
    "these, faster-with-random and fastest are not above faster. The five that were trained for 800 steps were written "
    "down before they ran; the best of them, every-image-jittered, was taken before a network with its settings had "
    "been tested on a day drive: the row Transformations + jitter."
)
_AFTERWARDS = (
    "For this comparison the methods of the leaderboard were judged by the criterion, too, after the settings had been "
    "chosen and tested: `unseen choose experiments/choose-family.toml`. It chose nothing."
)


def write_leaderboard(folder: Path, out: Path) -> list[Path]:
    """The page of what is in the results files of ``folder``; its figures are written beside them."""
    sections = leaderboard_sections(folder)
    if not any(section.known for section in sections):
        raise InputError(f"{folder}: expected results of the family, got none; make some: unseen reproduce family")
    lines = {on: read_choices(sorted(folder.glob(files))) for on, files in CHOICES.items()}
    where = Path(os.path.relpath(folder, out.parent))
    parts = [
        "# Leaderboard",
        f"Made from [digits.jsonl]({where / 'digits.jsonl'}) and [streets.jsonl]({where / 'streets.jsonl'}) by `unseen "
        "leaderboard`: don't edit it by hand.",
        "Methods that train on one domain to do well on others, each as a setting of the same training loop.",
        as_markdown(_in_short(sections)).strip(),
        "## The protocol",
        _PROTOCOL,
        as_markdown(rows_sheet(cell.method for section in sections for cell in section.cells)).strip(),
    ]
    written = []
    for section in sections:
        parts += [f"## {section.title}", f"{_sentence(section.recipe.what)} {section.progress}"]
        if section.known:
            written += save(section.figure(), folder / section.name)
            parts += [f"![{section.recipe.what}]({where / section.name}.svg)", *map(folded_if_long, section.sheets)]
    more = _choice(lines, folder, where)
    worth, pictures = _worth(lines["digits"], read_choices(sorted(folder.glob(JUDGED))), sections[0], folder, where)
    write_atomically(out, "\n\n".join(filter(None, [*parts, *more, *worth])).encode() + b"\n")
    return [out, *written, *pictures]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


# What there is.


def leaderboard_sections(folder: Path) -> list[Section]:
    """Digits at each scale, the built-in ones, then streets; those of other scales only where something was run."""
    digits, streets = Results(folder / DigitLab.file), Results(folder / StreetLab.file)
    family = FAMILY_RECIPES["family"]
    scored = {score["domain"] for line in digits for score in line["scores"]}
    absent = tuple(column for column in DOMAINS if COLUMNS[column] not in scored)
    absent = () if len(absent) == len(DOMAINS) else absent
    real = [DigitLab(out=folder, rows={SOURCE: DOMAINS}, absent=absent, scale=s) for s in family.scales.values()]
    built_in = [stand_in_lab(folder, scale=scale) for scale in family.scales.values()]
    found = [_section(family, lab, digits) for lab in (*real, *built_in)]
    first, *others = found
    for recipe in FAMILY_RECIPES.values():
        if isinstance(recipe, StreetLeaderboard):
            (scale,) = recipe.scales.values()
            others.append(
                _section(recipe, StreetLab(out=folder, data=recipe.data, rows=recipe.rows, scale=scale), streets)
            )
    return [first, *(section for section in others if section.known)]


def _section(recipe: Leaderboard, lab: Lab, results: Results) -> Section:
    """Over as many seeds as most methods have: rows are compared by eye, and those the paper has have more."""
    on = ", ".join([*["built-in"] * lab.data.stand_in, f"{lab.scale.name} scale"])
    every = 1 + max((line["seed"] for line in results), default=0)
    cells = [cell for cell in recipe.cells(lab, results, every) if cell.kind != "erm" and cell.accuracies]
    return Section(recipe, lab, results, _usual([len(cell.accuracies) for cell in cells]), on)


def _usual(counts: Sequence[int]) -> int:
    """The number that most of them are; the greatest of several such."""
    return max(multimode(counts), default=1)


# What it says.


def _in_short(sections: Sequence[Section]) -> Sheet:
    """The best method against ERM, and the ascent over transformations against it and its controls, in the mean."""
    rows = []
    for section in sections:
        pairs = controls(section.recipe.compared(section.lab))
        for cells in by_source([cell for cell in section.cells if cell.target == MEAN]).values():
            order = ranked(cells)
            shown = [method for method in dict.fromkeys((order[0], OURS, JITTERED)) if method in order]
            wanted = [*((method, ERM) for method in shown), (order[0], RANDOM)]
            wanted += [pair for pair in pairs if pair[0] in shown]
            found = control_comparisons(cells, tuple(pair for pair in dict.fromkeys(wanted) if set(pair) <= set(order)))
            place = f"{section.title}, {cells[0].domain}"
            rows += [(place, *_entries(comparison)) for comparison in found if comparison.method != comparison.baseline]
            rows += [(place, *_entries(comparison)) for comparison in _by_steps(section, cells)]
    caption = (
        f"Points in the mean over the targets, paired by seed, with the 95 % t-interval, from {LEAST_PAIRS} pairs on: "
        "two may agree or differ by luck. The first row of each is the method that is farthest above ERM, which is a "
        "little flattered by that. Not corrected for their number."
    )
    return Sheet("In short", ("on", "difference", "seeds", "points (95 %)"), rows, caption, frozenset({0, 1}))


def _by_steps(section: Section, cells: Sequence[Cell]) -> list[Comparison]:
    """Of a longer training, each method against itself after the usual number of steps."""
    recipe, lab = section.recipe, section.lab
    assert isinstance(recipe, Leaderboard)
    usual = {(cell.method, cell.domain): cell for cell in recipe.shorter(lab, section.results, section.seeds)}
    pairs = [(cell, usual[cell.method, cell.domain]) for cell in cells if (cell.method, cell.domain) in usual]
    return [
        replace(found, method=f"{cell.method}, {lab.scale.T:,} steps", baseline=f"{recipe.first_scale.T:,}")
        for cell, before in pairs
        if (found := over_shared_seeds(cell, before))
    ]


def _entries(c: Comparison) -> tuple[str, ...]:
    interval = c.interval if len(c.differences) >= LEAST_PAIRS else None
    return (f"{c.method} {MINUS} {c.baseline}", str(len(c.differences)), with_span(c.gap, interval))


def _choice(lines: Mapping[str, Sequence[Line]], folder: Path, where: Path) -> list[str]:
    return [
        "## How the settings were chosen",
        "\n".join(f"- {_ROWS[on]}, on {on}: {_listed(s)}" for on, s in _SETTINGS.items()),
        _PILOT,
        *_first_choice(folder, where),
        _DAY_DRIVES,
        "`unseen choose` trains each candidate without one kind of transformation and judges it on held-out source "
        "images under that kind, each kind in turn. The criterion is the mean over the kinds.",
        *(part for on, some in lines.items() for part in _chosen(on, some)),
    ]


def _first_choice(folder: Path, where: Path) -> list[str]:
    """What fixed the settings on digits, and all that was tried for it, where its lines are here."""
    path = folder / FIRST_LINES
    if not path.exists():
        return []
    tried = tried_sheets(read_choices([path]), "The first choice on digits, with the transformations of then")
    return [_FIRST_CHOICE.format(lines=where / FIRST_LINES), *map(folded, tried)]


def _worth(
    choice: Sequence[Line], judged: Sequence[Line], section: Section, folder: Path, where: Path
) -> tuple[list[str], list[Path]]:
    """The criterion against the targets, on digits: of the methods as they were judged, or else of the candidates."""
    lines = judged or choice
    if not lines:
        return [], []
    parts = ["## Is the criterion any good?"]
    methods, cells = section.recipe.compared(section.lab), section.cells
    some = criterion.pair_up(lines, methods, cells)
    parts.append(criterion.verdict(some))
    parts += [_AFTERWARDS] if judged else []
    parts += map(folded_if_long, tried_sheets(judged, "The methods, judged by the criterion"))
    left = [method.label for method in methods if method.label not in {point.method for point in some}]
    parts += [f"Not among the candidates with these settings, or not run: {listed(left)}."] if left else []
    if len(some) < criterion.LEAST:
        return parts, []
    pictures = save(criterion.scatter(some, _whole(cells)), folder / _CRITERION)
    parts.append(f"![The criterion of each method against its mean over the targets]({where / _CRITERION}.svg)")
    return parts, pictures


def _chosen(on: str, lines: Sequence[Line]) -> list[str]:
    """What the choice on these data came to, and all that was tried."""
    if not lines:
        return [f"On {on}, no {CHOICES[on]} is here: nothing shows that the criterion chose the settings."]
    ours = Trained(OURS, "ada", _SETTINGS[on])
    tried = tried_sheets(lines, f"Every setting that was tried on {on}")
    return [how_chosen(ours, lines, on), *map(folded_if_long, tried)]


def _listed(settings: Settings) -> str:
    return ", ".join(f"`{name} = {json.dumps(value)}`" for name, value in settings.items())


def _whole(cells: Sequence[Cell]) -> str:
    return next(cell.domain for cell in cells if cell.target == MEAN)
