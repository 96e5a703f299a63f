"""Files of the user's that a run folder names, and its source's folder, found again after both were moved.

A job has absolute paths, so that a run resumes from anywhere. Beside them, ``config.json`` has where each is as seen
from the run folder: when it isn't where it was, and there is one at that place, it is that one. This is the only place
that decides which file a run folder stands for; a file of Python among them is then run, and the images of a source are
compared by their fingerprint.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unseen.base.paths import names_file, names_folder, resolved
from unseen.base.reading import digest_of
from unseen.data.domain_names import prefix_and_path
from unseen.errors import InputError
from unseen.models.names import file_of, runs_code, with_file
from unseen.transforms.callables import FROM_PYTHON
from unseen.transforms.catalogue import registered

KEY = "places"


def with_places(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The content of a ``config.json``, and where in relation to ``folder`` is what its job names."""
    files = [file for _, file in _named(content.get("job"))]
    places = {str(file): os.path.relpath(file, resolved(folder)) for file in files if file.is_absolute()}
    return {**content, KEY: places} if places else dict(content)


def found_again(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The content without the places, its job with each path as it is now, or was where nothing is found."""
    places, job = content.get(KEY, {}), content.get("job")
    moved: dict[str, str] = {}
    for setting, file in _named(job):
        place = places.get(str(file)) if isinstance(places, Mapping) else None
        now = resolved(folder / place) if isinstance(place, str) and "\0" not in place else file
        if not _is_here(file) and _is_here(now):
            assert isinstance(job, Mapping)
            moved[setting] = _with_path(setting, job[setting], now)
    rest = {name: value for name, value in content.items() if name != KEY}
    return rest | {"job": {**job, **moved}} if moved and isinstance(job, Mapping) else rest


def resume_command(content: Mapping[str, Any], folder: Path) -> str:
    """What to type to resume the run of that ``config.json``; code that it names is run only where that is said."""
    return f"unseen train --resume {shlex.quote(str(folder))}" + " --run-model-code" * names_code(content)


def names_code(content: Mapping[str, Any]) -> bool:
    """Whether a ``config.json`` names code of the user's, of a model or of a transformation."""
    return bool(_code(content))


def names_model_code(content: Mapping[str, Any]) -> bool:
    """Whether its model is code of the user's: using the network runs it, and no transformation's."""
    return bool(_model_code(content))


def code_digests(content: Mapping[str, Any]) -> dict[str, str]:
    """The Python files among that code, and how each one's SHA-256 begins: by it a resume knows one that changed.

    The same for each transformation that the program registered.
    """
    files = [file for name in _code(content) if (file := file_of(name))]
    digests = {file.name: digest_of(file, InputError) for file in files}
    digests |= {name: each.digest for name, each in registered(_moved(content)).items()}
    return {name: f"sha256:{digest[:12]}" for name, digest in digests.items()}


def _code(content: Mapping[str, Any]) -> list[str]:
    own = [each for each in _moved(content) if ":" in each and not each.startswith(FROM_PYTHON)]
    return [*own, *_model_code(content)]


def _moved(content: Mapping[str, Any]) -> list[str]:
    """The names of transformations and sets, as far as they are names."""
    ada = part if isinstance(part := content.get("ada"), Mapping) else {}
    given = [ada.get("over"), ada.get("augment")]
    names = [each for some in given for each in (some if isinstance(some, list | tuple) else [some])]
    return [each for each in names if isinstance(each, str)]


def _model_code(content: Mapping[str, Any]) -> list[str]:
    job = part if isinstance(part := content.get("job"), Mapping) else {}
    model = job.get("model")
    return [model] if isinstance(model, str) and runs_code(model) else []


def _named(job: Any) -> Iterator[tuple[str, Path]]:
    """Each setting of the job that names a file or a folder of the user's, and its path."""
    if not isinstance(job, Mapping):
        return
    model, weights, source = (job.get(name) for name in ("model", "weights", "source"))
    if isinstance(model, str) and (file := file_of(model)):
        yield "model", file
    if isinstance(weights, str):
        yield "weights", Path(weights)
    if isinstance(source, str) and (folder := Path(prefix_and_path(source)[1])).is_absolute():
        yield "source", folder


def _with_path(setting: str, value: str, path: Path) -> str:
    """The setting's value with this path in the place of its own."""
    return with_file(value, path) if setting == "model" else prefix_and_path(value)[0] + str(path)


def _is_here(path: Path) -> bool:
    return names_file(path) or names_folder(path)
