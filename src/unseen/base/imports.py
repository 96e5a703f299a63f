"""Something of the user's by where it is: a name in a file or in a module. Importing it runs it.

So a name is imported only if this process was given it: on the command line, in a file of settings named there, or by
a Python program. A name that was read out of a run folder is refused, unless the user allowed it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from unseen.base.paths import names_file, resolved
from unseen.errors import InputError, RunFolderError, UnseenError, did_you_mean

FORMS = "FILE.py:NAME or MODULE:NAME"
Value = TypeVar("Value")

_given: set[str] = set()
"""the names that this process was given"""
_reading: ContextVar[bool] = ContextVar("reading", default=False)
"""whether what is made now is made of what a file says"""
_allowed: ContextVar[bool] = ContextVar("allowed", default=False)
"""whether the user allowed names that nobody gave"""
_how: ContextVar[Callable[[], str]] = ContextVar("how", default=lambda: "give run_model_code=True")
"""what the user does to allow them"""


class CodeRefused(RunFolderError):
    """A folder names code that would be run, and the user didn't say that it may."""


def give(*names: Any) -> None:
    """Say that the user gave these names to this process; in the middle of reading a file, nobody did."""
    if not _reading.get():
        _given.update(_spelled(name) for name in names if isinstance(name, str) and ":" in name)


def reading_names() -> AbstractContextManager[None]:
    """Inside: names come out of a file, and not from the user."""
    return _set(_reading, True)


@contextmanager
def model_code(allowed: bool, how: Callable[[], str] | None = None) -> Iterator[None]:
    """Inside: code that folders name may be run, if that is ``allowed`` here or around; ``how`` says what allows it."""
    with _set(_allowed, allowed or _allowed.get()), _set(_how, how or _how.get()):
        yield


def no_code() -> AbstractContextManager[None]:
    """Inside: folders are read that the user didn't name, of which no code is run whatever is allowed around."""
    return _set(_allowed, False)


@contextmanager
def _set(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def _spelled(name: str) -> str:
    """The same name in one spelling, wherever it is written from."""
    place, colon, rest = name.partition(":")
    return f"{Path(place).absolute()}{colon}{rest}" if place.endswith(".py") else name


def _refuse_strange(what: str, name: str) -> None:
    if _spelled(name) in _given:
        return
    if not _allowed.get():
        raise CodeRefused(
            f"{what}: it would be imported, which runs the code in it, and it was named by a run folder, not by you; "
            f"if you trust whoever made the folder: {_how.get()()}"
        )
    _given.add(_spelled(name))


def imported(what: str, name: str, kind: type | tuple[()] = ()) -> Any:
    """What ``FILE.py:NAME`` or ``MODULE:NAME`` is; ``what`` is how messages begin, ``kind`` what is looked for."""
    place, _, attribute = name.partition(":")
    _refuse_strange(what, name)
    with users_code(f"{what}: {place} can't be imported", place):
        module = _module_from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    if not hasattr(module, attribute):
        members = vars(module).items()
        own = [n for n, v in members if isinstance(v, kind) or getattr(v, "__module__", "") == module.__name__]
        raise InputError(f'{what}: {place} has no "{attribute}"{did_you_mean(attribute, own)}')
    return getattr(module, attribute)


@contextmanager
def users_code(what: str, place: str) -> Iterator[None]:
    """Inside: code of the user's runs. Whatever it raises, ``sys.exit`` too, is one message with its last line."""
    try:
        yield
    except (KeyboardInterrupt, UnseenError):
        raise
    except BaseException as error:
        raise InputError(f"{what}: {_said(error)}{_last_line(error, place)}") from error


def _said(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code!r})"
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _last_line(error: BaseException, place: str) -> str:
    """`` (line 3 in nets.py: import torhc)``: the last line of the user's that was run, where there is one."""
    if isinstance(error, SyntaxError):
        return f" (line {error.lineno} in {error.filename}: {(error.text or '').strip()})" if error.filename else ""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not _ours(f.filename)]
    own = [f for f in frames if f.filename in (place, frames[0].filename)]
    return f" (line {own[-1].lineno} in {own[-1].filename}: {own[-1].line})" if own else ""


def _ours(file: str) -> bool:
    return file.startswith("<frozen") or Path(__file__).parents[1] in Path(file).parents


def _module_from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(path.stem)
    sys.modules[path.stem] = module  # as import would, so that classes in it know their module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]  # half of it is nobody's module
        if before is not None:
            sys.modules[path.stem] = before
        raise
    return module


def absolute(name: str) -> str:
    """``FILE.py:NAME`` with the path of its file made absolute, so that it is found from another folder."""
    place, colon, rest = name.partition(":")
    if colon and place.endswith(".py") and names_file(place):
        return f"{resolved(place)}:{rest}"
    return name


def beside(name: str, folder: Path) -> str:
    """``FILE.py:NAME`` with the file of that name in ``folder``, where it is no longer in its own place."""
    place, _, rest = name.partition(":")
    here = folder / Path(place).name
    moved = place.endswith(".py") and not names_file(place) and names_file(here)
    return f"{here}:{rest}" if moved else name
