"""How far a training is, read from its folder: whoever can see the folder needs no word from the process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from unseen.base.tensors import shape_in
from unseen.errors import RunFolderError
from unseen.runs.console import showing_many
from unseen.runs.folder import RunFolder
from unseen.runs.progress import Progress
from unseen.sweep.tasks import RunTask, Task
from unseen.sweep.workers import under_way

EVERY = 0.5  # seconds between two looks


@contextmanager
def watching(tasks: Sequence[Task], token: str, console: Console) -> Iterator[None]:
    """Inside: the console shows how many runs are done, and how far those under way are."""
    stop = threading.Event()
    with showing_many(console) as show:
        watcher = _Watcher(tasks, token, show)
        thread = threading.Thread(target=watcher.until, args=(stop,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            watcher.look()


class _Watcher:
    """What was seen of each task; what is new is shown."""

    def __init__(self, tasks: Sequence[Task], token: str, show: Callable[[str, Progress | None], None]) -> None:
        self.token, self.show = token, show
        self.left = list(tasks)
        self.runs = sum(isinstance(task, RunTask) for task in tasks)
        self.seen: dict[str, Progress] = {}

    def until(self, stop: threading.Event) -> None:
        """Look again and again."""
        while not stop.wait(EVERY):
            self.look()

    def look(self) -> None:
        """Look once."""
        for task in [task for task in self.left if task.done]:
            self.left.remove(task)
            self.show(task.name, None)
        done = self.runs - sum(isinstance(task, RunTask) for task in self.left)
        self._show("sweep", Progress("sweep", done, self.runs, 0))
        for task in self.left:
            if under_way(task, self.token) and (progress := read_progress(task.folder, task.steps)):
                self._show(task.name, progress)

    def _show(self, name: str, progress: Progress) -> None:
        if self.seen.get(name) != progress:
            self.seen[name] = progress
            self.show(name, progress)


def read_progress(folder: Path, steps: int | None) -> Progress | None:
    """Where the training of so many steps, or of all that it has, is in this folder; None when it has not begun."""
    files = RunFolder(folder)
    try:
        config, lines = files.config(), files.metrics()
        line = lines[-1] if lines else None
        k = line.get("round", 0) if line else 0
        made = _images_made(folder / "rounds" / str(k + 1)) if k < config.ada.K else 0
    except RunFolderError:  # it may be gone while we look
        return None
    if made:
        return Progress("maximize", made, config.round_size, k)
    return Progress("minimize", line["step"] if line else 0, steps or config.ada.T, k, line)


def _images_made(round_folder: Path) -> int:
    return sum(shape_in(part, "images")[0] for part in round_folder.glob("*.safetensors"))
