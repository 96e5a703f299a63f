"""Whatever is in a file: a verb that reads it ends in time, in little memory, with a documented exit code."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from unittest import mock

import kill_points

from attacks import mutating, playground
from attacks.harness import Attack, Case, Told, problem
from attacks.mutating import Mutation
from attacks.processes import Audit, accepted_at, verb
from unseen.data import official

TRAINED = accepted_at("open", "checkpoints/")
RESUMED = accepted_at("os.rename", "checkpoints/")
"""the next checkpoint: other settings may make a training of any length, which is no hang"""
SWEPT = accepted_at("os.mkdir", ".claims")


@dataclass(frozen=True)
class Reader:
    """A verb that reads some files."""

    words: str
    needs: Sequence[str]
    """what of the playground it uses"""
    accepted: Audit | None = None
    """what shows that it has accepted the files; the rest of its work would only take time"""
    cached: bool = False
    """whether it finds images in the cache of decoded ones"""


def train_on(source: str, *needs: str) -> Reader:
    """A training on that source, until it begins."""
    return Reader(f"train --config small.toml --source {source} --out new", ("small.toml", *needs), TRAINED)


EVALUATE = Reader("evaluate runs/done --target street", ("runs/done", "street"))
PER_CLASS = Reader("evaluate runs/done --target street --per-class", ("runs/done", "street"))
PREDICT = Reader("predict runs/done street/cat", ("runs/done", "street"))
RESUME = Reader("train --resume runs/unfinished", ("runs/unfinished", "animals", "street"))
RESUME_OTHERWISE = replace(RESUME, accepted=RESUMED)
REPORT = Reader("report runs/done --target street", ("runs/done", "animals", "street"))
DIAGNOSE = Reader("diagnose runs/done --plain runs/erm", ("runs/done", "runs/erm", "animals", "street"))
ENSEMBLE = Reader("ensemble runs/done runs/other --out new", ("runs/done", "runs/other"))
TOGETHER = Reader("evaluate ensemble --target street", ("ensemble", "street"))
HANDED = Reader("predict handed-over street/cat", ("handed-over", "street"))
DOMAINS = Reader("domains --data data", ("data",))
ANIMALS = train_on("animals", "animals")
CACHED = replace(train_on("animals", "animals", "cache"), cached=True)
MASKS = train_on("masks:masks --model net.py:make --size 16", "net.py", "masks")
SYNTHIA = train_on("synthia-highway-dawn --model net.py:make --size 24x40 --data data", "net.py", "data")


@dataclass(frozen=True)
class Format:
    """Files of one kind, who reads them, and how they are changed."""

    files: str
    """a pattern, as seen from the playground"""
    readers: Sequence[tuple[int, Reader]]
    """with how often each"""
    knowing: Mutation | None = None
    """changes what it says; half of the time"""
    share: int = 10
    signed: bool = False
    """holds tensors with a digest; some of the time they get another that is right"""
    same_bits: bool = False
    """a training that takes it has to come to the same weights"""
    sealed: bool = False
    """a run's config: half of the time it gets the digest of what it says now, as somebody who made it would"""
    asks: bool = False
    """holds settings: they may ask for more memory than there is, and get a message that says so"""


JSON, LINES, TOML = mutating.change_json, mutating.change_json_line, mutating.change_toml
FORMATS = MappingProxyType(
    {
        "config.json": Format(
            "runs/done/config.json",
            [(8, EVALUATE), (3, PREDICT), (1, REPORT), (2, ENSEMBLE), (1, DIAGNOSE)],
            JSON,
            25,
            sealed=True,
            asks=True,
        ),
        "config.json, resumed": Format(
            "runs/unfinished/config.json", [(1, RESUME_OTHERWISE)], JSON, 12, sealed=True, asks=True
        ),
        "metrics.jsonl": Format("runs/done/metrics.jsonl", [(1, REPORT), (1, DIAGNOSE)], LINES, 3),
        "metrics.jsonl, resumed": Format("runs/unfinished/metrics.jsonl", [(1, RESUME)], LINES, 12, same_bits=True),
        "checkpoint": Format("runs/unfinished/checkpoints/*", [(1, RESUME)], None, 12, True, True),
        "round": Format("runs/unfinished/rounds/*/*", [(1, RESUME)], None, 12, True, True),
        "weights": Format("runs/done/weights.safetensors", [(3, EVALUATE), (1, PREDICT)]),
        "evaluation.json": Format("runs/done/evaluation.json", [(9, EVALUATE), (1, REPORT)], JSON, 12),
        "answers": Format("runs/done/answers/*", [(1, PER_CLASS)], None, 6, True),
        "decoded images": Format("cache/decoded/*/*", [(1, CACHED)], None, 8),
        "diagnosis.json": Format("runs/done/diagnosis.json", [(1, REPORT)], JSON, 2),
        "ensemble.json": Format("ensemble/ensemble.json", [(1, TOGETHER)], JSON, 12),
        "ensemble's files": Format("ensemble/members/*/*", [(1, TOGETHER)], None, 4),
        "handover.json": Format("handed-over/handover.json", [(1, HANDED)], JSON, 8),
        "hand-over's files": Format("handed-over/*.*", [(1, HANDED)], None, 4),
        "results": Format(
            "results/streets.jsonl", [(1, Reader("results results/streets.jsonl", ["results"]))], LINES, 2
        ),
        "leaderboard": Format(
            "results/choice-digits.jsonl", [(1, Reader("leaderboard results", ["results"]))], LINES, 1
        ),
        "train.toml": Format(
            "train.toml",
            [(1, Reader("train --config train.toml --out new", ["train.toml", "animals", "street"], TRAINED))],
            TOML,
            20,
            asks=True,
        ),
        "sweep.toml": Format(
            "sweep.toml",
            [(1, Reader("sweep sweep.toml --out new", ["sweep.toml", "animals", "street"], SWEPT))],
            TOML,
            asks=True,
        ),
        "choose.toml": Format(
            "choose.toml",
            [(1, Reader("choose choose.toml --out new", ["choose.toml", "animals", "street"], SWEPT))],
            TOML,
            asks=True,
        ),
        "idx.gz": Format("data/mnist/*", [(1, DOMAINS), (1, train_on("mnist-test --data data", "data"))]),
        "mat": Format("data/svhn/*", [(1, DOMAINS), (3, train_on("svhn-test --data data", "data"))], None, 15),
        "npz": Format("data/syn/*", [(1, DOMAINS), (3, train_on("syn-test --data data", "data"))], None, 20),
        "libsvm.bz2": Format("data/usps/*", [(1, DOMAINS), (1, train_on("usps-test --data data", "data"))]),
        "masks of 8 bits": Format("masks/masks/*", [(1, MASKS)]),
        "masks of 16 bits": Format("data/synthia/*/GT/LABELS/*/*/*.png", [(1, SYNTHIA)], None, 6),
        "classes.txt": Format("masks/classes.txt", [(1, MASKS)], None, 6),
        "images": Format("animals/*/*", [(1, ANIMALS)], None, 12),
        "pictures": Format("street/cat/*", [(2, PREDICT), (1, EVALUATE)], None, 12),
    }
)
CASES = 10_000


def undergo(case: Case) -> Told:
    """One file is changed, and one verb reads it."""
    name = case.dice.choices(list(FORMATS), [each.share for each in FORMATS.values()])[0]
    kind = FORMATS[name]
    reader = case.dice.choices(*zip(*[(r, w) for w, r in kind.readers], strict=True))[0]
    playground.copy(case.prepared, case.folder, *reader.needs)
    path = case.dice.choice(sorted(case.folder.glob(kind.files)))
    how = _mutate(kind, path, case.dice)
    ended = case.run(partial(read, reader), audit=reader.accepted)
    what = f"{name} ({path.relative_to(case.folder)}), {how}, then: unseen {reader.words}"
    wrong = problem(ended, hungry=kind.asks)
    if wrong is None and ended.code == 0 and kind.same_bits and how != mutating.sign_again.__name__:
        wrong = _other_weights(case)
    return Told(broken=(f"{what}\n{wrong}",)) if wrong else Told()


def _mutate(kind: Format, path: Path, dice: random.Random) -> str:
    """Change the file; how."""
    if kind.signed and dice.random() < 0.3:
        mutating.sign_again(path, dice)
        return mutating.sign_again.__name__
    content = path.read_bytes()
    mutation = kind.knowing if kind.knowing and dice.random() < 0.5 else dice.choice(mutating.PLAIN)
    changed = mutation(content, dice)
    if kind.sealed and dice.random() < 0.5:
        changed = mutating.seal_again(changed)
    path.write_bytes(changed)
    return mutation.__name__


def read(reader: Reader) -> None:
    """The verb, as if nobody had published digests: what is in a file is read, and not only refused as another's."""
    bare = {
        name: tuple(replace(f, size=None, sha256=None, content_size=None, content_sha256=None) for f in files)
        for name, files in official.OFFICIAL.items()
    }
    with mock.patch.object(official, "OFFICIAL", bare), playground.cached() if reader.cached else nullcontext():
        verb(reader.words)()


def _other_weights(case: Case) -> str | None:
    run, twin = case.folder / "runs/unfinished", case.prepared / "runs/finished"
    different = case.differences(lambda each: kill_points.file_digests(each / "weights.safetensors", ""), run, twin)
    return f"exit code 0 and other weights: {', '.join(different)}" if different else None


ATTACK = Attack(
    "mutations",
    "A damaged file is one message with a documented exit code: no traceback, no hang, no flood of memory.",
    CASES,
    undergo,
    playground.make,
)
