"""Verbs that train: one run, many runs, the demo."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unseen.cli.app import (
    MOST_SEEDS,
    RUN_MODEL_CODE,
    Data,
    RunModelCode,
    app,
    command_given,
    interruptible,
    out,
    print_remark,
    print_warning,
)
from unseen.data.domain_names import DEFAULT_SOURCE
from unseen.errors import InputError

if TYPE_CHECKING:
    from unseen.data.images import Size
    from unseen.runs.request import Request


@app.command()
def train(
    config: Annotated[Path | None, typer.Option(help="TOML file of settings; flags win over it.")] = None,
    source: Annotated[str | None, typer.Option(help=f"Name or folder ({DEFAULT_SOURCE}).")] = None,
    images: Annotated[int | None, typer.Option(help="How many of its images (all).")] = None,
    size: Annotated[str | None, typer.Option(help="Resize images: a side, or HEIGHTxWIDTH.")] = None,
    leave_out_unreadable: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out files that can't be read.")
    ] = False,
    model: Annotated[str | None, typer.Option(help="convnet, timm:NAME, FILE.py:FUNCTION.")] = None,
    weights: Annotated[str | None, typer.Option(help="File with its initial weights.")] = None,
    pretrained: Annotated[bool | None, typer.Option("--pretrained", help="The library's weights.")] = None,
    over: Annotated[str | None, typer.Option(help="Ascent over pixels, standard or NAMES.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Penalty: greater stays closer (1).")] = None,
    K: Annotated[int | None, typer.Option("--K", help="Rounds; 0 is ERM (2).")] = None,
    T_min: Annotated[int | None, typer.Option("--T-min", help="Training steps before each round (100).")] = None,
    spread: Annotated[bool | None, typer.Option("--spread", help="Spread the rounds over all steps.")] = None,
    T: Annotated[int | None, typer.Option("--T", help="Training steps in all (10000).")] = None,
    epochs: Annotated[float | None, typer.Option(help="Passes over the source, in place of --T.")] = None,
    optimizer: Annotated[str | None, typer.Option(help="adam, adamw or sgd (adam).")] = None,
    alpha: Annotated[float | None, typer.Option(help="Learning rate (0.0001).")] = None,
    augment: Annotated[str | None, typer.Option(help="Drawn at each step: NAMES, FILE.py:NAME.")] = None,
    validation: Annotated[float | None, typer.Option(help="Share of the source to watch (0).")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of every random draw (0).")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads (as torch chooses).")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1 (a GPU if there is one).")] = None,
    precision: Annotated[str | None, typer.Option(help="float32 or bf16 (as the hardware has it).")] = None,
    out_: Annotated[Path | None, typer.Option("--out", help="Run folder (runs/NAME).")] = None,
    resume: Annotated[Path | None, typer.Option(help="Resume this run folder; takes no setting.")] = None,
    run_model_code: RunModelCode = False,
    data: Data = None,
) -> None:
    """Train on one source domain (with no options: ADA on the built-in digits)."""
    from unseen.runs.request import read_request, request_of

    flags = {
        "source": source, "images": images, "size": size_of(size), "model": model, "weights": weights,
        "pretrained": pretrained, "gamma": gamma, "K": K, "T_min": T_min, "spread": spread, "T": T,
        "epochs": epochs, "optimizer": optimizer, "alpha": alpha, "augment": _one_or_several(augment),
        "validation": validation,
        "over": _one_or_several(over), "seed": seed, "threads": threads, "device": device, "precision": precision,
        "out": out_, "leave_out_unreadable": leave_out_unreadable or None,
    }  # fmt: skip
    if resume is not None:
        given = [name for name, value in (flags | {"config": config}).items() if value is not None]
        if given:
            raise InputError(
                f"--resume takes its settings from the folder; leave out {', '.join('--' + g for g in given)}"
            )
        request = request_of(resume)
    else:
        request = read_request(config, flags)
    _train(request, resume=resume is not None, data=f" --data {shlex.quote(str(data))}" if data else "")


def _one_or_several(names: str | None) -> str | list[str] | None:
    """``standard`` as it is, ``standard,waves`` as a list."""
    return names.split(",") if names and "," in names else names


def size_of(text: str | None) -> Size:
    """``32`` or ``96x160`` as numbers."""
    if text is None:
        return None
    sides = text.lower().split("x")
    if len(sides) > 2 or not all(side.isdecimal() and len(side) < 10 for side in sides):
        raise InputError(f"--size {text:.40}: expected a side in pixels or HEIGHTxWIDTH, for instance 32 or 96x160")
    return int(text) if len(sides) == 1 else (int(sides[0]), int(sides[1]))


def _train(request: Request, *, resume: bool, data: str) -> None:
    from unseen.data.catalogue import check_name, targets
    from unseen.engine import busy_machine
    from unseen.runs.console import showing
    from unseen.runs.learning import remark_on_loss
    from unseen.runs.request import train as run_training

    check_name(request.job.source)
    out.print(f"{'Resuming' if resume else 'Training on'} {request.job.source}: {request.out}", soft_wrap=True)
    out.print(f"Engine: {request.engine}", highlight=False)
    if request.engine.on_cpu and (busy := busy_machine(request.engine.threads or 1)):
        print_remark(busy)
    with interruptible(request.resume_command + data), showing(out) as progress:
        run = run_training(request, resume=resume, progress=progress, warn=print_warning, remark=print_remark)
    if (unlearned := remark_on_loss(run)) is not None:
        print_remark(unlearned)
    target = "" if targets(request.job.source) else " --target FOLDER"
    next_step = f"unseen evaluate {shlex.quote(str(request.out))}{target}{_code_flag([request])}"
    out.print(f"Result: {run.selection}.", highlight=False)
    out.print(f"Done: {request.out}. Next: {next_step}", highlight=False, soft_wrap=True)


@app.command()
def sweep(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="TOML file of settings, with lists in its table \\[grid].", metavar="FILE")
    ],
    jobs: Annotated[int | None, typer.Option(help="Runs at once (as many as there are cores).")] = None,
    engine: Annotated[str, typer.Option(help="processes (on this machine) or ray.")] = "processes",
    address: Annotated[str | None, typer.Option(help="Ray cluster: auto, HOST:PORT, ray://HOST:PORT.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try runs that failed before again.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--out", file_okay=False, help="Where the run folders go (sweeps/FILE).")
    ] = None,
    data: Data = None,
) -> None:
    """Train every combination of settings; what an earlier sweep finished is not done again."""
    from unseen.sweep.grid import read_grid
    from unseen.sweep.runner import plan
    from unseen.sweep.runner import run as run_sweep

    requests = read_grid(file, folder)
    again = command_given(context).removesuffix(" --retry")
    out.print(str(plan(requests, retry=retry)), highlight=False, soft_wrap=True)
    with interruptible(again):
        outcome = run_sweep(
            requests, jobs=jobs, engine=engine, address=address, retry=retry, progress=out, warn=print_warning
        )
    outcome.check(f"{again} --retry")
    runs = f"{shlex.quote(str(requests[0].out.parent))}/*-seed*"
    out.print(f"Done. Next: unseen evaluate {runs}{_code_flag(requests)}", highlight=False, soft_wrap=True)


def _code_flag(requests: Iterable[Request]) -> str:
    """What an evaluation of the folders needs where their model is code of the user's."""
    return f" {RUN_MODEL_CODE}" if any(request.names_model_code for request in requests) else ""


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("--out", file_okay=False, help="Where the runs and the page go.")] = Path(
        "demo"
    ),
    seeds: Annotated[int, typer.Option(min=1, max=MOST_SEEDS, help="How many seeds for each method.")] = 3,
) -> None:
    """ERM, ADA and ADA over transformations on the built-in digits: a table and a page, in a few minutes."""
    from unseen.cli.demo import command, run_demo

    with interruptible(command(folder, seeds)):
        run_demo(folder, seeds, out)
