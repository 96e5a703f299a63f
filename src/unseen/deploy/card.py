"""The model card: what a network was trained on, how, what was measured, and what it isn't meant for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unseen.base.imports import no_code
from unseen.base.reading import listed
from unseen.base.terminal import printable
from unseen.deploy.provenance import Provenance
from unseen.errors import UnseenError
from unseen.reporting.evaluation import Score, known_scores
from unseen.reporting.finished.methods import FinishedRun
from unseen.reporting.kit.statistics import Interval, mean, t_interval, wilson
from unseen.runs.folder import RunFolder
from unseen.runs.places import names_model_code


def card(about: Provenance, name: str) -> str:
    """The card as Markdown, for a folder of this name."""
    sections = [
        f"# {name}",
        _summary(about),
        f"## Use\n\n{_use(about, name)}",
        f"## Trained on\n\n{_source(about)}",
        f"## Measured\n\n{_measured(about)}",
        f"## Not meant for\n\n{_limits(about)}",
        f"## How it was trained\n\n{_settings(about)}",
    ]
    return printable("\n\n".join(sections)) + "\n"


def _summary(about: Provenance) -> str:
    classes = about.first.classes or ()
    what = f"An ensemble of {len(about.members)} networks (rule: {about.rule})" if about.rule else "A network"
    masks = "; it answers for each pixel" if any(score.miou is not None for score in about.measured) else ""
    return f"{what} for pictures of {len(classes)} classes: {', '.join(map(_escaped, classes))}{masks}."


def _use(about: Provenance, name: str) -> str:
    records = about.members.values()
    code = any(names_model_code(record.config) for record in records)
    model = (", run_model_code=True" if code else "") if all(record.job for record in records) else ", model"
    flag = " --run-model-code" * code
    runs = " Its network is made by a file of Python in this folder, which that runs: read it first." * code
    return (
        f'```python\nimport unseen\n\nprint(unseen.Predictor.load("{name}"{model})("picture.jpg"))\n```\n\n'
        f"On the command line: `unseen predict {name} PICTURES...{flag}`. The weights are safetensors; nothing is "
        f"pickled.{runs}"
    )


def _source(about: Provenance) -> str:
    lines = []
    for name, record in about.members.items():
        source, settings = record.config.get("source"), record.config.get("ada") or record.config.get("adda") or {}
        if source is None:
            lines.append((name, "not known: it was brought from Python without a run", "", "", ""))
            continue
        method = "ADDA" if record.adapted else "ERM" if settings.get("K") == 0 else "ADA"
        seed, data = str(record.config.get("seed", "")), f"SHA-256 {source['sha256'][:12]}"
        lines.append((name, f"{source['name']} ({data})", f"{source['images']:,}", method, seed))
    table = _table(("network", "source", "images", "method", "seed"), lines)
    return f"{table}\n\nWhich weights: {about.selection}. {_other_domains(about)}"


def _other_domains(about: Provenance) -> str:
    """What else than the source had a part in it."""
    adapted = {
        name: record.config.get("target", {}).get("name", "?")
        for name, record in about.members.items()
        if record.adapted
    }
    if not adapted:
        return "No other domain was trained on, or selected anything."
    return " ".join(
        f"{name} was adapted to the images of {target}, without labels." for name, target in adapted.items()
    )


def _measured(about: Provenance) -> str:
    if not about.measured:
        return "Nothing: no domain was evaluated before it was handed over. Measure it with `unseen evaluate`."
    beside = _other_seeds(about)
    rows = []
    for score in about.measured:
        values = [found.value for scores in beside.values() for found in scores if found.sha256 == score.sha256]
        interval, over = _interval(score, [score.value, *values])
        what = "accuracy" if score.miou is None else "mIoU"
        rows.append((score.domain, f"{score.images:,}", what, f"{score.value:.1%}", interval, over))
    table = _table(("domain", "images", "measure", "this one", "95 % interval", "over what"), rows)
    names = ", ".join(beside)
    return table + (f"\n\nThe other seeds, with the same settings and source: {names}." if beside else "")


def _interval(score: Score, values: Sequence[float]) -> tuple[str, str]:
    """The interval, and what varies in it: the seeds where there are several, else the images."""
    if len(values) > 1:
        return _shown(t_interval(values)), f"{len(values)} seeds, mean {mean(values):.1%} (Student's t)"
    if score.miou is not None:
        return "none", "one training; an mIoU has no binomial interval"
    return _shown(wilson(score.value, score.images)), "the images, of one training (binomial, Wilson)"


def _shown(interval: Interval | None) -> str:
    assert interval is not None
    return f"{interval.low:.1%} to {interval.high:.1%}"


def _other_seeds(about: Provenance) -> Mapping[str, list[Score]]:
    """What was measured of finished runs beside a run's folder that differ from it in the seed only."""
    if about.rule is not None or not about.first.from_a_run:
        return {}
    own = FinishedRun(about.folder, RunFolder(about.folder).config())
    found, seeds = {}, {own.seed}
    for folder in listed(about.folder.resolve().parent):
        run = _finished(folder)
        if run is None or run.seed in seeds or not _alike(run, own):
            continue
        if scores := known_scores(folder):
            found[f"{folder.name} (seed {run.seed})"] = scores
            seeds.add(run.seed)
    return found


def _finished(folder: Path) -> FinishedRun | None:
    try:
        with no_code():
            return FinishedRun(folder, RunFolder(folder).finished_config())
    except UnseenError:
        return None


def _alike(run: FinishedRun, other: FinishedRun) -> bool:
    return run.settings == other.settings and run.config.source.sha256 == other.config.source.sha256


def _limits(about: Provenance) -> str:
    domains = ", ".join(dict.fromkeys(score.domain for score in about.measured)) or "none"
    return _listed(
        [
            "Pictures of anything else: it answers with one of its classes whatever the picture shows.",
            f"Domains that nobody measured it on (measured: {domains}). How well it does there is unknown until "
            "labelled pictures from there say so.",
            "Decisions that take its confidence for a chance of being right. It is a softmax, not calibrated, and off "
            "the source it is often too high.",
        ]
    )


def _settings(about: Provenance) -> str:
    parts = []
    for name, record in about.members.items():
        config = record.config
        given = {**(config.get("ada") or config.get("adda") or {}), **(config.get("job") or {})}
        rows = [(f"`{key}`", f"`{value}`") for key, value in given.items() if value is not None]
        made = {**config.get("engine", {}), **config.get("versions", {})}
        made_with = ", ".join(f"{key} {value}" for key, value in made.items())
        began = f"{name}: begun {config.get('created', '?')}; {made_with}." if made else f"{name}: nothing is known."
        parts.append(f"{began}\n\n{_table(('setting', 'value'), rows)}" if rows else began)
    return "\n\n".join(parts)


def _table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(_escaped(str(entry)) for entry in line)} |" for line in lines)


def _escaped(text: str) -> str:
    """A name in a Markdown table: no end of a cell or a line, and no HTML where it isn't code."""
    text = " ".join(text.splitlines()).replace("|", "\\|")
    return text if text.startswith("`") else text.replace("<", "&lt;")


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
