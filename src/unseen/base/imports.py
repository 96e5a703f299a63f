"""Something of the user's by where it is: a name in a file or in a module."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from unseen.errors import InputError, did_you_mean

FORMS = "FILE.py:NAME or MODULE:NAME"


def imported(what: str, name: str, kind: type | tuple[()] = ()) -> Any:
    """What ``FILE.py:NAME`` or ``MODULE:NAME`` is; ``what`` is how messages begin, ``kind`` what is looked for."""
    place, _, attribute = name.partition(":")
    try:
        module = _module_from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (ImportError, OSError) as error:
        raise InputError(f"{what}: {place} can't be imported: {error}") from error
    if not hasattr(module, attribute):
        members = vars(module).items()
        own = [n for n, v in members if isinstance(v, kind) or getattr(v, "__module__", "") == module.__name__]
        raise InputError(f'{what}: {place} has no "{attribute}"{did_you_mean(attribute, own)}')
    return getattr(module, attribute)


def _module_from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # as import would, so that classes in it know their module
    spec.loader.exec_module(module)
    return module


def absolute(name: str) -> str:
    """``FILE.py:NAME`` with the path of its file made absolute, so that it is found from another folder."""
    place, colon, rest = name.partition(":")
    if colon and place.endswith(".py") and Path(place).is_file():
        return f"{Path(place).resolve()}:{rest}"
    return name


def beside(name: str, folder: Path) -> str:
    """``FILE.py:NAME`` with the file of that name in ``folder``, where it is no longer in its own place."""
    place, _, rest = name.partition(":")
    here = folder / Path(place).name
    moved = place.endswith(".py") and not Path(place).is_file() and here.is_file()
    return f"{here}:{rest}" if moved else name
