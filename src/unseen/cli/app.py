"""The command line's frame: it turns what goes wrong into one message and an exit code."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from unseen.base.torchrun import leads
from unseen.data import root
from unseen.errors import OTHER_WORDS, RankLost, UnseenError

EXIT_CODES = (
    "Exit codes: 0 done, 1 a bug, 2 bad input, 3 a run folder that can't be used, 4 training diverged, "
    "5 a save failed, 6 a process of the training was lost, 7 runs of a sweep failed, 8 some pictures can't be read, "
    "130 interrupted."
)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Train on one domain, hold up on domains nobody has seen (adversarial data augmentation).",
    epilog=EXIT_CODES,
)
out = Console(quiet=not leads())
NEAR = 0.8  # how alike a misspelled flag is to the one that was meant
_UsageError: Any = typer.BadParameter.__base__  # a wrong flag, verb or value; Typer has no public name for it

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help=f"Folder with the real data sets ({root.VARIABLE}).",
        callback=lambda path: root.use(path) if path is not None else None,
    ),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"unseen {version('unseen')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None: ...


def main() -> None:
    """The entry point of the ``unseen`` command."""
    try:
        code = app(standalone_mode=False)
    except _UsageError as error:
        error.message += _where_it_goes(error)
        error.show()  # Typer's own way would first import what a box around the message takes: a third of the time
        raise SystemExit(error.exit_code) from None
    except typer.Abort:
        raise SystemExit(130) from None
    except UnseenError as error:
        if leads() or isinstance(error, RankLost):  # what else goes wrong, rank 0 knows and reports
            print_error(error)
        raise SystemExit(error.exit_code) from None
    raise SystemExit(code or 0)


def _where_it_goes(error: Any) -> str:
    """For a setting of `unseen train` that was given as a flag and has none: where it goes."""
    option, context = getattr(error, "option_name", None), error.ctx
    if not option or context is None or context.info_name != "train":
        return ""
    if difflib.get_close_matches(option, error.possibilities or (), cutoff=NEAR):
        return ""  # a misspelled flag, which the message has
    from unseen.runs.request import KNOWN, line_of  # torch comes with it, but for nothing else is there time here

    word = option.lstrip("-").replace("-", "_")
    name = word if word in KNOWN else OTHER_WORDS.get(word)
    if name not in KNOWN:
        return ""
    flag = next((p.opts[0] for p in context.command.params if p.name == name), None)
    error.possibilities = []
    if flag:
        return f"; did you mean {flag}?"
    return f"; {name} has no flag: put a line such as {line_of(name)} into a TOML file and give it with --config FILE"


def print_error(error: UnseenError) -> None:
    """One message, where errors go."""
    Console(stderr=True).print(f"[bold red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)


def print_warning(message: str) -> None:
    """One message that stops nothing."""
    out.print(f"[yellow]warning:[/] {escape(message)}", soft_wrap=True)


def print_remark(message: str) -> None:
    """One message that is no warning, only worth knowing."""
    out.print(f"[cyan]note:[/] {escape(message)}", soft_wrap=True)


@contextmanager
def interruptible(resume: str) -> Iterator[None]:
    """Inside: Ctrl-C ends with the command that resumes."""
    try:
        yield
    except KeyboardInterrupt:
        out.print(f"\nInterrupted. Resume with: {escape(resume)}", soft_wrap=True)
        raise typer.Exit(130) from None


def command_given(context: typer.Context) -> str:
    """The command as it was given, for whoever has to type it again."""
    words = ["unseen", context.info_name or ""]
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            words += _words(parameter, context.params[parameter.name or ""])
    return shlex.join(words)


def _words(parameter: Any, value: object) -> list[str]:
    values = [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]
    if parameter.param_type_name == "argument":
        return values
    if isinstance(value, bool):
        return [(parameter.opts if value else parameter.secondary_opts)[0]]
    return [word for each in values for word in (parameter.opts[0], each)]
