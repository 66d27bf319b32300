"""Predictions on disk: a directory for each, written once."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from pydantic import ValidationError

from howdah.errors import UserError
from howdah.model.prediction import Prediction
from howdah.store.layout import RUN_ID
from howdah.store.replace import replacing, sync_directory

PREDICTION = "prediction.json"


def check_name(directory: Path, name: str) -> None:
    """Raise UserError for a name that a prediction cannot have, or that another has already."""
    if not RUN_ID.fullmatch(name):
        raise UserError(f"--name {name}", "cannot name a prediction", "use letters, digits, '.', '_' and '-'")
    if directory.is_file():
        raise UserError(str(directory), "is a file", "give a directory; it is made if need be")
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
            f"cannot hold a prediction ({error.strerror})",
            "give a directory that can be written and has room",
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
    return sorted(one.parent for one in directory.glob(f"[!.]*/{PREDICTION}"))


def _taken(path: Path) -> UserError:
    return UserError(
        str(path), "is there already, and what was predicted is not predicted anew", "give another --name"
    )
