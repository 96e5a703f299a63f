"""Files of the user's that a run folder names, found again after both were moved.

A job has absolute paths, so that a run resumes from anywhere. Beside them, ``config.json`` has where each file is as
seen from the run folder: when a file isn't where it was, and there is one at that place, it is that one. This is the
only place that decides which file a run folder stands for; a file of Python among them is then run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unseen.models.names import file_of, with_file

KEY = "places"


def with_places(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The content of a ``config.json``, and where in relation to ``folder`` the files are that its job names."""
    files = [file for _, file in _files(content.get("job"))]
    places = {str(file): os.path.relpath(file, folder.resolve()) for file in files if file.is_absolute()}
    return {**content, KEY: places} if places else dict(content)


def found_again(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The content without the places, its job with each file where it is now, or was where it isn't found."""
    places, job = content.get(KEY, {}), content.get("job")
    moved: dict[str, str] = {}
    for setting, file in _files(job):
        place = places.get(str(file)) if isinstance(places, Mapping) else None
        now = (folder.resolve() / place).resolve() if isinstance(place, str) else file
        if not file.exists() and now.is_file():
            assert isinstance(job, Mapping)
            moved[setting] = with_file(job["model"], now) if setting == "model" else str(now)
    rest = {name: value for name, value in content.items() if name != KEY}
    return rest | {"job": {**job, **moved}} if moved and isinstance(job, Mapping) else rest


def _files(job: Any) -> Iterator[tuple[str, Path]]:
    """Each setting of the job that names a file of the user's, and the file."""
    if not isinstance(job, Mapping):
        return
    model, weights = job.get("model"), job.get("weights")
    if isinstance(model, str) and (file := file_of(model)):
        yield "model", file
    if isinstance(weights, str):
        yield "weights", Path(weights)
