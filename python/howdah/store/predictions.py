"""Predictions on disk: a directory for each, written once."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from howdah.errors import UserError
from howdah.model.prediction import Prediction, Score
from howdah.store.layout import RUN_ID, FileLock, replacing, sync_directory

PREDICTION = "prediction.json"

SCORES = "scores.jsonl"
_LOCK = ".lock"


def check_name(directory: Path, name: str) -> None:
    """Raise UserError for a name that a prediction cannot have, or that another has already."""
    if not RUN_ID.fullmatch(name):
        raise UserError(
            f"--name {name}", "is not a valid name of a prediction", "use letters, digits, '.', '_' and '-'"
        )
    if directory.is_file():
        raise UserError(str(directory), "is a file", "give a directory; it is created if needed")
    if (directory / name).exists():
        raise _taken(directory / name)


def save_prediction(directory: Path, prediction: Prediction) -> Path:
    """Write a prediction into a directory of its own and return that.

    It appears whole or not at all. Raises UserError where it cannot be written, or where there is one
    of its name: what was predicted is not predicted anew.
    """
    check_name(directory, prediction.id)
    path = directory / prediction.id
    try:
        directory.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=".new-", dir=directory))
        try:
            with replacing(staged / PREDICTION) as file:
                file.write(prediction.model_dump_json(indent=2).encode() + b"\n")
            staged.chmod(0o755)
            # Renaming would replace an empty directory, and so the name is taken first.
            path.mkdir()
            staged.rename(path)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        sync_directory(directory)
    except FileExistsError as error:
        raise _taken(path) from error
    except OSError as error:
        raise UserError(
            str(directory),
            f"cannot store a prediction ({error.strerror})",
            "give a writable directory on a disk with free space",
        ) from error
    return path


def load_prediction(path: Path) -> Prediction:
    """Read the prediction in a directory; raises UserError for what is none."""
    file = path / PREDICTION
    try:
        return Prediction.model_validate_json(file.read_bytes())
    except OSError as error:
        raise UserError(
            str(file), f"cannot be read ({error.strerror})", "give a prediction that `howdah predict` made"
        ) from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise UserError(
            str(file), f"is not a prediction: {place}: {fault['msg']}", "restore it, or predict again"
        ) from error


def list_predictions(directory: Path) -> list[Path]:
    """The directories of all predictions, in the order of their names; none where there is no directory."""
    return sorted(path.parent for path in directory.glob(f"[!.]*/{PREDICTION}"))


def _taken(path: Path) -> UserError:
    return UserError(
        str(path), "already exists, and a prediction is never overwritten", "give another --name"
    )


def keep_scores(directory: Path, scores: Sequence[Score]) -> list[Score]:
    """Add a run's scores to the history, unless they are in it, and return the whole of it.

    Raises UserError where the history cannot be read or written.
    """
    path = directory / SCORES
    try:
        with FileLock(directory / _LOCK):
            earlier = read_scores(directory)
            pairs = {(score.prediction, score.run) for score in earlier}
            fresh = [score for score in scores if (score.prediction, score.run) not in pairs]
            with path.open("ab") as file:
                file.write(b"".join(score.model_dump_json().encode() + b"\n" for score in fresh))
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        raise UserError(
            str(path),
            f"cannot be written ({error.strerror})",
            "give a writable directory on a disk with free space",
        ) from error
    return [*earlier, *fresh]


def read_scores(directory: Path) -> list[Score]:
    """Every score so far, oldest first; raises UserError naming the line that is none."""
    path = directory / SCORES
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(str(path), f"cannot be read ({error.strerror})", "make it readable") from error
    result = []
    for number, line in enumerate(lines, start=1):
        try:
            result.append(Score.model_validate_json(line))
        except ValidationError as error:
            raise UserError(
                f"{path}:{number}",
                "is not a score of howdah",
                "remove the line: the run can be scored again",
            ) from error
    return result
