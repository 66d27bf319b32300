"""Tags and notes, beside the record that they are about."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from howdah.errors import RecordError, UserError
from howdah.model.annotation import Annotation
from howdah.store.layout import ANNOTATION
from howdah.store.staging import replacing

_NONE = Annotation()


def read_annotation(path: Path) -> Annotation:
    """What was said of the run in a directory; nothing where nothing was said.

    Raises RecordError for a file that is none of howdah's.
    """
    file = path / ANNOTATION
    try:
        return Annotation.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return _NONE
    except OSError as error:
        raise RecordError(
            str(file), f"cannot be read ({error.strerror})", "make it a readable file"
        ) from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise RecordError(
            str(file),
            f"is not a note of howdah: {fault['msg'].removeprefix('Value error, ')}",
            "correct it, or remove it",
        ) from error


def write_annotation(path: Path, annotation: Annotation) -> None:
    """Replace what was said of the run in a directory; raises UserError where it cannot be written."""
    try:
        with replacing(path / ANNOTATION) as file:
            file.write(annotation.model_dump_json(indent=2).encode() + b"\n")
    except OSError as error:
        raise UserError(
            str(path / ANNOTATION),
            f"cannot be written ({error.strerror})",
            "make the run's directory writable",
        ) from error
