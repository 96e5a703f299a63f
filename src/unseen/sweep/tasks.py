"""What a worker of a sweep takes on. How it stands is in files alone, so that any process can see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from unseen.base.reading import is_there
from unseen.base.writing import make_folder, remove, remove_empty, write_atomically
from unseen.errors import RunFolderError
from unseen.runs.folder import RunFolder
from unseen.runs.request import Request, train


class Task(ABC):
    """A piece of a sweep that one worker does alone."""

    request: Request

    @property
    def folder(self) -> Path:
        """Where it is done."""
        return self.request.out

    @property
    def home(self) -> Path:
        """The sweep's folder."""
        return self.folder.parent

    @property
    def name(self) -> str:
        """The folder, as seen from the sweep's."""
        return str(self.folder.relative_to(self.home))

    @property
    @abstractmethod
    def steps(self) -> int | None:
        """Minimization steps to its end; None where its config knows them, once it has begun."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether nobody needs to take it on any more: it came to its end, or failed."""

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether it can be taken on now."""

    @abstractmethod
    def work(self, warn: Callable[[str], None]) -> None:
        """Do it, from where it is."""

    @abstractmethod
    def fail(self, traceback: str) -> None:
        """Write down why it can't be done."""


@dataclass(frozen=True)
class RunTask(Task):
    """One run, from where it is to its end."""

    request: Request
    after: Path | None = None
    """the folder of shared rounds that begin this run's: until they have, or are gone, the run waits"""
    afterwards: Callable[[Request], object] | None = None
    """what its worker does with the run when it came to its end"""

    @property
    @override
    def steps(self) -> int | None:
        return self.request.ada.T if self.request.ada.epochs is None else None

    @property
    @override
    def done(self) -> bool:
        return finished(self.request) or failed(self.request)

    @property
    def ready(self) -> bool:
        """Unless shared rounds have yet to begin it."""
        return self.after is None or RunFolder(self.folder).started or not self.after.exists()

    @override
    def work(self, warn: Callable[[str], None]) -> None:
        started = RunFolder(self.folder).started
        train(self.request, resume=started, warn=warn, remark=lambda _: None)  # of many runs it would be many
        if self.afterwards is not None:
            with suppress(Exception):  # the run is whole: whoever asked for more sees that it isn't there
                self.afterwards(self.request)

    @override
    def fail(self, traceback: str) -> None:
        fail(self.request, traceback)


def finished(request: Request) -> bool:
    """Whether this very run came to its end: a folder with other settings is another run's."""
    files = RunFolder(request.out)
    try:
        return files.finished and request.asks_for(files.config())
    except RunFolderError:  # a damaged config: training says so
        return False


def error_file(request: Request) -> Path:
    """Where a run's traceback is kept: beside the run folders, since a run can fail before it has one."""
    return request.out.parent / "errors" / f"{request.out.name}.txt"


def failed(request: Request) -> bool:
    """Whether the run failed and nobody asked for another try."""
    return is_there(error_file(request), RunFolderError)


def fail(request: Request, traceback: str) -> None:
    """Remember that the run failed, and why."""
    path = error_file(request)
    make_folder(path.parent)
    write_atomically(path, traceback.encode())


def forget_failure(request: Request) -> None:
    """Let the run be tried again."""
    path = error_file(request)
    remove(path)
    remove_empty(path.parent)
