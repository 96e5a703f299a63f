"""What goes wrong, by kind: each kind has an exit code of its own on the command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class UnseenError(Exception):
    """Whatever unseen itself reports: one message for people, and an exit code on the command line."""

    exit_code = 1


class InputError(UnseenError, ValueError):
    """Something the caller can put right: the message has what was expected, what came, and what to do."""

    exit_code = 2


class UnknownSetting(InputError, TypeError):
    """A setting that there isn't, given by its name in Python: a TypeError too, as for any unknown keyword."""


class RunFolderError(InputError):
    """A run folder that can't be used as asked: it exists, is locked, is damaged, or belongs to another run."""

    exit_code = 3


class Diverged(UnseenError):
    """A loss or a gradient stopped being finite; nothing was updated with it."""

    exit_code = 4


class SaveFailed(UnseenError):
    """A save did not reach the disk; what had been saved before is untouched."""

    exit_code = 5


class RankLost(UnseenError):
    """Another process of a training that several share has ended; what was saved is whole."""

    exit_code = 6


class RunsFailed(UnseenError):
    """Some runs of a sweep failed; the others are finished."""

    exit_code = 7


class PicturesUnreadable(UnseenError):
    """Some pictures could not be read; the others have their predictions."""

    exit_code = 8


OTHER_WORDS = {
    "lr": "alpha", "learning_rate": "alpha", "step_size": "eta", "steps": "T", "iterations": "T", "max_steps": "T",
    "num_steps": "T", "num_epochs": "epochs", "max_epochs": "epochs", "batch_size": "batch", "bs": "batch",
    "wd": "weight_decay", "l2": "ridge", "rounds": "K", "lambda": "gamma", "penalty": "gamma", "ascent_steps": "T_max",
    "opt": "optimizer", "grad_clip": "clip_gradient", "clip_grad_norm": "clip_gradient", "max_grad_norm":
    "clip_gradient", "ema": "average", "ema_decay": "average", "smoothing": "label_smoothing", "scheduler": "schedule",
    "lr_scheduler": "schedule", "lr_schedule": "schedule", "warmup_steps": "warmup", "milestones": "drops",
    "val_split": "validation", "sampler": "minibatches", "transform": "augment", "transforms": "augment",
    "augmentation": "augment", "arch": "model", "net": "model", "dataset": "source", "image_size": "size",
    "img_size": "size", "resolution": "size", "num_threads": "threads", "folder": "out", "output": "out",
    "random_seed": "seed",
}  # fmt: skip
"""what people who come from elsewhere call settings"""


_WORD = 4  # letters of a name that may be meant by a longer one with it inside


def did_you_mean(name: str, known: Iterable[str], *, listed: bool = False) -> str:
    """``'; did you mean "gamma"?'`` for the nearest known name, else the list of known names, unless they're listed."""
    known = sorted(known)
    if (meant := OTHER_WORDS.get(name.lower().replace("-", "_"))) in known:
        return f'; did you mean "{meant}"?'
    small = [k.lower() for k in known]
    near = difflib.get_close_matches(name.lower(), small, n=1, cutoff=0.6)
    near = near or [k for k in small if len(k) >= _WORD and k in name.lower()]  # learning_alpha
    if near:
        match = next(k for k in known if k.lower() == near[0])
        return f'; did you mean "{match}"?'
    return "" if listed else f"; known are {', '.join(known)}"


def all_problems(what: str, problems: list[str]) -> None:
    """Raise one ``InputError`` that lists every problem, or return when there is none."""
    if len(problems) == 1:
        raise InputError(f"{what}: {problems[0]}")
    if problems:
        raise InputError("\n".join([f"{what}: {len(problems)} problems", *(f"  - {p}" for p in problems)]))


def name_samples(names: Sequence[str], bad: Tensor) -> str:
    """The names of the samples where ``bad`` is true, the first few of them spelled out."""
    rows = bad.nonzero().flatten().tolist()
    shown = ", ".join(names[i] for i in rows[:5])
    return f"{shown} and {len(rows) - 5} more" if len(rows) > 5 else shown
