"""Optional packages: imported where they are used; where one is missing, the error has the pip command."""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from unseen.errors import InputError

_DISTRIBUTIONS = {"PIL": "pillow", "sklearn": "scikit-learn"}


def require(module: str, extra: str) -> ModuleType:
    """The imported ``module``; where its package isn't installed, an ``InputError`` with the pip command.

    A package that is there but broken raises its own error: installing it again wouldn't be the advice.
    """
    try:
        with global_generator_kept():
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        raise InputError(_advice([package], extra)) from error


def carried(package: str, file: str, extra: str) -> Path:
    """Where an installed ``package`` has a ``file`` of its own. Nothing is imported: that would take seconds."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise InputError(_advice([package], extra))
    return Path(spec.submodule_search_locations[0], file)


@contextmanager
def global_generator_kept() -> Iterator[None]:
    """Inside, imports that draw from Python's global generator (scikit-learn's, for one) don't move it."""
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


def missing(modules: tuple[str, ...], extra: str) -> str | None:
    """What isn't installed of ``modules`` and how to get it, or None when all are; imports nothing."""
    packages = [module for module in modules if importlib.util.find_spec(module) is None]
    return _advice(packages, extra) if packages else None


def _advice(packages: list[str], extra: str) -> str:
    names = " and ".join(_DISTRIBUTIONS.get(package, package) for package in packages)
    return f"{names} {'is' if len(packages) == 1 else 'are'} not installed: pip install 'unseen[{extra}]'"
