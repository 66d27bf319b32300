"""Predictions on disk, each in a directory that is written once, and searches with their trials.

A search that ends early is continued from its directory: it proposes the same candidates again, and those
that were tried have their times already.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self, TypeVar

from pydantic import BaseModel, ValidationError

from howdah.errors import UserError, os_errors
from howdah.files import replacing, sync_directory
from howdah.model.prediction import Prediction, Score
from howdah.model.tuning import Trial, Tuning, TuningRequest
from howdah.store.layout import LOCK, RUN_ID, FileLock, write_model

M = TypeVar("M", bound=BaseModel)

PREDICTION = "prediction.json"
SCORES = "scores.jsonl"
_WRITABLE = "give a writable directory on a disk with free space"


def check_name(directory: Path, name: str) -> None:
    """Raise UserError for a name that a prediction cannot have, or that another has already."""
    check_word(name, "a prediction")
    if directory.is_file():
        raise UserError(str(directory), "is a file", "give a directory; it is created if needed")
    if (directory / name).exists():
        raise _taken(directory / name)


def check_word(name: str, kind: str) -> None:
    """Raise UserError for a name that a directory of this kind cannot have."""
    if not RUN_ID.fullmatch(name):
        problem = f"is not a valid name of {kind}"
        raise UserError(f"--name {name}", problem, "use letters, digits, '.', '_' and '-'")


def save_prediction(directory: Path, prediction: Prediction) -> Path:
    """Write a prediction into a new directory and return that.

    It appears whole or not at all. Raises UserError if it cannot be written, or if there is one of its name:
    a prediction is never overwritten.
    """
    check_name(directory, prediction.id)
    path = directory / prediction.id
    with os_errors(directory, "cannot store a prediction ({})", _WRITABLE):
        directory.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=".new-", dir=directory))
        try:
            write_model(staged / PREDICTION, prediction)
            staged.chmod(0o755)
            # Renaming would replace an empty directory, and so the name is taken first.
            try:
                path.mkdir()
            except FileExistsError as error:
                raise _taken(path) from error
            staged.rename(path)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        sync_directory(directory)
    return path


def load_prediction(path: Path) -> Prediction:
    """Read the prediction in a directory; raises UserError if there is none."""
    file = path / PREDICTION
    try:
        return Prediction.model_validate_json(file.read_bytes())
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise UserError(str(file), problem, "give a prediction that `howdah predict` made") from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        problem = f"is not a prediction: {place}: {fault['msg']}"
        raise UserError(str(file), problem, "restore it, or predict again") from error


def list_predictions(directory: Path) -> list[Path]:
    """The directories of all predictions, in the order of their names; none if there is no directory."""
    return sorted(path.parent for path in directory.glob(f"[!.]*/{PREDICTION}"))


def _taken(path: Path) -> UserError:
    problem = "already exists, and a prediction is never overwritten"
    return UserError(str(path), problem, "give another --name")


def keep_scores(directory: Path, scores: Sequence[Score]) -> list[Score]:
    """Add a run's scores to the history, unless they are in it, and return the whole of it.

    Raises UserError if the history cannot be read or written.
    """
    path = directory / SCORES
    with os_errors(path, "cannot be written ({})", _WRITABLE), FileLock(directory / LOCK):
        earlier = read_scores(directory)
        pairs = {(score.prediction, score.run) for score in earlier}
        fresh = [score for score in scores if (score.prediction, score.run) not in pairs]
        with path.open("ab") as file:
            file.write(b"".join(score.model_dump_json().encode() + b"\n" for score in fresh))
            file.flush()
            os.fsync(file.fileno())
    return [*earlier, *fresh]


def read_scores(directory: Path) -> list[Score]:
    """Every score so far, oldest first; raises UserError naming the line that is not a score."""
    path = directory / SCORES
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(str(path), f"cannot be read ({error.strerror})", "make it readable") from error
    hint = "remove the line: the run can be scored again"
    return _read_lines(path, lines, Score, "is not a score of howdah", hint)


def _read_lines(path: Path, lines: Iterable[bytes], kind: type[M], problem: str, hint: str) -> list[M]:
    """The model on each line; raises UserError naming the first wrong line."""
    result = []
    for number, line in enumerate(lines, start=1):
        try:
            result.append(kind.model_validate_json(line))
        except ValidationError as error:
            raise UserError(f"{path}:{number}", problem, hint) from error
    return result


_REQUEST, _TRIALS, RESULT, JOB_REQUEST = "request.json", "trials.jsonl", "tuning.json", "job.json"
LAST = "last"  # Stands for the newest search.
CandidateKey = frozenset[tuple[str, str]]


class TuningFolder:
    """The directory of one search, locked while it is open; trials are kept as they end."""

    def __init__(self, path: Path, lock: FileLock, request: TuningRequest) -> None:
        self.path = path
        self.request = request
        self._lock = lock
        self._trials = _read_trials(path / _TRIALS)
        self._file = (path / _TRIALS).open("ab")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self._lock.release()

    def recorded(self, values: Mapping[str, str]) -> Trial | None:
        """The trial of a candidate that was tried before."""
        return self._trials.get(candidate_key(values))

    def add(self, trial: Trial) -> None:
        """Add a trial; the kernel has it when this returns."""
        self._trials[candidate_key(trial.values)] = trial
        self._file.write(trial.model_dump_json().encode() + b"\n")
        self._file.flush()

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(self._trials.values())

    def change(self, request: TuningRequest) -> None:
        """Replace what the search was started with; raises OSError."""
        self.request = request
        write_model(self.path / _REQUEST, request)

    def result(self) -> Tuning | None:
        """The result, if the search has ended; raises UserError for one that cannot be read."""
        try:
            return Tuning.model_validate_json((self.path / RESULT).read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            problem = "is not the result of a search"
            raise UserError(str(self.path / RESULT), problem, "remove the file") from error

    def finish(self, tuning: Tuning, texts: Mapping[str, str]) -> None:
        """Write the result, and texts into files of their names; raises OSError."""
        for name, text in (*texts.items(), (RESULT, tuning.model_dump_json(indent=2) + "\n")):
            with replacing(self.path / name) as file:
                file.write(text.encode())


def new_tuning(directory: Path, name: str, request: TuningRequest) -> TuningFolder:
    """Make the directory of a search; raises UserError if that is impossible, or the name is taken."""
    check_word(name, "a search")
    path = directory / name
    try:
        path.mkdir(parents=True)
        lock = _locked(path)
        write_model(path / _REQUEST, request)
        return TuningFolder(path, lock, request)
    except FileExistsError as error:
        problem = "already exists"
        raise UserError(str(path), problem, "give another --name, or continue it: --resume") from error
    except OSError as error:
        hint = "give a writable directory on a disk with free space"
        raise UserError(str(directory), f"cannot store a search ({error.strerror})", hint) from error


def searches(directory: Path, *requests: str) -> list[Path]:
    """The directories of searches with a request of these names, that which was started last at the end."""
    files = [file for name in requests for file in directory.glob(f"*/{name}")]
    return [file.parent for file in sorted(files, key=lambda file: (file.stat().st_mtime_ns, file))]


def search_path(directory: Path, name: str) -> Path:
    """The directory of the search of this name, ``last`` for the newest of plans and jobs."""
    several = searches(directory, _REQUEST, JOB_REQUEST)
    return several[-1] if name == LAST and several else directory / name


def open_tuning(directory: Path, name: str) -> TuningFolder:
    """Open a search to continue it, ``last`` for the newest; raises UserError if there is none."""
    names = [path.name for path in searches(directory, _REQUEST)]
    chosen = names[-1] if name == LAST and names else name
    if chosen not in names:
        newest = ", ".join(names[-5:])
        hint = f"the newest are {newest}" if names else "start one: howdah tune plan.yaml"
        raise UserError(f"--resume {name}", f"no such search in {directory}", hint)
    path = directory / chosen
    lock = _locked(path)
    try:
        request = TuningRequest.model_validate_json((path / _REQUEST).read_bytes())
    except (OSError, ValidationError) as error:
        lock.release()
        problem = "is not the request of a search"
        raise UserError(str(path / _REQUEST), problem, "start a new search") from error
    return TuningFolder(path, lock, request)


def _locked(path: Path) -> FileLock:
    try:
        return FileLock(path / LOCK, wait=False)
    except BlockingIOError as error:
        raise UserError(str(path), "another process is running this search", "wait until it ends") from error


def _read_trials(path: Path) -> dict[CandidateKey, Trial]:
    """The trials in a file; the incomplete last line of a killed process is cut off."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    trials = _read_lines(path, whole.splitlines(), Trial, "is not a trial", "remove the line")
    return {candidate_key(trial.values): trial for trial in trials}


def candidate_key(values: Mapping[str, str]) -> CandidateKey:
    return frozenset(values.items())
