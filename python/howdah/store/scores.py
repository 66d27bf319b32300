"""The history of scores: one line of JSON for each measured time, kept beside the predictions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from howdah.errors import UserError
from howdah.model.prediction import Score
from howdah.store.lock import FileLock

SCORES = "scores.jsonl"
_LOCK = ".lock"


def keep_scores(directory: Path, scores: Sequence[Score]) -> list[Score]:
    """Add a run's scores to the history, unless they are in it, and return the whole of it.

    Raises UserError where the history cannot be read or written.
    """
    path = directory / SCORES
    try:
        with FileLock(directory / _LOCK):
            known = read_scores(directory)
            pairs = {(one.prediction, one.run) for one in known}
            fresh = [one for one in scores if (one.prediction, one.run) not in pairs]
            with path.open("ab") as file:
                file.write(b"".join(one.model_dump_json().encode() + b"\n" for one in fresh))
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        raise UserError(
            str(path),
            f"cannot be written ({error.strerror})",
            "give a directory that can be written and has room",
        ) from error
    return [*known, *fresh]


def read_scores(directory: Path) -> list[Score]:
    """Every score so far, oldest first; raises UserError naming the line that is none."""
    path = directory / SCORES
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(str(path), f"cannot be read ({error.strerror})", "make it readable") from error
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(Score.model_validate_json(line))
        except ValidationError as error:
            raise UserError(
                f"{path}:{number}",
                "is not a score of howdah's",
                "remove the line: the run can be scored again",
            ) from error
    return found
