"""The processes of a sweep, on this machine or on a Ray cluster: each takes what is ready until nothing is left."""

from __future__ import annotations

import functools
import importlib
import logging
import os
import socket
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from unseen.base.locking import InUse, locked_file
from unseen.base.reading import read_text
from unseen.base.writing import append, make_folder, remove, writing
from unseen.data import root
from unseen.engine import cpu
from unseen.errors import InputError, RankLost, RunFolderError, SaveFailed, UnseenError
from unseen.runs.folder import RunFolder
from unseen.sweep.tasks import Task

PAUSE = 0.5  # seconds between two looks for something to do, or for the parent
CONNECT_SECONDS = 5.0
CLAIMS = ".claims"
QUIETLY: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}


@dataclass(frozen=True)
class Crew:
    """Workers that can be started."""

    jobs: int
    """how many work at once"""
    backend: dict[str, Any]
    """joblib's, with its options"""
    lost: type[Exception]
    """what joblib raises when a worker is gone"""
    parent: int | None
    """the process that the workers end with; None where Ray sees to it"""

    def do(self, tasks: Sequence[Task], token: str) -> list[str]:
        """Have every task done; what there was to warn of is returned. One that ends its worker fails, alone.

        By ``token``, which no other sweep has, the workers know their folders and their claims.
        """
        with _marked({task.home for task in tasks}, token):
            return self._do(tasks, token)

    def _do(self, tasks: Sequence[Task], token: str) -> list[str]:
        try:
            return self._start(tasks, token, self.jobs)
        except self.lost as error:
            suspects = [task for task in tasks if under_way(task, token)]
            if not suspects:
                raise RankLost(
                    "a process of the sweep was ended from outside before it had begun a run, as when memory runs out; "
                    "free some or lower jobs: the same command resumes"
                ) from error
        for suspect in suspects:
            try:
                self._start([suspect], token, 1)
            except self.lost as error:
                suspect.fail(f"The process ended in the middle of it, as when memory runs out.\n{error}\n")
                remove(_claim(suspect))
        return self._do(tasks, token) if any(not task.done for task in tasks) else []

    def _start(self, tasks: Sequence[Task], token: str, workers: int) -> list[str]:
        # With one job joblib would work in this process, and what ends a worker would end the sweep.
        with parallel_config(**self.backend, n_jobs=max(min(self.jobs, len(tasks)), 2)):
            work = delayed(_work)(tasks, token, self.parent, os.environ.get(root.VARIABLE))
            heard = Parallel(batch_size=1)([work] * min(workers, len(tasks)))
        return [message for messages in heard for message in messages]


def under_way(task: Task, token: str) -> bool:
    """Whether a worker of this sweep has taken the task on and not yet ended it."""
    try:
        return read_text(_claim(task), RunFolderError) == token
    except RunFolderError:  # nobody has, or it has ended meanwhile
        return False


@contextmanager
def crew(
    jobs: int | None, threads: int, gpu: bool = False, engine: str = "processes", address: str | None = None
) -> Iterator[Crew]:
    """Workers that need so many threads each, or a GPU; as many as there is room for, when ``jobs`` isn't given."""
    if engine == "processes":
        yield Crew(jobs or default_jobs(threads, gpu), {"backend": "loky"}, TerminatedWorkerError, os.getpid())
        return
    ray = _import_ray()
    with _connected(ray, jobs, threads, address):
        most = _most_jobs(ray.cluster_resources(), threads, gpu)
        if most < max(jobs or 0, 2):
            raise InputError(
                f"jobs={jobs}: the Ray cluster has room for {most} with {threads} threads{' and a GPU' * gpu} each; "
                "expected no more than that, and room for 2"
            )
        remote = {"num_cpus": threads, "num_gpus": int(gpu)}
        yield Crew(jobs or most, {"backend": "ray", "ray_remote_args": remote}, ray.exceptions.RayError, None)


def default_jobs(threads: int, gpu: bool = False) -> int:
    """How many workers of so many threads this process may keep busy; one where they need the GPU."""
    return 1 if gpu else max(cpu.cores() // threads, 1)


def _most_jobs(resources: dict[str, float], threads: int, gpu: bool) -> int:
    by_cores = int(resources.get("CPU", 0)) // threads
    return min(by_cores, int(resources.get("GPU", 0))) if gpu else by_cores


def _work(tasks: Sequence[Task], token: str, parent: int | None, data: str | None) -> list[str]:
    """In a worker: do what is ready and nobody else has taken on, until all is done; ``data`` is the data root."""
    if data is not None:  # a worker may be older than the choice, or another machine's
        os.environ[root.VARIABLE] = data
    if parent is not None and parent != os.getpid():
        _end_with(parent)
    _look_for_marks({task.home for task in tasks}, token)
    for task in tasks:
        task.request.give_names()
    heard: list[str] = []
    while ahead := [task for task in tasks if not task.done]:
        if not any(_attempt(task, token, heard) for task in ahead if task.ready):
            time.sleep(PAUSE)
    return heard


def _attempt(task: Task, token: str, heard: list[str]) -> bool:
    """Take the task on, unless somebody else has; whether it is done now."""
    with _claimed(_claim(task), token) as ours:
        if not ours or task.done or _in_use(task.folder):
            return False
        try:
            task.work(lambda message: heard.append(f"{task.name}: {message}"))
            assert task.done
        except UnseenError as error:
            task.fail(str(error))
        except (Exception, SystemExit):  # whatever it is, it is this task's alone
            task.fail(traceback.format_exc())
        remove(_claim(task))  # whoever has it open sees that the task is done
        return True


def _claim(task: Task) -> Path:
    return task.home / CLAIMS / task.name.replace("/", "-")


@contextmanager
def _claimed(path: Path, token: str) -> Iterator[bool]:
    """Inside, if it is true: nobody else has this claim. However the process ends, it is free again."""
    with ExitStack() as held:
        try:
            file = held.enter_context(locked_file(path))
        except InUse:
            yield False
            return
        with writing(path):
            file.truncate(0)
            file.write(token)
            file.flush()
        yield True
        with writing(path):
            file.truncate(0)


def _in_use(folder: Path) -> bool:
    """Whether a process outside the sweep, or one left from an earlier sweep, is training there: it will end."""
    if not folder.exists():
        return False
    try:
        with RunFolder(folder).locked():
            return False
    except InUse:
        return True
    except UnseenError:  # the task itself will say what is wrong with its folder
        return False


@functools.cache
def _end_with(parent: int) -> None:
    """From now on this process ends when its parent is gone: nobody wants a training that continues as an orphan."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PAUSE)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _marked(folders: set[Path], token: str) -> Iterator[None]:
    """Inside: the folders have a mark by which workers know that they see the same ones."""
    marks = [_mark(folder, token) for folder in folders]
    for mark in marks:
        make_folder(mark.parent)
        append(mark, "")
    try:
        yield
    finally:
        for mark in marks:
            with suppress(SaveFailed, OSError):  # another sweep, or a claim of a worker that was killed
                remove(mark)
                mark.parent.rmdir()


def _mark(folder: Path, token: str) -> Path:
    return folder / CLAIMS / f".{token}"


def _look_for_marks(folders: set[Path], token: str) -> None:
    for folder in folders:
        if not _mark(folder, token).exists():
            raise InputError(
                f"{socket.gethostname()} does not see {folder} as the machine that started the sweep does; expected a "
                "folder on a file system that all machines of the cluster share: give one with --out"
            )


def _import_ray() -> Any:
    try:
        ray = importlib.import_module("ray")
        importlib.import_module("ray.util.joblib").register_ray()
    except ImportError as error:
        raise InputError(f'engine="ray": {error}; install it with: pip install "unseen[ray]"') from error
    return ray


@contextmanager
def _connected(ray: Any, jobs: int | None, threads: int, address: str | None) -> Iterator[None]:
    """Inside: the Ray cluster at the address, or one on this machine; the caller's own where there is one."""
    if ray.is_initialized():
        yield
        return
    address = address or os.environ.get("RAY_ADDRESS")
    try:
        if address is None:
            cores = max(jobs or default_jobs(threads), 2) * threads
            ray.init(address="local", num_cpus=cores, include_dashboard=False, **QUIETLY)
        else:
            _knock(address)
            ray.init(address=address, **QUIETLY)
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(
            f'no Ray cluster to work with at address="{address or "local"}" ({error}); expected "auto", HOST:PORT or '
            "ray://HOST:PORT of one that runs and lets you in, or no address for this machine alone"
        ) from error
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Ray tries for minutes to reach a host that isn't there; a socket knows in seconds."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
