"""The command line's frame: it turns what goes wrong into one message and an exit code."""

from __future__ import annotations

import difflib
import errno
import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.text import Text

from unseen.base import interrupts
from unseen.base.imports import model_code
from unseen.base.terminal import Terminal, printable
from unseen.base.torchrun import leads
from unseen.data import root
from unseen.errors import OTHER_WORDS, InputError, RankLost, SaveFailed, UnseenError

EXIT_CODES = (
    "Exit codes: 0 done, 1 a bug, 2 bad input, 3 a run folder that can't be used, 4 training diverged, "
    "5 a save failed, 6 a process of the training was lost, 7 runs of a sweep failed, 8 some pictures can't be read, "
    "130 interrupted, 141 nobody reads what is printed."
)
NO_READER = 141  # 128 and the number of SIGPIPE, as shells have it

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Train on one domain, hold up on domains nobody has seen (adversarial data augmentation).",
    epilog=EXIT_CODES,
)
out = Terminal(quiet=not leads())
RUN_MODEL_CODE = "--run-model-code"
MOST_SEEDS = 10_000
NEAR = 0.8  # how alike a misspelled flag is to the one that was meant
_UsageError: Any = typer.BadParameter.__base__  # a wrong flag, verb or value; Typer has no public name for it

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help=f"Folder of real data sets ({root.VARIABLE}).",
        callback=lambda path: root.use(path) if path is not None else None,
    ),
]


def _model_code(context: typer.Context, allowed: bool) -> bool:
    """Until the command ends, code that run folders name is run if that is allowed; else it is said what allows it."""
    context.with_resource(model_code(allowed, lambda: f"{command_given(context)} {RUN_MODEL_CODE}"))
    return allowed


RunModelCode = Annotated[
    bool,
    typer.Option(RUN_MODEL_CODE, help="Run Python code that the folder names.", callback=_model_code),
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
    warnings.showwarning = _show_python_warning
    started = interrupts.let_through()
    try:
        _main()
    finally:
        if started:
            interrupts.end_quietly()  # what is left is to leave


def _main() -> None:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()  # a disk or a reader that is gone is found here, where it can be told
    except _UsageError as error:
        error.message = printable(error.message + _where_it_goes(error))
        error.show()  # Typer's own way would first import what a box around the message takes: a third of the time
        raise SystemExit(error.exit_code) from None
    except (typer.Abort, KeyboardInterrupt):
        code = interrupts.CODE
    except UnseenError as error:
        if leads() or isinstance(error, RankLost):  # what else goes wrong, rank 0 knows and reports
            print_error(error)
        raise SystemExit(error.exit_code) from None
    except SystemExit as stopped:
        raise SystemExit(NO_READER if isinstance(stopped.__context__, BrokenPipeError) else stopped.code) from None
    except OSError as error:
        _write_nowhere()
        raise SystemExit(_told(error)) from None
    except Exception as error:
        from unseen.engine.cpu import lacked_memory  # torch comes with it, and most commands have it by now

        if lacked_memory(error):
            print_error(InputError("this takes more memory than there is; lower batch, size or width, or free some"))
            raise SystemExit(InputError.exit_code) from None
        _tell_of_a_bug(error)
        raise SystemExit(UnseenError.exit_code) from None
    if code == interrupts.CODE:  # also what Typer makes of it; who knows how to resume has told that, and left
        Terminal(stderr=True).print("Interrupted.")
    raise SystemExit(code or 0)


def _told(error: OSError) -> int:
    """The exit code of a problem with a file, or with what is printed, that nobody has told yet; now it is."""
    if isinstance(error, BrokenPipeError):
        return NO_READER
    place = error.filename or "what is printed"
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
    told = (SaveFailed if full else InputError)(f"{place}: {error.strerror or error}; put that right and try again")
    print_error(told)
    return told.exit_code


def _write_nowhere() -> None:
    """Let go of what can't be printed: Python would try again at its end, and fail aloud."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell_of_a_bug(error: Exception) -> None:
    """The traceback, and what to do with it."""
    traceback.print_exception(error)
    print_error(
        UnseenError(
            "this is a bug in unseen. Please send the maintainers the lines above, what `unseen --version` prints, and "
            f"the command: {shlex.join(['unseen', *sys.argv[1:]])}"
        )
    )


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
    Terminal(stderr=True).print(_labelled("error:", "bold red", str(error)), highlight=False, soft_wrap=True)


def print_warning(message: str) -> None:
    """One message that stops nothing."""
    out.print(_labelled("warning:", "yellow", message), soft_wrap=True)


def print_remark(message: str) -> None:
    """One message that is no warning, only worth knowing."""
    out.print(_labelled("note:", "cyan", message), soft_wrap=True)


def _labelled(label: str, style: str, message: str) -> Text:
    return Text.assemble((label, style), " ", printable(message))


def _show_python_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """As Python shows a library's warning, but printable: it may have names of files in it."""
    shown = warnings.formatwarning(message, category, filename, lineno, line)
    Terminal(stderr=True).print(shown, end="", highlight=False, soft_wrap=True)


@contextmanager
def interruptible(resume: str) -> Iterator[None]:
    """Inside: Ctrl-C ends with the command that resumes."""
    try:
        yield
    except KeyboardInterrupt:
        out.print(f"\nInterrupted. Resume with: {resume}", soft_wrap=True)
        raise SystemExit(interrupts.CODE) from None


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
