"""Searches on disk: a directory for each, with what was asked, every trial as it ends, and the result.

A search that ends early is continued from there: it proposes the same candidates again, and those that were
tried have their times already.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import ValidationError

from howdah.errors import UserError
from howdah.model.tuning import Trial, Tuning, TuningRequest
from howdah.store.layout import LOCK, RUN_ID, FileLock, replacing

_REQUEST, _TRIALS, RESULT = "request.json", "trials.jsonl", "tuning.json"
JOB_REQUEST = "job.json"
LAST = "last"
"""Stands for the newest search."""

_Key = frozenset[tuple[str, str]]


class TuningFolder:
    """The directory of one search, locked while it is open; trials are kept as they end."""

    def __init__(self, path: Path, lock: FileLock, request: TuningRequest) -> None:
        self.path = path
        self.request = request
        self._lock = lock
        self._trials = dict(_read_trials(path / _TRIALS))
        self._file = (path / _TRIALS).open("ab")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._lock.release()

    def recorded(self, values: Mapping[str, str]) -> Trial | None:
        """The trial of a candidate that was tried before."""
        return self._trials.get(_key(values))

    def add(self, trial: Trial) -> None:
        """Add a trial; it is on its way to the disk when this returns."""
        self._trials[_key(trial.values)] = trial
        self._file.write(trial.model_dump_json().encode() + b"\n")
        self._file.flush()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial so far."""
        return tuple(self._trials.values())

    def change(self, request: TuningRequest) -> None:
        """Replace what the search was started with; raises OSError."""
        self.request = request
        with replacing(self.path / _REQUEST) as file:
            file.write(request.model_dump_json(indent=2).encode() + b"\n")

    def result(self) -> Tuning | None:
        """The result, if the search has ended; raises UserError for one that cannot be read."""
        try:
            return Tuning.model_validate_json((self.path / RESULT).read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise UserError(
                str(self.path / RESULT), "is not the result of a search", "remove the file"
            ) from error

    def finish(self, tuning: Tuning, texts: Mapping[str, str]) -> None:
        """Write the result, and texts into files of their names; raises OSError."""
        for name, text in (*texts.items(), (RESULT, tuning.model_dump_json(indent=2) + "\n")):
            with replacing(self.path / name) as file:
                file.write(text.encode())


def new_tuning(directory: Path, name: str, request: TuningRequest) -> TuningFolder:
    """Make the directory of a search; raises UserError where that is impossible, or the name is taken."""
    if not RUN_ID.fullmatch(name):
        raise UserError(
            f"--name {name}", "is not a valid name of a search", "use letters, digits, '.', '_' and '-'"
        )
    path = directory / name
    try:
        path.mkdir(parents=True)
        lock = _locked(path)
        with replacing(path / _REQUEST) as file:
            file.write(request.model_dump_json(indent=2).encode() + b"\n")
        return TuningFolder(path, lock, request)
    except FileExistsError as error:
        raise UserError(
            str(path), "already exists", "give another --name, or continue it: --resume"
        ) from error
    except OSError as error:
        raise UserError(
            str(directory),
            f"cannot store a search ({error.strerror})",
            "give a writable directory on a disk with free space",
        ) from error


def searches(directory: Path, *requests: str) -> list[Path]:
    """The directories of searches with a request of these names, that which was started last at the end."""
    files = [file for name in requests for file in directory.glob(f"*/{name}")]
    return [file.parent for file in sorted(files, key=lambda file: (file.stat().st_mtime_ns, file))]


def search_path(directory: Path, name: str) -> Path:
    """The directory of the search of this name, ``last`` for the newest of plans and jobs."""
    several = searches(directory, _REQUEST, JOB_REQUEST)
    return several[-1] if name == LAST and several else directory / name


def open_tuning(directory: Path, name: str) -> TuningFolder:
    """Open a search to continue it, ``last`` for the newest; raises UserError where there is none."""
    names = [path.name for path in searches(directory, _REQUEST)]
    chosen = names[-1] if name == LAST and names else name
    if chosen not in names:
        newest = ", ".join(names[-5:])
        raise UserError(
            f"--resume {name}",
            f"no such search in {directory}",
            f"the newest are {newest}" if names else "start one: howdah tune plan.yaml",
        )
    path = directory / chosen
    lock = _locked(path)
    try:
        request = TuningRequest.model_validate_json((path / _REQUEST).read_bytes())
    except (OSError, ValidationError) as error:
        lock.release()
        raise UserError(
            str(path / _REQUEST), "is not the request of a search", "start a new search"
        ) from error
    return TuningFolder(path, lock, request)


def _locked(path: Path) -> FileLock:
    try:
        return FileLock(path / LOCK, wait=False)
    except BlockingIOError as error:
        raise UserError(str(path), "another process is running this search", "wait until it ends") from error


class _Line(NamedTuple):
    key: _Key
    trial: Trial


def _read_trials(path: Path) -> list[_Line]:
    """The trials in a file; what a killed process left of its last line is cut off."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    trials = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            trial = Trial.model_validate_json(line)
        except ValidationError as error:
            raise UserError(f"{path}:{number}", "is not a trial", "remove the line") from error
        trials.append(_Line(_key(trial.values), trial))
    return trials


def _key(values: Mapping[str, str]) -> _Key:
    return frozenset(values.items())
